//! Added inertia (E49): the inertia of the fluid that a body accelerates with it, as a six by six tensor
//! that depends on its shape alone (Kirchhoff's tensor without the body's own inertia).

mod branchless;
mod definite;
mod element;
mod equations;
mod potential;

use crate::ball::ball_around;
use crate::pose::Pose;
use crate::shapes::{Geometry, MassProperties, Parity, Shape, Sphere};
use crate::surface::{self, TriangleCorners};
use definite::Matrix;
use element::BoundaryElement;
use glam::{DMat3, DVec3, Vec3};
use potential::extrapolated;
use std::f64::consts::PI;

/// Maximum number of parts of a body that are solved together \[1\]: the cost of finding the wet surface
/// grows with the square of their number.
const MOST_PARTS: usize = 100;

/// Convergence order in the edge length for a body with 90° edges \[1\]: the potential grows as r^(2/3)
/// there, and inertia is a product of two potentials.
const ORDER_AT_EDGES: f64 = 4.0 / 3.0;
/// Convergence order for round shapes \[1\]: measured, for finenesses from 2 to 6. Triangles are flat, but
/// enclose the right volume.
const ORDER_IF_ROUND: f64 = 3.0;

/// Most shapes that alone give a lower bound of the inertia of all together \[1\].
const MOST_COMPARED: usize = 3;

/// Relative error of such bounds \[1\].
const BOUND_ERROR: f64 = 0.1;

/// Added inertia of a body in fluid of density 1, about a point and in axes of the body: if the body moves
/// at that point with the velocity v \[m/s\] and rotates with w \[rad/s\], the fluid has the momentum
/// `linear v + coupling w` and the angular momentum `couplingᵀ v + angular w` about that point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AddedInertia {
    /// Linear part, symmetric \[m³\].
    pub linear: DMat3,
    /// Coupling of momentum and angular velocity \[m⁴\].
    pub coupling: DMat3,
    /// Angular part, symmetric \[m⁵\].
    pub angular: DMat3,
}

impl AddedInertia {
    /// Upper bound \[bytes\] on the memory that is in use while one is computed: mostly the matrix of the
    /// potentials.
    pub const MEMORY: usize = 30 << 20;

    /// Added inertia of a body without shapes.
    pub const NONE: Self = Self { linear: DMat3::ZERO, coupling: DMat3::ZERO, angular: DMat3::ZERO };

    /// Computes the added inertia of a body with these shapes, about its origin and in its axes (E49).
    /// `None` if one of them is a hole, because the solid around it is unknown, or immovable.
    ///
    /// Exact for a ball. Errors of the linear part: 1 % for boxes and for hulls of up to 128 triangles, 2 %
    /// for capsules, 5 % for thick shapes that overlap or touch (walls of a tenth of their width: up to 2.5
    /// times), 4 to 8 % for plates thinner than a fiftieth of
    /// their width; errors of the angular part are up to twice as large. For hulls of more triangles: 2 %
    /// if rounded, 6 % with sharp edges, 20 % for a thin disc. Hulls thinner than a thirtieth of their
    /// width may be wrong by a factor of 3 if their two large faces have different corners. With more than
    /// about 40 parts, the tensors of the parts are added without interaction: for two cubes in contact
    /// this would be 23 % too low across and 91 % too high along.
    ///
    /// Takes 1 to 30 ms (with very many parts: the sum over parts) and allocates: store the result.
    pub fn of(shapes: &[Shape]) -> Option<Self> {
        let has_none = |shape: &Shape| shape.parity == Parity::Hole || shape.is_immovable();
        if shapes.iter().any(has_none) {
            return None;
        }
        let alone = |shape: &Shape| Self::of_geometry(&shape.geometry).moved(&shape.pose);
        Some(match shapes {
            [] => Self::NONE,
            [one] => alone(one),
            _ => of_union(shapes)
                .filter(|union| union.is_possible(shapes, alone))
                .unwrap_or_else(|| shapes.iter().map(alone).fold(Self::NONE, |a, b| a.and(&b))),
        })
    }

