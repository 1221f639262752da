//! Stretching and tilting (E6).

use crate::velocity::FlowSample;
use glam::Vec3;

/// dα/dt \[m³/s²\] of a vorton of strength α in this flow: the transposed form (∇u)ᵀ α, whose sum over all vortons vanishes
/// pair by pair, so that the total strength is conserved for any cloud (Winckelmans and Leonard 1993).
#[inline]
pub fn stretching(flow: &FlowSample, strength: Vec3) -> Vec3 {
    let gradient = &flow.gradient;
    Vec3::new(gradient.x_axis.dot(strength), gradient.y_axis.dot(strength), gradient.z_axis.dot(strength))
}
