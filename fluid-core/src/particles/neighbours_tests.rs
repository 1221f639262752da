//! The order equals a plain sort by cells, no neighbour is missed, and no particle is in two blocks: in
//! dense clouds, in sparse clouds with more blocks than are kept, and with particles so far away that row,
//! bin and index do not fit in one entry.

use super::{BINS, BLOCK, NEIGHBOUR_CHUNK, Neighbours, WIDENING};
use crate::math::Random;
use fluid_threads::Serial;
use glam::Vec3;

const RADIUS: f32 = 0.3;

/// Returns `count` random positions in a box of this size \[radii\].
fn cloud(count: usize, size: Vec3) -> Vec<Vec3> {
    let random = Random::new(count as u64);
    (0..count).map(|i| random.centred_vec3(i as u64) * size * RADIUS).collect()
}

/// Positions of every kind: five chunks in a volume, one particle per row, all in one row, on cell edges,
/// and nearly anywhere.
fn clouds() -> Vec<Vec<Vec3>> {
    let mut strays = cloud(2000, Vec3::splat(6.0));
    strays.extend((0..12).map(|i| Vec3::from_array(std::array::from_fn(|a| far(i, a)))));
    let grid = |i: usize| (Vec3::new((i % 9) as f32, (i / 9 % 9) as f32, (i / 81) as f32) - 4.0) * RADIUS;
    vec![
        vec![],
        vec![Vec3::ONE],
        cloud(2500, Vec3::splat(7.0)),
        cloud(700, Vec3::splat(90.0)),
        cloud(1500, Vec3::new(40.0, 0.5, 0.5)),
        cloud(600, Vec3::new(0.0, 60.0, 60.0)),
        (0..729).map(grid).collect(),
        vec![Vec3::ZERO; 600],
        strays,
    ]
}

fn far(i: usize, axis: usize) -> f32 {
    let size = [1e3, 1e6, 1e12, 1e18, f32::MAX, 1e-30][(i + axis) % 6];
    if (i * 5 + axis).is_multiple_of(2) { size } else { -size }
}

fn sorted(places: &[Vec3], particles: impl Iterator<Item = usize>) -> Neighbours {
    let mut neighbours = Neighbours::default();
    // Data of an earlier sort must not affect the result.
    neighbours.sort(&Serial, 0.7, 0..40, |i| Vec3::splat((i * i) as f32));
    neighbours.sort(&Serial, RADIUS, particles, |i| places[i]);
    neighbours
}

/// Returns z, y and bin of x, by division.
fn cell(place: Vec3) -> [i64; 3] {
    let edge = f64::from(RADIUS) * (1.0 + WIDENING);
    let index = |v: f32, per: f64| {
        ((f64::from(v) * per).floor() as i64).clamp(-super::FARTHEST_BIN as i64, super::FARTHEST_BIN as i64)
    };
    [index(place.z, 1.0 / edge), index(place.y, 1.0 / edge), index(place.x, BINS as f64 * (1.0 / edge))]
}

#[test]
fn order_is_that_of_a_plain_sort_of_cells() {
    for places in clouds() {
        let neighbours = sorted(&places, 0..places.len());
        let mut wanted: Vec<usize> = (0..places.len()).collect();
        wanted.sort_by_key(|&i| (cell(places[i]), i));
        let order: Vec<usize> = (0..neighbours.len()).map(|i| neighbours.particle(i)).collect();
        assert_eq!(order, wanted, "of {}", places.len());
    }
}

#[test]
fn every_neighbour_is_in_the_runs_and_every_particle_in_one_block() {
    for places in clouds() {
        let neighbours = sorted(&places, 0..places.len());
        let (mut next, mut pairs) = (0, 0);
        for start in (0..neighbours.len()).step_by(NEIGHBOUR_CHUNK) {
            for block in neighbours.blocks(start) {
                assert_eq!(block.targets().start, next);
                next = block.targets().end;
                assert!((1..=BLOCK).contains(&block.targets().len()) && next <= start + NEIGHBOUR_CHUNK);
                let sources: Vec<usize> = block.sources().flatten().collect();
                assert!(sources.is_sorted_by(|a, b| a < b), "ascending, each once");
                for target in block.targets().map(|i| places[neighbours.particle(i)]) {
                    let near = |i: usize| places[neighbours.particle(i)].distance(target) < RADIUS;
                    let all = (0..neighbours.len()).filter(|&i| near(i)).count();
                    assert_eq!(sources.iter().filter(|&&i| near(i)).count(), all);
                    pairs += all;
                }
            }
        }
        assert_eq!(next, places.len());
        assert!(pairs >= places.len());
    }
}

#[test]
fn few_blocks_are_kept_of_a_sparse_cloud_and_all_of_a_dense_one() {
    let kept = |places: &[Vec3]| sorted(places, 0..places.len()).chunk_blocks.len() - 1;
    assert_eq!(kept(&cloud(2500, Vec3::splat(7.0))), 5);
    assert_eq!(kept(&cloud(700, Vec3::splat(90.0))), 0);
}

#[test]
fn only_the_listed_particles_take_part() {
    let places = cloud(900, Vec3::splat(5.0));
    let neighbours = sorted(&places, (0..900).filter(|i| i % 3 == 1));
    let mut rows: Vec<usize> = (0..neighbours.len()).map(|i| neighbours.particle(i)).collect();
    rows.sort_unstable();
    assert!(rows.iter().eq((0..900).filter(|i| i % 3 == 1).collect::<Vec<_>>().iter()));
}
