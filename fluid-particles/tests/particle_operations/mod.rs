//! Test hosts: the same particles in any layout, with canaries in the gaps; flows; and every operation.
#![allow(dead_code, reason = "programs of tests take what they need")]

use fluid_core::InstructionSet;
use fluid_core::boundary::{SurfaceImpulse, Surfaces, Touch};
use fluid_core::density::ScalarSample;
use fluid_core::particles::ScalarQuantity;
use fluid_core::velocity::{Eddies, FlowSample, VelocityField};
use fluid_particles::ops::*;
use fluid_particles::view::*;
use fluid_threads::{Executor, Serial};
use glam::{Mat3, Quat, Vec3};
use std::sync::OnceLock;

/// One particle, as seen by tests.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Particle {
    pub(crate) position: Vec3,
    pub(crate) velocity: Vec3,
    pub(crate) spin: Vec3,
    pub(crate) orientation: Quat,
    pub(crate) density: f32,
    pub(crate) temperature: f32,
    pub(crate) age: f32,
    pub(crate) lifetime: f32,
    pub(crate) birth: i32,
    pub(crate) flags: u32,
    pub(crate) hit: u32,
    pub(crate) normal: Vec3,
    pub(crate) user: f32,
}

impl Particle {
    pub(crate) fn bits(&self) -> Bits {
        let vectors = [self.position, self.velocity, self.spin, self.normal].map(<[f32; 3]>::from);
        let scalars = [self.density, self.temperature, self.age, self.lifetime, self.user];
        let floats =
            vectors.as_flattened().iter().chain(&scalars).copied().chain(self.orientation.to_array());
        let mut bits = [0; 24];
        bits.iter_mut().zip(floats).for_each(|(bits, float)| *bits = float.to_bits());
        (bits[21], bits[22], bits[23]) = (self.birth as u32, self.flags, self.hit);
        bits
    }

    pub(crate) fn is_finite(&self) -> bool {
        let scalars = [self.density, self.temperature, self.age, self.lifetime, self.user];
        [self.position, self.velocity, self.spin, self.normal].iter().all(|vector| vector.is_finite())
            && scalars.iter().all(|scalar| scalar.is_finite())
            && self.orientation.is_finite()
    }
}

pub(crate) type Bits = [u32; 24];

pub(crate) fn bits(particles: &[Particle]) -> Vec<Bits> {
    particles.iter().map(Particle::bits).collect()
}

/// Returns distinct particles with ordinary values: ages 0 to 3 s, lifetimes 1 to 3 s, births in frames 0
/// to 99.
pub(crate) fn particles(len: usize) -> Vec<Particle> {
    let random = fluid_core::math::Random::new(7);
    (0..len as u64)
        .map(|n| Particle {
            position: random.centred_vec3(3 * n) * 4.0,
            velocity: random.centred_vec3(3 * n + 1),
            spin: random.centred_vec3(3 * n + 2) * 5.0,
            orientation: Quat::from_rotation_y(n as f32),
            density: 1.0 + n as f32,
            temperature: 273.0 + n as f32,
            age: random.unit(9 * n + 6) * 3.0,
            lifetime: 1.0 + random.unit(9 * n + 7) * 2.0,
            birth: (random.unit(9 * n + 8) * 100.0) as i32,
            flags: (n as u32 % 4) << 4,
            // Overwritten by a collision only.
            hit: 1000 + n as u32,
            normal: Vec3::splat(n as f32),
            user: n as f32,
        })
        .collect()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    /// One array of structures with gaps.
    Aos,
    /// Packed arrays.
    Soa,
    /// Packed arrays, vectors of four floats.
    SoaX4,
    /// Packed arrays of floats.
    Components,
    /// Structures, reached by pointers in mixed order.
    Table,
    /// One array of structures with positions and velocities in f64.
    AosF64,
}

impl Layout {
    /// Layouts that store the same bits.
    pub(crate) const F32: [Self; 5] = [Self::Aos, Self::Soa, Self::SoaX4, Self::Components, Self::Table];

    pub(crate) fn can_compact(self) -> bool {
        self != Self::Table
    }
}

const CANARY: u64 = 0xabab_abab_abab_abab;

