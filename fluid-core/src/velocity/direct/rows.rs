//! Sums over some of a cloud's sources, and clouds of sums of another cloud's sources.

use super::SourceCloud;
use super::sums::VelocityOfRowsJob;
use crate::velocity::kernel::{Kernel, Mollifier, RigidCore, RosenheadMoore, WinckelmansLeonard};
use glam::Vec3;
use std::marker::PhantomData;
use std::ops::Range;

impl SourceCloud {
    /// Adds the velocity \[m/s\] that the sources in these `rows` induce at each position \[m\].
    pub fn add_velocities_of_rows(&self, rows: &[Range<u32>], positions: &[Vec3], out: &mut [Vec3]) {
        match self.settings().kernel {
            Kernel::WinckelmansLeonard => self.run_rows::<WinckelmansLeonard>(rows, positions, out),
            Kernel::RosenheadMoore => self.run_rows::<RosenheadMoore>(rows, positions, out),
            Kernel::RigidCore => self.run_rows::<RigidCore>(rows, positions, out),
        }
    }

    fn run_rows<K: Mollifier>(&self, rows: &[Range<u32>], positions: &[Vec3], out: &mut [Vec3]) {
        self.run(VelocityOfRowsJob::<K> { cloud: self, rows, positions, out, kernel: PhantomData });
    }

    /// Replaces the cloud by one source for each part of the sources of `other`, which is between two
    /// consecutive `starts`: at the mean of their positions, with the sum of their strengths.
    pub fn set_to_sums(&mut self, other: &Self, starts: &[u32]) {
        let parts = starts.iter().zip(starts.iter().skip(1));
        self.set_from(parts.map(|(&first, &end)| {
            let rows = first as usize..end as usize;
            let share = 1.0 / rows.len() as f32;
            let (place, strength) = rows
                .map(|row| other.source(row))
                .fold((Vec3::ZERO, Vec3::ZERO), |(place, sum), (position, strength)| {
                    (place + position * share, sum + strength)
                });
            (place, strength)
        }));
    }
}
