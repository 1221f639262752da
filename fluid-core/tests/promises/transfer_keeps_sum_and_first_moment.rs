//! The amounts carried by particles and held by nodes have the same sum and the same centre (E23,
//! validation T1).

use fluid_core::grid::{GridShape, NodeOrder, Spline, Splines, deposit, return_sources};
use fluid_core::math::{Random, Vec3Columns};
use fluid_threads::{Executor, Pool, Serial, Shuffled};
use glam::{DVec3, IVec3, UVec3, Vec3, Vec4};

const H: f32 = 0.37;

fn shape() -> GridShape {
    GridShape::new(H, IVec3::new(-13, 40, 7), UVec3::new(24, 16, 40))
}

/// Particles at random positions for which the surrounding 27 nodes exist, with four amounts each.
fn particles(count: u64) -> (Vec3Columns, Vec<Vec4>) {
    let (random, shape) = (Random::new(5), shape());
    let inner = (shape.dims() - 3).as_vec3() * H;
    let mut positions = Vec3Columns::default();
    let mut amounts = Vec::new();
    for i in 0..count {
        let place = Vec3::from_array(std::array::from_fn(|axis| random.unit(7 * i + axis as u64)));
        positions.push(shape.origin() + Vec3::splat(0.5001 * H) + place * (inner + 0.9998 * H));
        amounts.push(Vec4::from_array(std::array::from_fn(|c| random.unit(7 * i + 3 + c as u64) - 0.3)));
    }
    (positions, amounts)
}

fn deposited(exec: &dyn Executor, positions: &Vec3Columns, amounts: &[Vec4]) -> Vec<Vec4> {
    let shape = shape();
    let mut order = NodeOrder::default();
    order.sort(&Serial, &shape, positions, |_| true);
    assert_eq!(order.rows().len(), positions.len(), "none is left out");
    let mut grid = vec![Vec4::splat(f32::NAN); shape.len()];
    deposit(exec, &shape, &order, positions, &|row| amounts[row], &mut grid);
    grid
}

#[test]
fn on_the_way_to_the_nodes() {
    let (positions, amounts) = particles(100_000);
    let grid = deposited(&Serial, &positions, &amounts);
    let shape = shape();
    for c in 0..4 {
        let given: f64 = amounts.iter().map(|a| f64::from(a[c])).sum();
        let size: f64 = amounts.iter().map(|a| f64::from(a[c].abs())).sum();
        let held: f64 = grid.iter().map(|g| f64::from(g[c])).sum();
        assert!((held - given).abs() < 1e-7 * size, "component {c}: {held} for {given}");
        let moment_given: DVec3 =
            positions.iter().zip(&amounts).map(|(p, a)| p.as_dvec3() * f64::from(a[c])).sum();
        let moment_held: DVec3 =
            grid.iter().enumerate().map(|(n, g)| shape.position(n).as_dvec3() * f64::from(g[c])).sum();
        let error = (moment_held - moment_given).abs().max_element() / (size * f64::from(H));
        assert!(error < 1e-6, "component {c}: first moment off by {error} h");
    }
}

/// The spline spreads a particle by h²/4 along each axis, at any position between the nodes: nothing
/// oscillates with the lattice.
#[test]
fn second_moments_grow_by_a_quarter_of_a_cell_wherever_the_particle_is() {
    let (positions, _) = particles(2_000);
    let splines = Splines::new(&shape());
    for place in positions.iter() {
        let spline = splines.at(place).expect("inside");
        let mut second = DVec3::ZERO;
        spline.for_each_node(|node, weight| {
            let d = (shape().position(node) - place).as_dvec3() / f64::from(H);
            second += d * d * f64::from(weight);
        });
        assert!((second - 0.25).abs().max_element() < 2e-5, "{second}");
    }
}

#[test]
fn the_same_bits_with_any_executor() {
    let (positions, amounts) = particles(5_000);
    let serial = deposited(&Serial, &positions, &amounts);
    let execs: [Box<dyn Executor>; 3] = [
        Box::new(Pool::new(2).expect("threads start")),
        Box::new(Pool::new(3).expect("threads start")),
        Box::new(Shuffled::new(3)),
    ];
    for exec in execs {
        assert_eq!(serial, deposited(&*exec, &positions, &amounts));
    }
}

