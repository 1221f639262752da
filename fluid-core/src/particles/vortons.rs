//! The particles that carry vorticity: one column per attribute, aligned at all times.

use crate::math::{Fnv1a, Vec3Columns, all};
use crate::saved::is_count;
use glam::Vec3;
use std::ops::Range;

/// One vorton, as it is added or read. The library stores vortons in columns ([`Vortons`]).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Vorton {
    /// Position \[m\].
    pub position: Vec3,
    /// Strength α = ω V \[m³/s\] (E1).
    pub strength: Vec3,
    /// Volume of fluid that the vorton represents \[m³\].
    pub volume: f32,
    /// Mass deviation m' = V δρ \[kg\] from the ambient (E27).
    pub mass_deviation: f32,
    /// Amount of dye \[m³\]: concentration times volume. For display only; it does not affect the flow.
    pub dye: f32,
    /// Heat \[J\] that burning the fuel in the vorton will release (E62).
    pub fuel: f32,
    /// Time since the vorton was added \[s\].
    pub age: f32,
    /// True if the library created it to carry vorticity that varying density makes. Such a vorton starts
    /// neutral and is removed when it is no longer useful.
    pub halo: bool,
    /// True if it was created for diffusion, to take up spreading vorticity, mass and dye (E44); `halo` is
    /// then set, too.
    pub rim: bool,
}

impl Vorton {
    /// Returns true if every value is finite, and volume and fuel are not negative.
    pub fn is_valid(&self) -> bool {
        self.position.is_finite()
            && self.strength.is_finite()
            && self.volume.is_finite()
            && self.volume >= 0.0
            && self.mass_deviation.is_finite()
            && self.dye.is_finite()
            && self.fuel.is_finite()
            && self.fuel >= 0.0
            && self.age.is_finite()
    }
}

/// All vortons of a world, in the order in which they were added (removal keeps the order).
#[derive(Debug, Clone, Default)]
pub struct Vortons {
    /// Positions \[m\].
    pub positions: Vec3Columns,
    /// Strengths α = ω V \[m³/s\].
    pub strengths: Vec3Columns,
    /// Volumes \[m³\].
    pub volumes: Vec<f32>,
    /// Mass deviations \[kg\].
    pub mass_deviations: Vec<f32>,
    /// Amounts of dye \[m³\].
    pub dyes: Vec<f32>,
    /// Heat of the fuel \[J\].
    pub fuels: Vec<f32>,
    /// Ages \[s\].
    pub ages: Vec<f32>,
    /// True for vortons created by the library (E30).
    pub halos: Vec<bool>,
    /// True for vortons among them that were created for diffusion (E44).
    pub rims: Vec<bool>,
    /// Ids: never reused, ascending in the order of adding.
    pub ids: Vec<u64>,
    next_id: u64,
}

crate::saved::fields!(Vortons {
    positions, strengths, volumes, mass_deviations, dyes, fuels, ages, halos, rims, ids, next_id,
} check are_columns);

impl Vortons {
    /// Returns true if all columns have the same length.
    fn are_columns(&self) -> bool {
        let Self {
            positions, strengths, volumes, mass_deviations, dyes, fuels, ages, halos, rims, ids, ..
        } = self;
        let of_numbers = [volumes, mass_deviations, dyes, fuels, ages].map(Vec::len);
        let others = [positions.len(), strengths.len(), halos.len(), rims.len()];
        let same = of_numbers.into_iter().chain(others).all(|len| len == ids.len());
        same && is_count(self.next_id)
    }

    /// Creates an empty set with memory for `capacity` vortons.
    pub fn with_capacity(capacity: usize) -> Self {
        Self {
            positions: Vec3Columns::with_capacity(capacity),
            strengths: Vec3Columns::with_capacity(capacity),
            volumes: Vec::with_capacity(capacity),
            mass_deviations: Vec::with_capacity(capacity),
            dyes: Vec::with_capacity(capacity),
            fuels: Vec::with_capacity(capacity),
            ages: Vec::with_capacity(capacity),
            halos: Vec::with_capacity(capacity),
            rims: Vec::with_capacity(capacity),
            ids: Vec::with_capacity(capacity),
            next_id: 0,
        }
    }

    /// Returns the number of vortons.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Returns true if there are no vortons.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Returns the id of the next vorton to be added.
    pub fn next_id(&self) -> u64 {
        self.next_id
    }

