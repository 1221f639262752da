//! Convex polytopes.

use super::hull::{TriangleIndices, convex_hull, edges, normal_of};
use super::polyhedron::{Clip, Face, length_and_direction, part_below, rounding};
use super::{Entry, MassProperties, Part, ShapeQueries, Surface, planes};
use fluid_core::math::outer;
use fluid_core::saved::{LoadError, Reader, Saved, Writer, check};
use glam::{DMat3, DVec3, Vec3};
use std::fmt;
use std::ops::Range;

/// A convex polytope at any position.
#[derive(Debug, Clone, PartialEq)]
pub struct Polytope {
    /// Volume, centroid and second moments. All other fields are relative to the centroid, so a polytope
    /// far from its origin is equally exact.
    mass: MassProperties,
    area: f64,
    sphere: (Vec3, f32),
    corners: Vec<DVec3>,
    /// The surface, face by face.
    triangles: Vec<TriangleIndices>,
    faces: Vec<FacePlane>,
}

/// A face: `normal · x = offset`, with the outward unit normal.
#[derive(Debug, Clone, PartialEq)]
struct FacePlane {
    normal: DVec3,
    offset: f64,
    /// Range of its triangles.
    triangles: Range<usize>,
}

/// Reason why points or planes do not define a polytope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum PolytopeError {
    /// A value is not finite.
    NotFinite,
    /// Fewer than four points, or all points in one plane within the precision of their coordinates.
    Flat,
    /// The normal of a plane is zero.
    NoNormal,
    /// The intersection of the half-spaces is unbounded.
    NotBounded,
    /// The half-spaces have no point in common.
    Empty,
    /// More than [`Polytope::MAX_INPUT`] points or planes, or more than [`Polytope::MAX_FACES`] faces.
    TooMany,
}

impl fmt::Display for PolytopeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFinite => f.write_str("a coordinate, normal or offset is not finite"),
            Self::Flat => f.write_str("the polytope is flat: it needs four points that are not in one plane"),
            Self::NoNormal => f.write_str("the normal of a plane is zero"),
            Self::NotBounded => f.write_str("the planes do not enclose a finite space"),
            Self::Empty => f.write_str("the planes leave no space between them"),
            Self::TooMany => write!(
                f,
                "more than {} points or planes, or more than {} faces",
                Polytope::MAX_INPUT,
                Polytope::MAX_FACES
            ),
        }
    }
}

impl std::error::Error for PolytopeError {}

/// Distance from a plane within which corners are coplanar, because coordinates are rounded [units in the
/// last place of the largest].
const COPLANAR: f64 = 4.0;

/// Minimum thickness of a polytope, in multiples of the coplanar distance: in a thinner one, rounding would
/// determine the faces.
const THINNEST: f64 = 8.0;

/// Distance above a plane within which corners still count as behind it, relative to the size \[1\].
const BEHIND: f64 = 1e-12;

impl Polytope {
    /// Writes the polytope.
    pub(super) fn save(&self, out: &mut Writer<'_>) {
        let Self { mass, area, sphere, corners, triangles, faces } = self;
        mass.save(out);
        area.save(out);
        sphere.save(out);
        corners.save(out);
        triangles.save(out);
        faces.len().save(out);
        for FacePlane { normal, offset, triangles } in faces {
            normal.save(out);
            offset.save(out);
            [triangles.start, triangles.end].save(out);
        }
    }

    /// Reads a polytope that `save` wrote.
    pub(super) fn load(from: &mut Reader<'_>) -> Result<Self, LoadError> {
        let mut mass = MassProperties::NONE;
        mass.load(from)?;
        let (area, sphere) = (from.value()?, from.value()?);
        let corners: Vec<DVec3> = from.value()?;
        let triangles: Vec<TriangleIndices> = from.value()?;
        check(triangles.as_flattened().iter().all(|&corner| (corner as usize) < corners.len()))?;
        let count = from.count(size_of::<DVec3>())?;
        check(count > 0 && count <= Self::MAX_FACES)?;
        let face = |_| {
            let (normal, offset, [start, end]) = (from.value()?, from.value()?, from.value()?);
            check(start < end && end <= triangles.len())?;
            Ok(FacePlane { normal, offset, triangles: start..end })
        };
        let faces = (0..count).map(face).collect::<Result<_, _>>()?;
        Ok(Self { mass, area, sphere, corners, triangles, faces })
    }
}

