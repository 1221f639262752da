//! The tracers that an emitter emits.

use crate::handle::Key;

/// The tracers emitted by an emitter.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct TracerSource {
    /// The set that receives them.
    pub(crate) set: Option<Key>,
    /// Tracers per second.
    pub(crate) rate: f32,
    pub(crate) tag: u32,
}

fluid_core::saved::fields!(TracerSource { set, rate, tag } check is_valid);

impl fluid_core::saved::Element for TracerSource {}

impl TracerSource {
    fn is_valid(&self) -> bool {
        self.rate.is_finite() && self.rate >= 0.0
    }
}
