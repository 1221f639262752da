//! Triangle meshes: level geometry of immovable bodies.

use super::level_key::LevelKey;
use super::triangles::{
    Feature, MOST_WAITING, Nearest, Sides, Tree, TreePart, Triangle, crossing, each_in, nearest, reaches_into,
};
use super::{Entry, ShapeQueries, Surface};
use glam::{DVec3, UVec3, Vec3};
use std::fmt;

/// A surface of triangles at any position.
///
/// If the surface is closed (each edge belongs to two triangles, wound in opposite directions), fluid is in
/// front of the triangles, on the side from which their corners appear counterclockwise, and solid behind:
/// triangles of rocks face outwards, triangles of caves inwards. Any other surface is a thin wall with
/// fluid on both sides. Vertices with equal coordinates are merged.
#[derive(Debug, Clone)]
pub struct TriangleMesh {
    vertices: Vec<Vec3>,
    triangles: Vec<UVec3>,
    /// Bounding boxes of the tree, in preorder; the root is first.
    nodes: Vec<BoxNode>,
    /// Indices of the triangles with nonzero area, in the order of the leaves.
    order: Vec<u32>,
    /// Present if the surface is closed.
    normals: Option<Normals>,
    sphere: (Vec3, f32),
    /// Hash that replaces the mesh in snapshots, if it is to be saved by hash.
    key: Option<LevelKey>,
}

/// Bounding box of a group of triangles.
#[derive(Debug, Clone, Copy)]
struct BoxNode {
    low: Vec3,
    high: Vec3,
    /// For a leaf, the index in `order` of its first triangle. For an inner node, its second child; the
    /// first child follows it directly in the list.
    at: u32,
    /// Number of triangles of a leaf; 0 for an inner node.
    count: u32,
}

/// Sums of the normals of the triangles that meet at edges and corners (Baerentzen and Aanaes 2005). If the
/// nearest point is on an edge or corner, their sign tells the side of the surface.
#[derive(Debug, Clone)]
struct Normals {
    /// For each triangle, of the edges from each corner to the next.
    edges: Vec<[Vec3; 3]>,
    /// Of each vertex.
    vertices: Vec<Vec3>,
    /// True if the far field is in front of the surface.
    face_outwards: bool,
}

/// Reason why a mesh or a height field cannot be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum MeshError {
    /// A coordinate is not finite.
    NotFinite,
    /// No triangle has an area.
    Empty,
    /// A triangle refers to a vertex that does not exist.
    NoVertex {
        /// Index of the triangle.
        triangle: usize,
    },
    /// More than [`TriangleMesh::MAX_TRIANGLES`] triangles, or more vertices than they can have.
    TooMany,
    /// The number of heights differs from the number of samples, there are fewer than two samples along an
    /// axis, or the spacing is not positive.
    NoGrid,
    /// Not enough memory.
    NoMemory,
}

impl fmt::Display for MeshError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFinite => f.write_str("a coordinate is not finite"),
            Self::Empty => f.write_str("no triangle has an area"),
            Self::NoVertex { triangle } => {
                write!(f, "triangle {triangle} names a vertex that is not there")
            }
            Self::TooMany => write!(
                f,
                "more than {} triangles, or more than {} vertices",
                TriangleMesh::MAX_TRIANGLES,
                TriangleMesh::MAX_VERTICES
            ),
            Self::NoGrid => f.write_str(
                "a height field needs two samples or more along each axis, as many heights, and a positive spacing",
            ),
            Self::NoMemory => f.write_str("there is not enough memory"),
        }
    }
}

impl std::error::Error for MeshError {}

/// Maximum number of triangles of a leaf \[1\].
const LEAF: usize = 4;
/// Unit direction of the ray that leaves a closed surface \[1\]. It is not along an axis, because edges of
/// levels are.
const WAY_OUT: DVec3 = DVec3::new(0.48, 0.36, 0.8);