/// Particles in separately allocated memory.
pub(crate) struct Host {
    pub(crate) layout: Layout,
    pub(crate) count: usize,
    pub(crate) capacity: usize,
    pub(crate) element_size: usize,
    memory: Vec<u64>,
    /// Stride, and offset from the start of the memory.
    streams: Vec<(Semantic, Format, usize, usize)>,
    /// For `Layout::Table`: the slot of row i.
    slots: Vec<usize>,
}

impl Host {
    pub(crate) fn new(particles: &[Particle], capacity: usize, layout: Layout) -> Self {
        use Semantic::*;
        let scalars = [
            (Age, Format::F32),
            (Lifetime, Format::F32),
            (BirthFrame, Format::I32),
            (Flags, Format::U32),
            (Hit, Format::U32),
            (Orientation, Format::QuatF32),
            (Density, Format::F32),
            (Temperature, Format::F32),
            (User3, Format::F32),
        ];
        let vector = match layout {
            Layout::AosF64 => Format::F64X3,
            Layout::SoaX4 => Format::F32X4,
            _ => Format::F32X3,
        };
        let mut parts: Vec<(Semantic, Format)> = match layout {
            Layout::Components => {
                let x = [PositionX, VelocityX, AngularVelocityX];
                let y = [PositionY, VelocityY, AngularVelocityY];
                let z = [PositionZ, VelocityZ, AngularVelocityZ];
                [x, y, z].as_flattened().iter().map(|&semantic| (semantic, Format::F32)).collect()
            }
            _ => vec![(Velocity, vector), (Position, vector), (AngularVelocity, vector)],
        };
        parts.push((Normal, vector));
        parts.extend(scalars);
        let structures = matches!(layout, Layout::Aos | Layout::Table | Layout::AosF64);
        let mut end = 8;
        let mut streams = Vec::new();
        for (semantic, format) in parts {
            if structures {
                streams.push((semantic, format, 0, end));
                end += format.size();
                // A gap that belongs to the host.
                if semantic == Velocity || semantic == Flags {
                    end += 8;
                }
            } else {
                streams.push((semantic, format, format.size(), end));
                end = (end + capacity * format.size()).next_multiple_of(8) + 8;
            }
        }
        let element = (end - 8).next_multiple_of(8) + 8;
        if structures {
            streams.iter_mut().for_each(|stream| stream.2 = element);
            end = 8 + element * capacity;
        }
        let slots = match layout {
            // A permutation, because 7 does not divide the capacity.
            Layout::Table => {
                assert!(!capacity.is_multiple_of(7));
                (0..capacity).map(|row| (row * 7 + 3) % capacity).collect()
            }
            _ => (0..capacity).collect(),
        };
        let mut host = Self {
            layout,
            count: particles.len(),
            capacity,
            element_size: if structures { element } else { 0 },
            memory: vec![CANARY; end.div_ceil(8) + 1],
            streams,
            slots,
        };
        particles.iter().enumerate().for_each(|(row, particle)| host.write(row, particle));
        host
    }

    /// Asserts that bytes outside all streams are unchanged (not checked for whole particles that moved).
    pub(crate) fn assert_gaps_untouched(&mut self) {
        let (streams, slots, size) = (&self.streams, &self.slots, self.element_size);
        let mut covered = vec![false; self.memory.len() * 8];
        for &(_, format, stride, offset) in streams {
            let touched = if format == Format::F32X4 { 12 } else { format.size() };
            for &slot in slots {
                covered[offset + slot * stride..][..touched].fill(true);
            }
        }
        let bytes: Vec<u8> = self.memory.iter().flat_map(|word| word.to_ne_bytes()).collect();
        let first = bytes.iter().zip(&covered).position(|(&byte, &covered)| !covered && byte != 0xab);
        assert_eq!(first, None, "a gap was written, {:?} of {size} bytes", self.layout);
    }

    pub(crate) fn read(&self) -> Vec<Particle> {
        (0..self.count).map(|row| self.read_row(row)).collect()
    }

