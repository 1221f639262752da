//! Velocity of the eddies below the core's size (E60): a sum of waves that the flow carries along and
//! shears, with a strength proportional to its local strain rate.

use super::PlacedFlow;
use crate::lanes::{
    BLOCK, InstructionSet, Job, LaneBlock, Lanes, dispatch_exact, scale_each, splat_each, transpose,
};
use glam::Vec3;

/// Alternating patterns of eddies \[1\]: one is strongest when the other one is renewed.
pub(super) const PATTERNS: usize = 2;

/// Waves of a pattern \[1\]: three for each octave, at right angles to each other.
pub(super) const WAVES: usize = 9;

/// Maximum shear of a pattern \[1\], as time times |∇u|.
const MOST_SHEAR: f32 = 1.0;

/// Distance from the origin within which waves are evaluated \[core radii\]: the shortest one passes
/// through less than 2²¹ periods.
const WAVE_REACH: f32 = (1 << 19) as f32;

/// Bounds on the squared strain rate |S|² \[1/s²\]: below the first it counts as zero, above the second it
/// is clamped.
const STRAINS: [f32; 2] = [1e-36, 1e30];

/// Largest square of a velocity \[m²/s²\]; a larger one becomes zero.
const FASTEST: f32 = 1e36;

/// u' = |S| a f(k·x + φ): one wave.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Wave {
    /// k \[turns/m\].
    pub(super) vector: Vec3,
    /// a \[m\], at right angles to k.
    pub(super) amplitude: Vec3,
    /// φ \[turns\].
    pub(super) phase: f32,
}

/// The eddies at a moment, ready to be sampled.
#[derive(Debug, Clone, Copy)]
pub struct EddyField {
    pub(super) waves: [[Wave; WAVES]; PATTERNS],
    /// Time for which the flow has carried each pattern \[s\].
    pub(super) carried: [f32; PATTERNS],
    pub(super) core_radius: f32,
    pub(super) instruction_set: InstructionSet,
}

impl EddyField {
    /// Seed of the eddies that move tracers: particles of a host with the same seed are moved by the same.
    pub const TRACER_SEED: u64 = 1;

    /// Adds `intensity` times the velocity u' \[m/s\] of the eddies to `out`, at each position of `flow`. It
    /// is the velocity halfway along a path of `dt` \[s\] through the eddies, so that positions advanced by
    /// it are second order in dt; with `dt` 0 it is the velocity at the position itself. Free of divergence
    /// except for the spatial variation of strain and gradient; 0 where the flow has no strain, beyond 2¹⁹
    /// core radii from the origin, and where a value overflows. Runs on the calling thread, does not
    /// allocate.
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn add_to(&self, intensity: f32, dt: f32, flow: &[PlacedFlow], out: &mut [Vec3]) {
        assert_eq!(flow.len(), out.len(), "one velocity for each position");
        let job = AddWaves { eddies: self, intensity, half: 0.5 * dt, flow, out };
        dispatch_exact(self.instruction_set, job);
    }
}

impl EddyField {
    /// Returns the longest time, past or future, for which the flow carries a pattern \[s\].
    fn longest(&self) -> f32 {
        self.carried.iter().fold(0.0_f32, |longest, time| longest.max(time.abs()))
    }
}

struct AddWaves<'a> {
    eddies: &'a EddyField,
    intensity: f32,
    /// Half a step \[s\].
    half: f32,
    flow: &'a [PlacedFlow],
    out: &'a mut [Vec3],
}

