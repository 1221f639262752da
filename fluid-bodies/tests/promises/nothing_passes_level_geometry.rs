//! Particles stay on their side of meshes and height fields on any path: over thousands of steps, in
//! creases, at any distance from the origin, beside moving meshes; and the fluid stays bounded there.

use crate::common::Dice;
use crate::level::{Triangles, ground, mesh, rock, soup, terrain, turned_inside_out, unwelded, winding};
use fluid_bodies::bodies::{Bodies, BodySettings};
use fluid_bodies::obstacles::{BroadPhase, Obstacle, Obstacles};
use fluid_bodies::shapes::{HeightField, Shape};
use fluid_bodies::{BodyDef, BodyState, Pose};
use fluid_core::boundary::{Surfaces, Touch};
use fluid_core::initial::{FilamentRing, Noise};
use fluid_core::params::Params;
use fluid_core::particles::Vorton;
use fluid_core::sim::VortexSim;
use fluid_threads::Pool;
use glam::{Quat, UVec2, UVec3, Vec2, Vec3};
use std::sync::Arc;

const SKIN: f32 = 1e-4;

fn obstacles(shape: Shape, pose: Pose) -> Obstacles {
    let mut all = Obstacles::new(SKIN);
    all.push(Obstacle::new(Arc::from(vec![shape]), pose));
    all.refresh();
    all
}

fn meet(obstacles: &Obstacles, before: &[Vec3], after: &[Vec3]) -> (Vec<Vec3>, Vec<Option<Touch>>) {
    let (mut places, mut touches) = (after.to_vec(), vec![None; after.len()]);
    obstacles.meet(before, &mut places, &mut touches);
    (places, touches)
}

fn place(dice: &mut Dice) -> Pose {
    Pose { position: dice.cube() * 5.0, rotation: dice.rotation() }
}

/// Walks `steps` steps of random lengths up to `stride` \[m\] and checks each position with `is_allowed`,
/// in the axes of the body. Returns the number of contacts.
fn walk(
    dice: &mut Dice,
    (obstacles, pose): (&Obstacles, &Pose),
    start: Vec<Vec3>,
    (steps, stride): (usize, f32),
    mut is_allowed: impl FnMut(usize, Vec3) -> bool,
) -> usize {
    let mut places: Vec<Vec3> = start.iter().map(|&local| pose.to_world(local)).collect();
    let mut met = 0;
    for step in 0..steps {
        let ends: Vec<Vec3> = places.iter().map(|&at| at + dice.cube() * stride * dice.unit()).collect();
        let (next, touches) = meet(obstacles, &places, &ends);
        for (row, (&at, touch)) in next.iter().zip(&touches).enumerate() {
            let local = pose.to_local(at);
            assert!(is_allowed(row, local), "step {step}, row {row}: {local} from {}", places[row]);
            assert!(touch.is_some() || at == ends[row], "step {step}, row {row} was moved by nothing");
        }
        met += touches.iter().flatten().count();
        places = next;
    }
    met
}

#[test]
fn in_caves() {
    walk_in_caves(0..5);
}

#[test]
#[ignore = "long"]
fn in_more_caves() {
    walk_in_caves(5..30);
}

fn walk_in_caves(seeds: std::ops::Range<u64>) {
    let (mut met, caves) = (0, seeds.end - seeds.start);
    for seed in seeds {
        let mut dice = Dice::new(seed);
        let mut cave = turned_inside_out(rock(&mut dice, 5, 8, 0.6));
        if seed % 2 == 0 {
            cave = unwelded(cave);
        }
        let pose = place(&mut dice);
        let obstacles = obstacles(Shape::mesh(mesh(cave.clone())), pose);
        let start = (0..64).map(|_| dice.cube() * 0.1).collect();
        met += walk(&mut dice, (&obstacles, &pose), start, (400, 1.0), |_, at| {
            at.length() < 3.0 && winding(&cave, at) < -0.5
        });
    }
    assert!(met as u64 > caves * 64 * 40, "{met}");
}

#[test]
fn around_rocks() {
    let mut met = 0;
    for seed in 0..12 {
        let mut dice = Dice::new(50 + seed);
        let rock = rock(&mut dice, 5, 8, 0.6);
        let pose = place(&mut dice);
        let obstacles = obstacles(Shape::mesh(mesh(rock.clone())), pose);
        // Some start inside: they come out at once.
        let start = (0..64).map(|_| dice.cube() * 2.0).collect();
        met += walk(&mut dice, (&obstacles, &pose), start, (200, 1.0), |_, at| winding(&rock, at) < 0.5);
    }
    assert!(met > 1000, "{met}");
}