    pub(crate) fn view<T>(
        &mut self,
        indices: Option<&[u32]>,
        body: impl FnOnce(&mut ParticleView<'_>) -> T,
    ) -> T {
        let base = self.memory.as_mut_ptr().cast::<u8>();
        let mut streams: Vec<Stream> = self
            .streams
            .iter()
            .map(|&(semantic, format, stride, offset)| Stream { semantic, format, stride, offset, base })
            .collect();
        let element = self.element_size;
        let table: Vec<*mut u8> = self.slots.iter().map(|slot| base.wrapping_add(slot * element)).collect();
        // The memory begins with 8 bytes of canary, followed by whole structures.
        let whole = self.layout != Layout::Table && element != 0;
        if whole {
            streams.iter_mut().for_each(|stream| {
                stream.base = base.wrapping_add(8);
                stream.offset -= 8;
            });
        }
        let description = ViewDescription {
            count: self.count,
            capacity: self.capacity,
            streams: &streams,
            table: if self.layout == Layout::Table { table.as_ptr() } else { std::ptr::null() },
            indices,
            element_size: if whole { element } else { 0 },
        };
        // SAFETY: streams, table and capacity were laid out in `new` within `memory`, which is borrowed until
        // `body` ends.
        let mut view = unsafe { ParticleView::new(description) }.expect("a right description");
        let result = body(&mut view);
        self.count = view.count();
        result
    }

    fn write(&mut self, row: usize, particle: &Particle) {
        use Semantic::*;
        for number in 0..self.streams.len() {
            let (semantic, format, stride, offset) = self.streams[number];
            let at = offset + self.slots[row] * stride;
            let Particle { position: x, velocity: v, spin: w, .. } = *particle;
            match semantic {
                Position => self.put_vec3(at, format, x),
                Velocity => self.put_vec3(at, format, v),
                AngularVelocity => self.put_vec3(at, format, w),
                AngularVelocityX => self.put(at, w.x.to_bits()),
                AngularVelocityY => self.put(at, w.y.to_bits()),
                AngularVelocityZ => self.put(at, w.z.to_bits()),
                Orientation => {
                    let parts = particle.orientation.to_array();
                    (0..4).for_each(|i| self.put(at + 4 * i, parts[i].to_bits()));
                }
                Density => self.put(at, particle.density.to_bits()),
                Temperature => self.put(at, particle.temperature.to_bits()),
                PositionX => self.put(at, x.x.to_bits()),
                PositionY => self.put(at, x.y.to_bits()),
                PositionZ => self.put(at, x.z.to_bits()),
                VelocityX => self.put(at, v.x.to_bits()),
                VelocityY => self.put(at, v.y.to_bits()),
                VelocityZ => self.put(at, v.z.to_bits()),
                Age => self.put(at, particle.age.to_bits()),
                Lifetime => self.put(at, particle.lifetime.to_bits()),
                BirthFrame => self.put(at, particle.birth as u32),
                Flags => self.put(at, particle.flags),
                Hit => self.put(at, particle.hit),
                Normal => self.put_vec3(at, format, particle.normal),
                _ => self.put(at, particle.user.to_bits()),
            }
        }
    }

    fn read_row(&self, row: usize) -> Particle {
        use Semantic::*;
        let mut particle = Particle {
            position: Vec3::ZERO,
            velocity: Vec3::ZERO,
            spin: Vec3::ZERO,
            orientation: Quat::IDENTITY,
            density: 0.0,
            temperature: 0.0,
            age: 0.0,
            lifetime: 0.0,
            birth: 0,
            flags: 0,
            hit: 0,
            normal: Vec3::ZERO,
            user: 0.0,
        };
        for &(semantic, format, stride, offset) in &self.streams {
            let at = offset + self.slots[row] * stride;
            let bits = self.get(at);
            let float = f32::from_bits(bits);
            match semantic {
                Position => particle.position = self.get_vec3(at, format),
                Velocity => particle.velocity = self.get_vec3(at, format),
                AngularVelocity => particle.spin = self.get_vec3(at, format),
                AngularVelocityX => particle.spin.x = float,
                AngularVelocityY => particle.spin.y = float,
                AngularVelocityZ => particle.spin.z = float,
                Orientation => {
                    let part = |i| f32::from_bits(self.get(at + 4 * i));
                    particle.orientation = Quat::from_array(std::array::from_fn(part));
                }
                Density => particle.density = float,
                Temperature => particle.temperature = float,
                PositionX => particle.position.x = float,
                PositionY => particle.position.y = float,
                PositionZ => particle.position.z = float,
                VelocityX => particle.velocity.x = float,
                VelocityY => particle.velocity.y = float,
                VelocityZ => particle.velocity.z = float,
                Age => particle.age = float,
                Lifetime => particle.lifetime = float,
                BirthFrame => particle.birth = bits as i32,
                Flags => particle.flags = bits,
                Hit => particle.hit = bits,
                Normal => particle.normal = self.get_vec3(at, format),
                _ => particle.user = float,
            }
        }
        particle
    }

    fn put_vec3(&mut self, at: usize, format: Format, value: Vec3) {
        for axis in 0..3 {
            if format == Format::F64X3 {
                self.memory[at / 8 + axis] = f64::from(value[axis]).to_bits();
            } else {
                self.put(at + 4 * axis, value[axis].to_bits());
            }
        }
    }

    fn get_vec3(&self, at: usize, format: Format) -> Vec3 {
        let [x, y, z] = std::array::from_fn(|axis| match format {
            Format::F64X3 => f64::from_bits(self.memory[at / 8 + axis]) as f32,
            _ => f32::from_bits(self.get(at + 4 * axis)),
        });
        Vec3::new(x, y, z)
    }

    fn put(&mut self, at: usize, bits: u32) {
        let word = &mut self.memory[at / 8];
        let mut bytes = word.to_ne_bytes();
        bytes[at % 8..at % 8 + 4].copy_from_slice(&bits.to_ne_bytes());
        *word = u64::from_ne_bytes(bytes);
    }

    fn get(&self, at: usize) -> u32 {
        let bytes = self.memory[at / 8].to_ne_bytes();
        u32::from_ne_bytes([bytes[at % 8], bytes[at % 8 + 1], bytes[at % 8 + 2], bytes[at % 8 + 3]])
    }
}

/// A flow with a different value at every position.
pub(crate) struct Waves;

impl VelocityField for Waves {
    fn velocities(&self, positions: &[Vec3], out: &mut [Vec3]) {
        assert_eq!(positions.len(), out.len());
        for (x, u) in positions.iter().zip(out) {
            assert!(x.is_finite(), "the fluid must not be asked for {x}");
            *u = Vec3::new(libm::sinf(x.y), libm::cosf(x.z * 2.0), 0.5 * libm::sinf(x.x + x.y));
        }
    }