impl Job for AddWaves<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { eddies, intensity, half, flow, out } = self;
        let mut columns = [LaneBlock::ZERO; BLOCK];
        // x, y, z and 0 of one position after the other.
        let mut velocities = [LaneBlock::ZERO; 4];
        for (flow, out) in flow.chunks(BLOCK).zip(out.chunks_mut(BLOCK)) {
            // Rows beyond the last position are those of the last one.
            let mut rows = [flow[flow.len() - 1].floats(); BLOCK];
            for (row, flow) in rows.iter_mut().zip(flow) {
                *row = flow.floats();
            }
            transpose::<L>(rows, &mut columns);
            for part in 0..BLOCK / L::WIDTH {
                let [velocity, place, gradient @ ..] = vectors_at::<L>(&columns, part);
                let near = LocalFlow { velocity, gradient };
                let [x, y, z] = near.halfway(eddies, intensity, half, place);
                let (even, odd) = (x.interleave(z), y.interleave(L::splat(0.0)));
                let (first, second) = (even.0.interleave(odd.0), even.1.interleave(odd.1));
                let written = &mut L::slice_mut(&mut velocities)[4 * part..4 * part + 4];
                [written[0], written[1], written[2], written[3]] = [first.0, first.1, second.0, second.1];
            }
            for (i, out) in out.iter_mut().enumerate() {
                let of_position = &velocities[i / 4].0[4 * (i % 4)..4 * (i % 4) + 3];
                *out += Vec3::new(of_position[0], of_position[1], of_position[2]);
            }
        }
    }
}

/// Reads one vector of lanes of the columns: three to a vector in space.
#[inline(always)]
fn vectors_at<L: Lanes>(columns: &[LaneBlock; BLOCK], part: usize) -> [[L; 3]; 5] {
    let mut vectors = [[L::splat(0.0); 3]; 5];
    for n in 0..5 {
        for axis in 0..3 {
            let column = &columns[PlacedFlow::COLUMNS[n][axis]];
            vectors[n][axis] = L::slice(std::slice::from_ref(column))[part];
        }
    }
    vectors
}

/// The flow at some positions.
struct LocalFlow<L> {
    velocity: [L; 3],
    /// Columns ∂u/∂x, ∂u/∂y, ∂u/∂z.
    gradient: [[L; 3]; 3],
}

impl<L: Lanes> LocalFlow<L> {
    /// Returns the velocity of eddies half a step along their own path.
    #[inline(always)]
    fn halfway(&self, eddies: &EddyField, intensity: f32, half: f32, place: [L; 3]) -> [L; 3] {
        let g = &self.gradient;
        let squares = dot(g[0], g[0]).add(dot(g[1], g[1])).add(dot(g[2], g[2]));
        let trace = self.trace_of_square();
        let strength = strength(squares.add(trace), intensity);
        let time = self.within_shear(eddies, squares);
        let far = self.distance_squared(eddies, place);
        let here = self.velocity_at(eddies, place, self.velocity, time, trace);
        let reach2 = (WAVE_REACH * eddies.core_radius) * (WAVE_REACH * eddies.core_radius);
        if half == 0.0 {
            return guarded(scale_each(here, strength), FASTEST, far, reach2);
        }
        let step = strength.mul(L::splat(half));
        let way = guarded(scale_each(here, step), reach2, far, reach2);
        let (further, velocity) = (add(place, way), add(self.velocity, self.times(way)));
        let there = self.velocity_at(eddies, further, velocity, time, trace);
        guarded(scale_each(there, strength), FASTEST, far, reach2)
    }

    /// Returns the sum of the squares of the position's distance from the origin and of the patterns'
    /// longest displacement.
    #[inline(always)]
    fn distance_squared(&self, eddies: &EddyField, place: [L; 3]) -> L {
        let longest = L::splat(eddies.longest());
        let way = scale_each(self.velocity, longest);
        dot(place, place).add(dot(way, way))
    }

    /// Returns tr (∇u)².
    #[inline(always)]
    fn trace_of_square(&self) -> L {
        let [x, y, z] = self.gradient;
        let across = x[1].mul(y[0]).add(x[2].mul(z[0])).add(y[2].mul(z[1]));
        x[0].mul(x[0]).add(y[1].mul(y[1])).add(z[2].mul(z[2])).add(across.add(across))
    }

    /// Returns the fraction of their time for which patterns are carried, so that none is sheared too far.
    #[inline(always)]
    fn within_shear(&self, eddies: &EddyField, squares: L) -> L {
        let shear = eddies.longest() / MOST_SHEAR;
        squares.mul(L::splat(shear * shear)).max(L::splat(1.0)).inverse_sqrt()
    }