/// Between the leaves of a fan that meet in one edge, at angles down to a few degrees.
#[test]
fn in_creases() {
    for seed in 0..12 {
        let mut dice = Dice::new(100 + seed);
        let mut angles: Vec<f32> = (0..7).map(|_| dice.between(0.0, std::f32::consts::TAU)).collect();
        angles.sort_by(f32::total_cmp);
        let mut fan: Triangles = (vec![Vec3::Z * 40.0, Vec3::NEG_Z * 40.0], Vec::new());
        for &angle in &angles {
            let (sin, cos) = angle.sin_cos();
            fan.0.push(Vec3::new(cos, sin, 0.0) * 200.0);
            fan.1.push(UVec3::new(0, 1, fan.0.len() as u32 - 1));
        }
        let pose = place(&mut dice);
        let obstacles = obstacles(Shape::mesh(mesh(fan)), pose);
        // Index of the wedge that contains a point.
        let wedge = |at: Vec3| {
            let angle = f64::from(at.y).atan2(at.x.into()).rem_euclid(std::f64::consts::TAU);
            angles.iter().filter(|&&leaf| f64::from(leaf) < angle).count() % angles.len()
        };
        let start: Vec<Vec3> = (0..64).map(|_| dice.cube() * 0.5).collect();
        let home: Vec<usize> = start.iter().map(|&at| wedge(at)).collect();
        // Towards the crease, so that particles return to it.
        let mut places: Vec<Vec3> = start.iter().map(|&at| pose.to_world(at)).collect();
        for step in 0..400 {
            let ends: Vec<Vec3> = places
                .iter()
                .map(|&at| {
                    let local = pose.to_local(at);
                    pose.to_world(local + dice.cube() * 0.5 - local * dice.unit() * 1.2)
                })
                .collect();
            places = meet(&obstacles, &places, &ends).0;
            for (row, &at) in places.iter().enumerate() {
                let local = pose.to_local(at);
                // Within rounding of the crease, wedges cannot be distinguished.
                assert!(
                    wedge(local) == home[row] || local.truncate().length() < 1e-5,
                    "fan {seed}, step {step}, row {row}: {local}"
                );
            }
        }
    }
}

#[test]
fn on_terrain_and_far_from_the_origin() {
    let mut met = 0;
    for seed in 0..12 {
        let mut dice = Dice::new(150 + seed);
        let field = terrain(&mut dice, UVec2::new(40, 40), Vec2::splat(0.25));
        // A kilometre away, and rotated so that the field's z axis points elsewhere.
        let far = if seed % 2 == 0 { 0.0 } else { 1000.0 };
        let turn = if seed % 3 == 0 { Quat::IDENTITY } else { dice.rotation() };
        let pose = Pose { position: Vec3::new(far, -far, 0.5 * far), rotation: turn };
        let obstacles = obstacles(Shape::height_field(field.clone()), pose);
        let below = |x: f32| obstacles.contains(pose.to_world(Vec3::new(x, 0.1, -50.0)));
        assert!(below(0.1) && below(9.7) && !below(-0.1) && !below(9.9), "the ground has no end below");
        let start = (0..64).map(|_| Vec3::new(5.0, 5.0, 1.5) + dice.cube() * 0.5).collect();
        let mut places: Vec<Vec3> = Vec::new();
        met += walk(&mut dice, (&obstacles, &pose), start, (300, 0.6), |_, at| {
            places.push(at);
            // Accurate to the rounding of the coordinates from which it is computed.
            let slack = 4.0 * f64::from(f32::EPSILON * far);
            ground(&field, at.truncate()).is_none_or(|height| f64::from(at.z) > height - slack)
        });
    }
    assert!(met > 12 * 300, "{met}");
}

