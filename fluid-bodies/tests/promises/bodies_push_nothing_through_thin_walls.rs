//! A mesh that is not closed is a thin wall with fluid on both sides: no body pushes a particle through it,
//! even one that touches it or reaches through it.

use fluid_bodies::bodies::{Bodies, BodySettings};
use fluid_bodies::shapes::{Shape, TriangleMesh};
use fluid_bodies::{BodyDef, BodyState};
use fluid_core::boundary::Surfaces;
use fluid_core::math::Random;
use fluid_core::params::Params;
use fluid_core::particles::Vorton;
use fluid_core::sim::VortexSim;
use fluid_threads::Serial;
use glam::{UVec3, Vec3};

/// Cells of the terrain in a row, and their edge \[m\].
const CELLS: i32 = 40;
const CELL: f32 = 0.1;
/// Radius of a ball that rolls on it \[m\].
const RADIUS: f32 = 0.2;

fn corner(i: i32, j: i32) -> Vec3 {
    let (x, y) = ((i - CELLS / 2) as f32 * CELL, (j - CELLS / 2) as f32 * CELL);
    Vec3::new(x, y, 0.25 * libm::sinf(1.7 * x) * libm::cosf(1.3 * y))
}

fn terrain() -> TriangleMesh {
    let row = CELLS + 1;
    let points: Vec<Vec3> = (0..row * row).map(|n| corner(n % row, n / row)).collect();
    let cells = (0..CELLS * CELLS).map(|n| (n % CELLS, n / CELLS));
    let triangles: Vec<UVec3> = cells
        .flat_map(|(i, j)| {
            let at = |i: i32, j: i32| (j * row + i) as u32;
            let (a, b, c, d) = (at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1));
            [UVec3::new(a, b, c), UVec3::new(a, c, d)]
        })
        .collect();
    TriangleMesh::new(points, triangles).expect("a valid mesh")
}

/// Returns the height \[m\] of the terrain's triangle at this place; None near its rim and beyond, where
/// particles may go round it.
fn height(place: Vec3) -> Option<f32> {
    let [u, v] = [place.x, place.y].map(|x| x / CELL + (CELLS / 2) as f32);
    let (i, j) = (u.floor() as i32, v.floor() as i32);
    if !(2..CELLS - 2).contains(&i) || !(2..CELLS - 2).contains(&j) {
        return None;
    }
    let (u, v) = (u - u.floor(), v - v.floor());
    let [a, b, c, d] = [(0, 0), (1, 0), (1, 1), (0, 1)].map(|(x, y)| corner(i + x, j + y).z);
    Some(if u >= v { a + u * (b - a) + v * (c - b) } else { a + u * (c - d) + v * (d - a) })
}

#[test]
fn a_ball_that_rolls_on_it() {
    roll(&[(0.201, 24.0)]);
}

#[test]
#[ignore = "a quarter of a minute"]
fn a_ball_that_rolls_on_it_or_in_it_in_short_steps() {
    roll(&[(0.15, 60.0), (0.201, 60.0), (0.05, 144.0)]);
}