impl TriangleMesh {
    /// Maximum number of triangles \[1\].
    pub const MAX_TRIANGLES: usize = 1 << 20;
    /// Maximum number of vertices \[1\].
    pub const MAX_VERTICES: usize = 3 * Self::MAX_TRIANGLES;

    /// Makes a mesh from triangles of three vertex indices each. Triangles without area are left out; one
    /// with three different corners leaves the surface open, because the edges beside it do not meet those
    /// of the neighbours.
    ///
    /// # Errors
    /// See [`MeshError`].
    pub fn new(vertices: Vec<Vec3>, triangles: Vec<UVec3>) -> Result<Self, MeshError> {
        if triangles.len() > Self::MAX_TRIANGLES || vertices.len() > Self::MAX_VERTICES {
            return Err(MeshError::TooMany);
        }
        if !vertices.iter().all(|vertex| vertex.is_finite()) {
            return Err(MeshError::NotFinite);
        }
        let exists = |triangle: &UVec3| (triangle.max_element() as usize) < vertices.len();
        if let Some(triangle) = triangles.iter().position(|triangle| !exists(triangle)) {
            return Err(MeshError::NoVertex { triangle });
        }
        let mut order = list(triangles.len())?;
        let has_area = |number: &u32| {
            let corners = triangles[*number as usize].to_array().map(|vertex| vertices[vertex as usize]);
            Triangle::new(corners).normal() != DVec3::ZERO
        };
        order.extend((0..triangles.len() as u32).filter(has_area));
        if order.is_empty() {
            return Err(MeshError::Empty);
        }
        let sphere = sphere_around(order.iter().flat_map(|&number| {
            triangles[number as usize].to_array().map(|vertex| vertices[vertex as usize])
        }));
        let nodes = list(2 * order.len().div_ceil(LEAF) * 2)?;
        let mut mesh = Self { vertices, triangles, nodes, order, normals: None, sphere, key: None };
        mesh.normals = mesh.normals_of_closed()?;
        let mut order = std::mem::take(&mut mesh.order);
        mesh.grow(&mut order, 0);
        mesh.order = order;
        mesh.nodes.shrink_to_fit();
        Ok(mesh)
    }

    /// Makes snapshots contain a hash of the mesh instead of its vertices and triangles.
    pub fn saved_by_hash(mut self) -> Self {
        let vertices = self.vertices.iter().flat_map(|vertex| vertex.to_array().map(f32::to_le_bytes));
        let triangles = self.triangles.iter().flat_map(|triangle| triangle.to_array().map(u32::to_le_bytes));
        let counts = [self.vertices.len() as u32, self.triangles.len() as u32];
        self.key = Some(LevelKey::of(counts, vertices.chain(triangles)));
        self
    }

    /// Returns the hash that replaces the mesh in snapshots; `None` if they contain the mesh itself.
    pub(crate) fn key(&self) -> Option<LevelKey> {
        self.key
    }

    /// Creates a placeholder for a mesh of which only the hash is known.
    pub(super) fn unknown(key: LevelKey) -> Self {
        let (vertices, triangles, nodes, order) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { vertices, triangles, nodes, order, normals: None, sphere: (Vec3::ZERO, 0.0), key: Some(key) }
    }

    /// Returns true for a placeholder of which only the hash is known.
    pub(super) fn is_unknown(&self) -> bool {
        self.triangles.is_empty()
    }

