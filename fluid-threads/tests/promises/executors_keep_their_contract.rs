//! Every backend runs each chunk once, survives a panic, and gives ordered reductions the same bits.

use crate::hosts::{Manner, Threads};
use fluid_threads::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

fn backends() -> Vec<Box<dyn Executor>> {
    let mut all: Vec<Box<dyn Executor>> = vec![Box::new(Serial)];
    all.extend([1, 2, 3, 8].map(|workers| Box::new(Pool::new(workers).unwrap()) as Box<dyn Executor>));
    all.extend([1, 2, 3].map(|seed| Box::new(Shuffled::new(seed)) as Box<dyn Executor>));
    all.extend(Manner::ALL.map(|manner| Box::new(Host::new(4, manner.scheduler())) as Box<dyn Executor>));
    all.extend([2, 9].map(|workers| Box::new(Host::new(workers, Threads::start(4))) as Box<dyn Executor>));
    all
}

#[test]
fn each_chunk_runs_exactly_once() {
    for exec in backends() {
        for chunks in [0, 1, 2, 7, 1000] {
            let runs: Vec<AtomicUsize> = (0..chunks).map(|_| AtomicUsize::new(0)).collect();
            exec.enter(&mut || {
                exec.run(chunks, &|i| {
                    runs[i].fetch_add(1, Ordering::Relaxed);
                })
            });
            assert!(runs.iter().all(|n| n.load(Ordering::Relaxed) == 1), "{chunks} chunks");
        }
    }
}

#[test]
fn a_panic_reaches_the_caller_once_and_leaves_the_executor_usable() {
    for exec in backends() {
        for _ in 0..3 {
            let running = AtomicUsize::new(0);
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                exec.run(64, &|i| {
                    running.fetch_add(1, Ordering::SeqCst);
                    if i % 5 == 3 {
                        running.fetch_sub(1, Ordering::SeqCst);
                        panic!("chunk {i}");
                    }
                    running.fetch_sub(1, Ordering::SeqCst);
                })
            }));
            let payload = outcome.unwrap_err();
            assert!(payload.downcast_ref::<String>().is_some_and(|text| text.starts_with("chunk ")));
            assert_eq!(
                running.load(Ordering::SeqCst),
                0,
                "no chunk may run on after the panic has reached the caller"
            );
        }
        let sum = AtomicUsize::new(0);
        exec.run(100, &|i| {
            sum.fetch_add(i, Ordering::Relaxed);
        });
        assert_eq!(sum.into_inner(), 4950);
    }
}

#[test]
fn a_panic_inside_enter_reaches_the_caller() {
    for exec in backends() {
        let outcome = catch_unwind(AssertUnwindSafe(|| exec.enter(&mut || panic!("inside"))));
        assert_eq!(outcome.unwrap_err().downcast_ref::<&str>(), Some(&"inside"));
        exec.enter(&mut || ());
    }
}

#[test]
fn ordered_reductions_have_the_same_bits_on_every_backend() {
    // Terms of very different size: any other order of addition gives different bits.
    let terms: Vec<f32> =
        (0..10_000).map(|i| ((i * 7919) % 10_007) as f32 * 10_f32.powi(i % 13 - 6)).collect();
    let sum = |exec: &dyn Executor| {
        let map = |range: std::ops::Range<usize>| terms[range].iter().sum::<f32>();
        reduce_ordered(exec, terms.len(), 64, 0.0, &mut Vec::new(), &map, |a, b| a + b).to_bits()
    };
    let serial = sum(&Serial);
    assert!(backends().iter().all(|exec| sum(&**exec) == serial));
    let reversed: f32 = terms.iter().rev().sum();
    assert_ne!(reversed.to_bits(), serial, "the terms are such that order matters");
}

#[test]
fn columns_are_cut_into_aligned_disjoint_chunks() {
    for exec in backends() {
        let (mut a, mut b) = (vec![0_u32; 1001], vec![0_u64; 1001]);
        let columns = (a.as_mut_slice(), b.as_mut_slice());
        for_each_chunk_mut(&*exec, 17, columns, &|start, (a, b): (&mut [u32], &mut [u64])| {
            assert_eq!(a.len(), b.len());
            for (i, (a, b)) in a.iter_mut().zip(b).enumerate() {
                *a += (start + i) as u32;
                *b += 2 * (start + i) as u64;
            }
        });
        assert!(a.iter().enumerate().all(|(i, &v)| v as usize == i));
        assert!(b.iter().enumerate().all(|(i, &v)| v as usize == 2 * i));
    }
}

