//! Volumes in which particles are removed, and bounds outside of which they are removed.

use crate::saved::{Element, LoadError, Reader, Saved, Writer, check};
use glam::{Quat, Vec3};

/// Maximum number of kill volumes of a fluid \[1\].
pub const MOST_KILL_VOLUMES: usize = 256;
/// Upper bound on the rounding error of a distance, relative to the lengths in it \[1\].
const DISTANCE_ROUNDING: f32 = 1e-5;

/// A stationary volume that removes particles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KillVolume {
    /// Shape and size.
    pub shape: KillShape,
    /// Position of the centre \[m\].
    pub position: Vec3,
    /// Rotation from its own axes to the world's: a unit quaternion.
    pub rotation: Quat,
    /// The side on which it removes particles.
    pub side: KillSide,
}

/// Shape of a kill volume.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum KillShape {
    /// A box with these half extents \[m\], positive.
    Cuboid(Vec3),
    /// A ball with this radius \[m\], positive.
    Ball(f32),
}

/// The side on which a volume removes particles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum KillSide {
    /// Inside.
    #[default]
    Inside,
    /// Outside of the union of all volumes with this side.
    Outside,
}

impl Default for KillVolume {
    fn default() -> Self {
        Self {
            shape: KillShape::Ball(1.0),
            position: Vec3::ZERO,
            rotation: Quat::IDENTITY,
            side: KillSide::Inside,
        }
    }
}

impl KillVolume {
    /// Returns true if all numbers are finite, sizes positive, and the rotation is a unit quaternion.
    pub fn is_valid(&self) -> bool {
        let sizes = match self.shape {
            KillShape::Cuboid(half_extents) => half_extents,
            KillShape::Ball(radius) => Vec3::splat(radius),
        };
        sizes.is_finite()
            && sizes.min_element() > 0.0
            && self.position.is_finite()
            && self.rotation.is_finite()
            && self.rotation.is_normalized()
    }

    /// Shifts the origin of the coordinates to `origin` \[m\].
    pub(crate) fn shift_origin(&mut self, origin: Vec3) {
        self.position -= origin;
    }

    /// Returns false only if no point between `low` and `high` \[m\] is inside, rounding included.
    fn may_meet(&self, low: Vec3, high: Vec3) -> bool {
        let reach = match self.shape {
            KillShape::Cuboid(half_extents) => half_extents.length(),
            KillShape::Ball(radius) => radius,
        };
        let distance = self.position.distance(self.position.clamp(low, high.max(low)));
        let size = reach + self.position.abs().max_element();
        // A NaN distance counts as near.
        distance.is_nan() || distance <= reach + DISTANCE_ROUNDING * size
    }

    /// Returns true if `place` \[m\] is inside or on the surface.
    #[inline]
    fn holds(&self, place: Vec3) -> bool {
        let from_centre = place - self.position;
        match self.shape {
            KillShape::Ball(radius) => from_centre.length_squared() <= radius * radius,
            KillShape::Cuboid(half_extents) => {
                (self.rotation.conjugate() * from_centre).abs().cmple(half_extents).all()
            }
        }
    }
}

/// Returns true if one of `volumes` removes a particle at `place` \[m\]. A position that is not finite is
/// outside of every volume.
#[inline]
pub fn is_killed<'v>(volumes: impl IntoIterator<Item = &'v KillVolume>, place: Vec3) -> bool {
    let (mut is_bounded, mut is_within) = (false, false);
    for volume in volumes {
        match volume.side {
            KillSide::Inside if volume.holds(place) => return true,
            KillSide::Inside => {}
            KillSide::Outside => {
                is_bounded = true;
                is_within |= volume.holds(place);
            }
        }
    }
    is_bounded && !is_within
}

/// The volumes that can remove particles of a group. Effective if the particles are near each other.
pub(crate) struct Relevant<'v> {
    volumes: &'v [KillVolume],
    rows: [u8; MOST_KILL_VOLUMES],
    count: usize,
}

