//! Operations on particles of any layout: what the articles call `ParticleOperation`.
//!
//! An operation is a value. [`run_operations`] runs a list of them over a [`ParticleView`]: those that look
//! at one particle at a time are fused, so that memory is walked once; the others (listing, compaction,
//! emission, bounds) are barriers. Rates are per second: the fraction applied in one call is `1 - exp(-rate
//! dt)`, so results do not depend on the frame rate. The usual order is velocity or turbulence, wind and
//! forces, advect, collide, age, kill, emit.
//!
//! What every operation keeps:
//! * a particle marked [`DEAD`](crate::particles::view::DEAD) is not touched (compaction takes it out);
//! * a particle with a non-finite value among those that an operation reads, or among those that it would
//!   write, is left untouched by that operation and counted once per run (an infinite lifetime is not
//!   broken): no operation ever writes a value that is not finite;
//! * results are the same bits for any executor and fusion, and for any layout of the same formats.
//!
//! A new operation is a new file and its lines in this one.

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
pub use run::{CHUNK, Moment, RunMemory, RunReport, RunScratch, run_operations};
pub use sample_scalar::SampleScalar;
pub use spin::Spin;
pub use turbulence::Turbulence;
pub use velocity::Velocity;
pub use wind::Wind;

use crate::particles::view::{ParticleView, Semantic};
use run::{Described, Work};

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

            /// What it is called.
            pub const fn name(&self) -> &'static str {
                match self {
                    $(Self::$name(_) => stringify!($name)),+
                }
            }

            fn described(&self) -> &dyn Described {
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
    /// Velocity relaxes to the fluid's.
    Velocity(Velocity),
    /// Velocity relaxes to the fluid's with that of eddies below the core's size.
    Turbulence(Turbulence),
    /// Velocity relaxes to a constant.
    Wind(Wind),
    /// Velocity grows with an acceleration.
    Accelerate(Accelerate),
    /// Velocity relaxes to the fluid's with linear and quadratic drag.
    Drag(Drag),
    /// Angular velocity relaxes to half the vorticity, and orientation follows it.
    Spin(Spin),
    /// An attribute becomes the fluid's density, temperature or dye.
    SampleScalar(SampleScalar),
    /// Position follows velocity.
    Advect(Advect),
    /// A particle that has run into a body is put back in front of it, and its velocity with it.
    Collide(Collide),
    /// Age grows.
    Age(Age),
    /// Old particles die.
    Kill(Kill),
    /// New particles are born.
    Emit(Emit<'a>),
    /// Where the particles are.
    Bounds(Bounds),
}

impl Operation<'_> {
    /// Attributes that the view must have. A vector may be there whole or by components. (Emission also needs
    /// what its prototype names.)
    pub fn needs(&self) -> &'static [Semantic] {
        self.described().needs()
    }

    /// Checks the parameters, and whether `view` suits the operation.
    ///
    /// # Errors
    /// [`Problem`].
    pub fn check(&self, view: &ParticleView<'_>) -> Result<(), Problem> {
        let described = self.described();
        if let Some(&stream) = described.needs().iter().find(|&&semantic| !view.has(semantic)) {
            return Err(Problem::MissingStream { stream });
        }
        described.check(view)
    }

    fn work(&self) -> Work<'_> {
        self.described().work()
    }
}
