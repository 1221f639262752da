//! Memory that a new world allocates per vorton of its capacity, without the nodes of meshes, which are
//! allocated when they are needed. The only test in its binary, because its threads share one counter.

mod counting;

use fluid_core::params::Params;
use fluid_core::sim::VortexSim;
use glam::Vec3;

/// Bytes per vorton in a world for `count` vortons.
fn bytes(count: usize, params: Params) -> f64 {
    let before = counting::bytes();
    let sim = VortexSim::new(Params { max_vortons: count, ..params }).expect("the parameters are valid");
    let held = counting::bytes() - before;
    drop(sim);
    assert_eq!(counting::bytes(), before, "all is given back");
    held as f64 / count as f64
}

#[test]
fn when_a_world_is_built() {
    let plain = Params::default();
    let free = Params { energy_budget: false, ..plain };
    let heavy = Params { gravity: Vec3::NEG_Z, ..plain };
    let viscous = Params { viscosity: 1e-3, diffusivity: 1e-3, ..heavy };
    // The sources that bodies may add are included, which raises the smaller world's number.
    for (name, params, most) in [
        ("plain", plain, [399.0, 364.0]),
        ("free", free, [350.0, 323.0]),
        ("heavy", heavy, [399.0, 364.0]),
        ("viscous", viscous, [692.0, 654.0]),
    ] {
        for (count, most) in [10_000, 50_000].into_iter().zip(most) {
            let each = bytes(count, params);
            println!("{name}: {each:.0} bytes for each of {count} vortons");
            assert!(each <= most, "{name}: {each:.0} bytes for each of {count}, not {most}");
        }
    }
}
