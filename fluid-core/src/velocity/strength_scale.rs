//! The unit in which strengths are summed, and the selection of strengths that matter beside the largest
//! one.

use crate::grid::Domain;
use crate::grid::Wanted;
use crate::math::Vec3Columns;
use crate::velocity::GroupedRows;
use fluid_threads::{Executor, for_each_chunk};
use glam::Vec3;
use std::sync::atomic::{AtomicI32, Ordering};

/// The unit of strengths in sums: in it the largest component of any strength is between 1 and 2.
#[derive(Debug, Clone, Copy)]
pub(super) struct StrengthScale {
    /// Power of two \[m³/s\].
    pub(super) unit: f32,
    /// 1/unit, in two factors: each of them is a normal number.
    factors: [f32; 2],
}

/// Strengths per task.
const STRENGTH_CHUNK: usize = 4096;

/// Components of strengths below this fraction of the largest one count as 0 \[1\], 2⁻⁶⁴: below the
/// rounding of the sum, they change nothing within 10⁶ core radii of any vorton with an effect.
const WEAKEST_COMPONENT: f32 = 1.0 / (1_u128 << 64) as f32;

impl StrengthScale {
    /// Computes the unit of these strengths; components that are not finite are ignored.
    pub(super) fn of_columns(exec: &dyn Executor, Vec3Columns { x, y, z }: &Vec3Columns) -> Self {
        // The order of magnitudes is that of their bits, and processors find the maximum of integers in
        // less time. It does not depend on the order of the comparisons.
        let largest = AtomicI32::new(0);
        for_each_chunk(exec, x.len(), STRENGTH_CHUNK, &|rows| {
            let of_column = |column: &[f32]| {
                let bits = column[rows.clone()].iter().map(|v| v.abs().to_bits() as i32);
                bits.map(|bits| if bits < INFINITE { bits } else { 0 }).fold(0, i32::max)
            };
            let of_rows = [x, y, z].map(|column| of_column(column)).into_iter().fold(0, i32::max);
            largest.fetch_max(of_rows, Ordering::Relaxed);
        });
        Self::of_largest(f32::from_bits(largest.into_inner() as u32))
    }

    /// Computes the unit of these rates; those that are not finite are ignored.
    pub(super) fn of_rates(rates: &[f32]) -> Self {
        let finite = rates.iter().map(|rate| rate.abs()).filter(|rate| rate.is_finite());
        Self::of_largest(finite.fold(0.0, f32::max))
    }

    fn of_largest(largest: f32) -> Self {
        if largest == 0.0 {
            return Self { unit: 1.0, factors: [1.0; 2] };
        }
        // The exponent of a denormal number is 0: then the smallest normal number is the unit, and the
        // largest component is below 1.
        let exponent = ((largest.to_bits() >> 23) as i32).max(1) - 127;
        let power = |exponent: i32| f32::from_bits(((exponent + 127) as u32) << 23);
        Self { unit: power(exponent), factors: [power(-exponent / 2), power(-exponent - -exponent / 2)] }
    }

    /// Returns a component in this unit, or 0 if it is negligible.
    #[inline(always)]
    pub(super) fn scaled(&self, component: f32) -> f32 {
        let scaled = component * self.factors[0] * self.factors[1];
        if scaled.abs() < WEAKEST_COMPONENT { 0.0 } else { scaled }
    }

    /// Returns true if a strength is not negligible in this unit.
    #[inline(always)]
    pub(super) fn counts(&self, strength: Vec3) -> bool {
        // Branch-free, so that it vectorises.
        let some = (self.scaled(strength.x) != 0.0)
            | (self.scaled(strength.y) != 0.0)
            | (self.scaled(strength.z) != 0.0);
        some & strength.is_finite()
    }

    /// Returns true if a rate is not negligible in this unit.
    #[inline(always)]
    pub(super) fn counts_rate(&self, rate: f32) -> bool {
        self.scaled(rate) != 0.0 && rate.is_finite()
    }

    /// Selects the rows with strengths that are not negligible.
    pub(super) fn counting<'a>(&self, strengths: &'a Vec3Columns) -> Counting<'a> {
        let rate_scale = Self { unit: 1.0, factors: [1.0; 2] };
        Counting { scale: *self, strengths, rates: &[], rate_scale, groups: &[], within: None }
    }
}

/// Selects the strengths that are not negligible beside the largest one, and the rates of expansion
/// likewise.
pub(super) struct Counting<'a> {
    scale: StrengthScale,
    strengths: &'a Vec3Columns,
    /// Rates of the first rows.
    rates: &'a [f32],
    rate_scale: StrengthScale,
    groups: &'a [GroupedRows],
    /// The domain outside of which none is selected, and the positions.
    within: Option<(Domain, &'a Vec3Columns)>,
}

impl<'a> Counting<'a> {
    /// Leaves out the sources outside of a domain.
    pub(super) fn within(self, domain: Domain, positions: &'a Vec3Columns) -> Self {
        Self { within: Some((domain, positions)), ..self }
    }

    /// Leaves out the groups that are summed apart.
    pub(super) fn without_apart(self, groups: &'a [GroupedRows]) -> Self {
        Self { groups, ..self }
    }

    /// Selects the rows with these rates as well, in a unit of their own.
    pub(super) fn or(self, rate_scale: StrengthScale, rates: &'a [f32]) -> Self {
        Self { rates, rate_scale, ..self }
    }

    fn has_rate(&self, row: usize) -> bool {
        self.rates.get(row).is_some_and(|&rate| self.rate_scale.counts_rate(rate))
    }
}

impl Wanted for Counting<'_> {
    #[inline(always)]
    fn mark(&self, first: usize, wanted: &mut [bool]) {
        let Self { scale, strengths: Vec3Columns { x, y, z }, rates, .. } = self;
        let count = wanted.len();
        let [x, y, z] = [x, y, z].map(|column| &column[first..][..count]);
        for i in 0..count {
            wanted[i] = scale.counts(Vec3::new(x[i], y[i], z[i]));
        }
        if !rates.is_empty() {
            wanted.iter_mut().enumerate().for_each(|(i, wanted)| *wanted |= self.has_rate(first + i));
        }
        for group in self.groups.iter().filter(|group| group.is_apart) {
            let [begin, end] = group.rows.map(|row| (row as usize).clamp(first, first + count) - first);
            wanted[begin..end].fill(false);
        }
        if let Some((domain, positions)) = self.within {
            domain.unmark_others(positions, first, wanted);
        }
    }
}

/// Bits of infinity; those of NaN are above them.
const INFINITE: i32 = f32::INFINITY.to_bits() as i32;
