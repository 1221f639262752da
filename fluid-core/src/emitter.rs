//! Emitters: sources that add vortons while the world runs (E59).

mod due;
mod nozzle;

pub use nozzle::Nozzle;

use self::due::{Carry, Due};
use crate::boundary::{BodyCoupling, Carrier};
use crate::density::{Ambient, EquationOfState};
use crate::math::Random;
use crate::math::rotation::{is_unit, rotate, rotate_back};
use crate::params::{ParamError, Params};
use crate::particles::Vorton;
use crate::velocity::Sources;
use glam::{Quat, Vec3};

/// A box or nozzle that emits vortons at a steady rate: fluid that is stirred, warm, heavy or dyed.
///
/// ```
/// use fluid_core::emitter::{Emitter, EmitterDef};
/// use fluid_core::{boundary::NoBodies, params::Params, sim::VortexSim};
/// use fluid_core::{glam::Vec3, velocity::VelocityField};
/// use fluid_threads::Serial;
///
/// // A campfire: .18 m³ of air of 900 K a second, for air of 288 K and 1.225 kg/m³.
/// let fire = EmitterDef {
///     extent: Vec3::new(0.4, 0.4, 0.1),
///     rate: 180.0,
///     volume: 0.001,
///     temperature: Some(900.0),
///     ..EmitterDef::default()
/// };
/// let gravity = Vec3::new(0.0, 0.0, -9.8);
/// let mut sim = VortexSim::new(Params { gravity, max_age: 3.0, ..Params::default() })?;
/// sim.emitters_mut().push(Emitter::new(fire)?);
/// for _ in 0..60 {
///     sim.step(&Serial, &mut NoBodies, 1.0 / 60.0)?;
/// }
/// let mut above = [Vec3::ZERO];
/// sim.field().velocities(&[Vec3::new(0.0, 0.0, 0.5)], &mut above);
/// assert!(above[0].z > 0.5, "it rises");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EmitterDef {
    /// Index of the body that carries the emitter: position and rotation are in its axes. None: in those of
    /// the world.
    pub body: Option<usize>,
    /// Centre of the box \[m\].
    pub position: Vec3,
    /// Orientation of the box and of the strengths (unit quaternion).
    pub rotation: Quat,
    /// Edges of the box \[m\]; zero emits from a point. Fluid of another density or with fuel spreads over at
    /// least a tenth of a core radius along each axis, because density in a plane, line or point is no
    /// three-dimensional fluid (E28). Ignored with a nozzle, from which vortons come instead.
    pub extent: Vec3,
    /// Vortons per second.
    pub rate: f32,
    /// Mean strength α \[m³/s\] of a vorton, in the box's frame.
    pub strength: Vec3,
    /// Full width of the uniform random part of each component of the strength \[m³/s\].
    pub strength_spread: Vec3,
    /// Volume of a vorton \[m³\]. With a nozzle, 0 stands for the volume that passes it between two vortons,
    /// at most the disc's area times its radius.
    pub volume: f32,
    /// Seed of the random numbers.
    pub seed: u64,
    /// Density of the emitted fluid, minus that of the ambient \[kg/m³\]. Light fluid rises.
    pub density_deviation: f32,
    /// Temperature \[K\] of the emitted fluid, positive; `None` uses `density_deviation`.
    pub temperature: Option<f32>,
    /// Concentration of dye in the emitted fluid, 0 to 1.
    pub dye: f32,
    /// Heat of the fuel in the emitted fluid \[J/m³\], at least 0 (E62). Rings of a nozzle have none.
    pub fuel: f32,
    /// Makes the emitter a jet along the z axis of the box's frame. Its vortex rings come in addition to
    /// `rate`.
    pub nozzle: Option<Nozzle>,
}

crate::saved::fields!(EmitterDef {
    body,
    position,
    rotation,
    extent,
    rate,
    strength,
    strength_spread,
    volume,
    seed,
    density_deviation,
    temperature,
    dye,
    fuel,
    nozzle
});

