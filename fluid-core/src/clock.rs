//! The clock of statistics and of budgets that measure time. No physics reads it.

/// A point in time, from which durations are measured.
#[derive(Debug, Clone, Copy)]
pub struct Moment(imp::Reading);

impl Moment {
    /// Returns the current time.
    pub fn now() -> Self {
        Self(imp::now())
    }

    /// Returns the time since then \[ms\].
    pub fn elapsed_ms(self) -> f64 {
        imp::milliseconds_since(self.0)
    }
}

#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
mod imp {
    pub(super) type Reading = std::time::Instant;

    pub(super) fn now() -> Reading {
        Reading::now()
    }

    pub(super) fn milliseconds_since(start: Reading) -> f64 {
        start.elapsed().as_secs_f64() * 1e3
    }
}

/// Bare WebAssembly has no clock, and the standard library's traps there: the host provides one.
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
mod imp {
    pub(super) type Reading = f64;

    #[link(wasm_import_module = "vorton")]
    unsafe extern "C" {
        /// Milliseconds since any fixed moment, such as `performance.now()`.
        safe fn vorton_now_ms() -> f64;
    }

    pub(super) fn now() -> Reading {
        vorton_now_ms()
    }

    pub(super) fn milliseconds_since(start: Reading) -> f64 {
        vorton_now_ms() - start
    }
}
