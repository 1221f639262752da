//! Hosts with job systems of different behaviour, all of them legal. Also used by the benches.

use fluid_threads::{Scheduler, Task, TaskHandle};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;

/// When a host without threads runs its tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manner {
    /// At once, on the thread that enqueues them.
    Inline,
    /// When it is told to finish them.
    InFinish,
    /// After the executor has been dropped.
    TooLate,
    /// Never.
    Never,
}

impl Manner {
    pub(crate) const ALL: [Self; 4] = [Self::Inline, Self::InFinish, Self::TooLate, Self::Never];

    pub(crate) fn scheduler(self) -> impl Scheduler {
        Alone { manner: self, tasks: Mutex::default() }
    }
}

struct Alone {
    manner: Manner,
    tasks: Mutex<Vec<Task>>,
}

impl Scheduler for Alone {
    fn enqueue(&self, task: Task) -> Option<TaskHandle> {
        if self.manner == Manner::Inline {
            task.run();
            return None;
        }
        let mut tasks = self.tasks.lock().unwrap();
        tasks.push(task);
        TaskHandle::new(tasks.len())
    }

    fn finish(&self, handle: TaskHandle) {
        let task = self.tasks.lock().unwrap()[handle.get() - 1];
        if self.manner == Manner::InFinish {
            task.run();
        }
    }
}

impl Drop for Alone {
    fn drop(&mut self) {
        if self.manner == Manner::TooLate {
            let tasks = std::mem::take(&mut *self.tasks.lock().unwrap());
            std::thread::spawn(move || tasks.into_iter().for_each(Task::run)).join().unwrap();
        }
    }
}

/// A host with threads, which run tasks as they arrive.
pub(crate) struct Threads {
    jobs: Mutex<Option<Sender<Job>>>,
    pending: Mutex<Vec<Arc<Job>>>,
    workers: Vec<JoinHandle<()>>,
}

type Done = Arc<(Mutex<bool>, Condvar)>;

#[derive(Clone)]
struct Job {
    task: Task,
    done: Done,
}

impl Threads {
    pub(crate) fn start(count: usize) -> Self {
        let (jobs, receiver) = channel::<Job>();
        let receiver = Arc::new(Mutex::new(receiver));
        let work = |receiver: Arc<Mutex<Receiver<Job>>>| {
            move || {
                loop {
                    let job = receiver.lock().unwrap().recv();
                    let Ok(job) = job else { return };
                    job.task.run();
                    *job.done.0.lock().unwrap() = true;
                    job.done.1.notify_all();
                }
            }
        };
        let workers = (0..count).map(|_| std::thread::spawn(work(Arc::clone(&receiver)))).collect();
        Self { jobs: Mutex::new(Some(jobs)), pending: Mutex::default(), workers }
    }
}

impl Scheduler for Threads {
    fn enqueue(&self, task: Task) -> Option<TaskHandle> {
        let job = Job { task, done: Done::default() };
        self.jobs.lock().unwrap().as_ref().unwrap().send(job.clone()).unwrap();
        let mut pending = self.pending.lock().unwrap();
        pending.push(Arc::new(job));
        TaskHandle::new(pending.len())
    }

    fn finish(&self, handle: TaskHandle) {
        let job = Arc::clone(&self.pending.lock().unwrap()[handle.get() - 1]);
        let mut done = job.done.0.lock().unwrap();
        while !*done {
            done = job.done.1.wait(done).unwrap();
        }
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        *self.jobs.lock().unwrap() = None;
        for worker in self.workers.drain(..) {
            worker.join().unwrap();
        }
    }
}