/// A moving, rotating soup has particles on both sides. Contacts with swept particles must be reported, and
/// the particles must end no nearer than rounding; particles on one side of a large sheet stay there.
#[test]
fn beside_meshes_that_move() {
    for seed in 0..12 {
        let mut dice = Dice::new(200 + seed);
        let sheet: Triangles = {
            let field = terrain(&mut dice, UVec2::new(9, 9), Vec2::splat(0.5));
            let shift = Vec3::new(-2.0, -2.0, -0.5);
            let (vertices, triangles) = crate::level::triangles_of(&field);
            (vertices.iter().map(|&vertex| vertex + shift).collect(), triangles)
        };
        let mut obstacles = obstacles(Shape::mesh(mesh(sheet)), Pose::IDENTITY);
        let mut pose = Pose::IDENTITY;
        let start: Vec<Vec3> = (0..64).map(|row| Vec3::Z * if row % 2 == 0 { 1.0 } else { -1.0 }).collect();
        let (mut places, mut met) = (start, 0);
        for step in 0..200 {
            let turn = Quat::from_scaled_axis(dice.cube() * 0.1);
            let next = Pose { position: dice.cube() * 0.3, rotation: (turn * pose.rotation).normalize() };
            let (from, to) = (pose, next);
            obstacles.advance(|_| (to, Vec3::ZERO, Vec3::ZERO));
            // Particles move with the sheet plus a random displacement, and return to its centre.
            let ends: Vec<Vec3> = places
                .iter()
                .map(|&at| {
                    let local = from.to_local(at);
                    let back = local.with_z(0.0).clamp_length_max(0.3);
                    from.to_world(local - back + dice.cube() * 0.5).lerp(at, dice.unit())
                })
                .collect();
            let (after, touches) = meet(&obstacles, &places, &ends);
            met += touches.iter().flatten().count();
            for (row, &at) in after.iter().enumerate() {
                let local = to.to_local(at);
                let (_, surface) = obstacles.nearest(at, 10.0).expect("a surface");
                let up = to.turn_back(surface.normal).z > 0.0;
                // Beyond its edge, sides have no meaning.
                let is_beside = local.x.abs() > 1.9 || local.y.abs() > 1.9;
                assert!(is_beside || up == (row % 2 == 0), "sheet {seed}, step {step}, row {row}: {local}");
            }
            pose = next;
            places = after;
            let lost = |at: &Vec3| {
                let local = pose.to_local(*at);
                local.x.abs() > 1.5 || local.y.abs() > 1.5
            };
            for (row, at) in places.iter_mut().enumerate() {
                if lost(at) {
                    *at = pose.to_world(Vec3::Z * if row % 2 == 0 { 1.0 } else { -1.0 });
                }
            }
        }
        assert!(met > 500, "{met}");
    }
}

/// Using only the triangles near a block of particles gives the same results as using all of them.
#[test]
fn what_is_not_near_changes_nothing() {
    for seed in 0..8 {
        let mut dice = Dice::new(250 + seed);
        let shapes = [
            Shape::mesh(mesh(soup(&mut dice, 60))),
            Shape::mesh(mesh(rock(&mut dice, 6, 9, 0.4))),
            Shape::height_field(terrain(&mut dice, UVec2::new(20, 9), Vec2::splat(0.2))),
            Shape::sphere(0.5),
        ];
        let mut all = [BroadPhase::Cells, BroadPhase::EveryBody]
            .map(|phase| Obstacles::new(SKIN).with_broad_phase(phase));
        for shape in shapes {
            let pose = Pose { position: dice.cube() * 2.0, rotation: dice.rotation() };
            all.iter_mut().for_each(|obstacles| {
                obstacles.push(Obstacle::new(Arc::from(vec![shape.clone()]), pose));
                obstacles.refresh();
            });
        }
        let before: Vec<Vec3> = (0..640).map(|_| dice.cube() * 2.0).collect();
        let after: Vec<Vec3> = before.iter().map(|&at| at + dice.cube()).collect();
        let [cells, every] = all.each_ref().map(|obstacles| meet(obstacles, &before, &after));
        assert_eq!(cells, every);
        assert!(cells.1.iter().flatten().count() > 20);
        // Alone in its block, a particle has the same contacts as among others.
        for row in 0..640 {
            let alone = meet(&all[0], &before[row..=row], &after[row..=row]);
            assert_eq!((alone.0[0], alone.1[0]), (cells.0[row], cells.1[row]));
        }
    }
}

fn level_body(shapes: Vec<Shape>, position: Vec3) -> BodyDef {
    let state = BodyState { position, ..BodyState::default() };
    BodyDef { shapes, state, mass: f32::INFINITY, ..BodyDef::default() }
}

