//! Heavy fluid in the corner of a floor and walls falls and spreads as fast at 240 Hz as at 30, and none of
//! it runs along the walls ahead of the flow (E37).

use fluid_bodies::bodies::{Bodies, BodySettings};
use fluid_bodies::shapes::Shape;
use fluid_bodies::{BodyDef, BodyState};
use fluid_core::initial::DensityBox;
use fluid_core::params::Params;
use fluid_core::sim::VortexSim;
use fluid_threads::Pool;
use glam::Vec3;

const CORE: f32 = 0.12;
/// Size of the fluid \[m\]; it begins a half spacing away from the floor and the wall behind it.
const SIZE: Vec3 = Vec3::new(0.6, 0.9, 0.8);
const START: f32 = 0.05;
const TIME: f32 = 0.6;

/// Lets the fluid fall between some bodies. Returns how far its middle has fallen, and the largest x of any
/// of it \[m\].
fn fall(walls: &[(Vec3, Vec3)], rate: f32) -> (f32, f32) {
    let params = Params { core_radius: CORE, gravity: Vec3::NEG_Z * 9.81, ..Params::default() };
    let mut bodies = Bodies::new(BodySettings::default(), &params).expect("valid settings");
    for &(position, half) in walls {
        let state = BodyState { position, ..BodyState::default() };
        let shapes = vec![Shape::cuboid(half)];
        let def = BodyDef { shapes, mass: f32::INFINITY, state, ..BodyDef::default() };
        bodies.add(def).expect("a valid body");
    }
    let centre = Vec3::new(START + 0.5 * SIZE.x, 0.0, START + 0.5 * SIZE.z);
    let (extent, spacing) = (SIZE, CORE / 1.5);
    let fluid = DensityBox { centre, extent, spacing, density_deviation: 0.12, dye: 0.0, fuel: 0.0 };
    let mut sim = VortexSim::new(params).expect("valid parameters");
    sim.add_vortons(&fluid.vortons().expect("constants in range")).expect("valid vortons");
    let pool = Pool::new(2).expect("threads");
    let height = |sim: &VortexSim| {
        let rows = sim.vortons().mass_deviations.iter().zip(sim.vortons().positions.iter());
        let (sum, mass) = rows.fold((0.0, 0.0), |(sum, mass), (m, place)| (sum + m * place.z, mass + m));
        sum / mass
    };
    let before = height(&sim);
    for _ in 0..(TIME * rate).round() as u32 {
        sim.step(&pool, &mut bodies, 1.0 / rate).expect("a finite step");
    }
    let own = sim.vortons().mass_deviations.iter().zip(sim.vortons().positions.iter());
    let farthest = own.filter(|(m, _)| **m > 1e-5).map(|(_, place)| place.x).fold(0.0, f32::max);
    (before - height(&sim), farthest)
}

#[test]
fn on_a_floor_at_a_wall_and_in_an_alley() {
    let thick = 0.3;
    let floor = (Vec3::new(1.0, 0.0, -thick), Vec3::new(1.6, 1.1, thick));
    let behind = (Vec3::new(-thick, 0.0, 1.0), Vec3::new(thick, 1.1, 1.0));
    let side = |y: f32| (Vec3::new(1.0, y, 1.0), Vec3::new(1.0, thick, 1.0));
    let alley = [floor, behind, side(-0.5 - thick), side(0.5 + thick)];
    for (name, walls, least) in [("floor and wall", &alley[..2], 0.06), ("alley", &alley[..], 0.05)] {
        for rate in [30.0, 60.0, 240.0] {
            let (fallen, farthest) = fall(walls, rate);
            println!("{name}, {rate} Hz: fallen by {fallen:.3} m, up to {farthest:.2} m");
            assert!(fallen > least, "{name}, {rate} Hz: {fallen} m");
            assert!(farthest < START + SIZE.x + 0.15, "{name}, {rate} Hz: {farthest} m");
        }
    }
}
