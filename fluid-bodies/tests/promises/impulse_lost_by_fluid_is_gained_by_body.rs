//! Impulse gained by bodies is lost by the fluid (W5, E38): at every contact stage to round-off, over an
//! encounter to 1 %, with any number of tracers and any position of the origin.

use fluid_bodies::bodies::{Bodies, BodySettings};
use fluid_bodies::rigid_body::RigidBody;
use fluid_bodies::shapes::Shape;
use fluid_bodies::{BodyCoupling, BodyDef, BodyState};
use fluid_core::boundary::{Boundary, ContactWork, Follower, Motion, StepTime, Surfaces};
use fluid_core::initial::FilamentRing;
use fluid_core::math::{Random, Vec3Columns};
use fluid_core::params::Params;
use fluid_core::particles::{Tracers, Vorton, Vortons};
use fluid_core::sim::VortexSim;
use fluid_core::velocity::{SolverKind, Sources};
use fluid_threads::{Executor, Serial};
use glam::{DVec3, Quat, Vec3};

const CORE: f32 = 0.1;

/// Returns ½ Σ x × α and Σ|½ x × α| in f64.
fn impulse(vortons: &Vortons) -> (DVec3, f64) {
    let each = vortons.positions.iter().zip(vortons.strengths.iter());
    let each = each.map(|(x, strength)| 0.5 * x.as_dvec3().cross(strength.as_dvec3()));
    each.fold((DVec3::ZERO, 0.0), |(sum, size), one| (sum + one, size + one.length()))
}

fn strength(vortons: &Vortons) -> DVec3 {
    vortons.strengths.iter().map(|strength| strength.as_dvec3()).sum()
}

/// Bodies that check the balance at every stage.
struct Audited {
    bodies: Bodies,
    /// Largest error of a stage, relative to the exchanged impulse, or to round-off.
    worst: f64,
    /// Sum of exchanged impulse \[m⁴/s\].
    exchanged: f64,
}

impl Audited {
    fn new(bodies: Bodies) -> Self {
        Self { bodies, worst: 0.0, exchanged: 0.0 }
    }

    /// Returns the impulse per density that the body has received, and its bound strength.
    fn account(&self, density: f64) -> (DVec3, DVec3) {
        let body = &self.bodies.list()[0];
        let bound = body.bound();
        (bound.impulse + body.impulse().linear / density, bound.strength)
    }
}

impl BodyCoupling for Audited {
    fn begin_step(&mut self, exec: &dyn Executor, dt: f32, vortons: &Vortons, boundary: &mut Boundary) {
        self.bodies.begin_step(exec, dt, vortons, boundary);
    }

    fn weaken(&mut self, part: f32) {
        self.bodies.weaken(part);
    }

    fn vorton_contacts(
        &mut self,
        motion: Motion<'_>,
        before: &Vec3Columns,
        vortons: &mut Vortons,
    ) -> ContactWork {
        let density = f64::from(motion.params.ambient.density);
        let (before_impulse, size) = impulse(vortons);
        let (before_account, before_bound) = self.account(density);
        let before_strength = strength(vortons);
        // The state that a step begins with: afterwards vortons are pushed out and have new strengths.
        let start: Vec<_> = vortons.positions.iter().zip(vortons.strengths.iter()).collect();
        let work = self.bodies.vorton_contacts(motion, before, vortons);
        let (impulse, _) = impulse(vortons);
        let (account, bound) = self.account(density);
        let moved: f64 = start
            .iter()
            .zip(vortons.positions.iter().zip(vortons.strengths.iter()))
            .map(|(old, new)| {
                0.5 * (new.0.as_dvec3().cross(new.1.as_dvec3()) - old.0.as_dvec3().cross(old.1.as_dvec3()))
                    .length()
            })
            .sum();
        self.exchanged += moved;
        let left = (impulse - before_impulse) + (account - before_account);
        // Sums in f64: 1e-12 of their size is round-off.
        self.worst = self.worst.max(left.length() / (moved + 1e-7 * size));
        let strengths = (strength(vortons) - before_strength) + (bound - before_bound);
        assert!(strengths.length() < 1e-12, "total strength changes by {strengths}");
        work
    }

