//! Operations on particles of any layout: the articles' `ParticleOperation`.
//!
//! An operation is a value. [`run_operations`] runs a list of them over a [`ParticleView`]: operations on
//! one particle at a time are fused, so that memory is traversed once; the others (listing, compaction,
//! emission, bounds) are barriers. Rates are per second: the fraction applied in one call is `1 - exp(-rate
//! dt)`, so results do not depend on the frame rate. The usual order is velocity or turbulence, wind and
//! forces, advect, collide, age, kill, emit.
//!
//! Guarantees of every operation:
//! * a particle marked [`DEAD`](crate::view::DEAD) is not touched (compaction removes it);
//! * if a value that an operation reads from a particle, or would write to it, is not finite, the operation
//!   leaves that particle untouched, and it is counted once per run (an infinite lifetime is valid): no
//!   operation ever writes a value that is not finite;
//! * results are bitwise identical for any executor and fusion, and for any layout of the same formats.
//!
//! Particles that fall in wind, and die after two seconds:
//!
//! ```
//! use fluid_core::boundary::NoSurfaces;
//! use fluid_core::glam::Vec3;
//! use fluid_core::{params::Params, sim::VortexSim};
//! use fluid_particles::ops::*;
//! use fluid_particles::view::{ParticleSlices, Semantic};
//! use fluid_threads::Serial;
//!
//! let sim = VortexSim::new(Params::default())?;
//! let (mut positions, mut velocities, mut ages) = ([Vec3::ZERO; 2], [Vec3::ZERO; 2], [0.0, 1.95]);
//! let inputs = RunInputs { field: sim.field(), surfaces: &NoSurfaces, dt: 0.1, frame: 0 };
//! let mut slices = ParticleSlices::new()
//!     .vec3(Semantic::Position, &mut positions)
//!     .vec3(Semantic::Velocity, &mut velocities)
//!     .f32(Semantic::Age, &mut ages);
//! let fall = Accelerate { acceleration: Vec3::Z * -9.81 };
//! let kill = Kill { max_age: Some(2.0), max_age_frames: None, mode: KillMode::Compact };
//! let operations = [fall.into(), Advect.into(), Age.into(), kill.into()];
//! let mut scratch = RunScratch::default();
//! let memory = RunMemory { scratch: &mut scratch, emit_states: &mut [], killed: &mut [] };
//! let report = run_operations(&Serial, &inputs, &operations, &mut slices.view()?, memory)?;
//! assert_eq!((report.count, report.removed), (1, 1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A new operation needs a new file, its entries in this one and a line in `every_operation` of the tests;
//! its C side is in ARCHITECTURE.md, "Where to add code".

mod accelerate;
mod advect;
mod age;
mod bounds;
mod collide;
mod drag;
mod emit;
mod error;
mod kill;
mod notes;
mod places;
mod relax;
mod run;
mod sample_scalar;
mod spin;
mod turbulence;
mod velocity;
mod wind;

pub use accelerate::Accelerate;
pub use advect::Advect;
pub use age::Age;
pub use bounds::{BoundingBox, Bounds};
pub use collide::Collide;
pub use drag::Drag;
pub use emit::{Attribute, Emit, EmitState, EmitTiming};
pub use error::{OpError, Problem};
pub use kill::{Kill, KillMode};
pub use places::SampleAt;
pub use run::{CHUNK, RunInputs, RunMemory, RunReport, RunScratch, run_operations};
pub use sample_scalar::SampleScalar;
pub use spin::Spin;
pub use turbulence::Turbulence;
pub use velocity::Velocity;
pub use wind::Wind;

use crate::view::{ParticleView, Semantic};
use run::{OperationKind, Runnable};

macro_rules! operations {
    ($($(#[$doc:meta])* $name:ident($kind:ty)),+ $(,)?) => {
        /// One operation with its parameters.
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub enum Operation<'a> {
            $($(#[$doc])* $name($kind)),+
        }

        impl<'a> Operation<'a> {
            /// The names of all operations.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($name)),+];

            /// Returns its name.
            pub const fn name(&self) -> &'static str {
                match self {
                    $(Self::$name(_) => stringify!($name)),+
                }
            }

            fn runnable(&self) -> &dyn Runnable {
                match self {
                    $(Self::$name(operation) => operation),+
                }
            }
        }

        $(impl<'a> From<$kind> for Operation<'a> {
            fn from(operation: $kind) -> Self {
                Self::$name(operation)
            }
        })+
    };
}

operations! {
    /// Relaxes velocities to the fluid's.
    Velocity(Velocity),
    /// Relaxes velocities to the fluid's plus that of eddies below the core's size.
    Turbulence(Turbulence),
    /// Relaxes velocities to a constant.
    Wind(Wind),
    /// Accelerates particles.
    Accelerate(Accelerate),
    /// Relaxes velocities to the fluid's with linear and quadratic drag.
    Drag(Drag),
    /// Relaxes angular velocities to half the vorticity, and integrates orientations.
    Spin(Spin),
    /// Writes the fluid's density, temperature or dye to an attribute.
    SampleScalar(SampleScalar),
    /// Moves particles with their velocities.
    Advect(Advect),
    /// Moves particles that have run into a body back to its surface, and changes their velocities.
    Collide(Collide),
    /// Increases ages.
    Age(Age),
    /// Kills old particles.
    Kill(Kill),
    /// Emits new particles.
    Emit(Emit<'a>),
    /// Computes the bounding box of the particles.
    Bounds(Bounds),
}

impl Operation<'_> {
    /// Returns the attributes that the view must have. A vector may be stored whole or by components.
    /// (Emission also requires the attributes of its prototype.)
    pub fn needs(&self) -> &'static [Semantic] {
        self.runnable().needs()
    }

    /// Checks the parameters, and that `view` suits the operation.
    ///
    /// # Errors
    /// [`Problem`].
    pub fn check(&self, view: &ParticleView<'_>) -> Result<(), Problem> {
        let runnable = self.runnable();
        if let Some(&stream) = runnable.needs().iter().find(|&&semantic| !view.has(semantic)) {
            return Err(Problem::MissingStream { stream });
        }
        runnable.check(view)
    }

    fn kind(&self) -> OperationKind<'_> {
        self.runnable().kind()
    }
}