impl Default for EmitterDef {
    fn default() -> Self {
        Self {
            body: None,
            position: Vec3::ZERO,
            rotation: Quat::IDENTITY,
            extent: Vec3::ZERO,
            rate: 60.0,
            strength: Vec3::ZERO,
            strength_spread: Vec3::ZERO,
            volume: 0.0,
            seed: 1,
            density_deviation: 0.0,
            temperature: None,
            dye: 0.0,
            fuel: 0.0,
            nozzle: None,
        }
    }
}

impl EmitterDef {
    /// Checks every field.
    ///
    /// # Errors
    /// The first field out of its range.
    pub fn validate(&self) -> Result<(), ParamError> {
        let finite = |v: Vec3, field: &'static str| ParamError::check(v.is_finite(), field, v, "finite");
        finite(self.position, "position")?;
        finite(self.extent, "extent")?;
        finite(self.strength, "strength")?;
        finite(self.strength_spread, "strength_spread")?;
        ParamError::check(is_unit(self.rotation), "rotation", self.rotation, "a unit quaternion")?;
        let rate = self.rate;
        ParamError::check(rate.is_finite() && rate >= 0.0, "rate", rate, "finite and at least 0 per second")?;
        let volume = self.volume;
        ParamError::check(volume.is_finite() && volume >= 0.0, "volume", volume, "finite and at least 0 m³")?;
        let deviation = self.density_deviation;
        ParamError::check(deviation.is_finite(), "density_deviation", deviation, "finite")?;
        if let Some(temperature) = self.temperature {
            let positive = temperature.is_finite() && temperature > 0.0;
            ParamError::check(positive, "temperature", temperature, "finite and above 0 K")?;
        }
        let dye = self.dye;
        ParamError::check((0.0..=1.0).contains(&dye), "dye", dye, "from 0 to 1")?;
        let fuel = self.fuel;
        ParamError::check(fuel.is_finite() && fuel >= 0.0, "fuel", fuel, "finite and at least 0 J/m³")?;
        self.nozzle.map_or(Ok(()), |nozzle| nozzle.validate())
    }

    /// Volume \[m³\] of the next vorton.
    fn vorton_volume(&self) -> f32 {
        match self.nozzle {
            Some(nozzle) if self.volume == 0.0 => nozzle.volume_at(self.rate),
            _ => self.volume,
        }
    }

    /// Returns the density \[kg/m³\] of the emitted fluid at `place`, minus the ambient's there.
    fn deviation(&self, place: Vec3, ambient: &Ambient, state: EquationOfState) -> f32 {
        match self.temperature {
            Some(temperature) => state.density(ambient, temperature) - ambient.density_at(place),
            None => self.density_deviation,
        }
    }

    /// Returns the edges of the box \[m\] in which fluid is emitted, for this core radius \[m\].
    fn edges(&self, core_radius: f32) -> Vec3 {
        let is_driven = self.temperature.is_some() || self.density_deviation != 0.0 || self.fuel != 0.0;
        let least = if is_driven { LEAST_EDGE * core_radius } else { 0.0 };
        Vec3::from(self.extent.to_array().map(|edge| if edge.abs() < least { least } else { edge }))
    }

    /// Returns the position, `since` \[s\] after emission, of a particle emitted uniformly in a box with
    /// these edges \[m\], or through the nozzle, from three random numbers in [-1/2, 1/2).
    fn place(&self, edges: Vec3, random: Vec3, since: f32) -> Vec3 {
        let local = match self.nozzle {
            Some(nozzle) => nozzle.in_the_jet(random, since),
            None => edges * random,
        };
        self.position + rotate(self.rotation, local)
    }

    /// Returns position and strength of what comes out for a particle of a box with these edges \[m\]. Behind
    /// the plane of a half-space, or in a solid, it is the mirror image, or one that is as far in front as
    /// the box is wide: a box deep in a floor emits just above it. Jets are left as they are.
    pub(crate) fn brought_out(
        &self,
        bodies: &dyn BodyCoupling,
        edges: Vec3,
        (mut place, mut strength): (Vec3, Vec3),
    ) -> (Vec3, Vec3) {
        let planes = if self.nozzle.is_some() { 0 } else { Sources::MOST_MIRRORS };
        for _ in 0..planes {
            let half_width = |normal| 0.5 * rotate_back(self.rotation, normal).abs().dot(edges.abs());
            let Some(mirror) = bodies.mirror_over(self.position, &half_width, place) else { break };
            let width = f64::from(2.0 * half_width(mirror.normal().as_vec3()));
            let depth = -mirror.height(place);
            // To and fro within the width, so that a box that is cut by the plane emits images.
            let height = width - (depth % (2.0 * width) - width).abs();
            let height = if width > 0.0 { height } else { 0.0 };
            place = (place.as_dvec3() + mirror.normal() * (depth + height)).as_vec3();
            strength = mirror.strength(strength);
        }
        (place, strength)
    }
}

