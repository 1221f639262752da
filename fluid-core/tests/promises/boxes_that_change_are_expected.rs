//! The tables of a cloud's next box can be made before the step that needs it: the next box is the one that
//! was expected for several steps. Oversized boxes do not last.

use fluid_core::constants::MESH_MARGIN;
use fluid_core::grid::{Extent, ExtentRules, NextBox};
use fluid_core::math::{Random, Vec3Columns};
use fluid_threads::Serial;
use glam::{UVec3, Vec3};

const SPACING: f32 = 0.1;
const FITS_AHEAD: u32 = 24;

fn extent(max_nodes: usize) -> Extent {
    Extent::new(ExtentRules {
        spacing: SPACING,
        margin: MESH_MARGIN,
        max_nodes,
        patience: 64,
        fits_ahead: FITS_AHEAD,
        bytes_per_node: 0,
    })
}

/// Returns two particles at opposite corners of a box of these sizes \[nodes\] without margins.
fn ends(sizes: Vec3) -> Vec3Columns {
    let mut ends = Vec3Columns::default();
    ends.push(Vec3::ZERO);
    ends.push(sizes * SPACING);
    ends
}

fn dims(extent: &Extent) -> [usize; 3] {
    extent.shape().dims_usize()
}

#[test]
fn a_box_that_grows_was_expected_for_several_steps() {
    // Growth of the cloud per step \[nodes\].
    for (growth, least_known) in [
        (Vec3::new(0.15, 0.0, 0.0), 1.0),
        (Vec3::new(0.0, 0.0, 0.21), 1.0),
        (Vec3::new(0.0, 0.13, 0.02), 0.8),
        // Two axes may outgrow the box within a few steps of each other, and are then expected to do so
        // together.
        (Vec3::new(0.11, 0.013, 0.19), 0.5),
    ] {
        let (mut extent, mut expected) = (extent(1 << 20), Vec::<NextBox>::new());
        let (mut grown, mut known) = (0, 0);
        for step in 0..400 {
            let before = dims(&extent);
            extent.fit(&Serial, &ends(Vec3::new(20.2, 30.1, 12.3) + growth * step as f32), |_| true);
            if step > 0 && dims(&extent) != before {
                grown += 1;
                let steps = expected.iter().rev().take_while(|next| next.dims == dims(&extent)).count();
                known += i32::from(steps >= 4);
                // In the last fits before the change, the box is a node away.
                assert!(steps == 0 || expected.last().is_some_and(|next| next.is_soon));
            }
            match extent.expected() {
                Some(next) => expected.push(next),
                None => expected.clear(),
            }
        }
        let is_known = f64::from(known) >= least_known * f64::from(grown);
        assert!(grown >= 4 && is_known, "{growth}: {known} of {grown} were expected for four steps");
    }
}

#[test]
fn nothing_is_expected_of_a_cloud_with_room_or_without() {
    let mut roomy = extent(1 << 20);
    let middle = Vec3::splat(28.0 - 2.0 * MESH_MARGIN as f32);
    roomy.fit(&Serial, &ends(middle), |_| true);
    assert_eq!((dims(&roomy), roomy.expected()), ([32; 3], None));

    let mut full = extent(32 * 32 * 32);
    full.fit(&Serial, &ends(Vec3::splat(31.0 - 2.0 * MESH_MARGIN as f32)), |_| true);
    assert_eq!((dims(&full), full.expected()), ([32; 3], None));

    full.fit(&Serial, &Vec3Columns::default(), |_| true);
    assert_eq!((full.shape().dims(), full.expected()), (UVec3::ZERO, None));
}

#[test]
fn a_box_that_is_too_large_for_long_shrinks_and_was_expected_to() {
    // Nodes needed initially and later, and the resulting boxes: along all axes, or along one while another
    // is full.
    for (first, then, boxes) in [
        (Vec3::splat(34.2), Vec3::splat(28.2), [[40; 3], [32; 3]]),
        (Vec3::new(62.2, 22.2, 62.2), Vec3::new(50.2, 22.2, 57.2), [[64, 24, 64], [56, 24, 64]]),
        (Vec3::new(62.2, 22.2, 62.2), Vec3::new(50.2, 23.2, 63.2), [[64, 24, 64], [56, 24, 64]]),
    ] {
        let margins = Vec3::splat(2.0 * MESH_MARGIN as f32);
        let mut extent = extent(1 << 20);
        extent.fit(&Serial, &ends(first - margins), |_| true);
        assert_eq!(dims(&extent), boxes[0]);
        let (mut expected, mut fits) = (0, 0);
        while dims(&extent) == boxes[0] && fits < 200 {
            let is_expected = extent.expected().is_some_and(|next| next.dims == boxes[1]);
            expected = if is_expected { expected + 1 } else { 0 };
            extent.fit(&Serial, &ends(then - margins), |_| true);
            fits += 1;
        }
        assert_eq!(dims(&extent), boxes[1]);
        assert!(expected >= 30 && fits >= 64, "expected in {expected} of {fits} fits");
    }
}

#[test]
fn a_cloud_whose_size_wavers_keeps_its_box() {
    // Between 28 and 38 nodes, which fit in 32 or 40.
    let random = Random::new(3);
    let mut extent = extent(1 << 20);
    for fit in 0..1000 {
        let size = 33.0 - 2.0 * MESH_MARGIN as f32 + 5.0 * (2.0 * random.unit(fit) - 1.0);
        extent.fit(&Serial, &ends(Vec3::splat(size)), |_| true);
        assert!(fit < 10 || dims(&extent) == [40; 3], "fit {fit}: {:?}", dims(&extent));
    }
}