#[test]
#[should_panic = "columns differ in length"]
fn columns_of_different_length_are_refused() {
    let (mut a, mut b) = (vec![0_u8; 3], vec![0_u8; 4]);
    for_each_chunk_mut(&Serial, 2, (a.as_mut_slice(), b.as_mut_slice()), &|_, _: (&mut [u8], &mut [u8])| ());
}

#[test]
fn parts_of_any_length_are_disjoint_and_cover_what_their_starts_say() {
    for exec in backends() {
        let (mut numbers, mut counts) = (vec![0_u32; 12], vec![0_usize; 4]);
        // One part is empty, and the last two numbers belong to no part.
        let starts = [1, 4, 4, 5, 10];
        let columns = (Parts::new(&mut numbers, &starts), counts.as_mut_slice());
        for_each_chunk_mut(&*exec, 1, columns, &|part, (numbers, count): (&mut [u32], &mut [usize])| {
            numbers.iter_mut().for_each(|number| *number += 1 + part as u32);
            count[0] = numbers.len();
        });
        assert_eq!(counts, [3, 0, 1, 5]);
        assert_eq!(numbers, [0, 1, 1, 1, 3, 4, 4, 4, 4, 4, 0, 0]);
    }
    let mut numbers = vec![0_u32; 4];
    assert_eq!(Parts::new(&mut numbers, &[]).len(), 0);
    for starts in [[0, 3, 2], [0, 3, 5]] {
        assert!(catch_unwind(AssertUnwindSafe(|| Parts::new(&mut numbers, &starts).len())).is_err());
    }
}

#[test]
fn a_pool_has_the_workers_it_was_asked_for() {
    assert_eq!(Pool::new(3).unwrap().worker_count(), 3);
    assert_eq!(Pool::new(0).unwrap().worker_count(), 1);
}

/// So it never waits for a thread that another step keeps, which may be long.
#[test]
fn a_step_runs_on_the_thread_that_makes_it() {
    let (pool, stops) = (Pool::new(3).unwrap(), AtomicBool::new(false));
    let step = |chunks: usize| {
        let (here, mut was_elsewhere) = (std::thread::current().id(), false);
        pool.enter(&mut || {
            pool.run(chunks, &|_| std::thread::sleep(Duration::from_micros(20)));
            was_elsewhere |= std::thread::current().id() != here;
        });
        assert!(!was_elsewhere);
    };
    std::thread::scope(|threads| {
        for chunks in [3, 50] {
            let (step, stops) = (&step, &stops);
            threads.spawn(move || {
                while !stops.load(Ordering::SeqCst) {
                    step(chunks)
                }
            });
        }
        (0..200).for_each(|_| step(2));
        stops.store(true, Ordering::SeqCst);
    });
}

/// Returns once a chunk has run on another thread, in at most 20 s.
fn until_helped(pool: &Pool) {
    let (main, begun, is_helped) = (std::thread::current().id(), Instant::now(), AtomicBool::new(false));
    while !is_helped.load(Ordering::SeqCst) {
        pool.run(50, &|_| {
            std::thread::sleep(Duration::from_micros(10));
            is_helped.fetch_or(std::thread::current().id() != main, Ordering::SeqCst);
        });
        assert!(begun.elapsed() < Duration::from_secs(20), "no thread comes");
    }
}

/// Threads that helped a step until another one came go on when that is over, awake or asleep by then.
#[test]
fn a_step_is_helped_again_after_another_one() {
    for pause in [0, 20] {
        let pool = Pool::new(2).unwrap();
        pool.enter(&mut || {
            for _ in 0..10 {
                until_helped(&pool);
                std::thread::scope(|threads| {
                    threads.spawn(|| {
                        pool.enter(&mut || {
                            pool.run(4, &|_| ());
                            std::thread::sleep(Duration::from_millis(pause));
                        });
                    });
                });
            }
            until_helped(&pool);
        });
    }
}