fn roll(cases: &[(f32, f32)]) {
    for &(lift, rate) in cases {
        let params = Params { core_radius: 0.1, ..Params::default() };
        let mut bodies = Bodies::new(BodySettings::default(), &params).expect("valid settings");
        let still = |shape| BodyDef { shapes: vec![shape], mass: f32::INFINITY, ..BodyDef::default() };
        bodies.add(still(Shape::mesh(terrain()))).expect("a valid mesh");
        bodies.add(still(Shape::sphere(RADIUS))).expect("a valid ball");
        let mut sim = VortexSim::new(params).expect("valid parameters");
        let way = |time: f32| {
            let place = Vec3::new(-1.2 * libm::cosf(1.2 * time), 0.3 * libm::sinf(0.7 * time), 0.0);
            place + Vec3::Z * (height(place).expect("on the terrain") + lift)
        };
        let spacing = 0.0667_f32;
        let layer = (-18..18).flat_map(|i| (-9..9).flat_map(move |j| (1..5).map(move |k| (i, j, k))));
        let vortons: Vec<Vorton> = layer
            .filter_map(|(i, j, k)| {
                let place = Vec3::new((i as f32 + 0.5) * spacing, (j as f32 + 0.5) * spacing, 0.0);
                let position = place + Vec3::Z * (height(place)? + k as f32 * spacing);
                let is_clear = position.distance(way(0.0)) > RADIUS + 0.01;
                is_clear.then(|| Vorton { position, volume: spacing.powi(3), ..Vorton::default() })
            })
            .collect();
        sim.add_vortons(&vortons).expect("valid vortons");
        let mut particles: Vec<Vec3> = vortons.iter().map(|vorton| vorton.position).collect();
        let random = Random::new(6);
        for step in 0..(2.5 * rate) as u32 {
            let (from, to) = (way(step as f32 / rate), way((step + 1) as f32 / rate));
            let state = BodyState { position: from, velocity: (to - from) * rate, ..BodyState::default() };
            bodies.set_state(1, state).expect("a valid state");
            sim.step(&Serial, &mut bodies, 1.0 / rate).expect("a finite step");
            // Particles of a host, which jitter.
            let before = particles.clone();
            for (n, particle) in (0..).zip(&mut particles) {
                *particle += random.centred_vec3(u64::from(step) * 10_000 + n) * 0.05;
            }
            bodies.obstacles().keep_out(&before, &mut particles);
            for &place in particles.iter().chain(&sim.vortons().positions.iter().collect::<Vec<_>>()) {
                let above = height(place).map_or(0.0, |height| place.z - height);
                assert!(above > -1e-5, "lift {lift}, {rate} Hz, step {step}: {place} is {above} m above");
            }
        }
    }
}

/// Particles beneath a body that is let down into a thin wall come out beside it, on their side of the wall.
#[test]
fn a_body_that_is_pressed_into_it() {
    for (name, shape, low) in [
        ("crate", Shape::cuboid(Vec3::splat(0.25)), 0.25),
        ("cylinder", Shape::cylinder(0.25, 0.25), 0.25),
        ("ball", Shape::sphere(0.3), 0.3),
    ] {
        for depth in [0.005, 0.1] {
            let params = Params { core_radius: 0.1, ..Params::default() };
            let mut bodies = Bodies::new(BodySettings::default(), &params).expect("valid settings");
            let still = |shape| BodyDef { shapes: vec![shape], mass: f32::INFINITY, ..BodyDef::default() };
            let points = [(-2.0, -2.0), (2.0, -2.0), (2.0, 2.0), (-2.0, 2.0)];
            let points = points.map(|(x, y)| Vec3::new(x, y, 0.0)).to_vec();
            let triangles = vec![UVec3::new(0, 1, 2), UVec3::new(0, 2, 3)];
            let wall = TriangleMesh::new(points, triangles).expect("a valid mesh");
            bodies.add(still(Shape::mesh(wall))).expect("a valid mesh");
            bodies.add(still(shape.clone())).expect("a valid body");
            let mut sim = VortexSim::new(params).expect("valid parameters");
            let random = Random::new(9);
            let mut particles: Vec<Vec3> = (0..1000)
                .map(|n| random.centred_vec3(n) * Vec3::new(1.0, 1.0, 0.39) + Vec3::Z * 0.2)
                .collect();
            let height = |step: u32| low - depth + 0.6 * (1.0 - step.min(60) as f32 / 60.0);
            for step in 0..70 {
                let (from, to) = (Vec3::Z * height(step), Vec3::Z * height(step + 1));
                let state =
                    BodyState { position: from, velocity: (to - from) * 60.0, ..BodyState::default() };
                bodies.set_state(1, state).expect("a valid state");
                sim.step(&Serial, &mut bodies, 1.0 / 60.0).expect("a finite step");
                let before = particles.clone();
                bodies.obstacles().keep_out(&before, &mut particles);
                let depth_of = |place: &&Vec3| shape.surface(**place - to).distance < -1e-5;
                let (inside, below) = (
                    particles.iter().filter(depth_of).count(),
                    particles.iter().filter(|p| p.z < 0.0).count(),
                );
                assert!(inside == 0 && below == 0, "{name}, {depth} m deep, step {step}: {inside}, {below}");
            }
        }
    }
}
