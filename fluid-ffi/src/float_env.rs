//! The floating-point environment. Games change the rounding mode and flush denormals; the library's bits
//! must not depend on it. Each entry switches to the default environment and restores the host's at the end.
//! Library threads start with the default environment.

use std::cell::Cell;

thread_local! {
    /// The host's environment while this thread runs library code.
    static HOSTS: Cell<u64> = const { Cell::new(arch::DEFAULT) };
}

/// Guard that restores the host's environment on drop.
pub(crate) struct FloatEnv {
    host: u64,
    /// The host's environment saved by an enclosing call.
    before: u64,
}

/// Guard that restores the library's environment on drop.
pub(crate) struct HostsFloatEnv;

#[cfg(target_arch = "x86_64")]
mod arch {
    use std::arch::asm;

    /// All exceptions masked, round to nearest, no flush to zero, as Rust assumes.
    pub(super) const DEFAULT: u64 = 0x1f80;
    /// Control bits; the lower six are sticky status flags.
    pub(super) const CONTROL: u64 = 0xffc0;

    pub(super) fn read() -> u64 {
        let mut value = 0_u32;
        // SAFETY: stores the 32-bit MXCSR to a live local.
        unsafe { asm!("stmxcsr [{}]", in(reg) &raw mut value, options(nostack, preserves_flags)) };
        u64::from(value)
    }

    pub(super) fn write(value: u64) {
        let value = value as u32;
        // SAFETY: `value` is the default or was read from MXCSR, so no reserved bit is set. Non-default
        // values are only written when control goes back to the host.
        unsafe { asm!("ldmxcsr [{}]", in(reg) &raw const value, options(nostack, preserves_flags)) };
    }
}

#[cfg(target_arch = "aarch64")]
mod arch {
    use std::arch::asm;

    pub(super) const DEFAULT: u64 = 0;
    pub(super) const CONTROL: u64 = u64::MAX;

    pub(super) fn read() -> u64 {
        let value: u64;
        // SAFETY: reads FPCR.
        unsafe { asm!("mrs {}, fpcr", out(reg) value, options(nostack, nomem, preserves_flags)) };
        value
    }

    pub(super) fn write(value: u64) {
        // SAFETY: zero or a value read from FPCR; non-default values only when control goes back to the host.
        unsafe { asm!("msr fpcr, {}", in(reg) value, options(nostack, nomem, preserves_flags)) };
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod arch {
    pub(super) const DEFAULT: u64 = 0;
    pub(super) const CONTROL: u64 = 0;
    pub(super) fn read() -> u64 {
        0
    }
    pub(super) fn write(_: u64) {}
}

/// Switches this thread from one environment to another.
fn switch(from: u64, to: u64) {
    if from & arch::CONTROL != to & arch::CONTROL {
        arch::write(to);
    }
}

impl FloatEnv {
    /// Switches this thread to the default environment.
    pub(crate) fn enter() -> Self {
        let host = arch::read();
        switch(host, arch::DEFAULT);
        Self { host, before: HOSTS.replace(host) }
    }

    /// Switches this thread, one of the library's own, to the default environment for good.
    pub(crate) fn keep_default() {
        switch(arch::read(), arch::DEFAULT);
    }
}

impl Drop for FloatEnv {
    fn drop(&mut self) {
        HOSTS.set(self.before);
        switch(arch::DEFAULT, self.host);
    }
}

impl HostsFloatEnv {
    /// Switches this thread to the host's environment, for a callback in which the host may do its own work.
    pub(crate) fn enter() -> Self {
        switch(arch::DEFAULT, HOSTS.get());
        Self
    }
}

impl Drop for HostsFloatEnv {
    fn drop(&mut self) {
        switch(HOSTS.get(), arch::DEFAULT);
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;

    #[test]
    fn a_hosts_flush_to_zero_is_off_inside_and_back_afterwards() {
        const FLUSH_TO_ZERO: u64 = 1 << 15;
        arch::write(arch::DEFAULT | FLUSH_TO_ZERO);
        {
            let _env = FloatEnv::enter();
            assert_eq!(arch::read() & arch::CONTROL, arch::DEFAULT);
            {
                let _callback = HostsFloatEnv::enter();
                assert_eq!(arch::read() & FLUSH_TO_ZERO, FLUSH_TO_ZERO);
                // Another world's step.
                let _inner = FloatEnv::enter();
                assert_eq!(arch::read() & arch::CONTROL, arch::DEFAULT);
            }
            assert_eq!(arch::read() & arch::CONTROL, arch::DEFAULT);
        }
        assert_eq!(arch::read() & FLUSH_TO_ZERO, FLUSH_TO_ZERO);
        arch::write(arch::DEFAULT);
    }
}
