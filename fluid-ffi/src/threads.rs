//! The executor of a world's loops: the calling thread, a pool, or the host's job system.

use crate::float_env::FloatEnv;
use crate::heap::WithHolds;
use crate::status::{unknown, *};
use crate::types::threads::{
    VORTON_THREADS_HOST, VORTON_THREADS_POOL, VORTON_THREADS_SERIAL, VORTON_THREADS_SHARED_POOL,
    VortonTaskFn, VortonThreadFn,
};
use crate::types::world_def::VortonWorldDef;
use crate::{guard, log};
use fluid_threads::{Executor, Host, Pool, Scheduler, Serial, Task, TaskHandle};
use libc::c_void;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Creates the executor that a world definition selects.
pub(crate) fn executor(def: &VortonWorldDef) -> Outcome<Arc<WithHolds>> {
    let workers = || worker_count(def.worker_count);
    let executor: Arc<dyn Executor> = match def.threads {
        VORTON_THREADS_SERIAL => Arc::new(Serial),
        VORTON_THREADS_POOL => or_serial(pool(workers()?, Hooks::of(def)).map(Arc::new)),
        VORTON_THREADS_HOST => Arc::new(Host::new(workers()?, JobSystem::of(def)?)),
        VORTON_THREADS_SHARED_POOL => or_serial(shared_pool(workers()?, Hooks::of(def))),
        other => return Err(unknown("threads", other)),
    };
    Ok(Arc::new(WithHolds::new(executor)))
}

fn worker_count(asked: u32) -> Outcome<usize> {
    const { assert!(Host::MAX_WORKERS == Pool::MAX_WORKERS) };
    match asked as usize {
        0 => Ok(std::thread::available_parallelism().map_or(1, |n| n.get().min(Pool::MAX_WORKERS))),
        count if count <= Pool::MAX_WORKERS => Ok(count),
        count => Err(Error::bad_value(format_args!("worker_count is {count}, but must be at most 256"))),
    }
}

/// Returns the pool, or the serial executor if the system starts no threads: slower, with the same results.
fn or_serial(pool: Result<Arc<Pool>, fluid_threads::PoolError>) -> Arc<dyn Executor> {
    match pool {
        Ok(pool) => pool,
        Err(error) => {
            let text = format!("{error}; steps run on the calling thread");
            log::line(log::VORTON_LOG_WARNING, &text);
            Arc::new(Serial)
        }
    }
}

/// The host's callbacks at start and end of a pool thread.
#[derive(Clone, Copy)]
struct Hooks {
    start: VortonThreadFn,
    stop: VortonThreadFn,
    user: *mut c_void,
}

// SAFETY: the host promises in `VortonWorldDef` that the functions and `thread_user` may be used on any
// thread.
unsafe impl Send for Hooks {}
// SAFETY: as above.
unsafe impl Sync for Hooks {}

impl Hooks {
    fn of(def: &VortonWorldDef) -> Self {
        Self { start: def.thread_start, stop: def.thread_stop, user: def.thread_user }
    }

    fn call(self, hook: VortonThreadFn, worker: usize) {
        if let Some(hook) = hook {
            // SAFETY: the host gave this function for this use.
            unsafe { hook(worker as u32, self.user) };
        }
    }
}

fn pool(workers: usize, hooks: Hooks) -> Result<Pool, fluid_threads::PoolError> {
    let on_start = move |worker| {
        guard::adopt_worker_thread();
        hooks.call(hooks.start, worker);
        FloatEnv::keep_default();
    };
    Pool::with_hooks(workers, on_start, move |worker| hooks.call(hooks.stop, worker))
}

/// The pool shared by worlds, while it exists.
static SHARED: Mutex<Weak<Pool>> = Mutex::new(Weak::new());

/// Returns the shared pool; creates it, with these workers and hooks, if there is none.
fn shared_pool(workers: usize, hooks: Hooks) -> Result<Arc<Pool>, fluid_threads::PoolError> {
    let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(pool) = shared.upgrade().filter(|pool| pool.is_of_this_process()) {
        return Ok(pool);
    }
    let pool = Arc::new(pool(workers, hooks)?);
    *shared = Arc::downgrade(&pool);
    Ok(pool)
}

/// The host's job system.
struct JobSystem {
    enqueue: unsafe extern "C" fn(VortonTaskFn, *mut c_void, *mut c_void) -> *mut c_void,
    finish: unsafe extern "C" fn(*mut c_void, *mut c_void),
    user: *mut c_void,
}

// SAFETY: the host promises in `VortonWorldDef` that the functions and `task_user` may be used on any thread
// that makes a step.
unsafe impl Send for JobSystem {}
// SAFETY: as above.
unsafe impl Sync for JobSystem {}

impl JobSystem {
    fn of(def: &VortonWorldDef) -> Outcome<Self> {
        let missing =
            |name| Error::new(VORTON_ERR_NULL, format_args!("{name} is NULL with VORTON_THREADS_HOST"));
        Ok(Self {
            enqueue: def.enqueue_task.ok_or_else(|| missing("enqueue_task"))?,
            finish: def.finish_task.ok_or_else(|| missing("finish_task"))?,
            user: def.task_user,
        })
    }
}

impl Scheduler for JobSystem {
    fn enqueue(&self, task: Task) -> Option<TaskHandle> {
        let context = std::ptr::without_provenance_mut(task.to_token());
        // SAFETY: the host gave this function for this use; the context is only a number.
        let handle = guard::outside(|| unsafe { (self.enqueue)(Some(run_task), context, self.user) });
        TaskHandle::new(handle.expose_provenance())
    }

    fn finish(&self, handle: TaskHandle) {
        let host_task = std::ptr::with_exposed_provenance_mut(handle.get());
        // SAFETY: `finish` is the host's function for this, and `host_task` came from its `enqueue`.
        guard::outside(|| unsafe { (self.finish)(host_task, self.user) });
    }
}

/// The task function that the host calls. A panic in a chunk is passed to the thread that makes the step.
unsafe extern "C" fn run_task(context: *mut c_void) {
    guard::as_worker(|| {
        let _env = FloatEnv::enter();
        Task::from_token(context.addr()).run();
    });
}