/// Two steps on two workers have a thread each: the helper of the first leaves it, awake or asleep.
#[test]
fn no_more_threads_work_than_there_are_workers() {
    for chunks_between in [0, 100] {
        let pool = Pool::new(2).unwrap();
        let (alone, begun) = (AtomicUsize::new(0), Instant::now());
        pool.enter(&mut || {
            until_helped(&pool);
            (0..100).for_each(|_| pool.run(chunks_between, &|_| ()));
            std::thread::scope(|threads| {
                let (pool, alone) = (&pool, &alone);
                threads.spawn(move || {
                    let wait = || {
                        while alone.load(Ordering::SeqCst) < 10 {
                            std::thread::yield_now();
                            assert!(begun.elapsed() < Duration::from_secs(20), "the helper stays");
                        }
                    };
                    pool.enter(&mut || wait());
                });
                let main = std::thread::current().id();
                while alone.load(Ordering::SeqCst) < 10 && begun.elapsed() < Duration::from_secs(20) {
                    let is_helped = AtomicBool::new(false);
                    pool.run(20, &|_| {
                        std::thread::sleep(Duration::from_micros(100));
                        is_helped.fetch_or(std::thread::current().id() != main, Ordering::SeqCst);
                    });
                    let count = if is_helped.into_inner() { 0 } else { alone.load(Ordering::SeqCst) + 1 };
                    alone.store(count, Ordering::SeqCst);
                }
            });
        });
    }
}

/// Helpers are divided among steps, of which each would take all.
#[test]
fn every_step_is_helped() {
    let (pool, helped) = (Pool::new(6).unwrap(), AtomicUsize::new(0));
    std::thread::scope(|threads| {
        for _ in 0..3 {
            threads.spawn(|| {
                pool.enter(&mut || {
                    until_helped(&pool);
                    helped.fetch_add(1, Ordering::SeqCst);
                    while helped.load(Ordering::SeqCst) < 3 {
                        pool.run(12, &|_| std::thread::sleep(Duration::from_micros(200)));
                    }
                });
            });
        }
    });
}

#[test]
fn many_steps_at_a_time_share_a_pool() {
    let pool = Pool::new(3).unwrap();
    let step = || {
        for _ in 0..50 {
            let sum = AtomicUsize::new(0);
            pool.enter(&mut || {
                for _ in 0..10 {
                    pool.run(50, &|i| {
                        sum.fetch_add(i, Ordering::Relaxed);
                    });
                }
            });
            assert_eq!(sum.into_inner(), 10 * 1225);
        }
    };
    std::thread::scope(|threads| (0..16).for_each(|_| _ = threads.spawn(step)));
}

/// Hooks that panic leave a thread that works and ends.
#[test]
fn a_hook_may_panic() {
    let pool = Pool::with_hooks(3, |worker| assert!(worker > 0, "the first one's hook"), |_| ()).unwrap();
    pool.enter(&mut || until_helped(&pool));
}

#[test]
fn a_pool_that_is_dropped_has_no_threads_left() {
    use std::sync::Arc;
    // Each worker keeps a clone of this for as long as it runs.
    let alive = Arc::new(());
    thread_local! {
        static SHARE: std::cell::RefCell<Option<Arc<()>>> = const { std::cell::RefCell::new(None) };
    }
    for workers in [1, 2, 8] {
        let share = Arc::clone(&alive);
        let pool = Pool::with_hooks(workers, move |_| SHARE.set(Some(Arc::clone(&share))), |_| ()).unwrap();
        pool.run(100, &|_| ());
        drop(pool);
        assert_eq!(Arc::strong_count(&alive), 1);
    }
}

#[test]
fn strips_are_the_same_columns_of_every_row() {
    // Whole chunks and a remainder, rows longer than their columns, and nearly empty matrices.
    for (rows, stride, columns, width, chunk) in
        [(4, 13, 6, 2, 4), (3, 5, 5, 1, 2), (1, 8, 1, 8, 3), (0, 4, 2, 2, 1)]
    {
        for exec in backends() {
            let mut matrix = vec![0_usize; rows * stride];
            let strips = Strips::new(&mut matrix, stride, columns, width);
            for_each_chunk_mut(&*exec, chunk, strips, &|first, mut strip: Strip<'_, usize>| {
                for row in 0..rows {
                    let len = strip.row(row).len();
                    assert!(len.is_multiple_of(width) && len <= chunk * width);
                    for (i, element) in strip.row_mut(row).iter_mut().enumerate() {
                        *element += 1 + row * stride + first * width + i;
                    }
                }
            });
            for (at, element) in matrix.iter().enumerate() {
                let is_in_a_column = at % stride < columns * width;
                assert_eq!(*element, if is_in_a_column { at + 1 } else { 0 }, "{rows} rows of {stride}");
            }
        }
    }
}
