//! The only policy for panics, re-entry and errors: every exported function runs inside [`call`].

use crate::float_env::{FloatEnv, HostsFloatEnv};
use crate::heap::{Refusing, without_world};
use crate::log;
use crate::status::*;
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

thread_local! {
    static LAST_ERROR: RefCell<String> = const { RefCell::new(String::new()) };
    /// True while this thread runs library code: inside a call, or as a worker.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// Runs the body of an exported function; errors and panics become a result code.
pub(crate) fn call(body: impl FnOnce() -> Outcome<VortonResult>) -> VortonResult {
    install_panic_hook();
    if INSIDE.get() {
        // Not logged: this comes from the log callback.
        remember("a callback must not call back into the library".to_owned());
        return VORTON_ERR_BUSY;
    }
    INSIDE.set(true);
    let _leave = Leave;
    let _env = FloatEnv::enter();
    let _refusing = Refusing::begin(true);
    let error = match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(code)) => return code,
        Ok(Err(error)) => error,
        Err(payload) => Error::new(VORTON_ERR_PANIC, format_args!("internal error: {}", message(&*payload))),
    };
    // Busy is normal with several threads.
    let level = if error.code == VORTON_ERR_BUSY { log::VORTON_LOG_INFO } else { log::VORTON_LOG_ERROR };
    log::line(level, &error.text);
    // A copy: the text itself may be in memory that the call has held.
    remember(error.text.as_str().to_owned());
    error.code
}

/// Runs the body of a function that has no note to return.
pub(crate) fn run(body: impl FnOnce() -> Outcome) -> VortonResult {
    call(|| body().map(|()| VORTON_OK))
}

/// Returns the text of this thread's last failure.
pub(crate) fn last_error() -> String {
    LAST_ERROR.try_with(|text| text.borrow().clone()).unwrap_or_default()
}

/// Stores the text of a failure. Without effect once the thread-locals are destroyed: a host's thread-local
/// destructors may still call the library.
fn remember(text: String) {
    let _ = LAST_ERROR.try_with(|last| last.replace(text));
}

/// Marks this thread as a worker permanently: panics on it are reported through results, not printed.
pub(crate) fn adopt_worker_thread() {
    INSIDE.set(true);
}

/// Runs a task of the library on a host thread, marked as a worker meanwhile.
pub(crate) fn as_worker(task: impl FnOnce()) {
    install_panic_hook();
    let _before = InsideGuard::set(true);
    task();
}

/// Runs a host callback that may do work of its own and call other worlds.
pub(crate) fn outside<T>(callback: impl FnOnce() -> T) -> T {
    let _before = InsideGuard::set(false);
    let _env = HostsFloatEnv::enter();
    let _allowing = Refusing::begin(false);
    without_world(callback)
}

/// Previous value of [`INSIDE`], restored on drop.
struct InsideGuard(bool);

impl InsideGuard {
    fn set(inside: bool) -> Self {
        Self(INSIDE.replace(inside))
    }
}

impl Drop for InsideGuard {
    fn drop(&mut self) {
        INSIDE.set(self.0);
    }
}

struct Leave;

impl Drop for Leave {
    fn drop(&mut self) {
        INSIDE.set(false);
    }
}

/// Poisons a world if dropped during a panic.
pub(crate) struct PoisonOnPanic<'a>(pub(crate) &'a AtomicBool);

impl Drop for PoisonOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.store(true, Ordering::Release);
        }
    }
}

fn message(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("panic")
}

/// The default hook would print a backtrace to the game's standard error. This hook calls the log callback
/// instead, and passes panics outside library calls to the previously installed hook.
fn install_panic_hook() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if INSIDE.get() {
                let text = info.to_string();
                log::line(log::VORTON_LOG_ERROR, &text);
                if cfg!(panic = "abort") {
                    // The call does not return: WebAssembly traps, and the host reads the error afterwards.
                    remember(text);
                }
            } else {
                before(info);
            }
        }));
    });
}
