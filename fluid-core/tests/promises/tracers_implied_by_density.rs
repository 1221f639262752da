//! Tracers implied by a density field: in regions of large deviation, as many as the volume requires, each
//! with its deviation.

use fluid_core::density::ScalarGrid;
use fluid_core::grid::Splines;
use fluid_core::initial::{ImpliedTracers, InitialError};
use fluid_core::particles::{Vorton, Vortons};
use fluid_threads::Serial;
use glam::Vec3;
use std::f64::consts::PI;

const CORE_RADIUS: f32 = 0.15;
/// The density's lattice has a spacing of two thirds of the core radius.
const SPACING: f32 = 0.1;

/// Balls of vortons on a lattice of the same spacing: centre, radius \[m\], deviation \[kg/m³\].
fn grid(balls: &[(Vec3, f32, f32)]) -> ScalarGrid {
    let mut vortons = Vortons::with_capacity(0);
    let volume = SPACING * SPACING * SPACING;
    for &(centre, radius, deviation) in balls {
        let reach = (radius / SPACING) as i32 + 1;
        for n in 0..(2 * reach).pow(3) {
            let [i, j, k] = [n % (2 * reach), n / (2 * reach) % (2 * reach), n / (4 * reach * reach)];
            let offset = (glam::IVec3::new(i, j, k) - reach).as_vec3() * SPACING + 0.5 * SPACING;
            if offset.length() < radius {
                let position = centre + offset;
                vortons.push(Vorton {
                    position,
                    volume,
                    mass_deviation: volume * deviation,
                    ..Vorton::default()
                });
            }
        }
    }
    let mut grid = ScalarGrid::new(CORE_RADIUS, 1 << 20);
    assert_eq!(grid.set(&Serial, &vortons), 0, "all are in the box");
    grid
}

fn deviation_at(grid: &ScalarGrid, place: Vec3) -> f32 {
    grid.sample(&Splines::new(grid.shape()), place).0
}

#[test]
fn their_number_is_the_volume_times_their_density() {
    let radius = 0.8;
    let grid = grid(&[(Vec3::new(0.3, -7.0, 2.0), radius, 0.5)]);
    let volume = 4.0 / 3.0 * PI * f64::from(radius).powi(3);
    for per_cell in [1, 3, 5] {
        for jitter in [0.0, 1.0] {
            let implied = ImpliedTracers { per_cell, jitter, ..ImpliedTracers::default() };
            let tracers = implied.tracers(&grid).expect("right values");
            let expected = volume * f64::from(per_cell.pow(3)) / f64::from(SPACING).powi(3);
            let ratio = tracers.len() as f64 / expected;
            // The smoothed edge falls to 0.6 of the middle a tenth of a spacing inside the ball's edge, 4 %
            // of the volume, and the ball of vortons itself consists of cubes.
            assert!(
                (0.9..1.02).contains(&ratio),
                "{per_cell}³ per cell: {ratio} of what the volume asks for"
            );
        }
    }
}

#[test]
fn each_is_where_the_deviation_is_large_and_has_it() {
    let grid = grid(&[(Vec3::ZERO, 0.6, -0.3)]);
    let largest = (0..grid.nodes().len()).map(|node| grid.node(node).0.abs()).fold(0.0, f32::max);
    for threshold in [0.3, 0.6, 0.9] {
        let implied = ImpliedTracers { threshold, ..ImpliedTracers::default() };
        let tracers = implied.tracers(&grid).expect("right values");
        assert!(tracers.len() > 1000);
        for &(place, value) in &tracers {
            assert_eq!(value, deviation_at(&grid, place));
            assert!(value <= -threshold * largest, "{value} of {largest}");
        }
    }
}

#[test]
fn no_density_is_missed() {
    // Every position of the lattice's sub-cells, sampled one by one.
    let grid = grid(&[(Vec3::new(0.02, 0.05, -0.03), 0.35, 1.0)]);
    let implied = ImpliedTracers { per_cell: 2, threshold: 0.1, jitter: 0.0, seed: 0 };
    let tracers = implied.tracers(&grid).expect("right values");
    let largest = (0..grid.nodes().len()).map(|node| grid.node(node).0.abs()).fold(0.0, f32::max);
    let (first, dims) = (grid.shape().first(), grid.shape().dims().as_ivec3() * 2);
    let mut expected = 0;
    for n in 0..dims.element_product() {
        let sub = glam::IVec3::new(n % dims.x, n / dims.x % dims.y, n / (dims.x * dims.y)) + first * 2;
        let place = ((sub.as_dvec3() + 0.5) * f64::from(grid.shape().spacing()) / 2.0).as_vec3();
        expected += usize::from(deviation_at(&grid, place).abs() >= 0.1 * largest);
    }
    assert_eq!(tracers.len(), expected);
}