/// Rings and noise above rough terrain, in a cave, and beside a sheet, with default settings in steps of
/// random length: nothing passes, energy does not rise, and the level receives the momentum that the fluid
/// loses.
#[test]
fn open_scenes_with_levels_stay_bounded() {
    let pool = Pool::new(2).expect("threads start");
    for scene in 0..3_u64 {
        let mut dice = Dice::new(300 + scene);
        let params = Params { core_radius: 0.1, ..Params::default() };
        let mut bodies = Bodies::new(BodySettings::default(), &params).expect("valid settings");
        let cave = turned_inside_out(rock(&mut dice, 8, 12, 0.2));
        let field = terrain(&mut dice, UVec2::new(30, 30), Vec2::splat(0.2));
        let (shape, position) = match scene {
            0 => (Shape::height_field(field.clone()), Vec3::new(-3.0, -3.0, -1.5)),
            1 => (Shape::mesh(mesh(cave.clone())), Vec3::ZERO),
            _ => {
                let (vertices, triangles) = crate::level::triangles_of(&field);
                (Shape::mesh(mesh((vertices, triangles))), Vec3::new(-3.0, -3.0, -1.5))
            }
        };
        bodies.add(level_body(vec![shape], position)).expect("a valid body");
        let mut sim = VortexSim::new(params).expect("valid parameters");
        let ring = FilamentRing {
            centre: Vec3::Z * 0.2,
            axis: Vec3::new(0.1, 0.0, -1.0),
            radius: 0.4,
            circulation: 1.0,
            core_radius: 0.1,
            count: 64,
        };
        let noise = Noise {
            centre: Vec3::new(0.1, 0.2, 0.1),
            extent: Vec3::splat(0.5),
            spacing: 0.1,
            amplitude: 10.0,
            seed: scene,
        };
        let vortons: Vec<Vorton> = match scene {
            1 => noise.vortons(),
            _ => ring.vortons(),
        }
        .expect("constants in range");
        sim.add_vortons(&vortons).expect("valid vortons");
        let (mut first, mut largest, mut contacts) = (0.0, 0.0_f64, 0);
        for step in 0..600 {
            let dt = dice.between(1.0 / 144.0, 1.0 / 15.0);
            sim.step(&pool, &mut bodies, dt).expect("a finite step");
            contacts += bodies.contacts().len();
            let energy = sim.stats().energy;
            first = if first == 0.0 { energy } else { first };
            largest = largest.max(energy / first);
            for place in sim.vortons().positions.iter() {
                let local = place - position;
                let is_allowed = match scene {
                    0 | 2 => {
                        ground(&field, local.truncate()).is_none_or(|height| f64::from(local.z) > height)
                    }
                    _ => winding(&cave, local) < -0.5,
                };
                assert!(place.is_finite() && is_allowed, "scene {scene}, step {step}: {place}");
            }
        }
        let left = sim.stats().energy / first;
        println!("scene {scene}: {contacts} contacts, energy at most {largest:.3}, at last {left:.3}");
        assert!(contacts > 500 && largest < 1.05, "scene {scene}: {contacts} {largest}");
    }
}

#[test]
fn levels_are_fixed_and_alone_in_that() {
    let params = Params { core_radius: 0.1, ..Params::default() };
    let mut bodies = Bodies::new(BodySettings::default(), &params).expect("valid settings");
    let level = |dice: &mut Dice| Shape::mesh(mesh(soup(dice, 5)));
    let mut dice = Dice::new(400);
    let def = level_body(vec![level(&mut dice), Shape::sphere(0.5)], Vec3::ZERO);
    assert!(bodies.add(BodyDef { mass: 1.0, ..def.clone() }).is_err());
    let hole = Shape { parity: fluid_bodies::shapes::Parity::Hole, ..Shape::sphere(0.5) };
    assert!(bodies.add(level_body(vec![level(&mut dice), hole], Vec3::ZERO)).is_err());
    assert!(bodies.add(level_body(vec![level(&mut dice), Shape::half_space()], Vec3::ZERO)).is_err());
    let index = bodies.add(def).expect("a mesh and a ball that nothing moves");
    assert!(bodies.body_mut(index).set_mass(1.0).is_err());
    assert!(bodies.added_inertia(index).is_none());
    // Any body may become level geometry, and level geometry any other body.
    bodies.set_shapes(index, vec![Shape::sphere(0.5)]).expect("a ball");
    bodies.body_mut(index).set_mass(1.0).expect("a ball may be moved");
    assert!(bodies.set_shapes(index, vec![level(&mut dice)]).is_err());
    let flat = HeightField::new(vec![0.0; 4], UVec2::splat(2), Vec2::ONE).expect("a valid height field");
    bodies.body_mut(index).set_mass(f32::INFINITY).expect("a mass");
    bodies.set_shapes(index, vec![Shape::height_field(flat)]).expect("a floor");
}
