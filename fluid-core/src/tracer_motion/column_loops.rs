//! Loops over the columns of tracers, compiled for the instruction set of their world. All numbers of a
//! column take the same operations, so they are loops over floats, not over vectors of three.

use crate::lanes::{InstructionSet, VectorJob, run_in_vectors};
use glam::Vec3;

/// Computes `places` + `leads` `time` \[m\]. Returns true if all results are finite.
pub(super) fn lead(
    set: InstructionSet,
    (places, leads): (&[Vec3], &[Vec3]),
    time: f32,
    middles: &mut [Vec3],
) -> bool {
    let mut all_finite = true;
    let (places, leads, middles) = (floats(places), floats(leads), floats_mut(middles));
    run_in_vectors(set, Lead { places, leads, time, middles, all_finite: &mut all_finite });
    all_finite
}

/// Moves `places` by `velocities` over `dt` \[s\]. Leads become the velocities, extrapolated by `beyond`
/// \[1\] times what they have changed by. Returns true if all new places are finite.
pub(super) fn follow(
    set: InstructionSet,
    velocities: &[Vec3],
    (beyond, dt): (f32, f32),
    (places, leads): (&mut [Vec3], &mut [Vec3]),
) -> bool {
    let mut all_finite = true;
    let (velocities, places, leads) = (floats(velocities), floats_mut(places), floats_mut(leads));
    run_in_vectors(set, Follow { velocities, beyond, dt, places, leads, all_finite: &mut all_finite });
    all_finite
}

/// Returns true if all places are finite.
pub(super) fn all_are_finite(set: InstructionSet, places: &[Vec3]) -> bool {
    let mut largest = 0;
    run_in_vectors(set, Largest { places: floats(places), largest: &mut largest });
    largest < INFINITE
}

struct Largest<'a> {
    places: &'a [f32],
    largest: &'a mut u32,
}

impl VectorJob for Largest<'_> {
    #[inline(always)]
    fn run(self) {
        let Self { places, largest } = self;
        *largest = places.iter().fold(0, |largest, &place| largest.max(size_bits(place)));
    }
}

struct Lead<'a> {
    places: &'a [f32],
    leads: &'a [f32],
    time: f32,
    middles: &'a mut [f32],
    all_finite: &'a mut bool,
}

impl VectorJob for Lead<'_> {
    #[inline(always)]
    fn run(self) {
        let Self { places, leads, time, middles, all_finite } = self;
        let mut largest = 0;
        for ((middle, place), lead) in middles.iter_mut().zip(places).zip(leads) {
            *middle = *place + *lead * time;
            largest = largest.max(size_bits(*middle));
        }
        *all_finite = largest < INFINITE;
    }
}

struct Follow<'a> {
    velocities: &'a [f32],
    beyond: f32,
    dt: f32,
    places: &'a mut [f32],
    leads: &'a mut [f32],
    all_finite: &'a mut bool,
}

impl VectorJob for Follow<'_> {
    #[inline(always)]
    fn run(self) {
        let Self { velocities, beyond, dt, places, leads, all_finite } = self;
        let mut largest = 0;
        for ((place, lead), velocity) in places.iter_mut().zip(leads).zip(velocities) {
            *lead = *velocity + (*velocity - *lead) * beyond;
            *place += *velocity * dt;
            largest = largest.max(size_bits(*place));
        }
        *all_finite = largest < INFINITE;
    }
}

/// Bits of infinity; those of NaN are larger.
const INFINITE: u32 = f32::INFINITY.to_bits();

/// Returns the bits of |x|, which are in the order of |x|.
#[inline(always)]
fn size_bits(x: f32) -> u32 {
    x.to_bits() & !(1 << 31)
}

fn floats(column: &[Vec3]) -> &[f32] {
    bytemuck::cast_slice(column)
}

fn floats_mut(column: &mut [Vec3]) -> &mut [f32] {
    bytemuck::cast_slice_mut(column)
}