/// Least edge of a box that emits fluid of another density \[core radii\]: fifty times the thickness below
/// which a cloud counts as flat (E28), and far below a core.
const LEAST_EDGE: f32 = 0.1;

/// Velocity \[m/s\] with which fluid at an emitter is carried along: one of both is zero.
#[derive(Debug, Clone, Copy, Default)]
pub struct Carried {
    /// By the wind, past bodies.
    pub by_wind: Vec3,
    /// By the container that holds the emitter, together with the walls.
    pub by_container: Vec3,
}

impl Carried {
    /// Returns that at `place` \[m\] in this `wind` \[m/s\].
    pub(crate) fn at(place: Vec3, wind: Vec3, bodies: &dyn BodyCoupling) -> Self {
        match bodies.carried(place) {
            Some((_, by_container)) => Self { by_wind: Vec3::ZERO, by_container },
            None => Self { by_wind: wind, by_container: Vec3::ZERO },
        }
    }
}

/// An emitter's definition and its counters.
#[derive(Debug, Clone, Copy, Default)]
pub struct Emitter {
    /// The definition. Set it through [`Emitter::new`] or with values that pass [`EmitterDef::validate`].
    pub def: EmitterDef,
    /// Of the body of the definition, in the last step; that of the world's axes without a body.
    carrier: Carrier,
    vortons: Carry,
    rings: Carry,
    tracers: Carry,
    pending: u64,
    emitted: u64,
    emitted_rings: u64,
    emitted_tracers: u64,
    /// Number of due rings that did not fit since the last one that did: later steps keep room for one.
    missed: u32,
    /// Position at the end of the last step, relative to the present one \[m\]: not zero if the emitter has
    /// been moved since.
    offset: Vec3,
    /// Opposite of the emitter's velocity in the last step \[m/s\].
    backwards: Vec3,
    /// True after the first step: a move before that has no start.
    has_begun: bool,
    /// Time \[s\] for which vortons are still due, on a body: the last step.
    owed: f32,
}

crate::saved::fields!(Emitter {
    def, carrier, vortons, rings, tracers, pending, emitted, emitted_rings, emitted_tracers, missed, offset, backwards, has_begun,
    owed,
} check is_valid);
impl crate::saved::Element for Emitter {}

/// Combined with the seed, so that rings and tracers have other random numbers than vortons with the same
/// seed.
const RINGS: u64 = 0x7269_6e67_7321_0001;
const TRACERS: u64 = 0x7472_6163_6572_0002;

/// Largest ratio of the length of a frame to that of a step in the next one \[1\]: an emitter that is faster
/// than this times its container moves by itself.
const MOST_UNEVEN: f32 = 100.0;

impl Emitter {
    /// True if its definition is valid.
    fn is_valid(&self) -> bool {
        let is_placed = self.def.body.is_some() || self.carrier == Carrier::default();
        let moves = self.offset.is_finite() && self.backwards.is_finite() && self.owed >= 0.0;
        is_placed && moves && self.def.validate().is_ok() && self.placed().validate().is_ok()
    }

    /// A new emitter. The next step puts it on the body that carries it.
    ///
    /// # Errors
    /// A field of `def` out of its range.
    pub fn new(def: EmitterDef) -> Result<Self, ParamError> {
        def.validate()?;
        Ok(Self { def, ..Self::default() })
    }

    /// True if body number `index` carries it.
    pub(crate) fn is_on(&self, index: usize) -> bool {
        self.def.body == Some(index)
    }

    /// Returns the definition with position and rotation in the world's axes, on bodies as they are now.
    pub fn placed_now(&self, bodies: &dyn BodyCoupling) -> EmitterDef {
        self.at_end_of_step(bodies, 0.0).placed()
    }

