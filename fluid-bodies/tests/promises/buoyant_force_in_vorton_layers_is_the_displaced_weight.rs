//! Archimedes' principle where vortons carry the density (W6): two layers of lattice vortons, h = R/4, with
//! and without vortons inside the body.

use fluid_bodies::shapes::Shape;
use fluid_bodies::{Bodies, BodyCoupling, BodyDef, BodyState, Pose};
use fluid_core::boundary::{Motion, NoBodies};
use fluid_core::initial::DensityBox;
use fluid_core::params::Params;
use fluid_core::particles::Vorton;
use fluid_core::sim::VortexSim;
use fluid_core::velocity::Sources;
use fluid_threads::Serial;
use glam::{DVec3, Quat, Vec3};
use std::f64::consts::PI;

const GRAVITY: f32 = 10.0;
/// Density of the lower layer minus that of the upper one \[kg/m³\].
const JUMP: f32 = 0.1;
/// Spacing of vortons \[m\]; the sphere's radius is 1 m.
const SPACING: f32 = 0.25;
const DEPTH: f32 = 3.0;

/// Creates two layers that meet at z = 0, heavier than the ambient by `low` below and `high` above
/// \[kg/m³\]; without vortons of zero deviation if `lean`.
fn layers(low: f32, high: f32, lean: bool) -> Vec<Vorton> {
    let layer = |z: f32, density_deviation: f32| {
        let centre = Vec3::new(0.0, 0.0, z);
        let extent = Vec3::new(6.0, 6.0, DEPTH);
        let layer = DensityBox { centre, extent, density_deviation, spacing: SPACING, dye: 0.0, fuel: 0.0 };
        let empty = lean && density_deviation == 0.0;
        if empty { Vec::new() } else { layer.vortons().expect("in range") }
    };
    [layer(-0.5 * DEPTH, low), layer(0.5 * DEPTH, high)].concat()
}

