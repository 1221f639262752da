//! Cells only save time: positions, touches, contacts and nearest surfaces are the same bits as without a
//! broad phase, in 1,000 random scenes.

use crate::moving_obstacles::{Dice, advance, bodies, ways};
use fluid_bodies::contact::{Contact, Contacts, Ejection, Layers};
use fluid_bodies::obstacles::{BroadPhase, Obstacles};
use fluid_core::boundary::{Surfaces, Touch};
use fluid_core::math::Vec3Columns;
use fluid_threads::Serial;
use glam::Vec3;

/// Results of all queries of bodies for these paths.
#[derive(Debug, Clone, PartialEq)]
struct Answers {
    places: Vec<Vec3>,
    touches: Vec<Option<Touch>>,
    ejections: Vec<Ejection>,
    contacts: Vec<Contact>,
    vortons: Vec3Columns,
    nearest: Vec<Option<(u32, Vec3, Vec3)>>,
    embedded: Vec<usize>,
}

fn ask(obstacles: &Obstacles, before: &[Vec3], after: &[Vec3], depth: f32) -> Answers {
    let (mut places, mut touches) = (after.to_vec(), vec![None; after.len()]);
    obstacles.meet(before, &mut places, &mut touches);
    let columns = |places: &[Vec3]| {
        let mut columns = Vec3Columns::default();
        places.iter().for_each(|place| columns.push(*place));
        columns
    };
    let (mut contacts, mut vortons) = (Contacts::default(), columns(after));
    contacts.find(&Serial, obstacles, &columns(before), &mut vortons, Layers::new(depth, 1.0));
    let nearest = |place: &Vec3| obstacles.nearest(*place, depth).map(|(body, s)| (body, s.point, s.normal));
    let nearest = after.iter().map(nearest).collect();
    let embedded = obstacles.embedded(after.iter().copied(), depth).collect();
    let Contacts { ejections, contacts, .. } = contacts;
    Answers { places, touches, ejections, contacts, vortons, nearest, embedded }
}

#[test]
fn in_a_thousand_random_scenes() {
    let mut met = 0;
    for seed in 0..1000 {
        let scene = |broad_phase| {
            let mut dice = Dice::new(seed);
            // Crowded scenes, distant clusters, and open space.
            let edge = [3.0, 20.0, 300.0][dice.below(3)];
            let count = dice.below(60);
            let mut obstacles = bodies(&mut dice, count, edge, broad_phase);
            advance(&mut dice, &mut obstacles, edge);
            let count = 1 + dice.below(70);
            let (before, after) = ways(&mut dice, &obstacles, count, edge);
            let depth = [0.0, 0.1, 5.0][dice.below(3)];
            ask(&obstacles, &before, &after, depth)
        };
        let (cells, every_body) = (scene(BroadPhase::Cells), scene(BroadPhase::EveryBody));
        met += cells.touches.iter().flatten().count();
        assert_eq!(cells, every_body, "scene {seed}");
    }
    assert!(met > 5_000, "only {met} touches");
}

#[test]
fn nor_the_size_of_the_block() {
    let mut dice = Dice::new(5);
    let mut obstacles = bodies(&mut dice, 30, 4.0, BroadPhase::Cells);
    advance(&mut dice, &mut obstacles, 4.0);
    let (before, after) = ways(&mut dice, &obstacles, 500, 4.0);
    let together = ask(&obstacles, &before, &after, 0.1);
    for (row, (before, after)) in before.iter().zip(&after).enumerate() {
        let alone = ask(&obstacles, &[*before], &[*after], 0.1);
        assert_eq!((alone.places[0], alone.touches[0]), (together.places[row], together.touches[row]));
    }
}

#[test]
fn nor_do_bodies_that_come_and_go_between_steps() {
    let mut dice = Dice::new(6);
    let mut fresh = bodies(&mut dice, 30, 4.0, BroadPhase::Cells);
    advance(&mut dice, &mut fresh, 4.0);
    let mut stale = fresh.clone();
    for obstacles in [&mut fresh, &mut stale] {
        let mut dice = Dice::new(8);
        obstacles.remove(3);
        obstacles.set_shapes(5, dice.shapes());
        obstacles.place(6, dice.pose(4.0));
        obstacles.push(fluid_bodies::obstacles::Obstacle::new(dice.shapes(), dice.pose(40.0)));
    }
    fresh.refresh();
    let (before, after) = ways(&mut dice, &fresh, 500, 4.0);
    assert_eq!(ask(&fresh, &before, &after, 0.1), ask(&stale, &before, &after, 0.1));
    let mut copy = Obstacles::default();
    copy.copy_from(&stale);
    assert_eq!(ask(&copy, &before, &after, 0.1), ask(&stale, &before, &after, 0.1));
}
