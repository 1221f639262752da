//! Rotations by unit quaternions, in plain arithmetic: the same bits on every processor. Glam's own
//! operators use fused multiply-add and other orders of sums with NEON. (Its quaternions from axes and
//! angles, and products of two quaternions, are the same everywhere.)

use glam::{Quat, Vec3};

/// Rotates `vector` by `rotation`.
#[inline]
pub fn rotate(rotation: Quat, vector: Vec3) -> Vec3 {
    let (axis, w) = (Vec3::new(rotation.x, rotation.y, rotation.z), rotation.w);
    vector * (w * w - axis.dot(axis)) + axis * (vector.dot(axis) * 2.0) + axis.cross(vector) * (w * 2.0)
}

/// Rotates `vector` by the inverse of `rotation`.
#[inline]
pub fn rotate_back(rotation: Quat, vector: Vec3) -> Vec3 {
    rotate(rotation.conjugate(), vector)
}

/// Normalises a quaternion; not finite if its length is 0 or its square overflows.
#[inline]
pub fn unit(rotation: Quat) -> Quat {
    let length = length_squared(rotation).sqrt();
    let [x, y, z, w] = rotation.to_array();
    Quat::from_xyzw(x / length, y / length, z / length, w / length)
}

/// Returns |q|².
#[inline]
pub fn length_squared(rotation: Quat) -> f32 {
    let [x, y, z, w] = rotation.to_array();
    (x * x + z * z) + (y * y + w * w)
}

/// Returns true if the length is 1, to round-off of a few operations.
#[inline]
pub fn is_unit(rotation: Quat) -> bool {
    (length_squared(rotation) - 1.0).abs() <= 2e-4
}

/// Returns q or −q, which are the same rotation: the one by at most half a turn.
#[inline]
pub fn shorter(rotation: Quat) -> Quat {
    if rotation.w < 0.0 { -rotation } else { rotation }
}

/// Interpolates from `start` to `end` at the fraction `share`, at a constant angular velocity about one
/// axis, the shorter direction. In `f64`: near 0 and half a turn an `f32` cosine does not resolve its
/// angle.
pub fn between(start: Quat, end: Quat, share: f32) -> Quat {
    let (from, mut to) = (start.to_array().map(f64::from), end.to_array().map(f64::from));
    let mut cosine: f64 = from.iter().zip(&to).map(|(a, b)| a * b).sum();
    if cosine < 0.0 {
        to = to.map(|part| -part);
        cosine = -cosine;
    }
    let share = f64::from(share);
    let angle = libm::acos(cosine.min(1.0));
    let sine = libm::sin(angle);
    // Linear interpolation where the angle is lost in round-off.
    let (a, b) = match sine > 1e-9 {
        true => (libm::sin((1.0 - share) * angle) / sine, libm::sin(share * angle) / sine),
        false => (1.0 - share, share),
    };
    let parts: [f64; 4] = std::array::from_fn(|i| from[i] * a + to[i] * b);
    let length = parts.iter().map(|part| part * part).sum::<f64>().sqrt();
    Quat::from_array(parts.map(|part| (part / length) as f32))
}