    fn flow(&self, positions: &[Vec3], out: &mut [FlowSample]) {
        assert_eq!(positions.len(), out.len());
        for (x, sample) in positions.iter().zip(out) {
            self.velocities(&[*x], std::slice::from_mut(&mut sample.velocity));
            let slope = 0.5 * libm::cosf(x.x + x.y);
            sample.gradient = Mat3::from_cols(
                Vec3::new(0.0, 0.0, slope),
                Vec3::new(libm::cosf(x.y), 0.0, slope),
                Vec3::new(0.0, -2.0 * libm::sinf(x.z * 2.0), 0.0),
            );
        }
    }

    fn scalars(&self, positions: &[Vec3], out: &mut [ScalarSample]) {
        assert_eq!(positions.len(), out.len());
        for (x, sample) in positions.iter().zip(out) {
            assert!(x.is_finite(), "the fluid must not be asked for {x}");
            let [density, temperature, dye] = [1.0 + 0.1 * libm::sinf(x.x), 300.0 + libm::cosf(x.y), x.z];
            *sample = ScalarSample { density, deviation: density - 1.0, temperature, dye };
        }
    }

    fn eddies(&self) -> Option<&Eddies> {
        static EDDIES: OnceLock<Eddies> = OnceLock::new();
        Some(EDDIES.get_or_init(|| {
            let mut eddies = Eddies::new(0.5, InstructionSet::Auto);
            eddies.advance(0.3, 1.0);
            eddies
        }))
    }
}

/// A uniform velocity.
pub(crate) struct Uniform(pub(crate) Vec3);

impl VelocityField for Uniform {
    fn velocities(&self, _: &[Vec3], out: &mut [Vec3]) {
        out.fill(self.0);
    }

