//! Games change the rounding mode and flush denormals; our bits must not depend on it. Each entry switches to
//! the default floating-point environment and gives the host's back at the end. Our own threads start with
//! the default one.

/// The host's environment, restored on drop.
pub(crate) struct FloatEnv(u64);

#[cfg(target_arch = "x86_64")]
mod arch {
    use std::arch::asm;

    /// All exceptions masked, round to nearest, no flush to zero: what Rust assumes.
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

impl FloatEnv {
    /// Switches this thread to the default environment.
    pub(crate) fn enter() -> Self {
        let host = arch::read();
        if host & arch::CONTROL != arch::DEFAULT & arch::CONTROL {
            arch::write(arch::DEFAULT);
        }
        Self(host)
    }
}

impl Drop for FloatEnv {
    fn drop(&mut self) {
        if self.0 & arch::CONTROL != arch::DEFAULT & arch::CONTROL {
            arch::write(self.0);
        }
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
        }
        assert_eq!(arch::read() & FLUSH_TO_ZERO, FLUSH_TO_ZERO);
        arch::write(arch::DEFAULT);
    }
}
