//! Steps on a host's job system: its threads take part, nested loops and several steps at a time work, and
//! a late task finds its session closed.

use crate::hosts::{Manner, Threads};
use fluid_threads::{Executor, Host, Scheduler, Task, TaskHandle};
use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex, PoisonError};
use std::thread;

/// One test takes all seats of all hosts; other tests that need one wait for it.
static SEATS: Mutex<()> = Mutex::new(());

#[test]
fn threads_of_the_host_take_part() {
    let _seats = SEATS.lock().unwrap_or_else(PoisonError::into_inner);
    let host = Host::new(3, Threads::start(2));
    let threads = Mutex::new(HashSet::new());
    // Each chunk waits for the others, so each needs a separate thread.
    let all_there = Barrier::new(3);
    host.enter(&mut || {
        host.run(3, &|_| {
            threads.lock().unwrap().insert(thread::current().id());
            all_there.wait();
        });
    });
    assert_eq!(threads.into_inner().unwrap().len(), 3);
}

#[test]
fn a_host_without_threads_is_the_calling_thread() {
    for manner in Manner::ALL {
        let host = Host::new(8, manner.scheduler());
        let here = thread::current().id();
        host.enter(&mut || host.run(64, &|_| assert_eq!(thread::current().id(), here)));
        // Also without `enter`.
        host.run(64, &|_| assert_eq!(thread::current().id(), here));
    }
}

#[test]
fn loops_within_loops_run_where_they_are() {
    let host = Host::new(4, Threads::start(3));
    let sum = AtomicUsize::new(0);
    host.enter(&mut || {
        host.run(20, &|i| {
            let here = thread::current().id();
            host.enter(&mut || {
                host.run(10, &|k| {
                    assert_eq!(thread::current().id(), here);
                    sum.fetch_add(10 * i + k, Ordering::Relaxed);
                });
            });
        });
    });
    assert_eq!(sum.into_inner(), (0..200).sum());
}

#[test]
fn many_steps_at_a_time_share_a_hosts_threads() {
    let _seats = SEATS.lock().unwrap_or_else(PoisonError::into_inner);
    // More than there are seats: a step without a seat runs alone.
    let host = Arc::new(Host::new(4, Threads::start(3)));
    let steps = (0..80).map(|_| {
        let host = Arc::clone(&host);
        thread::spawn(move || {
            for _ in 0..20 {
                let sum = AtomicUsize::new(0);
                host.enter(&mut || {
                    for _ in 0..10 {
                        host.run(50, &|i| {
                            sum.fetch_add(i, Ordering::Relaxed);
                        });
                    }
                });
                assert_eq!(sum.into_inner(), 10 * 1225);
            }
        })
    });
    steps.collect::<Vec<_>>().into_iter().for_each(|step| step.join().unwrap());
}

/// Keeps all tasks that it has received.
#[derive(Default)]
struct Hoarder(Arc<Mutex<Vec<Task>>>);

impl Scheduler for Hoarder {
    fn enqueue(&self, task: Task) -> Option<TaskHandle> {
        self.0.lock().unwrap().push(task);
        None
    }
    fn finish(&self, _: TaskHandle) {
        unreachable!("no handle was given");
    }
}

#[test]
fn late_tasks_and_nonsense_find_a_closed_door() {
    let _seats = SEATS.lock().unwrap_or_else(PoisonError::into_inner);
    let tasks = Arc::new(Mutex::new(Vec::new()));
    let host = Host::new(4, Hoarder(Arc::clone(&tasks)));
    host.enter(&mut || host.run(10, &|_| ()));
    assert_eq!(tasks.lock().unwrap().len(), 3);
    drop(host);
    tasks.lock().unwrap().iter().for_each(|task| Task::from_token(task.to_token()).run());
    for token in [0, 1, 63, 64, usize::MAX] {
        Task::from_token(token).run();
    }
    // Also while a session of another host is open in the same seat.
    let other = Host::new(2, Manner::Never.scheduler());
    let late = tasks.lock().unwrap().clone();
    other.enter(&mut || {
        let late = late.clone();
        thread::spawn(move || late.into_iter().for_each(Task::run)).join().unwrap();
    });
}

#[test]
fn a_host_may_step_another_world_while_it_waits() {
    /// Runs a step of another executor whenever it is told to finish a task.
    struct Busy(Arc<Host>, Arc<AtomicUsize>);
    impl Scheduler for Busy {
        fn enqueue(&self, _: Task) -> Option<TaskHandle> {
            TaskHandle::new(1)
        }
        fn finish(&self, _: TaskHandle) {
            self.0.enter(&mut || {
                self.0.run(10, &|i| {
                    self.1.fetch_add(i, Ordering::Relaxed);
                })
            });
        }
    }
    let sum = Arc::new(AtomicUsize::new(0));
    let other = Arc::new(Host::new(2, Threads::start(1)));
    let host = Host::new(3, Busy(other, Arc::clone(&sum)));
    host.enter(&mut || host.run(4, &|_| ()));
    assert_eq!(sum.load(Ordering::Relaxed), 2 * 45);
}
