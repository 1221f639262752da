//! The names that most programs need: `use vorton::prelude::*`.
//!
//! Operations on a game's own particles are not among them, because their names are common words
//! ([`particles::ops`](crate::particles::ops)).

pub use fluid_bodies::bodies::BodySettings;
pub use fluid_bodies::ledger::BodyImpulse;
pub use fluid_bodies::shapes::Shape;
pub use fluid_bodies::{Bodies, BodyDef, BodyState, Pose};
pub use fluid_core::boundary::{BodyCoupling, NoBodies, NoSurfaces};
pub use fluid_core::density::{Ambient, Stratification};
pub use fluid_core::emitter::{Emitter, EmitterDef, Nozzle};
pub use fluid_core::initial::{
    DensityBall, DensityBox, DensityProfile, Disturbance, FilamentRing, JetRing, Noise, VortexRing,
    VortexSheet, VortexTube,
};
pub use fluid_core::kill_volumes::KillVolume;
pub use fluid_core::params::{ParamError, Params};
pub use fluid_core::particles::{ScalarQuantity, Tracers, Vorton};
pub use fluid_core::presets::{Preset, PresetDef};
pub use fluid_core::sim::{TracerFeed, VortexSim};
pub use fluid_core::velocity::VelocityField;
pub use fluid_particles::view::{ParticleSlices, Semantic};
pub use fluid_threads::{Executor, Pool, Serial};
pub use glam::{Quat, Vec3};
