//! Sources that stay where they are while their strengths change: conjugate gradients sum over them again and
//! again.

use super::SourceCloud;
use fluid_threads::Serial;
use glam::Vec3;

impl SourceCloud {
    /// Replaces the cloud by sources at these places \[m\], without strengths and without sources of volume.
    pub fn set_places(&mut self, places: impl Iterator<Item = Vec3>) {
        self.set_from(places.map(|place| (place, Vec3::X)));
        let rows = (0..).zip(&self.strengths.x);
        self.unreached.clear();
        self.unreached.extend(rows.filter(|(_, strength)| **strength == 0.0).map(|(row, _)| row));
    }

    /// Replaces the strengths \[m³/s\] of sources at fixed [places](Self::set_places), in the same order.
    /// Strengths that are not finite, or too far away to have an effect, count as 0.
    ///
    /// # Panics
    /// If there are not as many as places.
    pub fn set_strengths(&mut self, strengths: impl Iterator<Item = Vec3>) {
        self.strengths.clear();
        strengths.for_each(|strength| {
            self.strengths.push(if strength.is_finite() { strength } else { Vec3::ZERO });
        });
        assert_eq!(self.strengths.len(), self.positions.len(), "one strength for each place");
        self.unreached.iter().for_each(|&row| self.strengths.set(row as usize, Vec3::ZERO));
        self.scale_strengths(&Serial);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::InstructionSet;
    use crate::math::Random;
    use crate::velocity::{DirectSettings, Kernel, Precision, VelocityField};

    #[test]
    fn new_strengths_act_from_the_same_places() {
        let random = Random::new(3);
        let settings = DirectSettings {
            kernel: Kernel::WinckelmansLeonard,
            core_radius: 0.1,
            instruction_set: InstructionSet::Auto,
            precision: Precision::Exact,
        };
        let mut place: Vec<Vec3> = (0..700).map(|i| random.centred_vec3(i)).collect();
        place[5] = Vec3::splat(f32::INFINITY);
        let strength = |pass: u64, i: u64| match i {
            7 => Vec3::NAN,
            _ => random.centred_vec3(10_000 * pass + i),
        };
        let targets: Vec<Vec3> = (0..90).map(|i| random.centred_vec3(5000 + i)).collect();
        let (mut fixed, mut anew) = (SourceCloud::new(settings), SourceCloud::new(settings));
        fixed.set_places(place.iter().copied());
        for pass in 1..4 {
            fixed.set_strengths((0..700).map(|i| strength(pass, i)));
            anew.set_from((0..700).map(|i| (place[i as usize], strength(pass, i))));
            let [mut found, mut expected] = [vec![Vec3::ZERO; 90], vec![Vec3::ZERO; 90]];
            fixed.velocities(&targets, &mut found);
            anew.velocities(&targets, &mut expected);
            assert_eq!(found, expected, "pass {pass}");
        }
    }
}
