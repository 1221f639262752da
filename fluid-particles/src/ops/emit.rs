//! Emission of new particles: a prototype with a random spread that depends only on the seed and the
//! particle's number.

use super::error::{Problem, check_rate};
use super::run::{Global, GlobalContext, OperationKind, Runnable};
use crate::view::{Chunk, Format, ParticleView, Semantic};
use fluid_core::math::Random;
use glam::{Quat, Vec3};

/// Emits particles into the rows after the last particle, up to the view's capacity.
///
/// Later operations of the same run visit the new particles, unless the view has a list of indices, which
/// does not contain them.
///
/// Each attribute of a new particle is `value + spread * (r - 1/2)`, with r uniform in [0, 1) for each
/// component. Attributes of the view that the prototype lacks are 0, except: the birth frame is this frame,
/// the lifetime is `f32::MAX` (unlimited), the orientation is the identity, and the age follows `timing`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Emit<'a> {
    /// Particles per second. The fraction of a particle remaining at the end of a frame is carried over in
    /// [`EmitState`].
    pub rate: f32,
    /// Seed of the random numbers.
    pub seed: u64,
    /// Times within the frame at which particles are emitted.
    pub timing: EmitTiming,
    /// Attributes of new particles.
    pub prototype: &'a [Attribute],
}

/// Times within the frame at which particles are emitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EmitTiming {
    /// All at the end of the frame, with age 0, as in the articles.
    #[default]
    AtOnce,
    /// Evenly spaced over the frame: each particle has the age that it has reached at the end of the frame,
    /// and has moved with its velocity for that time (from the origin, if the prototype gives no position).
    /// A fast emitter then leaves a line instead of puffs.
    Even,
}

/// One attribute of new particles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Attribute {
    /// The attribute. Positions and velocities are given as whole vectors, even if the host stores
    /// components.
    pub semantic: Semantic,
    /// Mean value, in the attribute's unit. Scalars use the first number only. Flags are rounded down to an
    /// integer.
    pub value: [f64; 3],
    /// Full width of the random spread, in the same unit; 0 for flags.
    pub spread: [f32; 3],
}

/// State that an emission carries from frame to frame; owned by the caller.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct EmitState {
    /// Fraction of a particle that is due: in [0, 1).
    pub remainder: f64,
    /// Particles emitted so far; also the number of the next particle, for its random numbers.
    pub emitted: u64,
}

fluid_core::saved::fields!(EmitState { remainder, emitted } check is_valid);

impl EmitState {
    /// Returns true if the remainder is in [0, 1).
    fn is_valid(&self) -> bool {
        (0.0..1.0).contains(&self.remainder)
    }
}

/// Random numbers are drawn per particle and semantic, so that adding an attribute does not change the
/// others. Codes of semantics are below this number.
const DRAWS_PER_PARTICLE: u64 = 128;
const _: () = {
    let mut i = 0;
    while i < Semantic::ALL.len() {
        assert!((Semantic::ALL[i].code() as u64) < DRAWS_PER_PARTICLE);
        i += 1;
    }
};

/// Returns true for scalar attributes that a prototype may give.
fn is_plain_scalar(semantic: Semantic) -> bool {
    semantic.formats() == [Format::F32] && !is_component(semantic)
}

fn is_component(semantic: Semantic) -> bool {
    (Semantic::PositionX.code()..=Semantic::AngularVelocityZ.code()).contains(&semantic.code())
}

impl Runnable for Emit<'_> {
    fn needs(&self) -> &'static [Semantic] {
        &[]
    }

    fn check(&self, view: &ParticleView<'_>) -> Result<(), Problem> {
        check_rate("rate", self.rate)?;
        for (number, attribute) in self.prototype.iter().enumerate() {
            let stream = attribute.semantic;
            let refuse = |reason| Err(Problem::BadPrototype { stream, reason });
            if is_component(stream) {
                return refuse("name the whole vector, also where the view has its components");
            }
            if stream == Semantic::BirthFrame {
                return refuse("the emission writes it");
            }
            if matches!(stream, Semantic::Hit | Semantic::Normal) {
                return refuse("new particles have met nothing");
            }
            if matches!(stream, Semantic::Alive | Semantic::Dead) {
                return refuse("new particles live");
            }
            if stream == Semantic::Orientation {
                return refuse("new particles are not turned");
            }
            if self.prototype[..number].iter().any(|earlier| earlier.semantic == stream) {
                return refuse("it is given twice");
            }
            if !view.has(stream) {
                return Err(Problem::MissingStream { stream });
            }
            if stream == Semantic::Flags {
                let bits = attribute.value[0];
                if !(0.0..=f64::from(u32::MAX)).contains(&bits) {
                    return refuse("bits must be a number from 0 to 4294967295");
                }
                if attribute.spread[0] != 0.0 {
                    return refuse("bits cannot be spread");
                }
            } else if !attribute.stays_finite() {
                return refuse("value and spread must be finite and fit an f32");
            }
        }
        Ok(())
    }

    fn kind(&self) -> OperationKind<'_> {
        OperationKind::Global(self)
    }
}

