//! Invalid and extreme values from hosts, for property tests.

use glam::Vec3;
use proptest::prelude::*;

/// Generates invalid, extreme and valid floats.
pub(crate) fn float() -> impl Strategy<Value = f32> {
    let special = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::MAX,
        f32::MIN,
        f32::MIN_POSITIVE,
        1e-45,
        1e30,
        -1e30,
        1e19,
        1e-20,
        1e9,
        1e-9,
    ];
    prop_oneof![
        4 => -2.0_f32..2.0,
        2 => prop::sample::select(special.as_slice().to_vec()),
        1 => prop::num::f32::ANY,
    ]
}

/// Returns vectors of three such floats.
pub(crate) fn vector() -> impl Strategy<Value = Vec3> {
    (float(), float(), float()).prop_map(|(x, y, z)| Vec3::new(x, y, z))
}
