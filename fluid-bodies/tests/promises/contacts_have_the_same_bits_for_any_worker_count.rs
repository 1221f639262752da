//! Contacts between vortons and bodies, and the positions at which vortons are placed, do not depend on
//! workers, threads or order of execution.

use crate::moving_obstacles::{Dice, advance, bodies, ways};
use fluid_bodies::contact::{Contact, Contacts, Ejection, Layers};
use fluid_bodies::obstacles::BroadPhase;
use fluid_core::math::Vec3Columns;
use fluid_threads::{Executor, Pool, Serial, Shuffled};
use glam::Vec3;

fn run(exec: &dyn Executor) -> (Vec<Ejection>, Vec<Contact>, Vec3Columns) {
    let mut dice = Dice::new(1);
    let mut obstacles = bodies(&mut dice, 64, 8.0, BroadPhase::Cells);
    let mut contacts = Contacts::default();
    let columns = |places: &[Vec3]| {
        let mut columns = Vec3Columns::default();
        places.iter().for_each(|place| columns.push(*place));
        columns
    };
    // Several full chunks and a partial one; each step begins at the end of the last one.
    let (start, _) = ways(&mut dice, &obstacles, 3000, 8.0);
    let mut places = columns(&start);
    for _ in 0..5 {
        advance(&mut dice, &mut obstacles, 8.0);
        let before = places.clone();
        for row in 0..places.len() {
            places.set(row, places.get(row) + dice.vec3(1.0));
        }
        contacts.find(exec, &obstacles, &before, &mut places, Layers::new(0.1, 1.0));
    }
    assert!(!contacts.ejections.is_empty() && !contacts.contacts.is_empty());
    let key = |body: u32, row: u32| (body, row);
    assert!(contacts.contacts.is_sorted_by_key(|contact| key(contact.body, contact.row)));
    assert!(contacts.ejections.is_sorted_by_key(|ejection| key(ejection.body, ejection.row)));
    (contacts.ejections, contacts.contacts, places)
}

#[test]
fn serial_pools_and_shuffled() {
    let expected = run(&Serial);
    for workers in [1, 2, 3, 8] {
        let pool = Pool::new(workers).expect("threads start");
        assert_eq!(run(&pool), expected, "{workers} workers");
    }
    for seed in 0..3 {
        assert_eq!(run(&Shuffled::new(seed)), expected);
    }
}