    fn end_step(&mut self, motion: Motion<'_>) {
        self.bodies.end_step(motion);
    }

    fn set_out(&mut self, exec: &dyn Executor, vortons: &Vortons) {
        self.bodies.set_out(exec, vortons);
    }

    fn absorbed(&self) -> &[u32] {
        self.bodies.absorbed()
    }

    fn bound_vortons(&mut self, exec: &dyn Executor, time: StepTime, sources: &mut Sources) -> f64 {
        self.bodies.bound_vortons(exec, time, sources)
    }

    fn covers(&self, place: Vec3) -> bool {
        self.bodies.covers(place)
    }

    fn visit_followers(&self, low: Vec3, high: Vec3, visit: &mut dyn FnMut(&Follower<'_>)) {
        self.bodies.visit_followers(low, high, visit);
    }

    fn surfaces(&self) -> Option<&dyn Surfaces> {
        self.bodies.surfaces()
    }
}

/// Impulse π R² Γ of the ring \[m⁴/s\].
const RING: f64 = 0.25 * std::f64::consts::PI;

/// Creates a ring of radius 0.5 and circulation 1 that travels towards the origin, and neutral vortons
/// around the origin.
fn ring(shift: Vec3) -> Vec<Vorton> {
    let ring = FilamentRing {
        centre: shift - Vec3::X * 0.55,
        axis: Vec3::X,
        radius: 0.5,
        circulation: 1.0,
        core_radius: CORE,
        count: 64,
    };
    let mut vortons = ring.vortons().expect("constants in range");
    let h = CORE / 1.5;
    vortons.iter_mut().for_each(|vorton| vorton.volume = h * h * h);
    let cell = |i: i32| (i as f32 + 0.5) * h;
    for (i, j) in (-6..6).flat_map(|i| (-6..6).map(move |j| (i, j))) {
        for k in -6..6 {
            let place = Vec3::new(cell(i), cell(j), cell(k));
            if place.length() < 0.4 {
                vortons.push(Vorton { position: place + shift, volume: h * h * h, ..Vorton::default() });
            }
        }
    }
    vortons
}

struct Encounter {
    worst: f64,
    /// Change of the total momentum of body and fluid, relative to that of the ring.
    unaccounted: f64,
    momentum: DVec3,
    spin: DVec3,
    hash: u64,
}

fn encounter(
    shape: Shape,
    offset: Vec3,
    density: f64,
    shift: Vec3,
    tracers: usize,
    (steps, dt): (u32, f32),
) -> Encounter {
    let params =
        Params { core_radius: CORE, relaxation_rate: 0.0, solver: SolverKind::Direct, ..Params::default() };
    let mut sim = VortexSim::new(params).expect("valid");
    sim.add_vortons(&ring(shift)).expect("valid");
    let mut bodies = Bodies::new(BodySettings::default(), &params).expect("valid");
    let volume = shape.geometry.queries().mass_properties().volume;
    let state = BodyState {
        position: shift + offset,
        rotation: Quat::from_scaled_axis(Vec3::new(0.3, 0.2, 0.1)),
        ..BodyState::default()
    };
    let def = BodyDef { shapes: vec![shape], state, mass: (density * volume) as f32, ..BodyDef::default() };
    let mut rigid = RigidBody::new(&def);
    bodies.add(def).expect("valid");
    let mut audited = Audited::new(bodies);
    let mut smoke = Tracers::with_capacity(tracers);
    (0..tracers).for_each(|i| {
        smoke.push(shift + Vec3::new(-0.5, 0.001 * i as f32, 0.0));
    });
    for _ in 0..steps {
        audited.bodies.set_state(0, rigid.state()).expect("finite");
        sim.step(&Serial, &mut audited, dt).expect("finite");
        sim.advance_tracers(&Serial, &mut audited, &mut smoke, dt);
        rigid.apply(&audited.bodies.body_mut(0).take_impulse());
        rigid.integrate(f64::from(dt));
    }
    let momentum = rigid.momentum();
    let (account, _) = audited.account(1.0);
    let fluid = impulse(sim.vortons()).0 - impulse_of(&ring(shift));
    Encounter {
        worst: audited.worst,
        unaccounted: (momentum + fluid + account).length() / RING,
        momentum,
        spin: rigid.angular_momentum(),
        hash: sim.state_hash(),
    }
}

fn impulse_of(vortons: &[Vorton]) -> DVec3 {
    vortons.iter().map(|v| 0.5 * v.position.as_dvec3().cross(v.strength.as_dvec3())).sum()
}

#[test]
fn a_ring_pushes_a_free_ball_of_any_density() {
    for density in [0.5, 1.0, 5.0] {
        let met = encounter(Shape::sphere(0.25), Vec3::ZERO, density, Vec3::ZERO, 0, (90, 1.0 / 120.0));
        println!(
            "density {density}: stage {:.1e}, encounter {:.1e}, momentum {}",
            met.worst, met.unaccounted, met.momentum
        );
        assert!(met.worst < 1e-5, "density {density}: a stage loses {}", met.worst);
        assert!(met.unaccounted < 0.01, "density {density}: the encounter loses {}", met.unaccounted);
        // The jet through the ring pushes the ball along.
        assert!(
            met.momentum.x > 5.0 * met.momentum.with_x(0.0).length() && met.momentum.x > 0.0,
            "{}",
            met.momentum
        );
    }
}

/// Vortex lines shed by edges end in the cloud, and the vortons' rates conserve the impulse of closed lines
/// only: the fluid by itself would lose 2 to 4 % here. The step gives that back.
#[test]
fn a_ring_pushes_and_turns_a_cube_off_its_axis() {
    let met =
        encounter(Shape::cuboid(Vec3::splat(0.2)), Vec3::Y * 0.25, 2.0, Vec3::ZERO, 0, (120, 1.0 / 240.0));
    println!(
        "cube: stage {:.1e}, encounter {:.1e}, momentum {} spin {}",
        met.worst, met.unaccounted, met.momentum, met.spin
    );
    assert!(met.worst < 1e-5, "a stage loses {}", met.worst);
    assert!(met.unaccounted < 1e-3, "the encounter loses {}", met.unaccounted);
    assert!(met.momentum.x > 0.0 && met.spin.length() > 1e-4, "{} {}", met.momentum, met.spin);
}

/// Returns pairs of vortons in a ball of radius 0.2 at the origin, which pushes both of a pair out to the
/// same point.
fn pairs_in_a_ball() -> Vec<Vorton> {
    let mut vortons = Vec::new();
    let random = Random::new(8);
    for n in 0..100 {
        let outwards = random.centred_vec3(n).normalize();
        for (k, depth) in [(0, 0.01), (1, 0.02)] {
            let strength = random.centred_vec3(2 * n + 2000 + k) * 0.02;
            vortons.push(Vorton { position: outwards * (0.2 - depth), strength, ..Vorton::default() });
        }
    }
    vortons
}

/// Vortons led to one point of the surface merge (E58), at a position slightly different from theirs.
#[test]
fn what_merging_changes_the_body_gets() {
    let vortons = [ring(Vec3::ZERO), pairs_in_a_ball()].concat();
    let params = Params { core_radius: CORE, relaxation_rate: 0.0, ..Params::default() };
    let mut sim = VortexSim::new(params).expect("valid");
    sim.add_vortons(&vortons).expect("valid");
    let mut bodies = Bodies::new(BodySettings::default(), &params).expect("valid");
    let shapes = vec![Shape::sphere(0.2)];
    bodies.add(BodyDef { shapes, mass: 0.05, ..BodyDef::default() }).expect("valid");
    let mut audited = Audited::new(bodies);
    for _ in 0..4 {
        sim.step(&Serial, &mut audited, 1e-4).expect("finite");
    }
    let merged = sim.stats().merged;
    println!("{merged} merged, a stage loses {:.1e} of {:.3}", audited.worst, audited.exchanged);
    assert!(merged > 50 && audited.worst < 1e-5, "{merged} merged, a stage loses {}", audited.worst);
}

/// The same where the fluid goes around the body: its sheet gets the pushes of vortons, which appear in the
/// body when it moves with a ring.
#[test]
fn what_merging_changes_an_impermeable_body_gets() {
    let params = Params { core_radius: CORE, relaxation_rate: 0.0, ..Params::default() };
    let mut sim = VortexSim::new(params).expect("valid");
    sim.add_vortons(&ring(Vec3::ZERO)).expect("valid");
    let mut bodies = Bodies::new(BodySettings::default(), &params).expect("valid");
    let shapes = vec![Shape::sphere(0.2)];
    let def = BodyDef { shapes, mass: 0.05, no_through: true, ..BodyDef::default() };
    let mut rigid = RigidBody::new(&def);
    bodies.add(def).expect("valid");
    let mut expected = DVec3::ZERO;
    for step in 0..6 {
        if step == 3 {
            let pairs = pairs_in_a_ball();
            sim.add_vortons(&pairs).expect("valid");
            expected += impulse_of(&pairs);
        }
        bodies.set_state(0, rigid.state()).expect("finite");
        sim.step(&Serial, &mut bodies, 1e-3).expect("finite");
        rigid.apply(&bodies.body_mut(0).take_impulse());
        let (fluid, size) = impulse(sim.vortons());
        let body = &bodies.list()[0];
        let held = body.bound().impulse + body.fluid_momentum() - sim.impulse_owed();
        let total = rigid.momentum() + fluid + held;
        // The fluid that moves with the body is known from the second step on.
        expected = if step < 2 { total } else { expected };
        let lost = (total - expected).length() / size;
        println!("step {step}: {} merged, {lost:.1e} of {size:.3} is lost", sim.stats().merged);
        assert!(lost < 1e-7, "step {step} loses {lost} of {size}");
        rigid.integrate(1e-3);
    }
    assert!(sim.stats().merged > 50, "{} merged", sim.stats().merged);
}

/// Long after the encounter, when the wake has broken up.
#[test]
fn for_three_seconds_nothing_is_lost() {
    for rate in [30_u32, 60, 120] {
        let steps = (3 * rate, 1.0 / rate as f32);
        let met = encounter(Shape::cuboid(Vec3::splat(0.2)), Vec3::Y * 0.25, 2.0, Vec3::ZERO, 0, steps);
        println!(
            "cube, {rate} Hz: stage {:.1e}, three seconds {:.1e}, momentum {}",
            met.worst, met.unaccounted, met.momentum
        );
        assert!(met.worst < 1e-5, "a stage loses {}", met.worst);
        assert!(met.unaccounted < 0.015, "{rate} Hz: {} is lost", met.unaccounted);
    }
}

#[test]
fn tracers_change_nothing() {
    let without = encounter(Shape::sphere(0.25), Vec3::ZERO, 1.0, Vec3::ZERO, 0, (20, 1.0 / 120.0));
    let with = encounter(Shape::sphere(0.25), Vec3::ZERO, 1.0, Vec3::ZERO, 1000, (20, 1.0 / 120.0));
    assert_eq!((without.momentum, without.hash), (with.momentum, with.hash));
}

#[test]
fn the_origin_is_nothing_special() {
    let run =
        |origin: Vec3| encounter(Shape::sphere(0.25), Vec3::ZERO, 1.0, origin, 0, (20, 1.0 / 120.0)).momentum;
    let here = run(Vec3::ZERO);
    // Rounding of positions differs between directions: 1e-4 to 2.4e-3.
    let far = [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z].map(|axis| {
        let change = (here - run(axis * 1024.0)).length() / here.length();
        println!("1,024 units away along {axis}: {change:.1e}");
        change
    });
    let change = (far.iter().map(|change| change * change).sum::<f64>() / far.len() as f64).sqrt();
    // Resolution of f32 at that distance, relative to the core radius.
    let resolved = f64::from(1024.0 * f32::EPSILON / CORE);
    println!("rms {change:.1e}, resolved {resolved:.1e}");
    assert!(change < resolved, "{change}");
    assert!(far.iter().all(|&change| change < 2.5 * resolved), "{far:?}");
}