    /// Returns the definition with position and rotation in the world's axes, at the start of the last step.
    pub(crate) fn placed(&self) -> EmitterDef {
        let Self { def, carrier, .. } = self;
        if def.body.is_none() {
            return *def;
        }
        let (position, rotation) = carrier.to_world((def.position, def.rotation));
        EmitterDef { body: None, position, rotation, ..*def }
    }

    /// Moves the origin to `origin` \[m\].
    pub(crate) fn shift_origin(&mut self, origin: Vec3) {
        match self.def.body {
            None => self.def.position -= origin,
            Some(_) => self.carrier.position -= origin,
        }
    }

    /// Moves to this pose, in the axes of the body that carries it, if one does: what is emitted at the rate
    /// in the next frame lies along the straight way from the position in the last one, if there was one.
    /// [`redefine`](Self::redefine) puts it elsewhere at once.
    ///
    /// # Errors
    /// A pose that is not valid, or a way too long for `f32`.
    pub fn move_to(&mut self, position: Vec3, rotation: Quat) -> Result<(), ParamError> {
        self.move_with(EmitterDef { position, rotation, ..self.def }, self.carrier)
    }

    /// Moves with the body that carries it, if one does, on the way of the `dt` \[s\] before; stays if that
    /// way is too long for `f32`.
    fn ride(&mut self, bodies: &dyn BodyCoupling, dt: f32) {
        let Some(body) = self.def.body else { return };
        if let Some(carrier) = bodies.carrier(body) {
            _ = self.move_with(self.def, carrier);
        }
        let is_in_it = bodies.carried(self.placed().position).is_some_and(|(index, _)| index == body);
        if is_in_it || dt == 0.0 {
            // In its own container nothing lags behind: a wall may have passed where the emitter was.
            (self.offset, self.backwards) = (Vec3::ZERO, Vec3::ZERO);
        }
        self.go_on(dt, dt);
    }

    /// Begins a step of `dt` \[s\] of a frame of which `left` \[s\] are left. Returns the time \[s\] over
    /// which vortons are due: on a body those of the step before, along its way in that step.
    pub(crate) fn begin_step(&mut self, bodies: &dyn BodyCoupling, dt: f32, left: f32) -> f32 {
        if dt <= 0.0 {
            return 0.0;
        }
        let is_carried = self.def.body.is_some();
        let owed = std::mem::replace(&mut self.owed, if is_carried { dt } else { 0.0 });
        if is_carried {
            self.ride(bodies, owed);
            self.has_begun = true;
            return owed;
        }
        self.go_on(dt, left);
        owed + dt
    }

    /// Returns the emitter at the end of a step of `dt` \[s\]: on a body, after its way in that step.
    pub(crate) fn at_end_of_step(&self, bodies: &dyn BodyCoupling, dt: f32) -> Self {
        let mut end = *self;
        end.ride(bodies, dt);
        end
    }

    fn move_with(&mut self, def: EmitterDef, carrier: Carrier) -> Result<(), ParamError> {
        let next = Self { def, carrier, ..*self };
        def.validate()?;
        next.placed().validate()?;
        let (from, to) = (self.placed().position, next.placed().position);
        let moved = if self.has_begun { from - to } else { Vec3::ZERO };
        let offset = self.offset + moved;
        ParamError::check(offset.is_finite(), "position", def.position, "a finite way from the last one")?;
        *self = Self { offset, ..next };
        Ok(())
    }

    /// Replaces the definition: it emits at its new position at once; on the same body at the same position,
    /// it goes on. `carrier` is the pose of the body that carries it; ignored without one.
    ///
    /// # Errors
    /// A field of `def` out of its range.
    pub fn redefine(&mut self, def: EmitterDef, carrier: Carrier) -> Result<(), ParamError> {
        def.validate()?;
        let place = |def: &EmitterDef| (def.body, def.position, def.rotation);
        if def.body.is_some() && place(&def) == place(&self.def) && self.has_begun {
            self.def = def;
            return Ok(());
        }
        let carrier = if def.body.is_some() { carrier } else { Carrier::default() };
        let next = Self { def, carrier, offset: Vec3::ZERO, backwards: Vec3::ZERO, ..*self };
        next.placed().validate()?;
        *self = next;
        Ok(())
    }