    /// Computes an FNV-1a hash over the bits of every column, from `seed`. Fuel counts only where there is
    /// some.
    pub fn hash_bits(&self, seed: u64) -> u64 {
        let mut hash = Fnv1a::new();
        let mut eat = |bits| hash.eat(bits);
        eat(seed);
        let Vec3Columns { x, y, z } = &self.positions;
        let Vec3Columns { x: ax, y: ay, z: az } = &self.strengths;
        for column in [x, y, z, ax, ay, az, &self.volumes, &self.mass_deviations, &self.dyes, &self.ages] {
            column.iter().for_each(|v| eat(u64::from(v.to_bits())));
        }
        let burnable = self.ids.iter().zip(&self.fuels).filter(|(_, fuel)| **fuel != 0.0);
        burnable.for_each(|(&id, &fuel)| [id, u64::from(fuel.to_bits())].into_iter().for_each(&mut eat));
        self.halos.iter().zip(&self.rims).for_each(|(&halo, &rim)| eat(u64::from(halo) + 2 * u64::from(rim)));
        self.ids.iter().for_each(|&id| eat(id));
        hash.value()
    }

    /// Adds a vorton and returns its id.
    pub fn push(&mut self, vorton: Vorton) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        self.positions.push(vorton.position);
        self.strengths.push(vorton.strength);
        self.volumes.push(vorton.volume);
        self.mass_deviations.push(vorton.mass_deviation);
        self.dyes.push(vorton.dye);
        self.fuels.push(vorton.fuel);
        self.ages.push(vorton.age);
        self.halos.push(vorton.halo);
        self.rims.push(vorton.rim);
        self.ids.push(id);
        id
    }

    /// Returns the vorton in row `i`.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn get(&self, i: usize) -> Vorton {
        Vorton {
            position: self.positions.get(i),
            strength: self.strengths.get(i),
            volume: self.volumes[i],
            mass_deviation: self.mass_deviations[i],
            dye: self.dyes[i],
            fuel: self.fuels[i],
            age: self.ages[i],
            halo: self.halos[i],
            rim: self.rims[i],
        }
    }

    /// Returns the row of the vorton with this id, if it exists. Ids ascend with the rows, so this is a
    /// binary search.
    pub fn row_of(&self, id: u64) -> Option<usize> {
        self.ids.binary_search(&id).ok()
    }

    /// Returns true if position, strength, mass deviation, dye and fuel of the vorton in this row are finite.
    pub fn is_finite(&self, row: usize) -> bool {
        self.positions.get(row).is_finite()
            && self.strengths.get(row).is_finite()
            && self.mass_deviations[row].is_finite()
            && self.dyes[row].is_finite()
            && self.fuels[row].is_finite()
    }

    /// Returns true if [`is_finite`](Self::is_finite) holds for all these rows.
    pub(crate) fn are_finite(&self, rows: Range<usize>) -> bool {
        let Self { positions, strengths, mass_deviations, dyes, fuels, .. } = self;
        let vectors = [positions, strengths].into_iter().flat_map(|Vec3Columns { x, y, z }| [x, y, z]);
        vectors.chain([mass_deviations, dyes, fuels]).all(|column| all(&column[rows.clone()], f32::is_finite))
    }

    /// Keeps the vortons for which `keep(row)` holds, in order, with all columns aligned. Returns the
    /// number removed.
    pub fn retain(&mut self, mut keep: impl FnMut(&Self, usize) -> bool) -> usize {
        let len = self.len();
        let mut kept = 0;
        for row in 0..len {
            if keep(self, row) {
                if kept != row {
                    self.copy_row(row, kept);
                }
                kept += 1;
            }
        }
        self.truncate(kept);
        len - kept
    }

    /// Merges two vortons at practically the same position. The survivor is the one that is not of the
    /// halo, or else the older one; it keeps its position, id and age, and takes over strength, mass, dye,
    /// fuel and volume of the other. A halo vorton adds no more volume than keeps the survivor's mass
    /// deviation, dye and fuel per volume within those of the two, because it fills space that other vortons
    /// have left. Returns the row of the survivor; the other carries nothing any more and should be removed.
    ///
    /// # Panics
    /// If there are no such rows.
    pub fn make_one(&mut self, a: usize, b: usize) -> usize {
        let (first, last) = (a.min(b), a.max(b));
        let (to, from) = if self.halos[first] && !self.halos[last] { (last, first) } else { (first, last) };
        self.volumes[to] = self.volume_of_one(to, from);
        self.strengths.set(to, self.strengths.get(to) + self.strengths.get(from));
        self.mass_deviations[to] += self.mass_deviations[from];
        self.dyes[to] += self.dyes[from];
        self.fuels[to] += self.fuels[from];
        self.rims[to] &= self.rims[from];
        self.strengths.set(from, Vec3::ZERO);
        (self.volumes[from], self.mass_deviations[from]) = (0.0, 0.0);
        (self.dyes[from], self.fuels[from]) = (0.0, 0.0);
        to
    }

    /// Returns the volume \[m³\] of a vorton that takes over another one.
    fn volume_of_one(&self, to: usize, from: usize) -> f32 {
        let [own, others] = [to, from].map(|row| self.volumes[row]);
        if !self.halos[from] {
            return (own + others).min(f32::MAX);
        }
        let least = if self.halos[to] { own.max(others) } else { own };
        let contents = [&self.mass_deviations, &self.dyes, &self.fuels];
        contents.into_iter().fold(least, |volume, content| {
            let (sum, ratios) = (content[to] + content[from], [content[to] / own, content[from] / others]);
            // The larger ratio of the sum's sign. 0 / 0 is ignored by `max`, and fails the comparison.
            let limit = ratios.into_iter().fold(0.0, |limit: f32, ratio| limit.max(ratio * sum.signum()));
            let needed = sum.abs() / limit;
            if needed > volume { needed.min(own + others) } else { volume }
        })
    }

    /// Removes all vortons; ids continue to count.
    pub fn clear(&mut self) {
        self.truncate(0);
    }

    fn copy_row(&mut self, from: usize, to: usize) {
        self.positions.set(to, self.positions.get(from));
        self.strengths.set(to, self.strengths.get(from));
        self.volumes[to] = self.volumes[from];
        self.mass_deviations[to] = self.mass_deviations[from];
        self.dyes[to] = self.dyes[from];
        self.fuels[to] = self.fuels[from];
        self.ages[to] = self.ages[from];
        self.halos[to] = self.halos[from];
        self.rims[to] = self.rims[from];
        self.ids[to] = self.ids[from];
    }

    fn truncate(&mut self, len: usize) {
        self.positions.truncate(len);
        self.strengths.truncate(len);
        self.volumes.truncate(len);
        self.mass_deviations.truncate(len);
        self.dyes.truncate(len);
        self.fuels.truncate(len);
        self.ages.truncate(len);
        self.halos.truncate(len);
        self.rims.truncate(len);
        self.ids.truncate(len);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;

    /// Contents per volume stay within those of the two, or 0, and a halo vorton without any adds no volume.
    #[test]
    fn merging_makes_no_fluid_hotter_than_both() {
        let random = Random::new(5);
        for round in 0..400_u64 {
            let mut vortons = Vortons::default();
            let [mut least, mut most] = [[0.0_f32; 3]; 2];
            for row in 0..2_u64 {
                let number = |n: u64| random.unit(100 * round + 10 * row + n);
                let volume = 0.01 + number(0);
                let signed = (number(1) - 0.5) * if number(5) < 0.2 { 0.0 } else { 1.0 };
                let ratios = [signed, number(2), number(3)];
                for (n, ratio) in ratios.into_iter().enumerate() {
                    (least[n], most[n]) = (least[n].min(ratio), most[n].max(ratio));
                }
                let [mass_deviation, dye, fuel] = ratios.map(|ratio| ratio * volume);
                let halo = number(4) < 0.7;
                vortons.push(Vorton { volume, mass_deviation, dye, fuel, halo, ..Vorton::default() });
            }
            let sums =
                [&vortons.mass_deviations, &vortons.dyes, &vortons.fuels].map(|c| c.iter().sum::<f32>());
            let volume = vortons.volumes.iter().sum::<f32>();
            let one = vortons.make_one(0, 1);
            let of_one = vortons.volumes[one];
            assert!(of_one <= volume, "{of_one} of {volume}");
            let contents = [&vortons.mass_deviations, &vortons.dyes, &vortons.fuels].map(|c| c[one]);
            assert_eq!(contents, sums);
            for (n, content) in contents.into_iter().enumerate() {
                let ratio = content / of_one;
                assert!(
                    ratio > least[n] - 1e-5 && ratio < most[n] + 1e-5,
                    "{ratio} in {least:?} to {most:?}"
                );
            }
        }
        let own = Vorton { volume: 2.0, mass_deviation: 1.0, ..Vorton::default() };
        let empty = Vorton { volume: 3.0, halo: true, ..Vorton::default() };
        let mut vortons = Vortons::default();
        vortons.push(own);
        vortons.push(empty);
        assert_eq!((vortons.make_one(0, 1), vortons.volumes[0]), (0, 2.0));
    }
}
