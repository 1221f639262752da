//! The substitute for a physics engine, compared with closed forms for a rigid body.

use fluid_bodies::body::{BodyDef, BodyState};
use fluid_bodies::ledger::BodyImpulse;
use fluid_bodies::rigid_body::RigidBody;
use fluid_bodies::shapes::Shape;
use glam::{DMat3, DQuat, DVec3, Quat, Vec3};

const MASS: f64 = 3.0;

fn cuboid(half_extents: Vec3, state: BodyState) -> RigidBody {
    let shapes = vec![Shape::cuboid(half_extents)];
    RigidBody::new(&BodyDef { shapes, mass: MASS as f32, state, ..BodyDef::default() })
}

/// Returns I_xx = m (b² + c²)/3 for half edges b, c, and so on.
fn moments_of_inertia(half: DVec3) -> DVec3 {
    let squares = half * half;
    (DVec3::splat(squares.element_sum()) - squares) * (MASS / 3.0)
}

fn turned() -> Quat {
    Quat::from_axis_angle(Vec3::new(2.0, 1.0, -1.0).normalize(), 0.9)
}

#[test]
fn a_fall_is_first_order_and_ends_at_the_exact_speed() {
    let gravity = DVec3::new(0.0, 0.0, -10.0);
    let fall = |steps: u32| {
        let mut body = cuboid(Vec3::ONE, BodyState::default());
        let dt = 2.0 / f64::from(steps);
        for _ in 0..steps {
            body.apply_force(gravity * MASS);
            body.integrate(dt);
        }
        assert!(body.velocity().distance(gravity * 2.0) < 1e-11);
        // Semi-implicit: ½ g t² (1 + 1/n), exactly.
        let closed_form = gravity * (2.0 * (1.0 + 1.0 / f64::from(steps)));
        assert!(body.position().distance(closed_form) < 1e-11, "{}", body.position());
        body.position().distance(gravity * 2.0)
    };
    let ratio = fall(50) / fall(100);
    assert!((ratio - 2.0).abs() < 1e-9, "{ratio}");
}

#[test]
fn a_symmetric_top_precesses_at_its_rate() {
    // Square prism, I = (i, i, j): the axis precesses around L at |L|/i, the body rotates about its axis at
    // ω₃ (i - j)/i.
    let half = DVec3::new(1.0, 1.0, 0.25);
    let inertia = moments_of_inertia(half);
    let spin = Vec3::new(0.8, 0.0, 3.0);
    let error = |steps: u32| {
        let mut body = cuboid(half.as_vec3(), BodyState { angular_velocity: spin, ..BodyState::default() });
        let momentum = body.angular_momentum();
        assert!(momentum.distance(inertia * spin.as_dvec3()) < 1e-12);
        let (time, dt) = (5.0, 5.0 / f64::from(steps));
        for _ in 0..steps {
            body.integrate(dt);
        }
        let around = momentum.length() / inertia.x * time;
        let itself = f64::from(spin.z) * (inertia.x - inertia.z) / inertia.x * time;
        let exact =
            DQuat::from_axis_angle(momentum.normalize(), around) * DQuat::from_axis_angle(DVec3::Z, itself);
        (DMat3::from_quat(body.rotation()) - DMat3::from_quat(exact))
            .to_cols_array()
            .map(f64::abs)
            .into_iter()
            .fold(0.0, f64::max)
    };
    let (coarse, fine) = (error(500), error(1000));
    // 5 s at 4.6 rad/s: 23 rad, with a relative error of the midpoint rule of (ω dt)²/12.
    assert!(fine < 23.0 * (4.6_f64 * 0.005).powi(2) / 12.0 * 1.5, "{fine}");
    assert!((3.9..4.1).contains(&(coarse / fine)), "second order: {coarse} -> {fine}");
}

#[test]
fn a_box_spun_about_its_middle_axis_tumbles_and_keeps_what_it_has() {
    let spin = Vec3::new(0.01, 5.0, 0.01);
    let state = BodyState { rotation: turned(), angular_velocity: turned() * spin, ..BodyState::default() };
    for dt in [1.0 / 24.0, 1.0 / 60.0, 1.0 / 144.0] {
        let mut body = cuboid(Vec3::new(1.0, 0.6, 0.25), state);
        let (momentum, energy) = (body.angular_momentum(), body.kinetic_energy());
        let (mut least, mut most, mut worst) = (f64::INFINITY, -f64::INFINITY, 0.0_f64);
        for _ in 0..(30.0 / dt) as u32 {
            body.integrate(dt);
            // L recomputed from the quantities that an engine would read: spin and pose.
            let turn = DMat3::from_quat(body.rotation());
            let inertia = DMat3::from_diagonal(moments_of_inertia(DVec3::new(1.0, f64::from(0.6_f32), 0.25)));
            let again = turn * (inertia * (turn.transpose() * body.angular_velocity()));
            assert!(again.distance(momentum) < 1e-6 * momentum.length(), "{again} {momentum}");
            assert_eq!(body.angular_momentum(), momentum);
            worst = worst.max((body.kinetic_energy() / energy - 1.0).abs());
            let about_middle = (body.rotation().conjugate() * momentum).normalize().y;
            (least, most) = (least.min(about_middle), most.max(about_middle));
        }
        println!("dt {dt}: energy within {worst:e}, L along the middle axis {least} to {most}");
        assert!(worst < 1e-10, "energy {worst}");
        assert!(least < -0.99 && most > 0.99, "it does not tumble: {least} {most}");
    }
}