#[test]
fn the_few_that_stick_out_are_left_outside_where_they_are_the_fewest() {
    // Each of twenty faces of the crowd contains more particles than the two that stick out along z.
    let mut cloud = Vec3Columns::default();
    let random = Random::new(5);
    let crowd = Vec3::new(136.0, 31.0, 47.0) - 2.0 * MESH_MARGIN as f32;
    for n in 0..20_000 {
        cloud.push((random.centred_vec3(n) + 0.5) * crowd * SPACING);
    }
    for x in [20.0, 80.0] {
        cloud.push(Vec3::new(x, 5.0, crowd.z + 2.5) * SPACING);
    }
    // Too few nodes for 56 along z.
    let mut extent = extent(240_000);
    let outside = extent.fit(&Serial, &cloud, |_| true);
    assert_eq!((dims(&extent), outside), ([144, 32, 48], 2));
    // A few more do not move the box; many do.
    let first = extent.shape().first();
    for n in 0..3 {
        cloud.push(Vec3::new(n as f32 * 30.0, 5.0, crowd.z + 2.5) * SPACING);
    }
    let outside = extent.fit(&Serial, &cloud, |_| true);
    assert_eq!((dims(&extent), extent.shape().first(), outside), ([144, 32, 48], first, 5));
    for n in 0..2000 {
        cloud.push(Vec3::new(n as f32 * 0.05, 5.0, crowd.z + 2.5) * SPACING);
    }
    let outside = extent.fit(&Serial, &cloud, |_| true);
    assert!(outside < 2000 && dims(&extent) != [144, 32, 48], "{:?}, {outside}", dims(&extent));
}

/// A crowd with a tail along x and particles that stick out further and further along y: at first these are
/// left outside, and later the tail, when it is cheaper to exclude.
#[test]
fn a_box_at_the_limit_is_expected_to_leave_others_outside() {
    let mut cloud = Vec3Columns::default();
    let random = Random::new(7);
    let node = |x: f32, y: f32, z: f32| (Vec3::new(x, y, z) + 0.25) * SPACING;
    for n in 0..4000 {
        let [x, y, z] = (random.centred_vec3(n) + 0.5).to_array();
        cloud.push(node(110.0 * x, 15.0 * y, 50.0 * z));
    }
    for n in 0..10 {
        cloud.push(node(116.0 + n as f32, 7.0, 25.0));
    }
    let mut extent = extent(1 << 18);
    extent.fit(&Serial, &cloud, |_| true);
    let first = dims(&extent);
    let (mut expected, mut outside) = (0, 0);
    for n in 0..200 {
        cloud.push(node(55.0, 19.0 + 0.1 * n as f32, 25.0));
        let next = extent.expected();
        outside = extent.fit(&Serial, &cloud, |_| true);
        if dims(&extent) != first {
            assert!(next.is_some_and(|next| next.dims == dims(&extent)), "{next:?}, not {:?}", dims(&extent));
            break;
        }
        expected = if next.is_some() { expected + 1 } else { 0 };
    }
    println!("{first:?} to {:?}, expected in {expected} fits, {outside} outside", dims(&extent));
    assert!(dims(&extent) != first && expected >= 8 && outside > 0);
}

/// Particles that suddenly stick out of a full box wait outside until the next one can be ready; if they
/// are too many, the box changes at once.
#[test]
fn a_full_box_waits_for_one_that_was_not_expected() {
    for (sticks_out, waits) in [(150, true), (600, false)] {
        let mut cloud = Vec3Columns::default();
        let random = Random::new(7);
        let node = |x: f32, y: f32, z: f32| (Vec3::new(x, y, z) + 0.25) * SPACING;
        for n in 0..4000 {
            let [x, y, z] = (random.centred_vec3(n) + 0.5).to_array();
            cloud.push(node(110.0 * x, 15.0 * y, 50.0 * z));
        }
        // With this tail the box cannot grow along y.
        for n in 0..10 {
            cloud.push(node(116.0 + n as f32, 7.0, 25.0));
        }
        let mut extent = extent(1 << 18);
        extent.fit(&Serial, &cloud, |_| true);
        let first = dims(&extent);
        for n in 0..sticks_out {
            cloud.push(node(30.0 + 0.1 * n as f32, 21.0, 25.0));
        }
        let mut expected = 0;
        while dims(&extent) == first && expected < 100 {
            let next = extent.expected();
            let outside = extent.fit(&Serial, &cloud, |_| true);
            if dims(&extent) != first {
                assert!(!waits || next.is_some_and(|next| next.dims == dims(&extent) && next.is_soon));
                break;
            }
            assert_eq!(outside, sticks_out);
            expected += 1;
        }
        println!("{first:?} to {:?}, expected in {expected} fits", dims(&extent));
        assert_eq!(expected, if waits { FITS_AHEAD } else { 0 });
    }
}

/// Two axes may outgrow a box that can grow along only one of them: the faster one is expected to grow.
#[test]
fn where_there_is_no_room_to_grow_along_all_axes_growth_along_one_is_expected() {
    for (rates, dims_then) in [
        (Vec3::new(0.2, 0.1, 0.0), [72, 64, 64]),
        (Vec3::new(0.1, 0.2, 0.0), [64, 72, 64]),
        (Vec3::new(0.05, 0.1, 0.2), [64, 64, 72]),
    ] {
        let mut extent = extent(64 * 64 * 72);
        let need = Vec3::splat(63.2 - 2.0 * MESH_MARGIN as f32);
        for fits_left in (0..30).rev() {
            extent.fit(&Serial, &ends(need - rates * fits_left as f32), |_| true);
        }
        assert_eq!(dims(&extent), [64; 3], "{rates}");
        assert_eq!(extent.expected(), Some(NextBox { dims: dims_then, is_soon: true }), "{rates}");
    }
}