    /// Returns the vertices \[m\].
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices
    }

    /// Returns the triangles: three vertex indices each.
    pub fn triangles(&self) -> &[UVec3] {
        &self.triangles
    }

    /// Returns true if the space behind the triangles is solid.
    pub fn is_closed(&self) -> bool {
        self.normals.is_some()
    }

    /// Returns true if the surface is closed, with fluid inside and solid outside.
    pub(crate) fn is_cave(&self) -> bool {
        self.normals.as_ref().is_some_and(|normals| !normals.face_outwards)
    }

    /// Builds the nodes for the triangles in `order`; `first` is the index of its first element in the
    /// whole order.
    fn grow(&mut self, order: &mut [u32], first: usize) {
        let boxes = order.iter().map(|&number| self.triangle(number).bounds());
        let start = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        let (low, high) = boxes.fold(start, |a, b| (a.0.min(b.0), a.1.max(b.1)));
        let node = self.nodes.len();
        let (at, count) = (first as u32, order.len() as u32);
        self.nodes.push(BoxNode { low: low.as_vec3(), high: high.as_vec3(), at, count });
        if order.len() <= LEAF {
            return;
        }
        // Split in half along the longest edge.
        let extent = high - low;
        let axis = (0..3).fold(0, |axis, other| if extent[other] > extent[axis] { other } else { axis });
        let half = order.len() / 2;
        let place = |number: u32| {
            let (low, high) = self.triangle(number).bounds();
            low[axis] + high[axis]
        };
        order.select_nth_unstable_by(half, |&a, &b| place(a).total_cmp(&place(b)).then(a.cmp(&b)));
        let (one, other) = order.split_at_mut(half);
        self.grow(one, first);
        let second = self.nodes.len() as u32;
        self.grow(other, first + half);
        (self.nodes[node].at, self.nodes[node].count) = (second, 0);
    }

    /// Computes the normals of edges and corners; `None` if the surface is not closed.
    fn normals_of_closed(&self) -> Result<Option<Normals>, MeshError> {
        let welded = self.welded()?;
        let mut edges: Vec<(u32, u32, u32, u32)> = list(3 * self.triangles.len())?;
        for (number, triangle) in (0..).zip(&self.triangles) {
            let corners = triangle.to_array().map(|vertex| welded[vertex as usize]);
            let [a, b, c] = corners;
            if a == b || b == c || c == a {
                continue;
            }
            if self.triangle(number).normal() == DVec3::ZERO {
                return Ok(None);
            }
            for edge in 0..3 {
                let (from, to) = (corners[edge], corners[(edge + 1) % 3]);
                // Sorted by edge, then by direction.
                edges.push((from.min(to), from.max(to), u32::from(from > to), 3 * number + edge as u32));
            }
        }
        edges.sort_unstable();
        let is_pair =
            |pair: &[(u32, u32, u32, u32)]| matches!(pair, [a, b] if (a.0, a.1) == (b.0, b.1) && a.2 != b.2);
        let (pairs, rest) = edges.as_chunks::<2>();
        let is_closed = rest.is_empty()
            && pairs.iter().all(|pair| is_pair(pair))
            && pairs.windows(2).all(|two| (two[0][0].0, two[0][0].1) != (two[1][0].0, two[1][0].1));
        if !is_closed {
            return Ok(None);
        }
        let centre = self.sphere.0.as_dvec3();
        let volumes = self.order.iter().map(|&number| {
            let [a, b, c] = self.triangle(number).corners.map(|corner| corner - centre);
            a.dot(b.cross(c))
        });
        let mut normals = Normals {
            edges: list(self.triangles.len())?,
            vertices: list(self.vertices.len())?,
            face_outwards: volumes.sum::<f64>() > 0.0,
        };
        normals.edges.resize(self.triangles.len(), [Vec3::ZERO; 3]);
        for pair in pairs {
            let sum = pair.iter().map(|edge| self.unit_normal(edge.3 / 3)).sum::<DVec3>();
            for &(_, _, _, edge) in pair {
                normals.edges[edge as usize / 3][edge as usize % 3] = sum.as_vec3();
            }
        }
        normals.vertices.resize(self.vertices.len(), Vec3::ZERO);
        for (number, triangle) in (0..).zip(&self.triangles) {
            let corners = self.triangle(number).corners;
            for corner in 0..3 {
                let here = corners[corner];
                let (one, other) = (corners[(corner + 1) % 3] - here, corners[(corner + 2) % 3] - here);
                let angle = libm::atan2(one.cross(other).length(), one.dot(other));
                let vertex = welded[triangle[corner] as usize] as usize;
                normals.vertices[vertex] += (self.unit_normal(number) * angle).as_vec3();
            }
        }
        for (vertex, &first) in welded.iter().enumerate() {
            normals.vertices[vertex] = normals.vertices[first as usize];
        }
        Ok(Some(normals))
    }

    /// Returns, for each vertex, the first vertex with the same coordinates.
    fn welded(&self) -> Result<Vec<u32>, MeshError> {
        // +0 and −0 are equal.
        let key = |vertex: u32| (self.vertices[vertex as usize] + 0.0).to_array().map(f32::to_bits);
        let mut sorted: Vec<u32> = list(self.vertices.len())?;
        sorted.extend(0..self.vertices.len() as u32);
        sorted.sort_unstable_by_key(|&vertex| (key(vertex), vertex));
        let mut welded = list(self.vertices.len())?;
        welded.resize(self.vertices.len(), 0);
        for same in sorted.chunk_by(|&a, &b| key(a) == key(b)) {
            same.iter().for_each(|&vertex| welded[vertex as usize] = same[0]);
        }
        Ok(welded)
    }

    /// Returns the unit normal of a triangle; 0 if it has no area.
    fn unit_normal(&self, number: u32) -> DVec3 {
        self.triangle(number).normal().normalize_or_zero()
    }

    /// Returns the nearest point of the surface if it is less than `reach` \[m\] from `place` or `place` is
    /// in the solid.
    pub(super) fn surface_within(&self, place: Vec3, reach: f32) -> Option<Surface> {
        match nearest(self, place, reach) {
            Some(found) => Some(self.surface_at(place, &found)),
            None => self.surface_if_inside(place),
        }
    }

    /// Returns the nearest point of the surface if `place` is in the solid.
    pub(super) fn surface_if_inside(&self, place: Vec3) -> Option<Surface> {
        if self.is_surely_in_front(place) {
            return None;
        }
        let found = nearest(self, place, f32::INFINITY)?;
        Some(self.surface_at(place, &found)).filter(|surface| surface.distance < 0.0)
    }

    /// Returns true only if `place` is outside the solid: a ray from it first meets the front of a
    /// triangle. This is cheaper than a search for the nearest point, which in the middle of a cave is one
    /// of very many.
    fn is_surely_in_front(&self, place: Vec3) -> bool {
        let Some(normals) = &self.normals else { return true };
        let (centre, radius) = self.sphere;
        let far = 2.0 * (f64::from(place.distance(centre)) + f64::from(radius));
        match crossing(self, place.as_dvec3(), WAY_OUT * far, Sides::Both) {
            Some((_, number)) => self.unit_normal(number).dot(WAY_OUT) < 0.0,
            None => normals.face_outwards,
        }
    }

    /// Returns the signed distance and normal for `place`, given its nearest point.
    fn surface_at(&self, place: Vec3, found: &Nearest) -> Surface {
        let (away, distance) = (place.as_dvec3() - found.point, found.square.sqrt());
        let front = match (&self.normals, found.feature) {
            (Some(normals), Feature::Edge(edge)) => normals.edges[found.number as usize][edge].as_dvec3(),
            (Some(normals), Feature::Corner(corner)) => {
                let vertex = self.triangles[found.number as usize][corner];
                normals.vertices[vertex as usize].as_dvec3()
            }
            _ => self.unit_normal(found.number),
        };
        let is_behind = away.dot(front) < 0.0;
        let sign = if is_behind && self.is_closed() { -1.0 } else { 1.0 };
        let normal = match (away * (sign / distance)).try_normalize() {
            Some(normal) => normal,
            None => front.normalize_or(self.unit_normal(found.number)),
        };
        Surface { distance: (sign * distance) as f32, point: found.point.as_vec3(), normal: normal.as_vec3() }
    }

    /// Calls `see` with the corners \[m\] of each triangle with a bounding box that meets the box from
    /// `low` to `high` \[m\].
    pub fn each_triangle_in(&self, low: Vec3, high: Vec3, see: impl FnMut([Vec3; 3])) {
        each_in(self, (low, high), see);
    }

    /// Returns false only if the box from `low` to `high` \[m\] has no point in common with the surface or
    /// the solid behind it.
    pub(super) fn reaches_into(&self, low: Vec3, high: Vec3) -> bool {
        // Without a triangle in it, the whole box is on one side.
        reaches_into(self, (low, high)) || self.surface_if_inside(low.midpoint(high)).is_some()
    }
}