/// Values and gradients of a linear field are exact, and so is a quadratic's gradient (a constant is added
/// to its value: the spline smooths by h²/4, half of that times the second derivative).
#[test]
fn reading_is_exact_for_linear_fields() {
    let shape = shape();
    let slope = Vec3::new(0.3, -1.2, 0.8);
    let grid: Vec<Vec4> = (0..shape.len())
        .map(|n| {
            let x = shape.position(n) - shape.origin();
            Vec4::new(slope.dot(x), x.x * x.x, x.y * x.z, 1.0)
        })
        .collect();
    let splines = Splines::new(&shape);
    let (positions, _) = particles(500);
    for place in positions.iter() {
        let spline: Spline = splines.at(place).expect("inside");
        let (value, gradient) = spline.value_and_gradient(&grid);
        let x = place - shape.origin();
        let per_metre = gradient * (1.0 / H);
        let row = |r: usize| Vec3::new(per_metre.x_axis[r], per_metre.y_axis[r], per_metre.z_axis[r]);
        assert!((value.x - slope.dot(x)).abs() < 3e-5, "{} for {}", value.x, slope.dot(x));
        assert!((row(0) - slope).abs().max_element() < 2e-4, "{}", row(0));
        assert!((value.y - (x.x * x.x + 0.25 * H * H)).abs() < 2e-4);
        assert!((row(1) - Vec3::X * (2.0 * x.x)).abs().max_element() < 2e-3, "{} at {x}", row(1));
        assert!((row(2) - Vec3::new(0.0, x.z, x.y)).abs().max_element() < 2e-3);
        assert!(
            (spline.value(&grid) - value.extend(1.0)).abs().max_element() < 1e-6 * value.length().max(1.0)
        );
        let (mut outside, mut linear, mut quadratic) = ([false], [Vec3::ZERO], [Vec3::ZERO]);
        if splines.trilinear(&grid, &[place], &mut outside, &mut linear) {
            assert!((linear[0].x - slope.dot(x)).abs() < 3e-5, "trilinear");
            assert!((linear[0].z - x.y * x.z).abs() < 1e-4, "a product of two coordinates is trilinear");
            assert!(splines.quadratic(&grid, &[place], &mut outside, &mut quadratic));
            assert_eq!(quadratic[0], spline.value(&grid).truncate(), "many at once as one by one");
        }
        assert_eq!(outside[0], linear[0] == Vec3::ZERO, "{place}");
    }
}

/// In the return transfer, nodes distribute their whole source, if a volume was deposited there.
#[test]
fn on_the_way_back() {
    let (positions, amounts) = particles(20_000);
    let volumes: Vec<f32> = amounts.iter().map(|a| a.x.abs() + 0.01).collect();
    let deposits: Vec<Vec4> = volumes.iter().map(|v| Vec4::splat(*v)).collect();
    let held = deposited(&Serial, &positions, &deposits);
    let random = Random::new(9);
    let sources: Vec<Vec3> = (0..held.len() as u64).map(|n| random.centred_vec3(n)).collect();
    let share = |n: usize| if held[n].x > 0.0 { sources[n] / held[n].x } else { Vec3::ZERO };
    let shares: Vec<Vec4> = (0..held.len()).map(|n| share(n).extend(0.0)).collect();
    let mut given = vec![Vec3::ZERO; volumes.len()];
    return_sources(&Serial, &shape(), &positions, &volumes, &shares, &mut given);
    let total: DVec3 = given.iter().map(|g| g.as_dvec3()).sum();
    let had: DVec3 = (0..held.len()).filter(|&n| held[n].x > 0.0).map(|n| sources[n].as_dvec3()).sum();
    let size: f64 = given.iter().map(|g| g.as_dvec3().length()).sum();
    assert!((total - had).length() < 1e-6 * size, "{total} for {had}");
}

#[test]
fn a_particle_outside_takes_no_part() {
    let shape = shape();
    let mut positions = Vec3Columns::default();
    let outside =
        [Vec3::splat(f32::NAN), Vec3::splat(f32::INFINITY), Vec3::splat(1e30), shape.origin(), Vec3::ZERO];
    outside.into_iter().for_each(|place| positions.push(place));
    let mut order = NodeOrder::default();
    order.sort(&Serial, &shape, &positions, |_| true);
    assert!(order.rows().is_empty());
    let mut given = [Vec3::ONE; 5];
    let shares = vec![Vec4::ONE; shape.len()];
    return_sources(&Serial, &shape, &positions, &[1.0; 5], &shares, &mut given);
    assert_eq!(given, [Vec3::ZERO; 5]);
}