    /// Leaves body number `index`, which is about to be removed: without its carrier, it stays where it is.
    pub(crate) fn leave_body(&mut self, bodies: &dyn BodyCoupling, index: usize) {
        match self.def.body {
            Some(body) if body == index => {
                if let Some(carrier) = bodies.carrier(index) {
                    _ = self.move_with(self.def, carrier);
                }
                (self.def, self.carrier) = (self.placed(), Carrier::default());
            }
            Some(body) if body > index => self.def.body = Some(body - 1),
            _ => {}
        }
    }

    /// Follows the teleport of body number `index`: nothing is emitted on the way.
    pub(crate) fn follow_teleport(&mut self, index: usize) {
        if self.def.body == Some(index) {
            (self.has_begun, self.offset) = (false, Vec3::ZERO);
        }
    }

    /// Moves on for `dt` \[s\] of the `left` \[s\] of a frame.
    fn go_on(&mut self, dt: f32, left: f32) {
        if dt > 0.0 {
            let backwards = self.offset / left.max(dt);
            self.backwards = if backwards.is_finite() { backwards } else { Vec3::ZERO };
            self.offset = if left > dt { self.offset - self.backwards * dt } else { Vec3::ZERO };
            self.has_begun = true;
        }
    }

    /// Returns the displacement \[m\] from the definition's position, `since` \[s\] before the end of the
    /// step.
    fn displacement(&self, since: f32) -> Vec3 {
        self.offset + self.backwards * since
    }

    /// Returns the velocity \[m/s\] with which fluid emitted in the last step has moved on since. A container
    /// takes along fluid of an emitter that has moved with it: as far as the emitter has, because frames may
    /// differ in length.
    fn drift(&self, carried: Carried) -> Vec3 {
        let along = carried.by_container;
        let part = -self.backwards.dot(along) / along.length_squared();
        let part = if part.is_finite() { part.clamp(0.0, MOST_UNEVEN) } else { 0.0 };
        carried.by_wind + along * part
    }

    /// Emits `count` extra vortons in the next step.
    pub fn burst(&mut self, count: u32) {
        self.pending = self.pending.saturating_add(u64::from(count));
    }

    /// Returns the number of vortons emitted, without those of a nozzle's rings.
    pub fn emitted(&self) -> u64 {
        self.emitted
    }

    /// Returns the vortons due over `dt` \[s\], and a burst if time passes.
    pub(crate) fn take_due(&mut self, dt: f32, passes: bool) -> Due {
        let steady = self.vortons.take(f64::from(self.def.rate), dt);
        let burst = if passes { std::mem::take(&mut self.pending) } else { 0 };
        steady.with_count(steady.count.saturating_add(burst))
    }

    /// Returns the next vorton, `since` \[s\] after emission, of those due over `time` \[s\], in fluid that
    /// is `carried` along. The n-th one is a function of the definition, n, these three, the emitter's motion
    /// and the `bodies` around it.
    pub(crate) fn emit(
        &mut self,
        (since, time, carried): (f32, f32, Carried),
        params: &Params,
        bodies: &dyn BodyCoupling,
    ) -> Vorton {
        let Params { core_radius, ambient, equation_of_state: state, .. } = params;
        let def = self.placed();
        let random = Random::new(def.seed);
        let n = self.emitted.wrapping_mul(2);
        self.emitted = self.emitted.wrapping_add(1);
        let volume = def.vorton_volume();
        let edges = def.edges(*core_radius);
        let position = def.place(edges, random.centred_vec3(n), since) + self.displacement(since);
        let strength = rotate(def.rotation, def.strength + def.strength_spread * random.centred_vec3(n + 1));
        let (from, strength) = def.brought_out(bodies, edges, (position, strength));
        let mut position = [from + self.drift(carried) * since];
        if let Some(surfaces) = bodies.surfaces().filter(|_| carried.by_wind != Vec3::ZERO) {
            let passed = if time > 0.0 { (1.0 - since / time).max(0.0) } else { 1.0 };
            surfaces.keep_out_since(&[from], &mut position, passed);
        }
        let [position] = position;
        Vorton {
            position,
            strength,
            volume,
            mass_deviation: volume * def.deviation(position, ambient, *state),
            dye: volume * def.dye,
            // At most the largest number: a vorton's fuel is finite.
            fuel: (volume * def.fuel).min(f32::MAX),
            ..Vorton::default()
        }
    }

