//! Rotations are correct, and consist of plain products and sums in a fixed order, so that every processor
//! gives the same bits.

use fluid_core::math::Random;
use fluid_core::math::rotation::{between, is_unit, rotate, rotate_back, unit};
use glam::{DQuat, DVec3, Quat, Vec3};

/// Returns unit quaternions in all orientations, and vectors of all sizes and directions.
fn cases() -> impl Iterator<Item = (Quat, Quat, Vec3)> {
    let random = Random::new(11);
    (0..2000_u64).map(move |i| {
        let quaternion = |n: u64| {
            let (v, w) = (random.centred_vec3(n), random.centred_vec3(n + 1).x);
            unit(Quat::from_xyzw(v.x, v.y, v.z, w))
        };
        (
            quaternion(8 * i),
            quaternion(8 * i + 2),
            random.centred_vec3(8 * i + 4) * 10.0_f32.powi(i as i32 % 9 - 4),
        )
    })
}

#[test]
fn they_turn_as_in_f64() {
    for (rotation, _, vector) in cases() {
        assert!(is_unit(rotation));
        let exact = rotation.as_dquat().normalize() * vector.as_dvec3();
        let size = vector.as_dvec3().length();
        let error = (rotate(rotation, vector).as_dvec3() - exact).length();
        assert!(error < 5e-7 * size, "{rotation} {vector}: {error}");
        let back = (rotate_back(rotation, rotate(rotation, vector)) - vector).as_dvec3().length();
        assert!(back < 1e-6 * size, "{rotation} {vector}: {back} away from the start");
    }
}

#[test]
fn halfway_is_halfway() {
    for (start, end, _) in cases() {
        for share in [0.0_f32, 0.1, 0.5, 0.9, 1.0] {
            let (from, mut to) = (start.as_dquat().normalize(), end.as_dquat().normalize());
            if from.dot(to) < 0.0 {
                to = -to;
            }
            let exact = from * (from.conjugate() * to).scaled(f64::from(share));
            let error = (between(start, end, share).as_dquat() - exact).length();
            assert!(error < 2e-7, "{start} to {end} at {share}: {error}");
        }
        assert!((between(start, start, 0.3) - start).length() < 2e-7);
    }
    // Half a turn, and nearly none.
    let turn = between(Quat::IDENTITY, Quat::from_xyzw(1.0, 0.0, 0.0, 0.0), 0.5);
    assert!((rotate(turn, Vec3::Y) - Vec3::Z).length() < 1e-6);
    let little = Quat::from_xyzw(1e-9, 0.0, 0.0, 1.0);
    assert!((between(Quat::IDENTITY, little, 0.5).x - 5e-10).abs() < 1e-15);
}

trait Scaled {
    fn scaled(self, share: f64) -> Self;
}

impl Scaled for DQuat {
    /// Returns a rotation about the same axis by a fraction of the angle.
    fn scaled(self, share: f64) -> Self {
        let axis = DVec3::new(self.x, self.y, self.z);
        let half = axis.length().atan2(self.w);
        let axis = axis.try_normalize().unwrap_or(DVec3::X) * (share * half).sin();
        Self::from_xyzw(axis.x, axis.y, axis.z, (share * half).cos())
    }
}

/// The order of sums is written out a second time: a change of it is a change of bits.
#[test]
fn bit_by_bit() {
    for (q, _, v) in cases() {
        let b2 = q.x * q.x + q.y * q.y + q.z * q.z;
        let vb = (v.x * q.x + v.y * q.y + v.z * q.z) * 2.0;
        let cross = [q.y * v.z - v.y * q.z, q.z * v.x - v.z * q.x, q.x * v.y - v.x * q.y];
        let (b, v3) = ([q.x, q.y, q.z], v.to_array());
        let (near, far) = (q.w * q.w - b2, q.w * 2.0);
        let turned: [f32; 3] = std::array::from_fn(|i| v3[i] * near + b[i] * vb + cross[i] * far);
        assert_eq!(rotate(q, v).to_array().map(f32::to_bits), turned.map(f32::to_bits), "{q} {v}");
        let long = Quat::from_xyzw(3.0 * q.x, 3.0 * q.y, 3.0 * q.z, 3.0 * q.w);
        let [x, y, z, w] = long.to_array();
        let length = ((x * x + z * z) + (y * y + w * w)).sqrt();
        let one = [x / length, y / length, z / length, w / length];
        assert_eq!(unit(long).to_array().map(f32::to_bits), one.map(f32::to_bits), "{q}");
    }
}

/// In SSE2, where glam uses plain arithmetic, results equal glam's.
#[cfg(target_arch = "x86_64")]
#[test]
fn as_in_sse2() {
    for (q, _, v) in cases() {
        assert_eq!(
            rotate(q, v).to_array().map(f32::to_bits),
            (q * v).to_array().map(f32::to_bits),
            "{q} {v}"
        );
        let long = q * 1.7;
        assert_eq!(unit(long).to_array().map(f32::to_bits), long.normalize().to_array().map(f32::to_bits));
    }
}