    /// Returns the added inertia of one shape in its own coordinates.
    fn of_geometry(geometry: &Geometry) -> Self {
        let (centre, radius) = geometry.queries().bounding_sphere();
        let frame = UnitSphereFrame { centre: centre.as_dvec3(), radius: radius.into() };
        let of_order = |order: f64| {
            let surface = |fineness: usize| frame.elements(surface::of_geometry(geometry, fineness));
            extrapolated(surface, order).map_or(Self::NONE, |matrix| frame.take_back(&matrix))
        };
        match geometry {
            Geometry::Sphere(Sphere { radius }) => Self::of_ball((*radius).into()),
            Geometry::Capsule(capsule) if capsule.half_height == 0.0 => Self::of_ball(capsule.radius.into()),
            Geometry::Capsule(_) => of_order(ORDER_IF_ROUND).about_an_axis(),
            Geometry::Cylinder(_) => of_order(ORDER_AT_EDGES).about_an_axis(),
            Geometry::Cuboid(_) => of_order(ORDER_AT_EDGES).of_three_planes(),
            Geometry::Polytope(_) => of_order(ORDER_AT_EDGES),
            // Rejected by `of`.
            Geometry::HalfSpace(_) | Geometry::Mesh(_) | Geometry::HeightField(_) => Self::NONE,
        }
    }

    /// True if the linear part is within the bounds for these shapes together, along each axis: added inertia
    /// plus volume is no smaller than that of a shape inside of the body, and no larger than that of a box
    /// around it (Schiffer and Szegő, Trans. Amer. Math. Soc. 67, 1949). Where walls are thinner than the
    /// triangles on them it may be wrong by any factor.
    fn is_possible(&self, shapes: &[Shape], alone: impl Fn(&Shape) -> Self) -> bool {
        let volume = |shape: &Shape| MassProperties::of(std::slice::from_ref(shape)).volume;
        let diagonal = |m: &DMat3| DVec3::new(m.x_axis.x, m.y_axis.y, m.z_axis.z);
        let mut largest: Vec<&Shape> = shapes.iter().collect();
        largest.sort_by(|a, b| b.geometry.queries().area().total_cmp(&a.geometry.queries().area()));
        largest.truncate(MOST_COMPARED);
        let (all, most) =
            shapes.iter().map(volume).fold((0.0, 0.0_f64), |(sum, most), v| (sum + v, most.max(v)));
        let least = largest.into_iter().map(|shape| diagonal(&alone(shape).linear) + volume(shape) - all);
        let least = least.fold(DVec3::ZERO, DVec3::max);
        let none = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        let (low, high) = shapes
            .iter()
            .map(Shape::bounds)
            .fold(none, |(low, high), (from, to)| (low.min(from), high.max(to)));
        let around = Shape::cuboid(0.5 * (high - low));
        let box_around = diagonal(&Self::of_geometry(&around.geometry).linear) + volume(&around) - most;
        let own = diagonal(&self.linear);
        own.cmpge(least * (1.0 - BOUND_ERROR)).all() && own.cmple(box_around * (1.0 + BOUND_ERROR)).all()
    }

    /// Returns half of the displaced volume (Lamb, Hydrodynamics, § 92).
    fn of_ball(radius: f64) -> Self {
        let half_volume = 2.0 / 3.0 * PI * radius * radius * radius;
        Self { linear: DMat3::from_diagonal(DVec3::splat(half_volume)), ..Self::NONE }
    }

    /// Sets elements to zero that vanish for a body symmetric about all three coordinate planes, because
    /// its triangulation is only approximately symmetric.
    fn of_three_planes(&self) -> Self {
        let diagonal = |m: DMat3| DMat3::from_diagonal(DVec3::new(m.x_axis.x, m.y_axis.y, m.z_axis.z));
        Self { linear: diagonal(self.linear), coupling: DMat3::ZERO, angular: diagonal(self.angular) }
    }

    /// Same for a body of revolution about z: rotation about that axis moves no fluid.
    fn about_an_axis(&self) -> Self {
        let round = |m: DMat3, along: f64| {
            let across = 0.5 * (m.x_axis.x + m.y_axis.y);
            DMat3::from_diagonal(DVec3::new(across, across, along))
        };
        let linear = round(self.linear, self.linear.z_axis.z);
        Self { linear, coupling: DMat3::ZERO, angular: round(self.angular, 0.0) }
    }

    /// Returns the added inertia of the same body after a rotation and a translation, about the origin
    /// again.
    pub fn moved(&self, pose: &Pose) -> Self {
        let turn = DMat3::from_quat(pose.rotation.as_dquat().normalize());
        let turned = |m: DMat3| turn * m * turn.transpose();
        let turned = Self {
            linear: symmetric(turned(self.linear)),
            coupling: turned(self.coupling),
            angular: symmetric(turned(self.angular)),
        };
        turned.about(-pose.position.as_dvec3())
    }