    /// Returns the number of due rings that did not fit since the last one that did.
    pub(crate) fn missed_rings(&self) -> u32 {
        self.missed
    }

    /// Returns the number of vortons in a ring; 0 without a nozzle.
    pub(crate) fn vortons_per_ring(&self, core_radius: f32) -> u64 {
        self.def.nozzle.map_or(0, |nozzle| nozzle.vortons_per_ring(core_radius))
    }

    /// Returns the rings that are emitted of those due over `dt` \[s\], none without a nozzle, with `room`
    /// for so many vortons, and the number of vortons that are left out: a partial ring would be a vortex
    /// line that ends in the fluid.
    pub(crate) fn take_due_rings(&mut self, dt: f32, core_radius: f32, room: u64) -> (Due, u64) {
        let speed = self.def.nozzle.map_or(0.0, |nozzle| nozzle.speed);
        let Some(nozzle) = self.def.nozzle.filter(|_| speed > 0.0) else {
            self.missed = 0;
            return (Due::default(), 0);
        };
        let each = nozzle.vortons_per_ring(core_radius);
        let due = self.rings.take(nozzle.rings_per_second(core_radius), dt);
        let whole = due.count.min(room / each);
        if due.count > 0 {
            let left_out = u32::try_from(due.count - whole).unwrap_or(u32::MAX);
            self.missed = if left_out > 0 { self.missed.saturating_add(left_out) } else { 0 };
        }
        (due.with_count(whole), (due.count - whole).saturating_mul(each))
    }

    /// Returns the next ring, `since` \[s\] after emission, in fluid that is `carried` along.
    pub(crate) fn emit_ring(
        &mut self,
        (since, carried): (f32, Carried),
        core_radius: f32,
    ) -> impl Iterator<Item = Vorton> {
        let def = self.placed();
        let random = Random::new(def.seed ^ RINGS);
        let ring = self.emitted_rings;
        self.emitted_rings = self.emitted_rings.wrapping_add(1);
        let nozzle = def.nozzle.into_iter();
        let place = def.position + self.displacement(since) + self.drift(carried) * since;
        nozzle.flat_map(move |nozzle| nozzle.ring(random, ring, since, core_radius)).map(move |vorton| {
            Vorton {
                position: place + rotate(def.rotation, vorton.position),
                strength: rotate(def.rotation, vorton.strength),
                ..vorton
            }
        })
    }

    /// Emits the tracers due in `dt` \[s\] at `rate` \[1/s\], at most `room` of them, along the way of the
    /// emitter up to `end`. Passes to `add` the position at which each was emitted, the one that it has
    /// reached since, in fluid that is `carried` along, and the fraction of the step that had passed; in a
    /// container, the first is relative to it as it is at the end of the step. Returns the number left out.
    pub fn take_tracers(
        &mut self,
        end: &Self,
        (dt, rate): (f32, f32),
        (room, carried): (u64, Carried),
        mut add: impl FnMut(Vec3, Vec3, f32),
    ) -> u64 {
        let due = self.tracers.take(f64::from(rate), dt);
        let fits = due.count.min(room);
        let def = end.placed();
        let random = Random::new(def.seed ^ TRACERS);
        for k in 0..fits {
            let random = random.centred_vec3(self.emitted_tracers);
            self.emitted_tracers = self.emitted_tracers.wrapping_add(1);
            let since = due.since(k);
            let moved = end.displacement(since);
            let at = |since: f32| def.place(def.extent, random, since) + moved;
            let drift = end.drift(carried);
            let passed = if carried.by_container == Vec3::ZERO { (1.0 - since / dt).max(0.0) } else { 1.0 };
            add(at(0.0) + (drift - carried.by_wind) * since, at(since) + drift * since, passed);
        }
        due.count - fits
    }
}