/// Returns three representations of the same jump by vortons.
fn tellings() -> [(&'static str, Vec<Vorton>, f32); 3] {
    [
        ("both layers deviate", layers(0.5 * JUMP, -0.5 * JUMP, false), -0.5 * JUMP),
        ("heavy vortons only", layers(JUMP, 0.0, true), 0.0),
        ("light vortons only", layers(0.0, -JUMP, true), -JUMP),
    ]
}

struct World {
    bodies: Bodies,
    params: Params,
    sim: VortexSim,
}

impl World {
    /// Creates a body, and the vortons selected by `keep`.
    fn new(shapes: Vec<Shape>, vortons: &[Vorton], keep: impl Fn(Vec3) -> bool) -> Self {
        let still = Params { core_radius: 1.5 * SPACING, max_vortons: 20_000, ..Params::default() };
        let mut sim = VortexSim::new(still).expect("valid");
        let kept: Vec<Vorton> = vortons.iter().filter(|v| keep(v.position)).copied().collect();
        sim.add_vortons(&kept).expect("room");
        sim.step(&Serial, &mut NoBodies, 0.0).expect("finite");
        let params = Params { gravity: Vec3::Z * -GRAVITY, ..still };
        let mut bodies = Bodies::new(Default::default(), &params).expect("valid");
        bodies.add(BodyDef { shapes, ..BodyDef::default() }).expect("valid");
        Self { bodies, params, sim }
    }

    /// Returns the force and torque on body 0 in excess of those of the ambient.
    fn wrench(&mut self, pose: Pose) -> (DVec3, DVec3) {
        let state = BodyState { position: pose.position, rotation: pose.rotation, ..BodyState::default() };
        self.bodies.place(0, state).expect("valid");
        let empty = VortexSim::new(self.params).expect("valid");
        let mut of = |field| {
            self.bodies.end_step(Motion {
                exec: &Serial,
                dt: 1.0,
                params: &self.params,
                field,
                sources: &Sources::default(),
                diffused: 0.0,
            });
            let impulse = self.bodies.body_mut(0).take_impulse();
            (impulse.linear, impulse.angular)
        };
        let ((force, torque), (rest, turn)) = (of(self.sim.field()), of(empty.field()));
        (force - rest, torque - turn)
    }
}

/// Returns the volume of the part of a ball of radius 1 below the interface.
fn cap(z: f64) -> f64 {
    let deep = (1.0 - z).clamp(0.0, 2.0);
    PI * deep * deep * (3.0 - deep) / 3.0
}

/// Within 2 % of ρVg' at all heights, whichever vortons carry the jump, and with or without vortons inside;
/// sideways 1 %, and no torque.
#[test]
fn on_a_ball_at_every_height() {
    let weight = 4.0 / 3.0 * PI * f64::from(JUMP * GRAVITY);
    for (telling, vortons, upper) in tellings() {
        for empty in [false, true] {
            let mut worst = [0.0_f64; 3];
            for i in -16..=16 {
                let centre = Vec3::new(0.07, -0.03, i as f32 * 0.0875);
                let keep = |place: Vec3| !empty || place.distance(centre) > 1.0;
                let mut world = World::new(vec![Shape::sphere(1.0)], &vortons, keep);
                let (force, torque) = world.wrench(Pose::at(centre));
                let below = cap(centre.z.into());
                let exact =
                    (below * f64::from(JUMP) + 4.0 / 3.0 * PI * f64::from(upper)) * f64::from(GRAVITY);
                let errors = [force.z - exact, force.truncate().length(), torque.length()];
                worst.iter_mut().zip(errors).for_each(|(worst, e)| *worst = worst.max(e.abs() / weight));
            }
            println!("{telling}, empty inside {empty}: vertical, sideways, torque {worst:.4?}");
            assert!(worst[0] < 0.02 && worst[1] < 0.01 && worst[2] < 0.01, "{telling}, {empty}: {worst:.4?}");
        }
    }
}

/// A box twice as long as high and wide, with the ball's volume, half in the lower layer: within 5 % of ∫
/// (x − c) dV of its lower half.
#[test]
fn on_a_tilted_box_with_its_torque() {
    let half = Vec3::new(1.28, 0.64, 0.64);
    for angle in [-0.5, -0.2, 0.2, 0.35, 0.6] {
        for (telling, vortons, upper) in tellings() {
            for empty in [false, true] {
                let pose =
                    Pose { position: Vec3::new(0.04, 0.11, 0.0), rotation: Quat::from_rotation_y(angle) };
                let outside = |place: Vec3| (pose.to_local(place).abs() - half).max_element() > 0.0;
                let mut world = World::new(vec![Shape::cuboid(half)], &vortons, |p| !empty || outside(p));
                let (force, torque) = world.wrench(pose);
                let whole = 8.0 * half.as_dvec3().element_product();
                let (volume, moment) = lower_half(half.as_dvec3(), f64::from(angle));
                let density = |below: f64, whole: f64| below * f64::from(JUMP) + whole * f64::from(upper);
                let exact = DVec3::new(density(moment, 0.0), 0.0, 0.0).cross(DVec3::Z * f64::from(GRAVITY));
                let lift = density(volume, whole) * f64::from(GRAVITY);
                let error = (torque - exact).length() / exact.length();
                println!(
                    "{angle}, {telling}, empty {empty}: torque {:.3} of {:.3}, {error:.4}",
                    torque.y, exact.y
                );
                assert!(torque.y * exact.y > 0.0 && error < 0.05, "{angle}, {telling}, {empty}: {error}");
                assert!(
                    (force.z - lift).abs() < 0.02 * whole * f64::from(JUMP * GRAVITY),
                    "{angle}, {telling}, {empty}"
                );
            }
        }
    }
}

/// Returns the volume and ∫ x dV of the part below z = 0 of a box rotated about y.
fn lower_half(half: DVec3, angle: f64) -> (f64, f64) {
    let (sin, cos) = (angle.sin(), angle.cos());
    const N: i32 = 800;
    let cell = |i: i32, half: f64| (2.0 * f64::from(i) + 1.0) / f64::from(N) * half - half;
    let area = 4.0 * half.x * half.z / f64::from(N * N);
    let mut sums = (0.0, 0.0);
    for i in 0..N {
        for k in 0..N {
            let (x, z) = (cell(i, half.x), cell(k, half.z));
            if z * cos - x * sin < 0.0 {
                sums = (sums.0 + area * 2.0 * half.y, sums.1 + area * 2.0 * half.y * (x * cos + z * sin));
            }
        }
    }
    sums
}

/// Density of vortons that varies linearly in all directions: as exact as the values at the nodes, for
/// force and torque of a rotated, flat box with its centre of mass off centre.
#[test]
fn in_a_linear_field_with_sideways_slopes() {
    let gradient = Vec3::new(0.01, -0.02, -0.03);
    let mut vortons = layers(0.0, 0.0, false);
    for vorton in &mut vortons {
        vorton.mass_deviation = vorton.volume * (0.2 + gradient.dot(vorton.position));
    }
    let half = Vec3::new(0.9, 0.5, 0.3);
    let mut shape = Shape::cuboid(half);
    shape.pose.position = Vec3::new(0.2, 0.1, -0.15);
    for turn in
        [Quat::IDENTITY, Quat::from_rotation_y(0.5), Quat::from_axis_angle(Vec3::ONE.normalize(), 1.2)]
    {
        for scale in [1.0, 0.2] {
            let mut shape = shape.clone();
            shape.pose.position *= scale;
            shape.geometry = Shape::cuboid(half * scale).geometry;
            let pose = Pose { position: Vec3::new(0.1, 0.05, -0.2), rotation: turn };
            let mut world = World::new(vec![shape.clone()], &vortons, |_| true);
            let (force, torque) = world.wrench(pose);
            let moments = shape
                .geometry
                .queries()
                .mass_properties()
                .moved(&shape.pose)
                .moved(&Pose { position: Vec3::ZERO, ..pose });
            let gradient = gradient.as_dvec3();
            let density = 0.2 + gradient.dot(pose.position.as_dvec3() + moments.centroid);
            let moment = moments.centroid * density * moments.volume + moments.second_moment * gradient;
            let weight = density * moments.volume * f64::from(GRAVITY);
            let exact = moment.cross(DVec3::Z * f64::from(GRAVITY));
            let errors = [(force.z / weight - 1.0).abs(), (torque - exact).length() / exact.length()];
            println!("{turn:.2}, {scale}: force {:.1e}, torque {:.1e}", errors[0], errors[1]);
            assert!(errors[0] < 1e-4 && errors[1] < 1e-3, "{errors:?}");
        }
    }
}

/// During slow motion through the interface the force follows V(z): second differences stay near those of
/// the exact force, which are at most 2π z Δ² g', and no step appears as samples cross nodes.
#[test]
fn without_jumps_as_an_interface_passes() {
    let (telling, vortons, _) = &tellings()[0];
    for (name, shape, limit) in
        [("ball", Shape::sphere(1.0), 2.0), ("box", Shape::cuboid(Vec3::splat(0.8)), 8.0)]
    {
        let mut world = World::new(vec![shape], vortons, |_| true);
        let step = 0.02_f32;
        let forces: Vec<f64> =
            (-90..=90).map(|i| world.wrench(Pose::at(Vec3::new(0.07, -0.03, i as f32 * step))).0.z).collect();
        let second = forces.windows(3).map(|f| (f[0] - 2.0 * f[1] + f[2]).abs()).fold(0.0, f64::max);
        let scale = 2.0 * PI * f64::from(step * step * JUMP * GRAVITY);
        println!(
            "{name}, {telling}: second differences up to {:.2} of the ball's exact ones",
            second / scale
        );
        assert!(second < limit * scale, "{name}: {}", second / scale);
        let (low, high) =
            forces.iter().fold((f64::MAX, f64::MIN), |(low, high), &f| (low.min(f), high.max(f)));
        // Sharpening overshoots the range of densities only slightly.
        let (deep, out) = (forces[0], forces[forces.len() - 1]);
        println!("    from {deep:.4} to {out:.4}, in between from {high:.4} to {low:.4}");
        assert!(
            high - deep < 0.03 * (deep - out) && out - low < 0.03 * (deep - out),
            "{name}: {high} to {low}"
        );
    }
}

/// A cube between two others: samples that would be inside those are taken elsewhere. Far from all vortons
/// the force is zero.
#[test]
fn beside_neighbours_and_far_from_all_vortons() {
    let (_, vortons, _) = &tellings()[0];
    let cube = || vec![Shape::cuboid(Vec3::splat(0.8))];
    let inside = |p: Vec3| (p.abs() - Vec3::new(2.45, 0.8, 0.8)).max_element() < 0.0;
    let mut world = World::new(cube(), vortons, |p| !inside(p));
    for x in [-1.65, 1.65] {
        let state = BodyState { position: Vec3::X * x, ..BodyState::default() };
        world.bodies.add(BodyDef { shapes: cube(), state, ..BodyDef::default() }).expect("valid");
    }
    let whole = 1.6_f64.powi(3) * f64::from(JUMP * GRAVITY);
    for z in [-0.6, -0.2, 0.3] {
        let lift = world.wrench(Pose::at(Vec3::Z * z)).0.z / whole;
        let exact = -f64::from(z) / 1.6;
        println!("{z}: {lift:.4}, exact {exact:.4}");
        assert!((lift - exact).abs() < 0.02, "{z}: {lift:.4}, exact {exact:.4}");
    }
    assert_eq!(world.wrench(Pose::at(Vec3::splat(40.0))), (DVec3::ZERO, DVec3::ZERO));
}
