//! Derivatives on nodes are exact for linear and quadratic fields at every node, including faces, edges and
//! corners (E24, validation T2), and second-order for other fields.

use fluid_core::grid::{GridShape, curl, gradient, jacobian};
use fluid_threads::Serial;
use glam::{IVec3, Mat3, UVec3, Vec3};

fn values<T>(shape: &GridShape, of: impl Fn(Vec3) -> T) -> Vec<T> {
    (0..shape.len()).map(|n| of(shape.position(n))).collect()
}

/// Returns the largest error of the gradient of `field` over all nodes.
fn worst(shape: &GridShape, field: impl Fn(Vec3) -> f32, exact: impl Fn(Vec3) -> Vec3) -> f32 {
    let mut out = vec![Vec3::ZERO; shape.len()];
    gradient(&Serial, shape, &values(shape, field), &mut out);
    out.iter()
        .enumerate()
        .map(|(n, g)| (*g - exact(shape.position(n))).abs().max_element())
        .fold(0.0, f32::max)
}

#[test]
fn for_linear_and_quadratic_fields_at_every_node() {
    for dims in [UVec3::new(3, 3, 3), UVec3::new(5, 4, 9), UVec3::new(16, 8, 3)] {
        let shape = GridShape::new(0.25, IVec3::new(-2, 1, 0), dims);
        let slope = Vec3::new(1.5, -0.5, 2.0);
        let linear = worst(&shape, |x| slope.dot(x) + 3.0, |_| slope);
        assert!(linear < 1e-5, "{dims}: {linear}");
        let quadratic = |x: Vec3| x.x * x.x - 2.0 * x.y * x.y + 0.5 * x.z * x.z + x.x * x.y - x.y * x.z;
        let exact = |x: Vec3| Vec3::new(2.0 * x.x + x.y, -4.0 * x.y + x.x - x.z, x.z - x.y);
        let error = worst(&shape, quadratic, exact);
        assert!(error < 1e-4, "{dims}: {error}");
    }
}

#[test]
fn with_an_error_that_falls_with_the_square_of_the_spacing() {
    let field = |x: Vec3| (1.3 * x.x).sin() * (0.7 * x.y + 1.0).cos() + (0.9 * x.z).exp();
    let exact = |x: Vec3| {
        Vec3::new(
            1.3 * (1.3 * x.x).cos() * (0.7 * x.y + 1.0).cos(),
            -0.7 * (1.3 * x.x).sin() * (0.7 * x.y + 1.0).sin(),
            0.9 * (0.9 * x.z).exp(),
        )
    };
    let error =
        |n: u32| worst(&GridShape::new(1.0 / n as f32, IVec3::ZERO, UVec3::splat(n + 1)), field, exact);
    let order = (error(8) / error(16)).log2();
    assert!(order > 1.9, "order {order}");
}

#[test]
fn jacobian_and_curl_are_made_of_the_same_slopes() {
    let shape = GridShape::new(0.5, IVec3::new(3, -7, 2), UVec3::new(6, 5, 4));
    let matrix =
        Mat3::from_cols(Vec3::new(1.0, 2.0, -1.0), Vec3::new(0.5, -1.0, 3.0), Vec3::new(-2.0, 0.25, 0.0));
    let field = values(&shape, |x| matrix * x);
    let mut jacobians = vec![Mat3::ZERO; shape.len()];
    jacobian(&Serial, &shape, &field, &mut jacobians);
    assert!(jacobians.iter().all(|j| j.abs_diff_eq(matrix, 2e-5)));
    let mut curls = vec![Vec3::ZERO; shape.len()];
    curl(&Serial, &shape, &field, &mut curls);
    let exact = Vec3::new(
        matrix.y_axis.z - matrix.z_axis.y,
        matrix.z_axis.x - matrix.x_axis.z,
        matrix.x_axis.y - matrix.y_axis.x,
    );
    assert!(curls.iter().all(|c| c.abs_diff_eq(exact, 5e-5)), "{} for {exact}", curls[0]);
}

/// Flat, thin and single-node grids have the correct slopes within their extent, and zero slopes across.
#[test]
fn degenerate_grids_divide_by_nothing() {
    for dims in [UVec3::new(4, 4, 1), UVec3::new(1, 5, 2), UVec3::new(1, 1, 1), UVec3::new(2, 2, 2)] {
        let shape = GridShape::new(0.5, IVec3::ONE, dims);
        let slope = Vec3::new(2.0, -3.0, 0.5);
        let there =
            Vec3::from_array(std::array::from_fn(|axis| if dims[axis] > 1 { slope[axis] } else { 0.0 }));
        let error = worst(&shape, |x| slope.dot(x), |_| there);
        assert!(error < 1e-5, "{dims}: {error}");
    }
}