impl Polytope {
    /// Returns the memory \[bytes\] of the lists.
    pub(super) fn bytes(&self) -> usize {
        let Self { mass: _, area: _, sphere: _, corners, triangles, faces } = self;
        size_of_val(&**corners) + size_of_val(&**triangles) + size_of_val(&**faces)
    }

    /// Maximum number of faces. Queries check all of them.
    pub const MAX_FACES: usize = 256;

    /// Maximum number of points or planes from which a polytope is made.
    pub const MAX_INPUT: usize = 4096;

    /// Creates the convex hull of points \[m\]. Points inside the hull or within its faces are left out;
    /// triangles that are coplanar except for rounding form one face.
    ///
    /// # Errors
    /// Points that are not finite, too few, too many, or in one plane.
    pub fn from_points(points: &[Vec3]) -> Result<Self, PolytopeError> {
        if points.len() > Self::MAX_INPUT {
            return Err(PolytopeError::TooMany);
        }
        if !points.iter().all(|point| point.is_finite()) {
            return Err(PolytopeError::NotFinite);
        }
        Self::around(points.iter().map(|point| point.as_dvec3()).collect())
    }

    /// Creates the intersection of the half-spaces `normal · x <= offset` \[m\] of all planes
    /// `(normal, offset)`. Normals point outwards and have any length except 0 (offsets are in units of it);
    /// redundant planes are left out.
    ///
    /// # Errors
    /// Values that are not finite, a zero normal, too many planes, or a volume that is empty, flat or not
    /// bounded.
    pub fn from_planes(planes: &[(Vec3, f32)]) -> Result<Self, PolytopeError> {
        if planes.len() > Self::MAX_INPUT {
            return Err(PolytopeError::TooMany);
        }
        let unit = |&(normal, offset): &(Vec3, f32)| {
            if !(normal.is_finite() && offset.is_finite()) {
                return Err(PolytopeError::NotFinite);
            }
            let (length, normal) = length_and_direction(normal.as_dvec3()).ok_or(PolytopeError::NoNormal)?;
            Ok((normal, f64::from(offset) / length))
        };
        let planes = planes.iter().map(unit).collect::<Result<Vec<_>, _>>()?;
        Self::around(planes::corners(&planes)?)
    }

