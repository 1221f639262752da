//! Directions of removal: strengths that may go, with unchanged total strength and linear impulse.

use super::{BudgetedCloud, EnergyBudget};
use crate::constants::PARTICLE_CHUNK;
use crate::math::Vec3Columns;
use crate::velocity::{DirectSettings, FlowSample, Sources};
use crate::vorticity::clusters::{MOST_SUMS, sum_in_clusters};
use crate::vorticity::energy_slopes::Direction;
use crate::vorticity::restoring::{Restoring, SumsChange};
use crate::vorticity::roughness::RoughnessSearch;
use fluid_threads::reduce_ordered;
use glam::{DVec2, DVec3, Mat3, Vec3};
use std::f64::consts::PI;
use std::iter;
use std::ops::Range;

/// Largest λ of a combined direction, relative to the λ at which its bounded parts minimise Σ|α|² \[1\]: at 2
/// the sum would be as large as before.
const MOST_OF_WHOLE: f64 = 1.5;

/// Own fraction assigned to a vorton with a strength opposed to the vorticity around it \[1\].
const OPPOSED: f32 = 10.0;

impl EnergyBudget {
    /// Fills `direction` with strengths to remove that promise `excess` \[m⁵/s²\] by their slopes: each
    /// direction up to its bound while that promises less, and as much as needed of the next one. Returns b
    /// of E − λb + λ²q and the largest λ. `None` if no slope is positive, or if one is neither known nor
    /// expected.
    pub(super) fn choose_direction(&mut self, cloud: &mut BudgetedCloud, excess: f64) -> Option<(f64, f64)> {
        let (mut b_of_whole, mut gained) = (0.0, 0.0);
        self.slopes.begin();
        self.find_shares(cloud);
        self.find_sections(cloud);
        for direction in Direction::IN_ORDER {
            if !self.find_direction(cloud, direction) {
                continue;
            }
            let (product, square) = self.products_along(cloud);
            let (b, most) = (self.slope(cloud, direction, product)?, product / square);
            if !(b > 0.0 && most > 0.0) {
                continue;
            }
            // At its minimum a parabola has fallen by half of the decrease that its slope promises.
            let gain = 0.5 * most * b;
            if gained + gain >= excess {
                let wanted = (excess - gained) / b;
                self.slopes.take(direction, wanted * b);
                if b_of_whole == 0.0 {
                    return Some((b, most));
                }
                self.whole.subtract(&self.direction, -wanted as f32);
                std::mem::swap(&mut self.direction, &mut self.whole);
                return Some((b_of_whole + wanted * b, MOST_OF_WHOLE.min(most / wanted)));
            }
            if b_of_whole == 0.0 {
                // Not earlier: the search for the first direction, rough parts, uses it as scratch.
                self.whole.clear();
                self.whole.resize(cloud.sources.len());
            }
            self.slopes.take(direction, most * b);
            (b_of_whole, gained) = (b_of_whole + most * b, gained + gain);
            self.whole.subtract(&self.direction, -most as f32);
        }
        self.has_written = true;
        std::mem::swap(&mut self.direction, &mut self.whole);
        (b_of_whole > 0.0).then_some((b_of_whole, 1.0))
    }

    /// Divides long clusters beside bodies into sections, which keep their sums each by itself.
    fn find_sections(&mut self, cloud: &BudgetedCloud) {
        let Sources { positions, strengths, .. } = &*cloud.sources;
        let count = cloud.ids.len();
        let others = if cloud.holders_are_driven { count..cloud.sources.own() } else { count..count };
        let sources = (positions, strengths, count, others);
        self.sections.find(cloud.exec, cloud.clusters, sources, cloud.settings.core_radius);
    }

    /// Fills `direction`; false if it is empty.
    fn find_direction(&mut self, cloud: &mut BudgetedCloud, direction: Direction) -> bool {
        let Sources { strengths, .. } = &*cloud.sources;
        let (flow, count) = (cloud.flow, cloud.ids.len());
        self.has_written = true;
        self.direction.clear();
        self.direction.resize(strengths.len());
        if let Direction::Rough = direction {
            let Some(per_strain) = self.inverse_of_largest(cloud, &|row| strain(&flow[row])) else {
                return false;
            };
            let weight = |row: usize| strain(&flow[row]) * per_strain;
            let out = &mut self.direction;
            let [places, sorted] = cloud.solver.scratch();
            let search = RoughnessSearch {
                exec: cloud.exec,
                settings: cloud.settings,
                neighbours: cloud.neighbours,
                scratch: [places, sorted, &mut self.whole],
            };
            if !self.roughness.find(search, cloud.sources, count, &weight, out) {
                return false;
            }
        } else {
            let own = |row: usize| own_share(cloud.settings, &flow[row], strengths.get(row));
            let part = |row: usize| match direction {
                Direction::LonelyAndStretched => {
                    own(row).powi(2) * stretching_rate(&flow[row], strengths.get(row))
                }
                Direction::Lonely => own(row).powi(2),
                Direction::Rough | Direction::All => 1.0,
            };
            let Some(per_part) = self.inverse_of_largest(cloud, &part) else { return false };
            // At most half of a strength may go: the weights for giving back would vanish with all of it.
            for row in 0..count {
                self.direction.set(row, strengths.get(row) * (0.5 * part(row) * per_part));
            }
        }
        self.take_shares(cloud);
        self.keep_sums(cloud)
    }

