//! Tracers that carry density or dye interpolate it linearly between nodes: they differ from the spline by
//! at most the error of linear interpolation, a sixteenth of a jump; with spline sampling not at all.

use fluid_core::boundary::NoBodies;
use fluid_core::density::ScalarGrid;
use fluid_core::grid::Splines;
use fluid_core::initial::{DensityBall, DensityProfile};
use fluid_core::params::Params;
use fluid_core::particles::{ScalarQuantity, Tracers};
use fluid_core::sim::VortexSim;
use fluid_core::velocity::FieldSampling;
use fluid_threads::Serial;
use glam::{IVec3, Vec3};

const SPACING: f32 = 0.1;
/// Distance between balls \[m\]: the second one is too far away for a box with the first.
const APART: f32 = 400.0 * SPACING;

/// Returns a heavy ball at each of these points.
fn sim(places: &[Vec3], field_sampling: FieldSampling) -> VortexSim {
    let params = Params { core_radius: 1.5 * SPACING, field_sampling, ..Params::default() };
    let mut sim = VortexSim::new(params).expect("valid");
    for &centre in places {
        let ball = DensityBall {
            centre,
            radius: 5.0 * SPACING,
            density_deviation: 0.1,
            spacing: SPACING,
            core_radius: 1.5 * SPACING,
            profile: DensityProfile::TopHat,
            dye: 1.0,
            fuel: 0.0,
        };
        sim.add_vortons(&ball.vortons().expect("in range")).expect("room");
    }
    sim
}

/// Values of tracers at positions all over the balls and near them.
fn shown(sim: &mut VortexSim, quantity: ScalarQuantity, balls: &[Vec3]) -> (Vec<Vec3>, Vec<f32>) {
    let random = fluid_core::math::Random::new(5);
    let mut tracers = Tracers::default();
    for n in 0..4000 {
        let ball = balls[n as usize % balls.len()];
        tracers.push(ball + random.centred_vec3(n) * 18.0 * SPACING);
    }
    tracers.carry = Some(quantity);
    sim.step(&Serial, &mut NoBodies, 0.01).expect("finite");
    sim.advance_tracers(&Serial, &mut NoBodies, &mut tracers, 0.01);
    (tracers.positions().to_vec(), tracers.values().to_vec())
}

/// Returns an eighth of the largest second difference of `value` along each axis, over the nodes with
/// splines that are nonzero between those of the position's cell.
fn bound(grid: &ScalarGrid, place: Vec3, value: impl Fn(usize) -> f32) -> f32 {
    let shape = grid.shape();
    let cell = ((place - shape.origin()) / shape.spacing()).floor().as_ivec3();
    let element = |node: IVec3| shape.index(node.x as usize, node.y as usize, node.z as usize);
    let along = |axis: IVec3| {
        let mut largest = 0.0_f32;
        for n in 0..64 {
            let node = cell + IVec3::new(n % 4, n / 4 % 4, n / 16) - 1;
            if node.cmplt(IVec3::ONE).any() || (node + 1).cmpge(shape.dims().as_ivec3()).any() {
                continue;
            }
            let [below, here, above] = [node - axis, node, node + axis].map(|node| value(element(node)));
            largest = largest.max((below - 2.0 * here + above).abs());
        }
        largest
    };
    0.125 * (along(IVec3::X) + along(IVec3::Y) + along(IVec3::Z))
}

fn compare(places: &[Vec3], quantity: ScalarQuantity) {
    let mut sim = sim(places, FieldSampling::Trilinear);
    let (at, values) = shown(&mut sim, quantity, places);
    let grid = sim.field().scalar_grid();
    assert_eq!(grid.others().len() + 1, places.len(), "a box for each ball");
    let of = |(deviation, dye): (f32, f32)| if quantity == ScalarQuantity::Dye { dye } else { deviation };
    let splines = Splines::new(grid.shape());
    let (mut squares, mut norm, mut most, mut peak) = (0.0, 0.0, 0.0_f32, 0.0_f32);
    for (&place, value) in at.iter().zip(values) {
        let spline = of(grid.sample(&splines, place));
        let error = (value - spline).abs();
        let bounds = std::iter::once(grid).chain(grid.others());
        let bound: f32 =
            bounds.map(|grid| bound(grid, place, |node| of(grid.node(node)))).fold(0.0, f32::max);
        assert!(error <= bound + 1e-6, "{place}: {value}, spline {spline}, bound {bound}");
        (squares, norm) = (squares + error * error, norm + spline * spline);
        (most, peak) = (most.max(error), peak.max(spline.abs()));
    }
    let (rms, most) = ((squares / norm).sqrt(), most / peak);
    println!("{} balls, {quantity:?}: rms {rms:.4}, most {most:.4} of the largest", places.len());
    // The quadratic spline deposits a jump of density as its integral at the nodes, with second differences
    // of at most half of the jump (the slope of the spline of degree 4 is B₃(0) − B₃(1)): an eighth of that
    // remains between nodes.
    assert!(peak > 0.05 && most < 1.0 / 16.0, "{rms} {most} {peak}");
}

#[test]
fn in_a_drop_with_a_sharp_edge() {
    compare(&[Vec3::ZERO], ScalarQuantity::DensityDeviation);
    compare(&[Vec3::new(0.03, -0.02, 0.05)], ScalarQuantity::Dye);
}

#[test]
fn in_drops_far_apart() {
    compare(&[Vec3::ZERO, Vec3::X * APART], ScalarQuantity::DensityDeviation);
}

#[test]
fn with_spline_sampling_they_show_the_spline() {
    let place = [Vec3::ZERO];
    let mut sim = sim(&place, FieldSampling::QuadraticSpline);
    let (at, values) = shown(&mut sim, ScalarQuantity::DensityDeviation, &place);
    let grid = sim.field().scalar_grid();
    let splines = Splines::new(grid.shape());
    for (place, value) in at.into_iter().zip(values) {
        let (deviation, _) = grid.sample(&splines, place);
        assert!((value - deviation).abs() <= 1e-6, "{place}: {value} {deviation}");
    }
}