    /// Returns the corners \[m\].
    pub fn corners(&self) -> impl ExactSizeIterator<Item = Vec3> + '_ {
        self.corners.iter().map(|&corner| (corner + self.mass.centroid).as_vec3())
    }

    /// Returns the faces: outward unit normals and offsets \[m\], with `normal · x <= offset` inside.
    pub fn planes(&self) -> impl ExactSizeIterator<Item = (Vec3, f32)> + '_ {
        self.faces.iter().map(|face| {
            let offset = face.offset + face.normal.dot(self.mass.centroid);
            (face.normal.as_vec3(), offset as f32)
        })
    }

    /// Returns the surface as triangles, face by face: indices into [`corners`](Self::corners),
    /// counterclockwise as seen from outside.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Returns the range of a face's triangles in [`triangles`](Self::triangles).
    ///
    /// # Panics
    /// If there is no such face.
    pub fn face(&self, index: usize) -> Range<usize> {
        self.faces[index].triangles.clone()
    }

    /// Returns the edges \[m\] between faces, each once.
    pub fn edges(&self) -> impl Iterator<Item = [Vec3; 2]> + '_ {
        let at = |corner: u32| (self.corners[corner as usize] + self.mass.centroid).as_vec3();
        self.faces.iter().flat_map(move |face| {
            let triangles = &self.triangles[face.triangles.clone()];
            // Two triangles of a face share an edge in both directions, two faces one in each.
            let is_inner =
                |[from, to]: [u32; 2]| triangles.iter().any(|&other| edges(other).contains(&(to, from)));
            let of_face = triangles.iter().flat_map(|&triangle| edges(triangle)).map(|(from, to)| [from, to]);
            let own = of_face.filter(move |&edge| edge[0] < edge[1] && !is_inner(edge));
            own.map(move |edge| edge.map(at))
        })
    }

    /// Returns the depth \[m\] of a point behind the nearest of the faces' planes: inside, that is minus
    /// the signed distance from the surface. A concave function of the point, inside and outside.
    pub(crate) fn depth(&self, point: DVec3) -> f64 {
        let place = point - self.mass.centroid;
        self.faces.iter().map(|face| face.offset - face.normal.dot(place)).fold(f64::INFINITY, f64::min)
    }

    fn around(mut corners: Vec<DVec3>) -> Result<Self, PolytopeError> {
        let largest = corners.iter().map(|corner| corner.abs().max_element()).fold(0.0, f64::max);
        let tolerance = COPLANAR * f64::from(f32::EPSILON) * largest;
        let hull = convex_hull(&corners, THINNEST * tolerance).ok_or(PolytopeError::Flat)?;
        let hull = keep_used(&mut corners, hull);

        let middle = corners.iter().sum::<DVec3>() / corners.len() as f64;
        corners.iter_mut().for_each(|corner| *corner -= middle);
        let mass = mass_properties(&corners, &hull);
        corners.iter_mut().for_each(|corner| *corner -= mass.centroid);
        let (triangles, faces) = faces(&corners, hull, tolerance);
        if faces.len() > Self::MAX_FACES {
            return Err(PolytopeError::TooMany);
        }
        let depth = |face: &FacePlane| {
            corners.iter().map(|corner| face.offset - face.normal.dot(*corner)).fold(0.0, f64::max)
        };
        if !faces.iter().all(|face| depth(face) > THINNEST * tolerance) {
            return Err(PolytopeError::Flat);
        }
        let mass = MassProperties { centroid: mass.centroid + middle, ..mass };
        let area = triangles.iter().map(|&triangle| 0.5 * normal_of(&corners, triangle).length()).sum();
        let sphere = sphere_around(&corners, mass.centroid);
        Ok(Self { mass, area, sphere, corners, triangles, faces })
    }

    fn clip(&self, start: DVec3, way: DVec3) -> Option<Clip> {
        let mut clip = Clip::new(start - self.mass.centroid, way);
        self.faces.iter().all(|face| clip.keep(face.normal, face.offset)).then_some(clip)
    }

    fn tetrahedron_base(&self, triangle: TriangleIndices) -> [DVec3; 3] {
        triangle.map(|corner| self.corners[corner as usize])
    }

    /// Returns the nearest point of the surface for a point outside, given the face with the most distant
    /// plane.
    fn nearest_from_outside(&self, place: DVec3, face: usize) -> (f64, DVec3, DVec3) {
        let mut best = (f64::INFINITY, place, self.faces[face].normal);
        let height = |face: &FacePlane| face.normal.dot(place) - face.offset;
        if self.look_at_face(place, face, height(&self.faces[face]), &mut best) {
            return best;
        }
        let mut heights = [0.0; Self::MAX_FACES];
        let heights = &mut heights[..self.faces.len()];
        self.faces.iter().zip(&mut *heights).for_each(|(face, slot)| *slot = height(face));
        heights[face] = 0.0;
        loop {
            // Only faces visible from the point can contain the nearest point, and no face is nearer than
            // its plane. Planes are visited farthest first, because the nearest face is one of the first
            // few.
            let others = heights.iter().enumerate().filter(|(_, height)| **height > 0.0 && **height < best.0);
            let Some((face, &height)) = others.reduce(|a, b| if b.1 > a.1 { b } else { a }) else {
                return best;
            };
            if self.look_at_face(place, face, height, &mut best) {
                return best;
            }
            heights[face] = 0.0;
        }
    }

    /// Updates `best` from a face with the point at `height` above its plane. Returns true if no other face
    /// can be nearer.
    fn look_at_face(&self, place: DVec3, face: usize, height: f64, best: &mut (f64, DVec3, DVec3)) -> bool {
        let plane = &self.faces[face];
        for &triangle in &self.triangles[plane.triangles.clone()] {
            count_triangle();
            match nearest_of_triangle(place, self.tetrahedron_base(triangle)) {
                Projection::Within => {
                    *best = (height, place - plane.normal * height, plane.normal);
                    return true;
                }
                Projection::Rim(point) => {
                    let (distance, normal) =
                        length_and_direction(place - point).unwrap_or((0.0, plane.normal));
                    if distance < best.0 {
                        *best = (distance, point, normal);
                        if self.is_behind(point, normal) {
                            return true;
                        }
                    }
                }
            }
        }
        false
    }

    /// Returns true if the whole polytope is behind the plane through `point`: then `point` is the nearest
    /// point for all positions straight above it.
    fn is_behind(&self, point: DVec3, normal: DVec3) -> bool {
        let most = normal.dot(point) + BEHIND * f64::from(self.sphere.1);
        self.corners.iter().all(|corner| normal.dot(*corner) <= most)
    }
}