impl Global for Emit<'_> {
    fn run(&self, context: &mut GlobalContext<'_, '_>) {
        let state = &mut context.emit_states[context.next_emit_state];
        context.next_emit_state += 1;

        let dt = f64::from(context.inputs.dt);
        let due = f64::from(self.rate) * dt + state.remainder;
        // Saturates, far above any view's capacity.
        let wanted = due as u64;
        let room = context.view.capacity() - context.view.count();
        let born = wanted.min(room as u64);
        let births = Births {
            emit: self,
            first: state.emitted,
            frame: context.inputs.frame,
            dt,
            rate: self.rate.into(),
            remainder: state.remainder,
        };
        births.fill(&context.view.spare(), born as usize);

        state.remainder = due.fract();
        state.emitted = state.emitted.wrapping_add(born);
        context.view.grow(born as usize);
        context.report.emitted += born as usize;
        context.report.emit_refused = context.report.emit_refused.saturating_add(wanted - born);
    }
}

impl Attribute {
    fn stays_finite(&self) -> bool {
        let used = if is_plain_scalar(self.semantic) { 1 } else { 3 };
        self.value.iter().zip(self.spread).take(used).all(|(value, spread)| {
            let most = value.abs() + f64::from(spread.abs());
            (most as f32).is_finite()
        })
    }

    /// Draws the value for the particle with this number.
    fn draw(&self, random: Random, particle: u64) -> [f64; 3] {
        let at = particle.wrapping_mul(DRAWS_PER_PARTICLE).wrapping_add(self.semantic.code().into());
        let r = random.centred_vec3(at);
        let mut drawn = self.value;
        for (axis, value) in drawn.iter_mut().enumerate() {
            *value += f64::from(self.spread[axis]) * f64::from(r[axis]);
        }
        drawn
    }
}

/// The particles emitted in one frame.
struct Births<'e> {
    emit: &'e Emit<'e>,
    first: u64,
    frame: u32,
    dt: f64,
    rate: f64,
    remainder: f64,
}

impl Births<'_> {
    /// Writes every attribute of the first `len` particles of `spare`.
    fn fill(&self, spare: &Chunk<'_>, len: usize) {
        for semantic in [Semantic::Position, Semantic::Velocity, Semantic::AngularVelocity, Semantic::Normal]
        {
            let Some(column) = spare.vec3(semantic) else { continue };
            for k in 0..len {
                let value = match semantic {
                    Semantic::Position => self.position(k),
                    _ => self.draw(semantic, k).unwrap_or_default(),
                };
                column.set_wide(k, value);
            }
        }
        for semantic in Semantic::ALL.into_iter().filter(|&semantic| is_plain_scalar(semantic)) {
            let Some(column) = spare.scalar::<f32>(semantic) else { continue };
            for k in 0..len {
                column.set(
                    k,
                    self.draw(semantic, k)
                        .map_or_else(|| self.default(semantic, k), |[value, ..]| value as f32),
                );
            }
        }
        if let Some(column) = spare.quat(Semantic::Orientation) {
            (0..len).for_each(|k| column.set(k, Quat::IDENTITY));
        }
        if let Some(column) = spare.scalar::<i32>(Semantic::BirthFrame) {
            (0..len).for_each(|k| column.set(k, self.frame as i32));
        }
        if let Some(column) = spare.scalar::<u32>(Semantic::Hit) {
            (0..len).for_each(|k| column.set(k, 0));
        }
        for (semantic, alive) in [(Semantic::Alive, 1), (Semantic::Dead, 0)] {
            if let Some(column) = spare.scalar::<u8>(semantic) {
                (0..len).for_each(|k| column.set(k, alive));
            }
        }
        if let Some(column) = spare.scalar::<u32>(Semantic::Flags) {
            let bits = self.attribute(Semantic::Flags).map_or(0, |attribute| attribute.value[0] as u32);
            (0..len).for_each(|k| column.set(k, bits));
        }
    }

    fn attribute(&self, semantic: Semantic) -> Option<&Attribute> {
        self.emit.prototype.iter().find(|attribute| attribute.semantic == semantic)
    }

    fn draw(&self, semantic: Semantic, k: usize) -> Option<[f64; 3]> {
        let random = Random::new(self.emit.seed);
        self.attribute(semantic).map(|attribute| attribute.draw(random, self.first.wrapping_add(k as u64)))
    }

    /// Computes the position at the end of the frame: the prototype's, advanced by velocity times age.
    fn position(&self, k: usize) -> [f64; 3] {
        let born = self.draw(Semantic::Position, k).unwrap_or_default();
        let age = self.age(k);
        let velocity = self.draw(Semantic::Velocity, k).unwrap_or_default();
        let now: [f64; 3] = std::array::from_fn(|axis| born[axis] + velocity[axis] * age);
        let fits = Vec3::from(now.map(|x| x as f32)).is_finite();
        if fits { now } else { born }
    }

    fn default(&self, semantic: Semantic, k: usize) -> f32 {
        match semantic {
            Semantic::Age => self.age(k) as f32,
            Semantic::Lifetime => f32::MAX,
            _ => 0.0,
        }
    }

    /// Returns the age at the end of the frame \[s\]. Particle k is due when `remainder + rate t` passes k
    /// + 1.
    fn age(&self, k: usize) -> f64 {
        match self.emit.timing {
            EmitTiming::AtOnce => 0.0,
            EmitTiming::Even => (self.dt - (k as f64 + 1.0 - self.remainder) / self.rate).clamp(0.0, self.dt),
        }
    }
}