    /// Returns the added inertia about another point of the same body, `to` \[m\] from the present one.
    pub fn about(&self, to: DVec3) -> Self {
        // The velocity there is v + w × to, the momentum P is the same, the angular momentum L − to × P.
        let cross = DMat3::from_cols(
            DVec3::new(0.0, to.z, -to.y),
            DVec3::new(-to.z, 0.0, to.x),
            DVec3::new(to.y, -to.x, 0.0),
        );
        let coupling = self.coupling + self.linear * cross;
        let angular = self.angular + self.coupling.transpose() * cross - cross * coupling;
        Self { coupling, angular: symmetric(angular), ..*self }
    }

    /// Returns the sum of the tensors of two bodies, as if their flows did not interact.
    fn and(&self, other: &Self) -> Self {
        Self {
            linear: self.linear + other.linear,
            coupling: self.coupling + other.coupling,
            angular: self.angular + other.angular,
        }
    }

    /// Returns the upper triangle, row by row, of the symmetric matrix of momentum (rows: x, y, z, then
    /// angular x, y, z) by velocity (columns in the same order).
    pub fn upper_triangle(&self) -> [f64; 21] {
        let matrix = self.matrix();
        let pairs = (0..6).flat_map(|row| (row..6).map(move |column| (row, column)));
        let mut values = [0.0; 21];
        values.iter_mut().zip(pairs).for_each(|(value, (row, column))| *value = matrix[row][column]);
        values
    }

    fn matrix(&self) -> Matrix {
        let mut matrix = [[0.0; 6]; 6];
        for (row, column) in (0..3).flat_map(|row| (0..3).map(move |column| (row, column))) {
            matrix[row][column] = self.linear.col(column)[row];
            matrix[row][column + 3] = self.coupling.col(column)[row];
            matrix[column + 3][row] = self.coupling.col(column)[row];
            matrix[row + 3][column + 3] = self.angular.col(column)[row];
        }
        matrix
    }
}

fn symmetric(m: DMat3) -> DMat3 {
    (m + m.transpose()) * 0.5
}

/// Coordinates in which the body's bounding sphere is the unit sphere about the origin.
struct UnitSphereFrame {
    centre: DVec3,
    radius: f64,
}

impl UnitSphereFrame {
    fn elements(&self, triangles: Vec<TriangleCorners>) -> Vec<BoundaryElement> {
        let scaled = |corner: DVec3| (corner - self.centre) / self.radius;
        triangles.into_iter().filter_map(|triangle| BoundaryElement::new(triangle.map(scaled))).collect()
    }

    /// Converts from these coordinates to metres, about the body's origin.
    fn take_back(&self, matrix: &Matrix) -> AddedInertia {
        let block = |row: usize, column: usize, scale: f64| {
            let column_of =
                |c: usize| DVec3::from_array([0, 1, 2].map(|r| matrix[row + r][column + c] * scale));
            DMat3::from_cols(column_of(0), column_of(1), column_of(2))
        };
        let cube = self.radius * self.radius * self.radius;
        let at_centre = AddedInertia {
            linear: block(0, 0, cube),
            coupling: block(0, 3, cube * self.radius),
            angular: block(3, 3, cube * self.radius * self.radius),
        };
        at_centre.about(-self.centre)
    }
}

/// Returns the added inertia of several shapes together; `None` if their surface needs too many triangles.
fn of_union(shapes: &[Shape]) -> Option<AddedInertia> {
    if shapes.len() > MOST_PARTS {
        return None;
    }
    let ball = ball_around(shapes);
    let frame = UnitSphereFrame { centre: ball.centre.as_dvec3(), radius: ball.radius.into() };
    let surface = |fineness: usize| frame.elements(surface::of_union(shapes, ball, fineness));
    extrapolated(surface, order_of(shapes)).map(|matrix| frame.take_back(&matrix))
}

/// Returns the convergence order for several shapes: intermediate if only some of them are round.
fn order_of(shapes: &[Shape]) -> f64 {
    let is_round = |shape: &Shape| matches!(shape.geometry, Geometry::Sphere(_) | Geometry::Capsule(_));
    match shapes.iter().filter(|shape| is_round(shape)).count() {
        0 => ORDER_AT_EDGES,
        round if round == shapes.len() => ORDER_IF_ROUND,
        _ => 2.0,
    }
}