#[cfg(test)]
thread_local! {
    /// Number of triangles examined.
    static TRIANGLES: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

fn count_triangle() {
    #[cfg(test)]
    TRIANGLES.set(TRIANGLES.get() + 1);
}

impl ShapeQueries for Polytope {
    fn bounding_sphere(&self) -> (Vec3, f32) {
        self.sphere
    }

    fn inscribed_sphere(&self) -> (Vec3, f32) {
        let nearest = self.faces.iter().map(|face| face.offset).fold(f64::INFINITY, f64::min);
        (self.mass.centroid.as_vec3(), nearest as f32)
    }

    fn surface(&self, point: Vec3) -> Surface {
        let place = point.as_dvec3() - self.mass.centroid;
        let mut farthest = (f64::NEG_INFINITY, 0);
        for (index, face) in self.faces.iter().enumerate() {
            let height = face.normal.dot(place) - face.offset;
            if height > farthest.0 {
                farthest = (height, index);
            }
        }
        let (height, face) = farthest;
        let (distance, nearest, normal) = if height > 0.0 {
            self.nearest_from_outside(place, face)
        } else {
            let normal = self.faces[face].normal;
            (height, place - normal * height, normal)
        };
        Surface {
            distance: distance as f32,
            point: (nearest + self.mass.centroid).as_vec3(),
            normal: normal.as_vec3(),
        }
    }

    fn entry(&self, start: Vec3, end: Vec3) -> Option<Entry> {
        let start = start.as_dvec3();
        self.clip(start, end.as_dvec3() - start)?.entry(rounding(start, self.sphere.1.into()))
    }

    fn exit(&self, start: Vec3, way: Vec3) -> Option<f32> {
        self.clip(start.as_dvec3(), way.as_dvec3())?.exit()
    }

    fn mass_properties(&self) -> MassProperties {
        self.mass
    }

    fn area(&self) -> f64 {
        self.area
    }

    fn span(&self, normal: DVec3) -> (f64, f64) {
        let heights = self.corners().map(|corner| normal.dot(corner.as_dvec3()));
        heights.fold((f64::MAX, f64::MIN), |(low, high), z| (low.min(z), high.max(z)))
    }

    fn part_below(&self, normal: Vec3, height: f32) -> Part {
        let centroid = self.mass.centroid;
        let height = f64::from(height) - normal.as_dvec3().dot(centroid);
        let faces = self.triangles.iter().map(|&triangle| self.tetrahedron_base(triangle));
        let part = part_below(faces, normal.as_dvec3(), height).unwrap_or_else(|| {
            // The centroid is inside, so the whole polytope is on its side of the plane.
            let volume = if height > 0.0 { self.mass.volume } else { 0.0 };
            Part { volume, moment: DVec3::ZERO }
        });
        Part { volume: part.volume, moment: part.moment + centroid * part.volume }
    }
}

impl Face for [DVec3; 3] {
    fn count(&self) -> usize {
        3
    }

    fn corner(&self, index: usize) -> DVec3 {
        self[index]
    }
}

enum Projection {
    /// The projection is inside the triangle.
    Within,
    /// The nearest point is on an edge or at a corner.
    Rim(DVec3),
}

/// Ericson, Real-Time Collision Detection (2005), 5.1.5.
fn nearest_of_triangle(place: DVec3, [a, b, c]: [DVec3; 3]) -> Projection {
    let (ab, ac) = (b - a, c - a);
    let from_a = place - a;
    let (a1, a2) = (ab.dot(from_a), ac.dot(from_a));
    if a1 <= 0.0 && a2 <= 0.0 {
        return Projection::Rim(a);
    }
    let from_b = place - b;
    let (b1, b2) = (ab.dot(from_b), ac.dot(from_b));
    if b1 >= 0.0 && b2 <= b1 {
        return Projection::Rim(b);
    }
    if a1 * b2 - b1 * a2 <= 0.0 && a1 >= 0.0 && b1 <= 0.0 {
        return Projection::Rim(a + ab * (a1 / (a1 - b1)));
    }
    let from_c = place - c;
    let (c1, c2) = (ab.dot(from_c), ac.dot(from_c));
    if c2 >= 0.0 && c1 <= c2 {
        return Projection::Rim(c);
    }
    if c1 * a2 - a1 * c2 <= 0.0 && a2 >= 0.0 && c2 <= 0.0 {
        return Projection::Rim(a + ac * (a2 / (a2 - c2)));
    }
    let (to_c, to_b) = (b2 - b1, c1 - c2);
    if b1 * c2 - c1 * b2 <= 0.0 && to_c >= 0.0 && to_b >= 0.0 {
        return Projection::Rim(b + (c - b) * (to_c / (to_c + to_b)));
    }
    Projection::Within
}

/// Drops points that are no corners, and renumbers the rest.
fn keep_used(points: &mut Vec<DVec3>, mut hull: Vec<TriangleIndices>) -> Vec<TriangleIndices> {
    let mut used: Vec<u32> = hull.iter().flatten().copied().collect();
    used.sort_unstable();
    used.dedup();
    *points = used.iter().map(|&index| points[index as usize]).collect();
    let renumber = |index: u32| used.partition_point(|&other| other < index) as u32;
    hull.iter_mut().for_each(|triangle| *triangle = triangle.map(renumber));
    hull
}

/// Merges triangles into a face with a larger connected triangle if their corners are within `tolerance` of
/// its plane. Returns the triangles, face by face, and the faces.
fn faces(
    corners: &[DVec3],
    mut hull: Vec<TriangleIndices>,
    tolerance: f64,
) -> (Vec<TriangleIndices>, Vec<FacePlane>) {
    // Planes of large triangles are the most accurate.
    let size = |triangle: TriangleIndices| normal_of(corners, triangle).length_squared();
    hull.sort_by(|&a, &b| size(b).total_cmp(&size(a)));
    let mut owners: Vec<((u32, u32), usize)> = Vec::new();
    for (index, &triangle) in hull.iter().enumerate() {
        owners.extend(edges(triangle).map(|edge| (edge, index)));
    }
    owners.sort_unstable();
    let neighbour = |(from, to): (u32, u32)| {
        owners.binary_search_by_key(&(to, from), |&(edge, _)| edge).map(|row| owners[row].1)
    };
    let mut taken = vec![false; hull.len()];
    let (mut triangles, mut planes) = (Vec::with_capacity(hull.len()), Vec::new());
    for seed in 0..hull.len() {
        let Some((_, normal)) = length_and_direction(normal_of(corners, hull[seed])) else { continue };
        if std::mem::replace(&mut taken[seed], true) {
            continue;
        }
        let at = |corner: u32| corners[corner as usize];
        let offset = normal.dot(at(hull[seed][0]));
        let first = triangles.len();
        triangles.push(hull[seed]);
        let mut next = first;
        while let Some(&triangle) = triangles.get(next) {
            for other in edges(triangle).into_iter().filter_map(|edge| neighbour(edge).ok()) {
                let in_plane = |&corner: &u32| (normal.dot(at(corner)) - offset).abs() <= tolerance;
                if !taken[other] && hull[other].iter().all(in_plane) {
                    taken[other] = true;
                    triangles.push(hull[other]);
                }
            }
            next += 1;
        }
        let sum: DVec3 = triangles[first..].iter().map(|&triangle| normal_of(corners, triangle)).sum();
        let normal = length_and_direction(sum).map_or(normal, |(_, mean)| mean);
        // Behind all corners, so rounding leaves no corner outside a face.
        let offset = corners.iter().map(|&corner| normal.dot(corner)).fold(f64::NEG_INFINITY, f64::max);
        planes.push(FacePlane { normal, offset, triangles: first..triangles.len() });
    }
    (triangles, planes)
}

/// Sums over tetrahedra from the origin: ∫ x xᵀ dV is V/20 (Σ pᵢ pᵢᵀ + s sᵀ) with s = Σ pᵢ over the four
/// corners (the origin adds 0).
fn mass_properties(corners: &[DVec3], triangles: &[TriangleIndices]) -> MassProperties {
    let (mut volume, mut moment, mut second) = (0.0, DVec3::ZERO, DMat3::ZERO);
    for triangle in triangles {
        let [a, b, c] = triangle.map(|corner| corners[corner as usize]);
        let part = a.dot(b.cross(c)) / 6.0;
        let sum = a + b + c;
        volume += part;
        moment += sum * (part / 4.0);
        second += (outer(a, a) + outer(b, b) + outer(c, c) + outer(sum, sum)) * (part / 20.0);
    }
    let centroid = moment / volume;
    MassProperties { volume, centroid, second_moment: second - outer(centroid, centroid) * volume }
}

/// Steps towards the farthest corner, each shorter than the last, end within 1/√steps of the centre of the
/// smallest sphere (Badoiu and Clarkson 2003), in practice much nearer.
const SPHERE_STEPS: u32 = 256;

fn sphere_around(corners: &[DVec3], origin: DVec3) -> (Vec3, f32) {
    let farthest = |centre: DVec3| {
        let all = corners.iter().map(|&corner| (corner.distance_squared(centre), corner));
        all.fold((0.0, centre), |best, one| if one.0 > best.0 { one } else { best })
    };
    let mut centre = DVec3::ZERO;
    for step in 1..=SPHERE_STEPS {
        centre += (farthest(centre).1 - centre) / f64::from(step + 1);
    }
    // For the rounded centre that is returned; one unit in the last place larger, because the radius is
    // rounded too.
    let told = (centre + origin).as_vec3();
    let radius = farthest(told.as_dvec3() - origin).0.sqrt();
    (told, (radius as f32).next_up())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hole::Holes;
    use crate::shapes::{Geometry, Parity, Shape};
    use fluid_core::math::Random;

    /// A hull of 52 points with most faces visible from a point outside: queries at the nodes of a lattice
    /// are the cost of a container.
    #[test]
    fn few_triangles_are_looked_at_and_none_from_far() {
        let random = Random::new(3);
        let points: Vec<Vec3> = (0..52).map(|n| random.centred_vec3(n).normalize()).collect();
        let hull = Polytope::from_points(&points).expect("a hull");
        assert_eq!(hull.triangles.len(), 100);
        TRIANGLES.set(0);
        for n in 0..1000 {
            hull.surface(random.centred_vec3(1000 + n).normalize() * (1.01 + 2.0 * random.unit(n)));
        }
        assert!(TRIANGLES.get() < 8 * 1000, "{} for 1000 places", TRIANGLES.get());
        let shape = Shape { parity: Parity::Hole, ..Shape::solid(Geometry::Polytope(hull)) };
        let holes = Holes::of(&[shape]);
        TRIANGLES.set(0);
        for n in 0..1000 {
            let place = random.centred_vec3(n).normalize() * 1.6;
            assert!(holes.wall(place, 0.5).expect("a wall").distance < -0.5);
        }
        assert_eq!(TRIANGLES.get(), 0);
    }
}