    /// Changes `direction` so that removing it changes neither the total strength nor the linear impulse of a
    /// section of a cluster, with the images that are one with it, and completes the images. False if that is
    /// impossible.
    fn keep_sums(&mut self, cloud: &BudgetedCloud) -> bool {
        let Sources { positions, strengths, .. } = &*cloud.sources;
        let (clusters, count, direction) = (cloud.clusters, cloud.ids.len(), &mut self.direction);
        let sections = &self.sections;
        let after = |direction: &Vec3Columns, row: usize| strengths.get(row) - direction.get(row);
        let one = |row: usize| {
            let place = positions.get(row);
            let (section, next) = sections.at(clusters.of(row), place);
            let change = SumsChange::of(place, strengths.get(row), after(direction, row));
            Some((section, [change.times(1.0 - next), change.times(next)]))
        };
        let (size, none) = ((count, sections.count(), MOST_SUMS), [SumsChange::NONE; 2]);
        let add = |a: [SumsChange; 2], b: [SumsChange; 2]| [a[0].add(b[0]), a[1].add(b[1])];
        sum_in_clusters(cloud.exec, size, (&mut self.sums_of_sections, none), &one, &add);
        let sums = &self.sums_of_sections[..sections.count()];
        let before = iter::once(SumsChange::NONE).chain(sums.iter().map(|[_, next]| *next));
        let each = sums.iter().zip(before).map(|([own, _], next)| own.add(next));
        self.restoring.clear();
        self.restoring.extend(each.zip(sections.clusters()).map(|(sums, cluster)| {
            // An image has the weights of its vorton.
            Restoring::of(&sums.with_images(clusters.mirrors_at(cluster)))
        }));
        for row in 0..count {
            let (place, after) = (positions.get(row), after(direction, row));
            let removed = |section: usize| match self.restoring.get(section) {
                Some(Some(restoring)) => strengths.get(row) - restoring.strength(place, after),
                _ => Vec3::ZERO,
            };
            let (section, next) = sections.at(clusters.of(row), place);
            let of_next = if next > 0.0 { removed(section + 1) * next as f32 } else { Vec3::ZERO };
            direction.set(row, removed(section) * (1.0 - next) as f32 + of_next);
        }
        cloud.sources.complete(direction);
        self.restoring.iter().any(Option::is_some)
    }

    /// Returns Σ d·α and Σ d². Their ratio bounds the part of the direction that may be removed \[1\]: Σ|α|²
    /// falls up to there. Beyond it noise of the opposite sign would remain, which the energy on a mesh does
    /// not detect, and which tears coherent vortices apart.
    fn products_along(&mut self, cloud: &BudgetedCloud) -> (f64, f64) {
        self.products(cloud, |d, _| d.length_squared())
    }

    /// Returns Σ d·α / Σ α², the part of the vortons' strengths that lies in the direction \[1\].
    pub(super) fn part_along(&mut self, cloud: &BudgetedCloud) -> f64 {
        let (product, square) = self.products(cloud, |_, strength| strength.length_squared());
        product / square
    }

    /// Returns Σ d·α and the sum of this square of the direction and the strength.
    fn products(&mut self, cloud: &BudgetedCloud, square: impl Fn(DVec3, DVec3) -> f64 + Sync) -> (f64, f64) {
        let (direction, strengths) = (&self.direction, &cloud.sources.strengths);
        let of_rows = |rows: Range<usize>| {
            rows.fold(DVec2::ZERO, |sum, row| {
                let (d, strength) = (direction.get(row).as_dvec3(), strengths.get(row).as_dvec3());
                sum + DVec2::new(d.dot(strength), square(d, strength))
            })
        };
        let partials = &mut self.products;
        let count = cloud.ids.len();
        let sums =
            reduce_ordered(cloud.exec, count, PARTICLE_CHUNK, DVec2::ZERO, partials, &of_rows, |a, b| a + b);
        (sums.x, sums.y)
    }

    /// Returns 1 / the largest value over all vortons; `None` if that is not positive and finite.
    fn inverse_of_largest(
        &mut self,
        cloud: &BudgetedCloud,
        value: &(dyn Fn(usize) -> f32 + Sync),
    ) -> Option<f32> {
        let of_rows = |rows: Range<usize>| rows.map(value).fold(0.0, f32::max);
        let partials = &mut self.largest;
        let largest =
            reduce_ordered(cloud.exec, cloud.ids.len(), PARTICLE_CHUNK, 0.0, partials, &of_rows, f32::max);
        let inverse = 1.0 / largest;
        (largest > 0.0 && inverse > 0.0 && inverse.is_finite()).then_some(inverse)
    }
}

/// |S| \[1/s\], the Frobenius norm of the symmetric part of ∇u.
pub(super) fn strain(flow: &FlowSample) -> f32 {
    let gradient: Mat3 = flow.gradient;
    let s = (gradient + gradient.transpose()) * 0.5;
    (s.x_axis.length_squared() + s.y_axis.length_squared() + s.z_axis.length_squared()).sqrt()
}

/// |S α̂| \[1/s\].
fn stretching_rate(flow: &FlowSample, strength: Vec3) -> f32 {
    let s = (flow.gradient + flow.gradient.transpose()) * 0.5;
    (s * strength.as_dvec3().normalize_or_zero().as_vec3()).length()
}

/// Returns the part of the vorticity at a vorton, along its strength, that is its own \[1\].
fn own_share(settings: DirectSettings, flow: &FlowSample, strength: Vec3) -> f32 {
    let DirectSettings { kernel, core_radius, .. } = settings;
    let strength = strength.as_dvec3();
    let Some(direction) = strength.try_normalize() else { return 0.0 };
    // ζ(0) = 3 (q/ρ³)(0) / 4πσ³
    let own = 3.0 * kernel.q_over_cube(0.0) / (4.0 * PI * f64::from(core_radius).powi(3)) * strength.length();
    let around = flow.vorticity().as_dvec3().dot(direction);
    let share = (own / around) as f32;
    if around > 0.0 { share.min(OPPOSED) } else { OPPOSED }
}
