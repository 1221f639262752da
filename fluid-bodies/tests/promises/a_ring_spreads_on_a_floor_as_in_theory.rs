//! A ring that travels towards a floor slows down, spreads, and gets closer than its own core radius: its
//! mirror image is a ring of opposite sign (E50).

use crate::floor::{half_space, params, radius_and_height, ring, theory, world};
use fluid_bodies::Pose;
use fluid_core::advance::StepLimits;
use fluid_core::params::Params;
use fluid_core::velocity::SolverKind;
use fluid_threads::Serial;
use glam::{Quat, Vec3};

/// Tolerance of heights and radii relative to theory \[1\].
const CLOSE: f64 = 0.01;

/// Radius and height \[m\] after 1, 2 and 3 s.
const KNOWN: [(f64, f64); 3] = [(0.7802, 0.3453), (1.2730, 0.1066), (2.7144, 0.0450)];

#[test]
fn theory_is_what_others_have_found() {
    for (second, known) in (1..).zip(KNOWN) {
        let (radius, height) = theory(0.8, f64::from(second));
        assert!((radius - known.0).abs() < 1e-4 && (height - known.1).abs() < 1e-4, "{radius} {height}");
    }
}

/// Follows a ring that travels towards `floor` for `seconds`, in as many steps per frame as it needs.
fn follow(params: Params, rate: u32, floor: Pose, seconds: u32) {
    let (mut sim, mut bodies) = world(params, &ring(&floor, 0.8, 256), &[half_space(floor)]);
    let limits = StepLimits { max_stretch: 1.0, max_steps: 8 };
    for frame in 1..=seconds * rate {
        let dt = 1.0 / rate as f32;
        let advance = sim.advance(&Serial, &mut bodies, dt, limits, |_, _, _| {}).expect("a finite step");
        assert!(advance.followed);
        if frame % rate == 0 {
            let second = f64::from(frame / rate);
            let (found, wanted) = (radius_and_height(&sim, &floor), theory(0.8, second));
            let errors = (found.0 / wanted.0 - 1.0, found.1 / wanted.1 - 1.0);
            let name = format!("{:?}, {rate} Hz, {second} s", params.solver);
            println!("{name}: {found:.4?} {wanted:.4?} {errors:.4?}");
            assert!(errors.0.abs().max(errors.1.abs()) <= CLOSE, "{name}: {found:?} {wanted:?}");
        }
    }
}

/// Down to .56 σ above the floor.
#[test]
fn directly_summed_at_any_frame_rate() {
    for rate in [24, 60, 120] {
        follow(params(SolverKind::Direct), rate, Pose::IDENTITY, 3);
    }
}

/// Down to 1.3 σ above the floor: nearer, the mesh is too coarse for ring and image.
#[test]
fn on_the_mesh() {
    follow(params(SolverKind::Mesh), 24, Pose::IDENTITY, 2);
}

#[test]
#[ignore = "a quarter of a minute"]
fn on_the_mesh_in_short_steps() {
    follow(params(SolverKind::Mesh), 60, Pose::IDENTITY, 2);
}

/// A wall of arbitrary position and orientation. On the mesh, a ring oblique to the axes needs finer nodes:
/// with 1.5 per core its height is 2.9 % off after 2 s.
#[test]
fn at_a_wall_anywhere() {
    let rotation = Quat::from_euler(glam::EulerRot::XYZ, 1.0, -0.7, 0.4);
    let wall = Pose { position: Vec3::new(3.1, -2.7, 5.3), rotation };
    follow(params(SolverKind::Direct), 24, wall, 2);
    follow(Params { nodes_per_core: 2.5, ..params(SolverKind::Mesh) }, 24, wall, 1);
}
