//! Walls do not affect fluid far from them: a drop in a tank gains the impulse of its weight.

use crate::drops;

use crate::common::world;
use crate::drops::{ball, heavy_fluid, jittered, mass, vortons};
use crate::tanks::unit_box;
use fluid_core::initial::DensityProfile::TopHat;
use fluid_threads::Serial;
use glam::Vec3;

#[test]
fn to_three_hundredths() {
    for (overlap, jitter) in [(1.5, 0.0), (1.65, 0.0), (1.5, 0.0625), (1.65, 0.0625)] {
        let drop = jittered(&vortons(&ball(TopHat, 0.25, overlap)), jitter, 3);
        let mut sim = world(heavy_fluid(0.25 * overlap), &drop);
        let mut walls = unit_box();
        (walls.centre, walls.half) = (Vec3::ZERO, Vec3::splat(6.0));
        for _ in 0..20 {
            sim.step(&Serial, &mut walls, 1.0 / 60.0).expect("dt is finite");
        }
        let weight = f64::from(drops::GRAVITY.z) * mass(&sim) * sim.time();
        let share = sim.moments(&Serial).linear_impulse.z / weight;
        println!("overlap {overlap}, jitter {jitter}: {share:.4} of its weight");
        // At the edge of the cloud the density is normalised by the volume of the vortons present: the
        // drop's edge is slightly steeper than without walls.
        assert!((0.99..1.03).contains(&share), "{share}");
    }
}
