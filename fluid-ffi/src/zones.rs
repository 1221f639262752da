//! Zones of the host's profiler: the stages of a step.

use crate::float_env::HostsFloatEnv;
use crate::types::world_def::VortonWorldDef;
use crate::types::zones::{VortonZoneBeginFn, VortonZoneEndFn};
use fluid_core::stats::{Stage, Zones};
use libc::c_void;
use std::ffi::CStr;
use std::sync::Arc;

/// The zone callbacks of a world definition.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HostsZones {
    begin: VortonZoneBeginFn,
    end: VortonZoneEndFn,
    user: *mut c_void,
}

// SAFETY: the host promises in `VortonWorldDef` that the functions and `zone_user` may be used on any thread.
unsafe impl Send for HostsZones {}
// SAFETY: as above.
unsafe impl Sync for HostsZones {}

impl HostsZones {
    pub(crate) fn of(def: &VortonWorldDef) -> Self {
        Self { begin: def.zone_begin, end: def.zone_end, user: def.zone_user }
    }

    /// Returns the callbacks for the fluid's stages; `None` if the host gave no callback.
    pub(crate) fn shared(self) -> Option<Arc<dyn Zones>> {
        let is_told = self.begin.is_some() || self.end.is_some();
        is_told.then(|| Arc::new(self) as Arc<dyn Zones>)
    }

    /// Begins the zone of a step, which ends when the returned guard is dropped.
    pub(crate) fn step(self) -> StepZone {
        self.tell_begin(c"vorton step");
        StepZone(self)
    }

    fn tell_begin(self, name: &'static CStr) {
        if let Some(begin) = self.begin {
            let _env = HostsFloatEnv::enter();
            // SAFETY: the host promises that its function may be called so.
            unsafe { begin(name.as_ptr(), self.user) };
        }
    }

    fn tell_end(self) {
        if let Some(end) = self.end {
            let _env = HostsFloatEnv::enter();
            // SAFETY: as above.
            unsafe { end(self.user) };
        }
    }
}

impl Zones for HostsZones {
    fn begin(&self, stage: Stage) {
        self.tell_begin(name(stage));
    }

    fn end(&self, _stage: Stage) {
        self.tell_end();
    }
}

/// Guard of a step's zone.
pub(crate) struct StepZone(HostsZones);

impl Drop for StepZone {
    fn drop(&mut self) {
        self.0.tell_end();
    }
}

fn name(stage: Stage) -> &'static CStr {
    match stage {
        Stage::Emit => c"vorton emit",
        Stage::Halo => c"vorton halo",
        Stage::Velocity => c"vorton velocity",
        Stage::Baroclinic => c"vorton baroclinic",
        Stage::Energy => c"vorton energy",
        Stage::Advance => c"vorton advance",
        Stage::Diffuse => c"vorton diffuse",
        Stage::Relax => c"vorton relax",
        Stage::Bodies => c"vorton bodies",
        Stage::Remove => c"vorton remove",
        Stage::Tracers => c"vorton tracers",
    }
}