/// Two meshes of the same vertices and triangles are equal.
impl PartialEq for TriangleMesh {
    fn eq(&self, other: &Self) -> bool {
        self.triangles == other.triangles && self.vertices == other.vertices
    }
}

impl Tree for TriangleMesh {
    fn root(&self) -> u32 {
        0
    }

    fn bounds(&self, node: u32) -> (Vec3, Vec3) {
        let BoxNode { low, high, .. } = self.nodes[node as usize];
        (low, high)
    }

    fn open(&self, node: u32, mut see: impl FnMut(TreePart)) {
        let BoxNode { at, count, .. } = self.nodes[node as usize];
        if count == 0 {
            see(TreePart::Node(node + 1));
            see(TreePart::Node(at));
            return;
        }
        let leaf = &self.order[at as usize..(at + count) as usize];
        leaf.iter().for_each(|&number| see(TreePart::Triangle(number)));
    }

    fn triangle(&self, number: u32) -> Triangle {
        Triangle::new(self.triangles[number as usize].to_array().map(|vertex| self.vertices[vertex as usize]))
    }
}

// One node waits per halving of the triangles, and the last two.
const _: () = assert!((TriangleMesh::MAX_TRIANGLES / LEAF) as u64 <= 1 << (MOST_WAITING - 3));

