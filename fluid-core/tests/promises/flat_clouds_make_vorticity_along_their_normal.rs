//! Vortons in a plane are a two-dimensional fluid: vorticity is made along the normal only, none if gravity
//! is along the normal, and there is no division by a thickness of zero. On a line, or at a point, no
//! vorticity is made. Boxes of one layer of vortons are no such planes: they get the whole impulse.

use crate::common::{random_rotation, steps, world};
use crate::drops::{GRAVITY, heavy_fluid, mass, mass_centre};
use fluid_core::initial::DensityBox;
use fluid_core::particles::Vorton;
use fluid_core::sim::VortexSim;
use fluid_threads::Serial;
use glam::{Quat, Vec3};

const SPACING: f32 = 0.1;
const CORE: f32 = 0.15;

/// Returns a disc of radius 1 of heavy fluid in the plane through `centre` with the rotation's z axis as
/// its normal.
fn disc(rotation: Quat, centre: Vec3) -> Vec<Vorton> {
    let place = |i: i32| (i as f32 + 0.5) * SPACING;
    let volume = SPACING * SPACING * SPACING;
    (-12..12)
        .flat_map(|i| (-12..12).map(move |j| Vec3::new(place(i), place(j), 0.0)))
        .filter(|p| p.length() < 1.0)
        .map(|p| Vorton {
            position: centre + rotation * p,
            volume,
            mass_deviation: 0.1 * volume,
            ..Vorton::default()
        })
        .collect()
}

/// Returns a rotation with the x axis of the plane up, so that gravity is in the plane.
fn upright(turn: f32) -> Quat {
    Quat::from_rotation_z(turn) * Quat::from_rotation_y(-std::f32::consts::FRAC_PI_2)
}

fn is_finite(sim: &VortexSim) -> bool {
    (0..sim.vortons().len()).all(|row| sim.vortons().get(row).is_valid())
}

#[test]
fn a_disc_falls_as_its_impulse_says() {
    for (turn, centre) in
        [(0.0, Vec3::ZERO), (0.0, Vec3::new(0.037, 0.2, 0.01)), (0.6, Vec3::ZERO), (2.0, Vec3::splat(0.21))]
    {
        let rotation = upright(turn);
        let normal = rotation * Vec3::Z;
        let mut sim = world(heavy_fluid(CORE), &disc(rotation, centre));
        let start = mass_centre(&sim);
        let dt = 1e-3;
        steps(&mut sim, dt, 1);
        let moments = sim.moments(&Serial);
        // Vorticity of a plane, ½ Σ x × α: the other half comes from the two dimensions without gravity.
        let expected = 0.5 * f64::from(GRAVITY.z) * mass(&sim) * f64::from(dt);
        let share = moments.linear_impulse.z / expected;
        println!(
            "turned {turn}: {share:.4} of the impulse, {} vortons, lost {:.4}",
            sim.vortons().len(),
            sim.stats().baroclinic_lost
        );
        // Nodes do not lie in the plane, and their distance from it varies.
        assert!((share - 1.0).abs() < 0.04, "{share} of the impulse");
        assert!(moments.total_strength.length() < 1e-6 * moments.strength_magnitude);
        steps(&mut sim, 1.0 / 60.0, 60);
        let vortons = sim.vortons();
        for row in 0..vortons.len() {
            let (place, strength) = (vortons.positions.get(row), vortons.strengths.get(row));
            assert!((place - centre).dot(normal).abs() < 1e-4, "left the plane: {place}");
            assert!(strength.cross(normal).length() <= 1e-3 * moments.max_strength.max(1e-3) as f32 * 60.0);
        }
        let fall = mass_centre(&sim) - start;
        assert!(fall.z < -0.01 && fall.truncate().length() < 0.02 * fall.length(), "fell {fall}");
        assert!(is_finite(&sim));
    }
}

#[test]
fn gravity_along_the_normal_makes_exactly_nothing() {
    for rotation in [Quat::IDENTITY, random_rotation(5)] {
        let mut params = heavy_fluid(CORE);
        params.gravity = rotation * params.gravity;
        let mut sim = world(params, &disc(rotation, Vec3::new(0.3, 0.1, 0.2)));
        let count = sim.vortons().len();
        steps(&mut sim, 1.0 / 60.0, 30);
        assert_eq!(sim.moments(&Serial).strength_magnitude, 0.0);
        assert_eq!(sim.vortons().len(), count, "a halo without a source");
    }
}

#[test]
fn on_a_line_and_at_a_point_nothing_turns() {
    let direction = Vec3::new(1.0, 2.0, -0.5).normalize();
    let on_line = |i: i32| Vorton {
        position: direction * (0.1 * i as f32),
        volume: 1e-3,
        mass_deviation: 1e-4,
        ..Vorton::default()
    };
    let at_point = |_| Vorton { position: Vec3::ONE, ..on_line(0) };
    let line: Vec<Vorton> = (0..20).map(on_line).collect();
    let point: Vec<Vorton> = (0..20).map(at_point).collect();
    for cloud in [line, point, vec![on_line(3)]] {
        let mut sim = world(heavy_fluid(CORE), &cloud);
        steps(&mut sim, 1.0 / 60.0, 30);
        assert_eq!(sim.moments(&Serial).strength_magnitude, 0.0);
        assert!(is_finite(&sim));
        assert_eq!(sim.vortons().len(), cloud.len());
    }
}

#[test]
fn a_box_of_one_layer_falls_as_any_other() {
    let thin = SPACING;
    for extent in [
        Vec3::new(1.0, 1.2, thin),
        Vec3::new(thin, 1.1, 1.0),
        Vec3::new(1.0, thin, 1.3),
        Vec3::new(thin, thin, 1.0),
        Vec3::new(1.1, thin, thin),
    ] {
        let centre = Vec3::new(0.03, 0.2, -0.1);
        let deviation =
            DensityBox { centre, extent, density_deviation: 0.1, spacing: SPACING, dye: 0.0, fuel: 0.0 };
        let vortons = deviation.vortons().expect("constants in range");
        let cells = (extent / SPACING).round();
        assert_eq!(vortons.len(), cells.element_product() as usize);
        let inside = |vorton: &Vorton| (vorton.position - centre).abs().cmplt(0.5 * extent).all();
        assert!(vortons.iter().all(inside));
        let mut sim = world(heavy_fluid(CORE), &vortons);
        let (start, dt) = (mass_centre(&sim), 1e-3);
        steps(&mut sim, dt, 1);
        let impulse = sim.moments(&Serial).linear_impulse;
        let share = impulse.z / (f64::from(GRAVITY.z) * mass(&sim) * f64::from(dt));
        steps(&mut sim, 1.0 / 60.0, 60);
        let fall = mass_centre(&sim) - start;
        println!("{extent}: {share:.4} of the impulse, fell {fall:.4}");
        // A single row is hardly resolved.
        let tolerance = if cells.cmpgt(Vec3::ONE).bitmask().count_ones() > 1 { 0.02 } else { 0.1 };
        assert!((share - 1.0).abs() < tolerance, "{extent}: {share}");
        assert!(fall.z < -0.02 && fall.truncate().length() < 0.05 * fall.length(), "{extent}: {fall}");
    }
}
