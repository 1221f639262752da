//! Runs the loop of `fetch_add` in every interleaving of two and three threads: no addition is lost, and
//! the sum is that of one of the orders.
//!
//! The loop touches only one cell, and all threads agree on the single modification order of an atomic
//! cell, whatever the memory ordering (coherence). A load that returns an old value is a load that came
//! earlier in that order. So interleavings of whole operations cover all cases.

use super::{Word, fetch_add};
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::sync::atomic::Ordering::Relaxed;

/// Answers of the memory to a thread so far: values loaded, and outcomes of exchanges.
type Answers = Vec<Result<u32, u32>>;

/// Memory as seen by a thread that executes one step: earlier answers are repeated, the next operation is
/// executed, and all later ones are pretended to succeed, so that the thread's code finishes. The code is
/// deterministic, so this is equivalent to stopping it.
struct Step<'a> {
    memory: &'a Cell<u32>,
    answers: RefCell<Answers>,
    /// Number of answers before this step.
    past: usize,
    asked: Cell<usize>,
    /// Whether an exchange that could succeed fails, as a weak one may; and whether that happened.
    fail: bool,
    failed: Cell<bool>,
}

impl Step<'_> {
    fn answer(&self, pretence: u32, operation: impl FnOnce() -> Result<u32, u32>) -> Result<u32, u32> {
        let at = self.asked.replace(self.asked.get() + 1);
        if at == self.past {
            self.answers.borrow_mut().push(operation());
        }
        self.answers.borrow().get(at).copied().unwrap_or(Ok(pretence))
    }

    /// Used only by [`adds_without_care`].
    fn store(&self, value: u32) {
        let _ = self.answer(0, || Ok(self.memory.replace(value)));
    }
}

impl Word for Step<'_> {
    fn load(&self) -> u32 {
        self.answer(0, || Ok(self.memory.get())).expect("a load has a value")
    }

    fn compare_exchange_weak(&self, seen: u32, new: u32, _: std::sync::atomic::Ordering) -> Result<u32, u32> {
        self.answer(seen, || {
            let now = self.memory.get();
            if now != seen {
                return Err(now);
            }
            if self.fail {
                self.failed.set(true);
                return Err(now);
            }
            self.memory.set(new);
            Ok(now)
        })
    }
}

type Add = fn(&Step, f32) -> f32;

fn adds_atomically(word: &Step, value: f32) -> f32 {
    fetch_add(word, value, Relaxed)
}

/// Adds as in the article's naive version.
fn adds_without_care(word: &Step, value: f32) -> f32 {
    let before = f32::from_bits(word.load());
    word.store((before + value).to_bits());
    before
}

#[derive(Clone)]
struct Thread<'a> {
    values: &'a [f32],
    answers: Answers,
    /// Remaining weak failures: without a limit the number of interleavings would be infinite.
    failures: u32,
    /// Return values of its additions, once it has ended.
    befores: Option<Vec<f32>>,
}

/// Continues from this state in every possible order; calls `ended(memory, threads)` at the end of each.
fn interleave(add: Add, memory: u32, threads: &[Thread], ended: &mut dyn FnMut(u32, &[Thread])) {
    if threads.iter().all(|thread| thread.befores.is_some()) {
        return ended(memory, threads);
    }
    for (index, thread) in threads.iter().enumerate().filter(|(_, thread)| thread.befores.is_none()) {
        for fail in [false, true] {
            let memory = Cell::new(memory);
            let step = Step {
                memory: &memory,
                answers: RefCell::new(thread.answers.clone()),
                past: thread.answers.len(),
                asked: Cell::new(0),
                fail,
                failed: Cell::new(false),
            };
            let befores: Vec<f32> = thread.values.iter().map(|value| add(&step, *value)).collect();
            if fail && (!step.failed.get() || thread.failures == 0) {
                continue;
            }
            let mut threads = threads.to_vec();
            threads[index].failures -= u32::from(fail);
            threads[index].answers = step.answers.into_inner();
            if step.asked.get() == threads[index].answers.len() {
                threads[index].befores = Some(befores);
            }
            interleave(add, memory.get(), &threads, ended);
        }
    }
}