    /// Returns the velocity per strain rate: adj(1 - τ ∇u) w(x - τ u), summed over the patterns.
    #[inline(always)]
    fn velocity_at(&self, eddies: &EddyField, place: [L; 3], velocity: [L; 3], share: L, trace: L) -> [L; 3] {
        let mut sums = [[L::splat(0.0); 3]; 3];
        for (waves, &time) in eddies.waves.iter().zip(&eddies.carried) {
            let time = share.mul(L::splat(time));
            let back = sub(place, scale_each(velocity, time));
            let mut wave = sum(waves, back);
            sums[0] = add(sums[0], wave);
            for sum in &mut sums[1..] {
                wave = scale_each(wave, time);
                *sum = add(*sum, wave);
            }
        }
        let [plain, once, twice] = sums;
        // adj(1 - τ∇u) = 1 + τ∇u + τ² ((∇u)² - tr (∇u)² / 2) for a flow without divergence.
        let sheared = self.times(add(once, self.times(twice)));
        let half_trace = trace.mul(L::splat(0.5));
        sub(add(plain, sheared), scale_each(twice, half_trace))
    }

    /// Returns ∇u times a vector.
    #[inline(always)]
    fn times(&self, vector: [L; 3]) -> [L; 3] {
        let [x, y, z] = self.gradient;
        let [x, y, z] = [scale_each(x, vector[0]), scale_each(y, vector[1]), scale_each(z, vector[2])];
        add(add(x, y), z)
    }
}

/// Returns the intensity times |S|, from the square of |S|.
#[inline(always)]
fn strength<L: Lanes>(square: L, intensity: f32) -> L {
    let [least, most] = splat_each::<L, 2>(STRAINS);
    let none = L::splat(0.0);
    let square = square.zero_unless_greater(square, least);
    // The minimum: -max(-a, -b).
    let square = none.sub(none.sub(square).max(none.sub(most)));
    square.mul(square.max(least).inverse_sqrt()).mul(L::splat(intensity))
}

/// Returns the vector where its square is less than `most2`, and `far` less than `reach2`; zero elsewhere,
/// and where a value is NaN.
#[inline(always)]
fn guarded<L: Lanes>(mut vector: [L; 3], most2: f32, far: L, reach2: f32) -> [L; 3] {
    let (square, most2, reach2) = (dot(vector, vector), L::splat(most2), L::splat(reach2));
    for part in &mut vector {
        *part = part.zero_unless_greater(most2, square).zero_unless_greater(reach2, far);
    }
    vector
}

/// Returns Σ a f(k·x + φ), with f(r) = r⁴ - r²/2 + 7/240 for the distance r of a phase in turns from the
/// nearest integer: cos 2πr / 32 within a few percent (each n-th harmonic is 1/n⁴ of it), and smooth to the
/// second derivative.
#[inline(always)]
fn sum<L: Lanes>(waves: &[Wave; WAVES], place: [L; 3]) -> [L; 3] {
    let (half, mean) = (L::splat(0.5), L::splat(7.0 / 240.0));
    let mut sum = [L::splat(0.0); 3];
    for Wave { vector, amplitude, phase } in waves {
        let turns = dot(splat_each::<L, 3>(vector.to_array()), place).add(L::splat(*phase));
        let distance = turns.sub(turns.round());
        let square = distance.mul(distance);
        let value = square.sub(half).mul(square).add(mean);
        sum = add(sum, scale_each(splat_each(amplitude.to_array()), value));
    }
    sum
}

#[inline(always)]
fn dot<L: Lanes>(a: [L; 3], b: [L; 3]) -> L {
    a[0].mul(b[0]).add(a[1].mul(b[1])).add(a[2].mul(b[2]))
}

#[inline(always)]
fn sub<L: Lanes>(a: [L; 3], b: [L; 3]) -> [L; 3] {
    [a[0].sub(b[0]), a[1].sub(b[1]), a[2].sub(b[2])]
}

#[inline(always)]
fn add<L: Lanes>(a: [L; 3], b: [L; 3]) -> [L; 3] {
    [a[0].add(b[0]), a[1].add(b[1]), a[2].add(b[2])]
}