    fn flow(&self, _: &[Vec3], out: &mut [FlowSample]) {
        out.fill(FlowSample { velocity: self.0, gradient: Mat3::ZERO });
    }
}

/// Solid rotation about z with angular velocity 1 rad/s.
pub(crate) struct Rotation;

impl VelocityField for Rotation {
    fn velocities(&self, positions: &[Vec3], out: &mut [Vec3]) {
        for (x, u) in positions.iter().zip(out) {
            *u = Vec3::new(-x.y, x.x, 0.0);
        }
    }

    fn flow(&self, positions: &[Vec3], out: &mut [FlowSample]) {
        for (x, sample) in positions.iter().zip(out) {
            let gradient = Mat3::from_cols(Vec3::Y, Vec3::NEG_X, Vec3::ZERO);
            *sample = FlowSample { velocity: gradient * *x, gradient };
        }
    }
}

/// A half space below `height` along z at the end of the step: body 0.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ground {
    pub(crate) height: f32,
    pub(crate) velocity: Vec3,
}

impl Surfaces for Ground {
    fn meet(&self, before: &[Vec3], after: &mut [Vec3], touches: &mut [Option<Touch>]) {
        assert!(before.len() == after.len() && after.len() == touches.len());
        for ((from, x), touch) in before.iter().zip(after).zip(touches) {
            assert!(from.is_finite() && x.is_finite(), "bodies must not be asked for {from} to {x}");
            *touch = (x.z < self.height).then(|| {
                x.z = self.height;
                Touch { body: 0, point: *x, normal: Vec3::Z, velocity: self.velocity }
            });
        }
    }
}

/// A ball, at its position at the end of the step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ball {
    pub(crate) body: u32,
    pub(crate) centre: Vec3,
    pub(crate) radius: f32,
    pub(crate) velocity: Vec3,
    pub(crate) spin: Vec3,
}

impl Surfaces for Ball {
    fn meet(&self, before: &[Vec3], after: &mut [Vec3], touches: &mut [Option<Touch>]) {
        assert!(before.len() == after.len() && after.len() == touches.len());
        for ((from, x), touch) in before.iter().zip(after).zip(touches) {
            assert!(from.is_finite() && x.is_finite(), "bodies must not be asked for {from} to {x}");
            let lever = *x - self.centre;
            *touch = (lever.length() < self.radius).then(|| {
                let normal = lever.try_normalize().unwrap_or(Vec3::X);
                *x = self.centre + normal * self.radius;
                let velocity = self.velocity + self.spin.cross(*x - self.centre);
                Touch { body: self.body, point: *x, normal, velocity }
            });
        }
    }
}

/// Ground with a ball on it: bodies 0 and 2, both moving.
pub(crate) struct Scenery;

pub(crate) const GROUND: Ground = Ground { height: -1.0, velocity: Vec3::new(0.3, 0.0, 0.2) };
pub(crate) const BALL: Ball = Ball {
    body: 2,
    centre: Vec3::new(0.3, -0.2, 0.5),
    radius: 0.8,
    velocity: Vec3::new(-0.2, 0.4, 0.0),
    spin: Vec3::new(0.0, 1.0, 3.0),
};

impl Surfaces for Scenery {
    fn meet(&self, before: &[Vec3], after: &mut [Vec3], touches: &mut [Option<Touch>]) {
        GROUND.meet(before, after, touches);
        for ((from, x), touch) in before.iter().zip(after).zip(touches) {
            let mut other = [None];
            BALL.meet(std::slice::from_ref(from), std::slice::from_mut(x), &mut other);
            *touch = other[0].or(*touch);
        }
    }
}

pub(crate) const PROTOTYPE: &[Attribute] = &[
    Attribute { semantic: Semantic::Position, value: [1.0, 2.0, 3.0], spread: [0.5, 0.25, 1.0] },
    Attribute { semantic: Semantic::Velocity, value: [0.0, 0.0, 1.0], spread: [0.1; 3] },
    Attribute { semantic: Semantic::AngularVelocity, value: [0.0, 2.0, 0.0], spread: [0.5; 3] },
    Attribute { semantic: Semantic::Lifetime, value: [2.0, 0.0, 0.0], spread: [1.0, 0.0, 0.0] },
    Attribute { semantic: Semantic::User3, value: [9.0, 0.0, 0.0], spread: [0.0; 3] },
];

