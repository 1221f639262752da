//! Bounding boxes of points.

use glam::Vec3;

/// Returns the bounding box of points \[m\]: lowest and highest corner. NaN coordinates are ignored;
/// without points it is the empty box, from +∞ to −∞.
pub fn box_around(places: &[Vec3]) -> (Vec3, Vec3) {
    let (fours, rest) = places.as_chunks::<4>();
    let empty = ([f32::INFINITY; 12], [f32::NEG_INFINITY; 12]);
    let bounds = fours.iter().fold(empty, widened);
    let bounds = rest.iter().fold(bounds, |bounds, &place| widened(bounds, &[place; 4]));
    let corner = |twelve: &[f32; 12], of: fn(Vec3, Vec3) -> Vec3| {
        let at = |i: usize| Vec3::from_slice(&twelve[3 * i..]);
        of(of(at(0), at(1)), of(at(2), at(3)))
    };
    (corner(&bounds.0, Vec3::min), corner(&bounds.1, Vec3::max))
}

/// Returns the distance of a point from a box \[m\]; 0 inside, infinite from an empty box.
#[inline]
pub fn distance_from_box(place: Vec3, low: Vec3, high: Vec3) -> f32 {
    (low - place).max(place - high).max(Vec3::ZERO).length()
}

/// Returns the eight corners of a box, x fastest.
pub fn corners_of((low, high): (Vec3, Vec3)) -> [Vec3; 8] {
    std::array::from_fn(|corner| {
        let side = |bit: usize, low: f32, high: f32| if corner & bit == 0 { low } else { high };
        Vec3::new(side(1, low.x, high.x), side(2, low.y, high.y), side(4, low.z, high.z))
    })
}

/// Extends a box by four points. They are twelve floats: three registers, with one comparison each,
/// provided that the loop contains only floats.
#[inline(always)]
fn widened((low, high): ([f32; 12], [f32; 12]), four: &[Vec3; 4]) -> ([f32; 12], [f32; 12]) {
    let [a, b, c, d] = four;
    let floats = [a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z, d.x, d.y, d.z];
    let at = |i: usize, x: f32| (if x < low[i] { x } else { low[i] }, if x > high[i] { x } else { high[i] });
    let mut wider = (low, high);
    for (i, x) in floats.into_iter().enumerate() {
        (wider.0[i], wider.1[i]) = at(i, x);
    }
    wider
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Random;

    #[test]
    fn the_box_is_that_of_all_coordinates() {
        let random = Random::new(1);
        for count in [0, 1, 3, 4, 5, 64, 101] {
            let mut places: Vec<Vec3> = (0..count).map(|n| random.centred_vec3(n)).collect();
            places.push(Vec3::new(f32::NAN, 0.25, f32::NAN));
            let along = |axis: usize| places.iter().map(move |place| place[axis]);
            for axis in 0..3 {
                let low = along(axis).fold(f32::INFINITY, f32::min);
                let high = along(axis).fold(f32::NEG_INFINITY, f32::max);
                let found = box_around(&places);
                assert_eq!((found.0[axis], found.1[axis]), (low, high), "{count} places, axis {axis}");
            }
        }
        let distance = |x: f32| distance_from_box(Vec3::new(x, 0.5, 4.0), Vec3::ZERO, Vec3::ONE);
        assert_eq!((distance(0.5), distance(5.0), distance(-4.0)), (3.0, 5.0, 5.0));
        assert_eq!(distance_from_box(Vec3::ONE, Vec3::INFINITY, Vec3::NEG_INFINITY), f32::INFINITY);
        let corners = corners_of((Vec3::ZERO, Vec3::new(1.0, 2.0, 3.0)));
        assert_eq!(corners.map(|corner| corner.x), [0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0]);
        assert_eq!(corners.map(|corner| corner.y), [0.0, 0.0, 2.0, 2.0, 0.0, 0.0, 2.0, 2.0]);
        assert_eq!(corners.map(|corner| corner.z), [0.0, 0.0, 0.0, 0.0, 3.0, 3.0, 3.0, 3.0]);
    }
}