#[test]
fn two_drops_of_opposite_sign_both_appear() {
    let (heavy, light) = (Vec3::new(0.0, 0.0, 2.0), Vec3::new(0.0, 0.0, -2.0));
    let tracers = ImpliedTracers::default()
        .tracers(&grid(&[(heavy, 0.5, 0.4), (light, 0.5, -0.4)]))
        .expect("right values");
    let (up, down): (Vec<_>, Vec<_>) = tracers.into_iter().partition(|(place, _)| place.z > 0.0);
    assert!(up.iter().all(|(_, value)| *value > 0.0) && down.iter().all(|(_, value)| *value < 0.0));
    let (up, down) = (up.len() as f64, down.len() as f64);
    assert!(up > 1000.0 && (up / down - 1.0).abs() < 0.05, "{up} and {down}");
}

#[test]
fn places_are_random_but_always_the_same() {
    let grid = grid(&[(Vec3::ZERO, 0.5, 1.0)]);
    let implied = ImpliedTracers::default();
    let places = |implied: ImpliedTracers| implied.tracers(&grid).expect("right values");
    assert_eq!(places(implied), places(implied));
    assert_ne!(places(implied), places(ImpliedTracers { seed: 1, ..implied }));
    // Hardly any two offsets are close: random numbers do not repeat from one sub-cell to the next.
    let mut offsets: Vec<[i32; 3]> = places(implied)
        .iter()
        .map(|(place, _)| {
            (*place / (SPACING / 5.0)).map(|x| x - x.floor()).to_array().map(|x| (x * 1000.0) as i32)
        })
        .collect();
    let count = offsets.len();
    offsets.sort_unstable();
    offsets.dedup();
    assert!(offsets.len() > count * 99 / 100, "{} different of {count}", offsets.len());
}

#[test]
fn no_density_implies_no_tracers() {
    assert_eq!(ImpliedTracers::default().tracers(&grid(&[])), Ok(Vec::new()));
    assert_eq!(ImpliedTracers::default().tracers(&grid(&[(Vec3::ZERO, 0.3, 0.0)])), Ok(Vec::new()));
}

#[test]
fn bad_values_are_refused_by_name() {
    let grid = grid(&[(Vec3::ZERO, 1.0, 1.0)]);
    let good = ImpliedTracers::default();
    let bad = [
        ("per_cell", ImpliedTracers { per_cell: 0, ..good }),
        ("per_cell", ImpliedTracers { per_cell: 65, ..good }),
        ("per_cell", ImpliedTracers { per_cell: 64, threshold: 0.01, ..good }),
        ("threshold", ImpliedTracers { threshold: 0.0, ..good }),
        ("threshold", ImpliedTracers { threshold: 1.1, ..good }),
        ("threshold", ImpliedTracers { threshold: f32::NAN, ..good }),
        ("jitter", ImpliedTracers { jitter: -0.1, ..good }),
        ("jitter", ImpliedTracers { jitter: f32::INFINITY, ..good }),
    ];
    for (name, implied) in bad {
        match implied.tracers(&grid) {
            Err(InitialError::OutOfRange { field, .. }) => assert_eq!(field, name, "{implied:?}"),
            other => panic!("{implied:?} gave {:?}", other.map(|tracers| tracers.len())),
        }
    }
}

/// An excessive number is refused after a few samples in each cell, not after all tracers have been found.
#[test]
fn far_too_many_are_known_beforehand() {
    let grid = grid(&[(Vec3::ZERO, 0.8, 0.5)]);
    for per_cell in [2, 4, 5, 8] {
        let implied = ImpliedTracers { per_cell, ..ImpliedTracers::default() };
        let (count, estimate) =
            (implied.tracers(&grid).expect("not too many").len(), implied.estimated_count(&grid));
        println!("{per_cell}³ per cell: {count}, about {estimate}");
        assert!((estimate as f64 / count as f64 - 1.0).abs() < 0.03);
    }
    // 540 million samples, if nothing stops it.
    let implied = ImpliedTracers { per_cell: 64, ..ImpliedTracers::default() };
    assert!(implied.estimated_count(&grid) > 400_000_000);
    assert!(matches!(implied.tracers(&grid), Err(InitialError::OutOfRange { field: "per_cell", .. })));
    assert_eq!(implied.estimated_count(&self::grid(&[])), 0);
}