/// Returns every operation in every variant. The first promise below keeps this list complete.
pub(crate) fn every_operation() -> Vec<Operation<'static>> {
    let kill = Kill { max_age: Some(2.0), max_age_frames: Some(60), mode: KillMode::Mark };
    let all = vec![
        Velocity { rate: 3.0, sample: SampleAt::Midpoint, ..Velocity::default() }.into(),
        Velocity { rate: 2.0, gain: -0.3, sample: SampleAt::Midpoint }.into(),
        Velocity { rate: f32::MAX, sample: SampleAt::Particle, ..Velocity::default() }.into(),
        Turbulence { rate: 3.0, gain: 0.5, ..Turbulence::default() }.into(),
        Turbulence { sample: SampleAt::Particle, ..Turbulence::default() }.into(),
        Wind { velocity: Vec3::new(3.0, 0.0, -1.0), rate: 0.7 }.into(),
        Accelerate { acceleration: Vec3::new(0.0, 0.0, -9.81) }.into(),
        Drag { linear_rate: 0.4, quadratic: 1.5 }.into(),
        Spin { rate: 3.0, sample: SampleAt::Midpoint }.into(),
        Spin { rate: f32::MAX, sample: SampleAt::Particle }.into(),
        SampleScalar::new(ScalarQuantity::Density).into(),
        SampleScalar::new(ScalarQuantity::Temperature).into(),
        SampleScalar { quantity: ScalarQuantity::Dye, into: Semantic::User3 }.into(),
        Advect.into(),
        Collide { restitution: 0.3, friction: 0.6, mass: 0.1 }.into(),
        Collide::default().into(),
        Age.into(),
        kill.into(),
        Kill { mode: KillMode::List, ..kill }.into(),
        Kill { mode: KillMode::Compact, ..kill }.into(),
        Emit { rate: 3000.0, seed: 5, timing: EmitTiming::Even, prototype: PROTOTYPE }.into(),
        Bounds.into(),
    ];
    for name in Operation::NAMES {
        assert!(
            all.iter().any(|operation: &Operation<'_>| operation.name() == *name),
            "{name} is not tested"
        );
    }
    all
}

/// Returns the operations that a view in this layout, or with indices, can run.
pub(crate) fn every_operation_for(layout: Layout, indices: bool) -> Vec<Operation<'static>> {
    let mut all = every_operation();
    if indices || !layout.can_compact() {
        all.retain(|operation| !matches!(operation, Operation::Kill(Kill { mode: KillMode::Compact, .. })));
    }
    all
}

/// Results of a run besides the particles.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Outcome {
    pub(crate) report: RunReport,
    pub(crate) killed: Vec<u32>,
    pub(crate) states: Vec<EmitState>,
    pub(crate) impulses: Vec<(u32, SurfaceImpulse)>,
}

pub(crate) const DT: f32 = 1.0 / 60.0;

pub(crate) fn run_with(
    exec: &dyn Executor,
    host: &mut Host,
    indices: Option<&[u32]>,
    inputs: &RunInputs<'_>,
    operations: &[Operation<'_>],
) -> Result<Outcome, OpError> {
    let mut killed = vec![0; host.capacity];
    let mut states = vec![EmitState { remainder: 0.5, emitted: 3 }; 4];
    let mut scratch = RunScratch::default();
    let report = host.view(indices, |view| {
        let memory = RunMemory { scratch: &mut scratch, emit_states: &mut states, killed: &mut killed };
        run_operations(exec, inputs, operations, view, memory)
    })?;
    killed.truncate(report.listed);
    let impulses = scratch.impulses().to_vec();
    Ok(Outcome { report, killed, states, impulses })
}

/// Runs operations on one thread, in [`Waves`], one frame at 60 Hz, frame 100.
pub(crate) fn run(host: &mut Host, operations: &[Operation<'_>]) -> Outcome {
    let inputs = RunInputs { field: &Waves, surfaces: &Scenery, dt: DT, frame: 100 };
    run_with(&Serial, host, None, &inputs, operations).expect("a right list")
}
