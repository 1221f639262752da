//! Types and constants of threads.

use libc::c_void;

/// Everything runs on the calling thread.
pub const VORTON_THREADS_SERIAL: u32 = 0;
/// A thread pool owned by the world: its threads help the one that calls a step, which works on it from start
/// to end. The same bits as with VORTON_THREADS_SERIAL.
pub const VORTON_THREADS_POOL: u32 = 1;
/// The host's job system, called through VortonWorldDef.enqueue_task and finish_task; the library starts no
/// thread. The thread that calls a step works on it from start to end; tasks that the host runs meanwhile
/// help. The results have the same bits, whenever and wherever the host runs the tasks, if at all.
pub const VORTON_THREADS_HOST: u32 = 2;
/// One pool for all worlds with VORTON_THREADS_SHARED_POOL. The first such world creates the pool, with its
/// worker_count and its callbacks; the threads end with the last such world. Worlds may be stepped at the
/// same time: none waits for another.
pub const VORTON_THREADS_SHARED_POOL: u32 = 3;

/// A task of the library. Call it once with its context, on any thread. It works on the step to which it
/// belongs and returns when that step has ended: at once if the step is over, the world is destroyed, or the
/// thread is itself inside a step. Must not be called after the library has been unloaded.
pub type VortonTaskFn = Option<unsafe extern "C" fn(task_context: *mut c_void)>;

/// Enqueues a task in the host's job system. Returns the handle for finish_task, or NULL if finish_task need
/// not be called: the task was refused, has been run at once, or may run at any time. Called on the thread
/// that calls the library, up to worker_count - 1 times at the start of a step, of a run of operations or of
/// many samples. May call the library on other worlds; must not throw or longjmp.
pub type VortonEnqueueTaskFn = Option<
    unsafe extern "C" fn(task: VortonTaskFn, task_context: *mut c_void, user: *mut c_void) -> *mut c_void,
>;

/// Waits until the task of this handle, which enqueue_task has returned, is no longer running. All work is
/// already done when this is called: a running task ends at once, and a task that has not begun need not run.
/// Called at the end of the step, run or sampling for which enqueue_task was called, on the same thread. May
/// run other jobs meanwhile, including steps of other worlds, in the thread's own floating-point mode; must
/// not throw or longjmp.
pub type VortonFinishTaskFn = Option<unsafe extern "C" fn(host_task: *mut c_void, user: *mut c_void)>;

/// Notifies the host that a pool thread starts or ends: called on that thread, before and after all else.
/// `worker` counts from 0. Must not call the library (such a call returns VORTON_ERR_BUSY), throw or longjmp.
pub type VortonThreadFn = Option<unsafe extern "C" fn(worker: u32, user: *mut c_void)>;
