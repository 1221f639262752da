//! A Rust library that has nothing to do with vorton, in the same program. It panics and catches that.

/// The element of 1 2 3 at `index`; -1 if there is none, by a panic.
#[unsafe(no_mangle)]
pub extern "C" fn other_library_pick(index: usize) -> i32 {
    std::panic::catch_unwind(|| vec![1, 2, 3][index]).unwrap_or(-1)
}

/// How many panics its own hook has seen.
#[unsafe(no_mangle)]
pub extern "C" fn other_library_count_panics() -> usize {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static HOOK: std::sync::Once = std::sync::Once::new();
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    HOOK.call_once(|| {
        std::panic::set_hook(Box::new(|_| {
            COUNT.fetch_add(1, Ordering::Relaxed);
        }));
    });
    COUNT.load(Ordering::Relaxed)
}
