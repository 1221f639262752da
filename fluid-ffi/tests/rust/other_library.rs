//! A Rust library independent of vorton, in the same program. It panics and catches the panic.

/// Returns the element of 1 2 3 at `index`; -1, by a panic, if there is none.
#[unsafe(no_mangle)]
pub extern "C" fn other_library_pick(index: usize) -> i32 {
    std::panic::catch_unwind(|| vec![1, 2, 3][index]).unwrap_or(-1)
}

/// Returns the number of panics that its own hook has seen.
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
