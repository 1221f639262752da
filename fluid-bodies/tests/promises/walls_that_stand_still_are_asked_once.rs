//! Walls are searched at the nodes of the density lattice only after they have moved or changed or been
//! pushed, with the same bits as if they were searched in every step (E42).

use crate::immersed::{SPACING, params};
use fluid_bodies::bodies::{Bodies, BodySettings};
use fluid_bodies::shapes::{Parity, Shape};
use fluid_bodies::{BodyCoupling, BodyDef, BodyState};
use fluid_core::boundary::{
    Boundary, ContactWork, Enclosure, Enclosures, Follower, Inside, Motion, StepTime,
};
use fluid_core::initial::DensityBox;
use fluid_core::math::Vec3Columns;
use fluid_core::params::Params;
use fluid_core::particles::Vortons;
use fluid_core::sim::VortexSim;
use fluid_core::velocity::Sources;
use fluid_threads::{Executor, Serial};
use glam::Vec3;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts queries of walls; a forgetful instance has new enclosures in every step.
struct Asked {
    bodies: Bodies,
    forgetful: bool,
    /// Interior of the tank, and the one that counts queries.
    inside: Option<(Arc<dyn Inside>, Arc<Counted>)>,
    count: Arc<AtomicUsize>,
}

#[derive(Debug)]
struct Counted(Arc<dyn Inside>, Arc<AtomicUsize>);

impl Inside for Counted {
    fn contains(&self, place: Vec3) -> bool {
        self.0.contains(place)
    }

    fn wall(&self, place: Vec3, reach: f32) -> Option<(f32, Vec3)> {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.wall(place, reach)
    }
}

impl BodyCoupling for Asked {
    fn begin_step(&mut self, exec: &dyn Executor, dt: f32, vortons: &Vortons, boundary: &mut Boundary) {
        self.bodies.begin_step(exec, dt, vortons, boundary);
        let [tank] = boundary.enclosures.iter().cloned().collect::<Vec<_>>().try_into().expect("one tank");
        let known = self.inside.take().filter(|known| !self.forgetful && Arc::ptr_eq(&known.0, &tank.inside));
        let new = || (tank.inside.clone(), Arc::new(Counted(tank.inside.clone(), self.count.clone())));
        let (inside, counted) = known.unwrap_or_else(new);
        boundary.enclosures = Enclosures::default();
        boundary.enclosures.push(Enclosure { inside: counted.clone(), ..tank });
        self.inside = Some((inside, counted));
    }

    fn vorton_contacts(
        &mut self,
        motion: Motion<'_>,
        before: &Vec3Columns,
        vortons: &mut Vortons,
    ) -> ContactWork {
        self.bodies.vorton_contacts(motion, before, vortons)
    }

    fn covers(&self, place: Vec3) -> bool {
        self.bodies.covers(place)
    }

    fn visit_followers(&self, low: Vec3, high: Vec3, visit: &mut dyn FnMut(&Follower<'_>)) {
        self.bodies.visit_followers(low, high, visit);
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

    fn end_step(&mut self, motion: Motion<'_>) {
        self.bodies.end_step(motion);
    }
}

/// Host action before a step: a velocity, and a position if it differs from that to which the tank moved.
type Act = (Vec3, Option<Vec3>);

/// Returns hashes, and the number of wall queries, step by step.
fn run(forgetful: bool, acts: &[Act], gravity: impl Fn(usize) -> Vec3) -> (Vec<u64>, Vec<usize>) {
    let params = Params { gravity: gravity(0), ..params(Vec3::ZERO) };
    let half = Vec3::splat(4.0 * SPACING);
    let shape = Shape { parity: Parity::Hole, ..Shape::cuboid(half) };
    let def = BodyDef { shapes: vec![shape], mass: f32::INFINITY, ..BodyDef::default() };
    let mut bodies = Bodies::new(BodySettings::default(), &params).expect("valid settings");
    bodies.add(def).expect("a valid body");
    let layer = DensityBox {
        centre: Vec3::X * (0.5 * half.x),
        extent: Vec3::new(half.x, 2.0 * half.y, 2.0 * half.z),
        spacing: SPACING,
        density_deviation: 0.1,
        dye: 1.0,
        fuel: 0.0,
    };
    let mut sim = VortexSim::new(params).expect("valid parameters");
    sim.add_vortons(&layer.vortons().expect("constants in range")).expect("valid vortons");
    let mut coupling = Asked { bodies, forgetful, inside: None, count: Arc::default() };
    let (mut hashes, mut counts) = (Vec::new(), Vec::new());
    for (step, &(velocity, place)) in acts.iter().enumerate() {
        let position = place.unwrap_or(coupling.bodies.list()[0].state().position);
        coupling
            .bodies
            .set_state(0, BodyState { position, velocity, ..BodyState::default() })
            .expect("finite");
        sim.set_gravity(gravity(step)).expect("finite");
        sim.step(&Serial, &mut coupling, 1.0 / 60.0).expect("a finite step");
        hashes.push(sim.state_hash());
        counts.push(coupling.count.swap(0, Ordering::Relaxed));
    }
    (hashes, counts)
}

const DOWN: Vec3 = Vec3::new(0.0, 0.0, -10.0);
const STAND: Act = (Vec3::ZERO, None);

#[test]
fn a_tank_that_stands_still_is_asked_once() {
    let acts = [STAND; 8];
    let (ours, counts) = run(false, &acts, |_| DOWN);
    let (theirs, each) = run(true, &acts, |_| DOWN);
    assert_eq!(ours, theirs);
    println!("asked {counts:?}, forgetful {each:?}");
    // The remaining queries are the halo's: whether a vorton may be created beside a wall.
    assert!(counts[7] * 10 < each[7], "{counts:?} {each:?}");
}

#[test]
fn whatever_happens_to_it_the_bits_are_those_of_asking_each_time() {
    let push = Vec3::X * 0.5;
    let acts = [
        STAND,
        STAND,
        (push, None),
        // Reported at rest at the position from which it was reported to move.
        (Vec3::ZERO, Some(Vec3::ZERO)),
        STAND,
        (push, None),
        (push, Some(Vec3::ZERO)),
        (push, Some(Vec3::ZERO)),
        (Vec3::ZERO, Some(Vec3::ZERO)),
        STAND,
        (Vec3::ZERO, Some(Vec3::Y * 0.03)),
        STAND,
        STAND,
    ];
    let gravity = |step: usize| if step == 11 { DOWN * 0.5 } else { DOWN };
    assert_eq!(run(false, &acts, gravity).0, run(true, &acts, gravity).0);
}