impl<'v> Relevant<'v> {
    /// Selects the volumes for particles at `places`.
    ///
    /// # Panics
    /// If there are more than [`MOST_KILL_VOLUMES`].
    pub(crate) fn new(volumes: &'v [KillVolume], places: impl Iterator<Item = Vec3>) -> Self {
        let around = |(low, high): (Vec3, Vec3), place: Vec3| (low.min(place), high.max(place));
        // No volume contains a position that is not finite.
        let (low, high) =
            places.filter(|place| place.is_finite()).fold((Vec3::INFINITY, Vec3::NEG_INFINITY), around);
        let mut new = Self { volumes, rows: [0; MOST_KILL_VOLUMES], count: 0 };
        for (row, volume) in volumes.iter().enumerate() {
            if volume.side == KillSide::Outside || volume.may_meet(low, high) {
                new.rows[new.count] = row as u8;
                new.count += 1;
            }
        }
        new
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &KillVolume> {
        self.rows[..self.count].iter().map(|&row| &self.volumes[usize::from(row)])
    }
}

impl Saved for KillVolume {
    fn save(&self, out: &mut Writer<'_>) {
        let Self { shape, position, rotation, side } = self;
        let (is_ball, sizes) = match *shape {
            KillShape::Cuboid(half_extents) => (false, half_extents),
            KillShape::Ball(radius) => (true, Vec3::splat(radius)),
        };
        is_ball.save(out);
        sizes.save(out);
        position.save(out);
        rotation.save(out);
        (*side == KillSide::Outside).save(out);
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LoadError> {
        let (is_ball, sizes): (bool, Vec3) = (from.value()?, from.value()?);
        self.shape = if is_ball { KillShape::Ball(sizes.x) } else { KillShape::Cuboid(sizes) };
        self.position.load(from)?;
        self.rotation.load(from)?;
        self.side = if from.value()? { KillSide::Outside } else { KillSide::Inside };
        check(self.is_valid())
    }
}

impl Element for KillVolume {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;

    /// Compares with the definition of a rotated box, in f64.
    #[test]
    fn a_box_holds_what_is_between_its_faces() {
        let random = Random::new(3);
        let rotation = Quat::from_rotation_x(0.4) * Quat::from_rotation_z(0.9);
        let half = Vec3::new(0.3, 0.7, 0.5);
        let at = Vec3::new(1.0, -2.0, 0.5);
        let volume =
            KillVolume { shape: KillShape::Cuboid(half), position: at, rotation, side: KillSide::Inside };
        let mut counts = [0; 2];
        for n in 0..4000 {
            let place = at + random.centred_vec3(n) * 2.0;
            let axes = [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| (rotation * axis).as_dvec3());
            let away = (place - at).as_dvec3();
            let beyond =
                (0..3).map(|i| axes[i].dot(away).abs() - f64::from(half[i])).fold(f64::MIN, f64::max);
            if beyond.abs() > 1e-6 {
                assert_eq!(is_killed(&[volume], place), beyond < 0.0, "{place}");
                counts[usize::from(beyond < 0.0)] += 1;
            }
        }
        assert!(counts[0] > 300 && counts[1] > 300);
    }

    /// Volumes far from all particles of a group are skipped, and the result is the same for every
    /// particle.
    #[test]
    fn groups_are_judged_by_what_is_near_them() {
        let random = Random::new(5);
        let volumes: Vec<_> = (0..60)
            .map(|n| KillVolume {
                shape: if n % 2 == 0 {
                    KillShape::Ball(0.1 + random.unit(7 * n))
                } else {
                    KillShape::Cuboid(Vec3::splat(0.1) + random.centred_vec3(7 * n).abs())
                },
                position: random.centred_vec3(7 * n + 1) * 12.0,
                rotation: Quat::from_rotation_y(6.0 * random.unit(7 * n + 2)),
                side: if n % 20 == 0 { KillSide::Outside } else { KillSide::Inside },
            })
            .collect();
        let (mut kept, mut killed) = (0, 0);
        for group in 0..200 {
            let centre = random.centred_vec3(10_000 + group) * 13.0;
            let places = (0..20).map(|n| centre + random.centred_vec3(20_000 + 20 * group + n) * 1.5);
            // In the middle, where they could hide the positions before them.
            let mut places: Vec<_> = places.collect();
            places.insert(10, Vec3::NAN);
            places.insert(5, Vec3::INFINITY);
            let relevant = Relevant::new(&volumes, places.iter().copied());
            kept += relevant.count;
            for &place in &places {
                assert_eq!(is_killed(relevant.iter(), place), is_killed(&volumes, place), "{place}");
                killed += usize::from(volumes.iter().any(|v| v.side == KillSide::Inside && v.holds(place)));
            }
        }
        assert!(kept < 200 * 20 && killed > 50, "{kept} kept, {killed} inside");
    }

    #[test]
    fn bounds_are_all_volumes_together_and_holes_in_them_count() {
        let ball = |x: f32, radius, side| KillVolume {
            shape: KillShape::Ball(radius),
            position: Vec3::X * x,
            side,
            ..KillVolume::default()
        };
        let volumes = [
            ball(-2.0, 1.5, KillSide::Outside),
            ball(1.0, 2.0, KillSide::Outside),
            ball(2.0, 0.5, KillSide::Inside),
        ];
        let gone = [-3.6, -3.4, -0.7, 0.0, 1.6, 2.4, 2.9, 3.1].map(|x| is_killed(&volumes, Vec3::X * x));
        assert_eq!(gone, [true, false, false, false, true, true, false, true]);
        assert!(!is_killed(&[], Vec3::X));
        assert!(!is_killed(&volumes[2..], Vec3::X));
    }
}