fn start<'a>(values: &[&'a [f32]], failures: u32) -> Vec<Thread<'a>> {
    values.iter().map(|values| Thread { values, answers: Vec::new(), failures, befores: None }).collect()
}

/// Bits to compare; all NaN count as equal, because the language does not specify which one an operation
/// returns.
fn bits(value: f32) -> u32 {
    if value.is_nan() { f32::NAN.to_bits() } else { value.to_bits() }
}

/// Collects the sums of all possible orders of the threads' additions, as bits.
fn sums_of_orders(sum: f32, threads: &[&[f32]], sums: &mut BTreeSet<u32>) {
    if threads.iter().all(|values| values.is_empty()) {
        sums.insert(bits(sum));
    }
    for index in 0..threads.len() {
        if let Some((first, rest)) = threads[index].split_first() {
            let mut threads = threads.to_vec();
            threads[index] = rest;
            sums_of_orders(sum + first, &threads, sums);
        }
    }
}

/// Terms with sums that depend on the order; two that cancel, so that a value recurs (which a comparison
/// cannot distinguish from one that never changed); and one that gives NaN with the others.
const CASES: [&[&[f32]]; 6] = [
    &[&[1e8], &[3.0]],
    &[&[1e8], &[3.0], &[-1e8]],
    &[&[1e8, 3.0], &[-1e8, 0.1]],
    &[&[1.0, -1.0], &[0.25, 7.0]],
    &[&[2.0], &[-2.0], &[1e-3]],
    &[&[f32::INFINITY], &[f32::NEG_INFINITY], &[1.0]],
];

#[test]
fn every_interleaving_gives_the_sum_of_one_of_the_orders_and_every_order_occurs() {
    for values in CASES {
        let mut expected = BTreeSet::new();
        sums_of_orders(0.5, values, &mut expected);
        let mut found = BTreeSet::new();
        let mut count = 0;
        interleave(adds_atomically, 0.5_f32.to_bits(), &start(values, 1), &mut |memory, threads| {
            let sum = f32::from_bits(memory);
            assert!(expected.contains(&bits(sum)), "{sum} is no order's sum");
            for thread in threads {
                assert_eq!(thread.befores.as_ref().map(Vec::len), Some(thread.values.len()));
            }
            found.insert(bits(sum));
            count += 1;
        });
        // Two threads with one addition each have 6 interleavings of their loads and exchanges even without
        // failures.
        assert!(count >= 6, "{count} interleavings");
        assert_eq!(found, expected);
    }
}

#[test]
fn no_addition_is_lost_and_each_returns_what_was_there() {
    // Powers of two: the sum tells which ones were added, and the return value of an addition which ones
    // preceded it.
    for values in [&[&[1.0_f32, 8.0] as &[f32], &[2.0, 16.0]] as &[&[f32]], &[&[1.0], &[2.0], &[4.0]]] {
        let all: f32 = values.concat().iter().sum();
        interleave(adds_atomically, 0, &start(values, 1), &mut |memory, threads| {
            assert_eq!(f32::from_bits(memory), all);
            let mut links: Vec<(f32, f32)> = threads
                .iter()
                .flat_map(|thread| {
                    thread.befores.iter().flatten().copied().zip(thread.values.iter().copied())
                })
                .collect();
            links.sort_by(|a, b| a.0.total_cmp(&b.0));
            let chain =
                links.iter().try_fold(0.0, |sum, (before, value)| (sum == *before).then_some(sum + value));
            assert_eq!(chain, Some(all), "each addition begins where another ended");
        });
    }
}

#[test]
fn the_check_finds_the_addition_that_a_careless_loop_loses() {
    let mut sums = BTreeSet::new();
    let values: [&[f32]; 2] = [&[1.0], &[2.0]];
    interleave(adds_without_care, 0, &start(&values, 0), &mut |memory, _| _ = sums.insert(memory));
    assert_eq!(sums, [1.0_f32, 2.0, 3.0].map(f32::to_bits).into());
}