impl ShapeQueries for TriangleMesh {
    fn bounding_sphere(&self) -> (Vec3, f32) {
        self.sphere
    }

    fn inscribed_sphere(&self) -> (Vec3, f32) {
        (self.triangle(self.order[0]).corners[0].as_vec3(), 0.0)
    }

    fn surface(&self, point: Vec3) -> Surface {
        let found = nearest(self, point, f32::INFINITY);
        found.map_or(Surface::NONE, |found| self.surface_at(point, &found))
    }

    fn entry(&self, start: Vec3, end: Vec3) -> Option<Entry> {
        let (start, end) = (start.as_dvec3(), end.as_dvec3());
        let sides = if self.is_closed() { Sides::Front } else { Sides::Both };
        let (share, number) = crossing(self, start, end - start, sides)?;
        let normal = self.unit_normal(number);
        let normal = if normal.dot(end - start) > 0.0 { -normal } else { normal };
        Some(Entry { share: share as f32, normal: normal.as_vec3() })
    }

    fn span(&self, normal: DVec3) -> (f64, f64) {
        let corners = self.order.iter().flat_map(|&number| self.triangle(number).corners);
        let heights = corners.map(|corner| corner.dot(normal));
        heights.fold((f64::INFINITY, f64::NEG_INFINITY), |a, b| (a.0.min(b), a.1.max(b)))
    }
}

/// Allocates an empty list of the given capacity.
pub(super) fn list<T>(room: usize) -> Result<Vec<T>, MeshError> {
    let mut list = Vec::new();
    list.try_reserve_exact(room).map_err(|_| MeshError::NoMemory)?;
    Ok(list)
}

/// Returns the bounding sphere about the centre of the bounding box.
fn sphere_around(points: impl Iterator<Item = Vec3> + Clone) -> (Vec3, f32) {
    let start = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    let (low, high) = points.clone().fold(start, |a, b| (a.0.min(b), a.1.max(b)));
    let middle = low.midpoint(high);
    let square = points.map(|point| point.as_dvec3().distance_squared(middle.as_dvec3())).fold(0.0, f64::max);
    (middle, square.sqrt() as f32)
}
