//! Smoke, dye and heat that move, for games: a vortex-particle fluid. This crate gathers the crates of the
//! library under one name; it adds no code of its own.
//!
//! Vortons carry vorticity, density and heat; the velocity that they induce moves them, and any number of
//! tracers or of a game's own particles. No box or grid confines the fluid, and a step gives the same bits on
//! any number of threads. Lengths are in metres, times in seconds.
//!
//! A vortex ring, and the wind in front of it:
//!
//! ```
//! use vorton::prelude::*;
//!
//! let ring = FilamentRing {
//!     centre: Vec3::ZERO,
//!     axis: Vec3::Z,
//!     radius: 1.0,
//!     circulation: 5.0,
//!     core_radius: 0.2,
//!     count: 64,
//! };
//! let mut sim = VortexSim::new(Params { core_radius: 0.2, ..Params::default() })?;
//! sim.add_vortons(&ring.vortons()?)?;
//! for _ in 0..60 {
//!     sim.step(&Serial, &mut NoBodies, 1.0 / 60.0)?;
//! }
//! let mut wind = [Vec3::ZERO];
//! sim.field().velocities(&[Vec3::Z], &mut wind);
//! assert!(wind[0].z > 1.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A heavy ball of a physics engine that flies through still fluid and drags it along. In each frame the
//! engine passes its state to the fluid, and takes the impulse that the fluid exerted on it:
//!
//! ```
//! use vorton::prelude::*;
//!
//! let params = Params { core_radius: 0.1, ..Params::default() };
//! let mut sim = VortexSim::new(params)?;
//! let extent = Vec3::splat(1.2);
//! let air = Noise { centre: Vec3::ZERO, extent, spacing: 0.07, amplitude: 0.0, seed: 1 };
//! sim.add_vortons(&air.vortons()?)?;
//! let mut bodies = Bodies::new(BodySettings::default(), &params)?;
//! let start = BodyState { velocity: Vec3::X * 2.0, ..BodyState::default() };
//! let ball = BodyDef { shapes: vec![Shape::sphere(0.2)], mass: 0.2, state: start, ..BodyDef::default() };
//! let ball = bodies.add(ball)?;
//!
//! let (mut state, dt) = (start, 1.0 / 60.0);
//! for _ in 0..10 {
//!     bodies.set_state(ball, state)?;
//!     sim.step(&Serial, &mut bodies, dt)?;
//!     // The engine's part: apply the impulse, then move.
//!     state.velocity += bodies.body_mut(ball).take_impulse().linear.as_vec3() / 0.2;
//!     state.position += state.velocity * dt;
//! }
//! assert!(state.velocity.x < 1.99, "the ball gives momentum to the fluid");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Smoke of a campfire by name, on two cores. Tracers are moved after each step, and those of its emitters
//! are added:
//!
//! ```
//! use vorton::prelude::*;
//!
//! let fire = PresetDef { tracers: 2000, ..PresetDef::new(Preset::Campfire) };
//! let params = fire.params()?;
//! let effect = fire.effect(&params)?;
//! let mut sim = VortexSim::new(params)?;
//! for source in &effect.sources {
//!     sim.emitters_mut().push(Emitter::new(source.emitter)?);
//! }
//! let (pool, mut smoke) = (Pool::new(2)?, Tracers::with_capacity(4000));
//! let feed = TracerFeed { rate: effect.sources[0].tracer_rate, tag: 0, capacity: 4000 };
//! for _ in 0..30 {
//!     let dt = 1.0 / 60.0;
//!     sim.step(&pool, &mut NoBodies, dt)?;
//!     sim.advance_tracers(&pool, &mut NoBodies, &mut smoke, dt);
//!     smoke.retain_up_to(effect.tracer_age);
//!     sim.feed_tracers(&NoBodies, (0, feed), &mut smoke, dt);
//! }
//! assert!(smoke.len() > 100, "it smokes");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Particles of the game itself stay in its memory, in its layout: [`particles`]. C and C++ programs use the
//! same library by `vorton.h`.

pub mod prelude;

#[doc(inline)]
pub use fluid_bodies as bodies;
#[doc(inline)]
pub use fluid_core as fluid;
#[doc(inline)]
pub use fluid_particles as particles;
#[doc(inline)]
pub use fluid_threads as threads;
pub use glam;

/// The program of the crate's README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
