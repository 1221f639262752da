//! `Scatter`: each strategy agrees with the f64 sum to within rounding, and all but the atomic one give the
//! same bits on every backend.

use fluid_threads::{Addend, Executor, Pool, Scatter, ScatterMemory, Serial, Shuffled};

/// Cells along each axis of a case's box.
const SIDE: usize = 24;
const CELLS: usize = SIDE * SIDE * SIDE;

fn backends() -> Vec<Box<dyn Executor>> {
    let mut all: Vec<Box<dyn Executor>> = vec![Box::new(Serial)];
    all.extend([1, 2, 3, 8].map(|workers| Box::new(Pool::new(workers).unwrap()) as Box<dyn Executor>));
    all.extend([1, 2, 3].map(|seed| Box::new(Shuffled::new(seed)) as Box<dyn Executor>));
    all
}

/// Computes SplitMix64 (Steele, Lea, Flood 2014) of a counter.
fn random(counter: usize) -> u64 {
    let mut z = (counter as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Values of very different size and sign, so that another order of addition gives different bits.
fn value(counter: usize) -> f32 {
    let bits = random(counter);
    let size = 10_f32.powi((bits >> 40) as i32 % 9 - 4);
    (bits as u32 as f32 / u32::MAX as f32 - 0.5) * size
}

/// Distribution of the particles.
#[derive(Debug, Clone, Copy)]
enum Place {
    Even,
    /// In eight adjacent cells.
    Crowded,
    /// Each particle's cells are scattered over the grid, and some are no cell.
    Torn,
    /// Partly or wholly outside the grid.
    Edge,
}

const PLACES: [Place; 4] = [Place::Even, Place::Crowded, Place::Torn, Place::Edge];

/// Returns 27 cells around a particle, as in a deposit.
fn list(place: Place, particle: usize) -> [(u32, [f32; 4]); 27] {
    let bits = random(particle) as usize;
    let inner = SIDE - 2;
    let base = match place {
        Place::Even | Place::Torn => {
            bits % inner + (bits >> 16) % inner * SIDE + (bits >> 32) % inner * SIDE * SIDE
        }
        Place::Crowded => {
            7 + bits % 2 + (9 + (bits >> 16) % 2) * SIDE + (11 + (bits >> 32) % 2) * SIDE * SIDE
        }
        Place::Edge => CELLS - bits % (3 * SIDE * SIDE),
    };
    std::array::from_fn(|i| {
        let near = base + i % 3 + i / 3 % 3 * SIDE + i / 9 * SIDE * SIDE;
        let cell = match place {
            Place::Torn if i % 5 == 4 => u32::MAX,
            Place::Torn => (random(near + i) as usize % CELLS) as u32,
            _ => near as u32,
        };
        (cell, std::array::from_fn(|lane| value(particle * 108 + 4 * i + lane)))
    })
}

/// Returns the initial content of the grid.
fn before() -> Vec<[f32; 4]> {
    (0..CELLS).map(|cell| std::array::from_fn(|lane| value(cell * 4 + lane + (1 << 40)))).collect()
}

/// Contributions of the particles, one list each.
type Lists = Vec<[(u32, [f32; 4]); 27]>;

fn lists(place: Place, particles: usize) -> Lists {
    (0..particles).map(|particle| list(place, particle)).collect()
}

fn added(way: Scatter, exec: &dyn Executor, lists: &Lists) -> Vec<[f32; 4]> {
    let mut grid = before();
    way.add(exec, lists.len(), &|particle| lists[particle], &mut ScatterMemory::default(), &mut grid);
    grid
}

fn bits(grid: &[[f32; 4]]) -> Vec<u32> {
    grid.as_flattened().iter().map(|v| v.to_bits()).collect()
}

#[test]
fn each_way_agrees_with_the_sum_in_double_precision() {
    let pool = Pool::new(3).unwrap();
    for place in PLACES {
        for particles in [1, 37, 1000, 20_000] {
            // Sum, sum of magnitudes and number of additions for each cell.
            let mut exact: Vec<[(f64, f64, u32); 4]> =
                before().into_iter().map(|v| v.map(|v| (f64::from(v), f64::from(v).abs(), 0))).collect();
            let lists = lists(place, particles);
            for &(cell, values) in lists.as_flattened() {
                for (lane, value) in values.into_iter().enumerate() {
                    let Some(sum) = exact.get_mut(cell as usize) else { continue };
                    sum[lane].0 += f64::from(value);
                    sum[lane].1 += f64::from(value.abs());
                    sum[lane].2 += 1;
                }
            }
            for way in Scatter::ALL {
                let grid = added(way, &pool, &lists);
                for (found, (sum, sizes, additions)) in grid.as_flattened().iter().zip(exact.as_flattened()) {
                    // n additions in any order or tree are off by at most n u Σ|v| / (1 - n u), u = 2⁻²⁴
                    // (Higham 2002, section 4.2).
                    let rounding = f64::from(*additions) * 2_f64.powi(-24);
                    let bound = rounding / (1.0 - rounding) * sizes;
                    let error = (f64::from(*found) - sum).abs();
                    assert!(error <= bound, "{way:?}, {place:?}, {particles}: off by {error} of {bound}");
                }
            }
        }
    }
}

#[test]
fn all_but_the_atomic_one_have_the_same_bits_on_every_backend() {
    let backends = backends();
    for place in PLACES {
        for particles in [1, 37, 20_000] {
            let lists = lists(place, particles);
            for way in Scatter::ALL.into_iter().filter(|way| way.is_deterministic()) {
                let first = bits(&added(way, &Serial, &lists));
                for exec in &backends {
                    assert_eq!(bits(&added(way, &**exec, &lists)), first, "{way:?}, {place:?}, {particles}");
                }
            }
        }
    }
    let lists = lists(Place::Even, 20_000);
    let [serial, slabs] = [Scatter::Serial, Scatter::ColouredSlabs].map(|way| added(way, &Serial, &lists));
    assert_ne!(bits(&serial), bits(&slabs), "the values are such that order matters");
}

#[test]
fn the_choice_by_size_is_never_the_atomic_one_and_serial_for_few() {
    for particles in (0..=22).map(|n| 1_usize << n) {
        for contributions in [1, 8, 27] {
            for cells in [1, 1000, CELLS, 1 << 24] {
                assert!(Scatter::by_size(particles, contributions, cells).is_deterministic());
            }
        }
    }
    assert_eq!(Scatter::by_size(100, 27, CELLS), Scatter::Serial);
    assert_ne!(Scatter::by_size(1 << 18, 27, 1 << 18), Scatter::Serial);
    assert_ne!(Scatter::by_size(usize::MAX, 27, usize::MAX), Scatter::Serial, "huge sizes do not overflow");
}

#[test]
fn one_memory_serves_all_sizes_and_ways_in_any_order() {
    let mut memory = ScatterMemory::default();
    for particles in [20_000, 37, 0, 1000, 20_000] {
        for place in [Place::Even, Place::Torn, Place::Edge] {
            let lists = lists(place, particles);
            for way in Scatter::ALL.into_iter().filter(|way| way.is_deterministic()) {
                let mut grid = before();
                way.add(&Serial, particles, &|particle| lists[particle], &mut memory, &mut grid);
                assert_eq!(bits(&grid), bits(&added(way, &Serial, &lists)));
            }
        }
        // Another size of grid in between; integers are exact in any order.
        for way in Scatter::ALL {
            let mut small = vec![[0.0; 4]; 5];
            way.add(
                &Serial,
                particles,
                &|particle| [(particle as u32 % 6, [1.0; 4])],
                &mut memory,
                &mut small,
            );
            let expected: Vec<f32> = (0..5).map(|cell| ((particles + 5 - cell) / 6) as f32).collect();
            assert_eq!(small.iter().map(|v| v[3]).collect::<Vec<_>>(), expected, "{way:?}");
        }
    }
}

#[test]
fn single_floats_and_small_vectors_add_alike() {
    fn ones<T: Addend>(way: Scatter, one: T) -> Vec<T> {
        let mut grid = vec![T::ZERO; 1000];
        let contributions =
            |particle: usize| std::array::from_fn::<_, 8, _>(|i| ((particle + i) as u32 % 1010, one));
        way.add(&Pool::new(2).unwrap(), 10_000, &contributions, &mut ScatterMemory::default(), &mut grid);
        grid
    }
    for way in Scatter::ALL {
        let floats = ones(way, 1.0_f32);
        // 80,000 integer additions, in turn to 1,010 cells.
        assert!(floats.iter().all(|sum| (72.0..=80.0).contains(sum)), "{way:?}");
        let vectors = ones(way, [1.0_f32, -2.0, 4.0]);
        assert!(
            floats.iter().zip(vectors).all(|(sum, vector)| vector == [*sum, -2.0 * sum, 4.0 * sum]),
            "{way:?}"
        );
    }
}

#[test]
fn what_is_not_finite_stays_in_its_cells() {
    let odd = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY];
    for way in Scatter::ALL {
        let mut grid = vec![0.0_f32; 1000];
        let contributions = |particle: usize| {
            let cell = particle % 1000;
            [(cell as u32, odd.get(cell).copied().unwrap_or(1.0))]
        };
        way.add(&Pool::new(2).unwrap(), 8000, &contributions, &mut ScatterMemory::default(), &mut grid);
        assert!(grid[0].is_nan() && grid[1] == odd[1] && grid[2] == odd[2], "{way:?}");
        assert!(grid[3..].iter().all(|sum| *sum == 8.0), "{way:?}");
    }
}

#[test]
fn nothing_to_add_and_nowhere_to_add_it_change_nothing() {
    for way in Scatter::ALL {
        let mut memory = ScatterMemory::default();
        let mut none: [f32; 0] = [];
        way.add(&Serial, 10, &|_| [(0, 1.0_f32)], &mut memory, &mut none);
        let mut grid = [-0.0_f32; 3];
        way.add(&Serial, 0, &|_| [(0, 1.0)], &mut memory, &mut grid);
        way.add(&Serial, 10, &|_| [], &mut memory, &mut grid);
        way.add(&Serial, 10, &|_| [(3, 1.0), (u32::MAX, 1.0)], &mut memory, &mut grid);
        assert_eq!(grid, [0.0; 3]);
    }
}
