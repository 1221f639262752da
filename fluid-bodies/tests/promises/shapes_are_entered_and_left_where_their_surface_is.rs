//! Segments enter shapes where the distance along them becomes zero, and none that starts at a surface
//! slips in undetected.

use crate::common::{Dice, centre_and_size, place, shapes, step};
use fluid_bodies::shapes::{Entry, ShapeQueries};
use glam::Vec3;

/// Returns the smallest distance along the line, and its parameter: for a convex solid, the distance along
/// a line has a single minimum.
fn lowest(shape: &dyn ShapeQueries, start: Vec3, way: Vec3) -> (f32, f32) {
    let at = |share: f64| (start.as_dvec3() + way.as_dvec3() * share).as_vec3();
    let (mut from, mut to) = (0.0, 1.0);
    for _ in 0..60 {
        let (a, b) = (from + (to - from) / 3.0, to - (to - from) / 3.0);
        if shape.surface(at(a)).distance < shape.surface(at(b)).distance {
            to = b;
        } else {
            from = a;
        }
    }
    (shape.surface(at(from)).distance, from as f32)
}

#[test]
fn entry_and_exit_are_the_roots_of_the_distance() {
    for (name, shape) in shapes() {
        let (shape, mut dice) = (shape.queries(), Dice::new(11));
        let (centre, size) = centre_and_size(shape);
        let (mut met, mut missed) = (0, 0);
        for _ in 0..2000 {
            let start = centre + dice.direction() * (size * dice.between(1.1, 3.0));
            let way = place(&mut dice, shape) - start;
            let way = way * dice.between(0.5, 3.0);
            // Parameter times direction, added to the start: lengths of three magnitudes.
            let rounding = 12.0 * step(shape);
            let (lowest, bottom) = lowest(shape, start, way);
            let entry = shape.entry(start, start + way);
            let at = |share: f32| shape.surface(start + way * share).distance;
            match entry {
                Some(Entry { share, normal }) => {
                    met += 1;
                    assert!(at(share).abs() <= rounding, "{name}: {start} {way} enters at {}", at(share));
                    assert!(lowest <= rounding, "{name}: {start} {way} enters but stays {lowest} away");
                    assert!(
                        share <= bottom + rounding / way.length() || lowest > -rounding,
                        "{name}: {share} {bottom}"
                    );
                    assert!(normal.dot(way) <= 1e-3 * way.length(), "{name}: {normal} {way}");
                    let exit = shape.exit(start, way).unwrap();
                    assert!(
                        exit >= share && at(exit).abs() <= rounding * exit.max(1.0),
                        "{name}: {exit} {}",
                        at(exit)
                    );
                    let middle = at(0.5 * (share + exit));
                    assert!(middle <= rounding, "{name}: {middle} half way between {share} and {exit}");
                }
                None => {
                    missed += 1;
                    assert!(lowest >= -rounding, "{name}: {start} {way} is {lowest} deep and does not enter");
                }
            }
        }
        assert!(met > 500 && missed > 50, "{name}: {met} {missed}");
    }
}

#[test]
fn ways_from_a_skin_above_the_surface_enter() {
    for (name, shape) in shapes() {
        let (shape, mut dice) = (shape.queries(), Dice::new(12));
        let (_, size) = centre_and_size(shape);
        for _ in 0..5000 {
            let on = shape.surface(place(&mut dice, shape));
            // At the distances at which particles are placed, down to the surface itself.
            let skin = [0.0, 1.0, 4.0, 100.0, 1e4][(dice.unit() * 5.0) as usize] * step(shape);
            let start = on.point + on.normal * skin;
            let side = dice.direction();
            let inward = side - on.normal * (side.dot(on.normal) + dice.between(0.1, 1.0));
            let end = start + inward * size * dice.between(0.2, 100.0);
            // Segments that cut a corner by less than rounding may or may not be detected.
            if lowest(shape, start, (end - start).clamp_length_max(2.0 * size)).0 < -4.0 * step(shape) {
                let Some(Entry { share, .. }) = shape.entry(start, end) else {
                    panic!("{name}: {start} to {end}, {skin} above the surface, does not enter");
                };
                let before = shape.surface(start + (end - start) * share).distance;
                assert!(
                    before >= -8.0 * step(shape) - f32::EPSILON * start.distance(end),
                    "{name}: enters {before} deep"
                );
            }
        }
    }
}

#[test]
fn ways_along_and_away_do_not_enter() {
    for (name, shape) in shapes() {
        let (shape, mut dice) = (shape.queries(), Dice::new(13));
        let (_, size) = centre_and_size(shape);
        for _ in 0..5000 {
            let on = shape.surface(place(&mut dice, shape));
            let away = dice.direction();
            let way = away - on.normal * (away.dot(on.normal).min(0.0) - dice.between(0.01, 1.0));
            let start = on.point + on.normal * (dice.unit() * 2.0 * step(shape));
            let entry = shape.entry(start, start + way * size);
            assert!(entry.is_none(), "{name}: {start} leaves with {way}, normal {}: {entry:?}", on.normal);
            let inside = on.point - on.normal * (0.1 * size);
            if shape.surface(inside).distance < -10.0 * step(shape) {
                let entry = shape.entry(inside, inside + way * size);
                assert!(entry.is_none(), "{name}: {inside} is inside: {entry:?}");
            }
        }
    }
    // Exactly along a face, from outside it and from within it.
    let cube = &shapes()[2].1;
    for start in [Vec3::new(-2.0, 0.0, 1.0), Vec3::new(0.0, 0.0, 1.0)] {
        assert_eq!(cube.queries().entry(start, start + Vec3::X * 5.0), None);
    }
}

#[test]
fn a_thin_plate_is_met_by_way_of_its_faces() {
    let plate = &shapes()[4].1;
    for step in [1.0, 10.0, 1e3, 200.0 * 2.0] {
        let start = Vec3::new(0.1, -0.2, 0.5 * step);
        let Entry { share, normal } = plate.queries().entry(start, start - Vec3::Z * step).unwrap();
        assert!((share - (0.5 - 0.02 / step)).abs() <= f32::EPSILON, "{share}");
        assert_eq!(normal, Vec3::Z);
    }
}