#[test]
fn long_steps_of_a_fast_spin_keep_momentum_and_stay_finite() {
    let state = BodyState { angular_velocity: Vec3::new(300.0, 500.0, -200.0), ..BodyState::default() };
    let mut body = cuboid(Vec3::new(1.0, 0.1, 0.02), state);
    let momentum = body.angular_momentum();
    // At any pose, the energy is between those of a spin about the axes of the largest and of the smallest
    // inertia.
    let inertia = moments_of_inertia(DVec3::new(1.0, f64::from(0.1_f32), f64::from(0.02_f32)));
    let most = momentum.length_squared() / (2.0 * inertia.min_element());
    for _ in 0..1000 {
        body.integrate(1.0 / 24.0);
        assert_eq!(body.angular_momentum(), momentum);
        assert!(body.state().is_valid() && body.kinetic_energy() <= most * (1.0 + 1e-9));
    }
}

#[test]
fn an_impulse_at_a_point_pushes_and_turns() {
    let half = DVec3::new(1.0, 0.5, 0.25);
    let position = Vec3::new(7.0, -3.0, 2.0);
    let mut body = cuboid(half.as_vec3(), BodyState { position, rotation: turned(), ..BodyState::default() });
    let (lever, impulse) = (DVec3::new(0.3, -0.2, 0.9), DVec3::new(1.0, 2.0, -1.5));
    body.apply_impulse_at(impulse, position.as_dvec3() + lever);
    let turn = DMat3::from_quat(turned().as_dquat().normalize());
    let inertia = turn * DMat3::from_diagonal(moments_of_inertia(half)) * turn.transpose();
    assert!(body.velocity().distance(impulse / MASS) < 1e-15);
    assert!(body.angular_momentum().distance(lever.cross(impulse)) < 1e-15);
    assert!(body.angular_velocity().distance(inertia.inverse() * lever.cross(impulse)) < 1e-12);

    // Equivalent to a force over a step, to separate forces and torques, and to the fluid's reaction.
    let at_rest = BodyState { position, rotation: turned(), ..BodyState::default() };
    let mut pushed = [(); 3].map(|()| cuboid(half.as_vec3(), at_rest));
    pushed[0].apply_force_at(impulse / 0.1, position.as_dvec3() + lever);
    pushed[1].apply_force(impulse / 0.1);
    pushed[1].apply_torque(lever.cross(impulse) / 0.1);
    pushed[2].apply(&BodyImpulse {
        linear: impulse,
        angular: lever.cross(impulse),
        ..BodyImpulse::default()
    });
    for other in &mut pushed {
        other.integrate(0.1);
        assert!(other.momentum().distance(impulse) < 1e-14);
        assert!(other.angular_momentum().distance(lever.cross(impulse)) < 1e-14);
        // A second step without forces changes nothing.
        let before = (other.momentum(), other.angular_momentum());
        other.integrate(0.1);
        assert_eq!((other.momentum(), other.angular_momentum()), before);
    }
}

#[test]
fn opposite_impulses_of_two_bodies_cancel_to_round_off() {
    let mut bodies =
        [cuboid(Vec3::ONE, BodyState::default()), cuboid(Vec3::splat(0.3), BodyState::default())];
    for n in 0..10_000 {
        let n = f64::from(n);
        let impulse = DVec3::new((0.1 * n).sin(), (0.23 * n).cos(), (0.37 * n).sin());
        bodies[0].apply_impulse(impulse);
        bodies[1].apply_impulse(-impulse);
        bodies.iter_mut().for_each(|body| body.integrate(1.0 / 60.0));
    }
    let total = bodies[0].momentum() + bodies[1].momentum();
    assert!(total.length() < 1e-11, "{total}");
}

#[test]
fn nothing_turns_or_stops_an_infinite_mass() {
    let state = BodyState {
        velocity: Vec3::X,
        angular_velocity: Vec3::new(0.0, 0.0, std::f32::consts::FRAC_PI_2),
        ..BodyState::default()
    };
    let shapes = vec![Shape::sphere(0.5)];
    let mut body = RigidBody::new(&BodyDef { shapes, mass: f32::INFINITY, state, ..BodyDef::default() });
    for _ in 0..1000 {
        body.apply_impulse_at(DVec3::splat(1e3), DVec3::new(0.1, 0.2, 0.3));
        body.apply_force_at(DVec3::splat(-1e3), DVec3::new(0.1, 0.2, 0.3));
        body.integrate(1e-3);
    }
    let end = body.state();
    assert_eq!((end.velocity, end.angular_velocity), (state.velocity, state.angular_velocity));
    assert!(end.position.distance(Vec3::X) < 1e-6);
    // A quarter of a turn; Cayley's map lags by (ω dt)²/12.
    assert!((end.rotation * Vec3::X).distance(Vec3::Y) < 1e-5);
}
