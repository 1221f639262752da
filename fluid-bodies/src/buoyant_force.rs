//! Archimedes: the weight of the fluid that a body displaces (E40).
//!
//! F = −g ∫ ρ dV over the body, in two parts. The ambient's is exact for every shape. The vortons'
//! contribution is sampled around the body: there are no vortons inside, and the density assumed for the
//! displaced fluid is that beside the body at the same height.

use crate::body::Body;
use crate::content::DisplacedFluid;
use crate::obstacles::{Obstacle, Obstacles};
use crate::pose::Pose;
use crate::shapes::{MassProperties, Part, Shape, ShapeQueries};
use fluid_core::boundary::Motion;
use fluid_core::density::{Ambient, ScalarGrid, Stratification};
use fluid_core::grid::Splines;
use glam::{DMat3, DQuat, DVec3, Vec3};

pub use crate::free_motion::Wrench;

/// Returns the weight of the fluid displaced by body `index` of `obstacles`, directed against gravity, as
/// force and torque. Zero without gravity. The vortons' density is that beside the body, outside of all
/// obstacles, at its present pose; the ambient is evaluated at the engine's position of the body, or halfway
/// through the step if no engine moves it, and of layers as the mean over a path in this middle.
///
/// # Panics
/// If there is no such obstacle.
pub fn buoyant_force(motion: Motion<'_>, obstacles: &Obstacles, index: usize, body: &Body) -> Wrench {
    force_against(motion.params.gravity.as_dvec3(), motion, obstacles, (index, body))
}

/// Returns the same with this `gravity` \[m/s²\], which in a tank that accelerates is another one.
pub(crate) fn force_against(
    gravity: DVec3,
    motion: Motion<'_>,
    obstacles: &Obstacles,
    (index, body): (usize, &Body),
) -> Wrench {
    let (pose, obstacle) = (body.state.pose(), &obstacles.list()[index]);
    if gravity == DVec3::ZERO || !pose.is_valid() || body.displaced.volume == 0.0 {
        return Wrench::default();
    }
    // Relative to the centre of mass, so that the torque has the same precision everywhere.
    let path = body.lift_path(obstacle);
    let solids = obstacle.displacing();
    let mut fluid = along_path(&motion.params.ambient, 0.0, path, (&body.displaced, solids));
    let grid = motion.field.scalar_grid();
    if let Some(up) = (-gravity).try_normalize()
        && !grid.nodes().is_empty()
    {
        let around = DensitySampler { grid, splines: Splines::new(grid.shape()), obstacles, up };
        let alone = obstacle.shapes().len() == 1 && around.is_alone(index);
        for shape in obstacle.displacing() {
            fluid.add(&around.deviation(&pose, shape, alone));
        }
    }
    Wrench { force: -gravity * fluid.mass, torque: -fluid.moment.cross(gravity) }
}

/// Returns the mass of the ambient fluid that would fill the holes of `body` and the solids in them, beyond
/// that of fluid of the reference density: zero in an ambient of one density. It is read where the displaced
/// fluid is, so that a neutral jar stays neutral.
pub(crate) fn ambient_in_holes(ambient: &Ambient, obstacle: &Obstacle, body: &Body) -> DisplacedFluid {
    let pose = body.state.pose();
    let Some((holes, part)) = body.holes() else { return DisplacedFluid::default() };
    if matches!(ambient.layers_here(), Stratification::None) || !pose.is_valid() {
        return DisplacedFluid::default();
    }
    let shapes = obstacle.holes().shapes();
    let path = body.lift_path(obstacle);
    let excess = along_path(ambient, ambient.density.into(), path, (holes, shapes)).times(part);
    let is_finite = excess.mass.is_finite() && excess.moment.is_finite();
    if is_finite { excess } else { DisplacedFluid::default() }
}

/// Displacement in a frame, relative to the height of a body and the interface \[1\], up to which the fluid
/// in the middle of the path is that of the whole path, and most positions of a path.
const FINEST: f64 = 0.25;
const MOST_PLACES: f64 = 8.0;

/// Returns the mean of [`of_ambient`] over a straight path of the displacement `way` \[m\] with its middle at
/// `pose`: the paths of successive frames join, so a body that passes an interface in a single frame gets the
/// work of the lift on its way.
fn along_path<'a>(
    ambient: &Ambient,
    less: f64,
    (pose, way): (Pose, DVec3),
    (displaced, shapes): (&MassProperties, impl Iterator<Item = &'a Shape> + Clone),
) -> DisplacedFluid {
    let Stratification::Layers { normal, thickness, .. } = ambient.layers_here() else {
        return of_ambient(ambient, less, &pose, (displaced, shapes));
    };
    let normal = normal.as_dvec3();
    let each = shapes.clone().map(|shape| Slicer::new(&pose, shape, normal).span());
    let (low, high) = each.fold((0.0_f64, 0.0_f64), |(low, high), one| (low.min(one.0), high.max(one.1)));
    let finest = FINEST * (high - low + f64::from(thickness));
    let needed = (way.dot(normal).abs() / finest).ceil();
    let count = if needed > 1.0 { needed.min(MOST_PLACES) } else { 1.0 };
    let mut fluid = DisplacedFluid::default();
    for place in 0..count as usize {
        let part = (place as f64 + 0.5) / count - 0.5;
        let pose = Pose { position: pose.position + (way * part).as_vec3(), ..pose };
        fluid.add(&of_ambient(ambient, less, &pose, (displaced, shapes.clone())));
    }
    fluid.times(1.0 / count)
}

/// Returns the ambient fluid in the place of these shapes, which have these moments together, less fluid of
/// the density `less` \[kg/m³\].
fn of_ambient<'a>(
    ambient: &Ambient,
    less: f64,
    pose: &Pose,
    (displaced, shapes): (&MassProperties, impl Iterator<Item = &'a Shape>),
) -> DisplacedFluid {
    let turned = Pose { position: Vec3::ZERO, rotation: pose.rotation };
    let MassProperties { volume, centroid, second_moment } = displaced.moved(&turned);
    let mut density = f64::from(ambient.density) - less;
    let mut fluid = DisplacedFluid::default();
    let stratification = ambient.layers_here();
    match stratification {
        Stratification::None => {}
        Stratification::Linear { gradient } => {
            let gradient = gradient.as_dvec3();
            density += gradient.dot(pose.position.as_dvec3() + centroid - ambient.origin);
            fluid.moment = second_moment * gradient;
        }
        Stratification::Layers { normal, height, jump, .. } => {
            density += 0.5 * f64::from(jump);
            let normal = normal.as_dvec3();
            let middle = f64::from(height) - normal.dot(pose.position.as_dvec3());
            for shape in shapes {
                fluid.add(&below_interface(stratification, pose, shape, normal, middle));
            }
        }
    }
    fluid.add(&DisplacedFluid { mass: density * volume, moment: centroid * (density * volume) });
    fluid
}

/// Returns −∫ V(z) dρ, where V(z) is the volume below z: by parts, the deficit of a shape against fluid of
/// the upper layer's density. `middle` \[m\] is the height of the interface above the centre of mass.
fn below_interface(
    layers: Stratification,
    pose: &Pose,
    shape: &Shape,
    normal: DVec3,
    middle: f64,
) -> DisplacedFluid {
    let slicer = Slicer::new(pose, shape, normal);
    let (low, high) = slicer.span();
    let mut fluid = DisplacedFluid::default();
    for (z, change) in layers.changes(low - middle, high - middle).into_iter().flatten() {
        if change != 0.0 {
            let part = slicer.below(z + middle);
            fluid.add(&DisplacedFluid { mass: -change * part.volume, moment: part.moment * -change });
        }
    }
    fluid
}

/// Cuts a shape by planes perpendicular to a direction of the world. Heights \[m\] and moments are relative
/// to the body's centre of mass.
struct Slicer<'a> {
    convex: &'a dyn ShapeQueries,
    /// Rotation from the shape's axes to the world's.
    turn: DQuat,
    /// Origin of the shape's coordinates \[m\].
    origin: DVec3,
    normal: DVec3,
    local_normal: Vec3,
    /// Height of the centre of the shape's bounding sphere, and its radius \[m\].
    centre: f64,
    radius: f64,
}

impl<'a> Slicer<'a> {
    fn new(pose: &Pose, shape: &'a Shape, normal: DVec3) -> Self {
        let convex = shape.geometry.queries();
        let body = pose.rotation.as_dquat().normalize();
        let turn = body * shape.pose.rotation.as_dquat().normalize();
        let origin = body * shape.pose.position.as_dvec3();
        let (centre, radius) = convex.bounding_sphere();
        Self {
            convex,
            turn,
            origin,
            normal,
            local_normal: (turn.conjugate() * normal).as_vec3(),
            centre: normal.dot(origin + turn * centre.as_dvec3()),
            radius: radius.into(),
        }
    }

    /// Returns the heights of the lowest and of the highest point.
    fn span(&self) -> (f64, f64) {
        let (low, high) = self.convex.span(self.local_normal.as_dvec3());
        let origin = self.normal.dot(self.origin);
        (origin + low, origin + high)
    }

    fn below(&self, height: f64) -> Part {
        let local = height - self.normal.dot(self.origin);
        let Part { volume, moment } = self.convex.part_below(self.local_normal, local as f32);
        Part { volume, moment: self.turn * moment + self.origin * volume }
    }
}

/// Density carried by vortons, and the obstacles around which it is sampled.
struct DensitySampler<'a> {
    grid: &'a ScalarGrid,
    splines: Splines,
    obstacles: &'a Obstacles,
    /// Direction against gravity, of unit length.
    up: DVec3,
}

/// Slabs per cell of the density grid \[1\]. Two resolve the corners of a tilted box well enough for its
/// torque, one does not.
const SLABS_PER_CELL: f64 = 2.0;
/// Most slabs per shape. A shape more than 16 cells high gets thicker slabs, and an interface passes it in
/// small steps.
const MOST_SLABS: usize = 32;
/// Heights beyond a shape at which density is sampled, on each side: the range of sharpening.
const BEYOND: usize = 2;
const MOST_NODES: usize = MOST_SLABS + 2 * BEYOND;
/// Fraction of a shape's volume \[1\] below which a slab is ignored: its centroid would be round-off.
const THIN: f64 = 1e-6;
/// Distance from the surface at which the fluid beside a body is sampled \[cells\]: there, one core radius
/// away, all but a thousandth of the sample is fluid. Nearer, the half that is missing below a slanting
/// surface would shift the effective height of the sample.
const SAMPLE_DISTANCE: f32 = 1.5;
/// Least sine of the slant that is used for the sideways distance to a surface \[1\]: a more slanting surface
/// is followed no farther.
const SLANT: f32 = 0.25;
/// Half of the width over which a surface cuts off the spread of deposit and lookup by quadratic splines
/// \[cells\]: a cubic step of this width has their variance, half a cell squared.
const CUT_OFF: f32 = 1.58;

/// Density sampled at one height.
#[derive(Clone, Copy, Default)]
struct Ring {
    /// Deviation \[kg/m³\] on the axis.
    deviation: f64,
    /// Sideways gradient \[kg/m⁴\].
    slope: DVec3,
}

/// A slab of a shape, and the height at which density is sampled for it.
#[derive(Clone, Copy, Default)]
struct ShapeSlab {
    /// Volume \[m³\]; 0 if negligible.
    volume: f64,
    /// ∫ (x − c) dV \[m⁴\].
    moment: DVec3,
    /// Volume and moment that the density at this height multiplies.
    weight: Part,
}

/// Sampling directions around a shape.
#[derive(Clone, Copy)]
struct SampleDirections<'a> {
    pose: &'a Pose,
    shape: &'a Shape,
    /// Four horizontal directions, in the world's axes and in the shape's.
    directions: [(DVec3, Vec3); 4],
    /// True if no other shape is near.
    alone: bool,
}

impl DensitySampler<'_> {
    /// Returns the contribution of the vortons' density, beyond the ambient's, to the fluid displaced by a
    /// shape.
    ///
    /// Density is taken to vary along gravity as sampled, and sideways linearly. Volume and first moment of
    /// horizontal slabs, which are exact, then suffice. Sums over 30 to 60 points inside the body do not:
    /// with them the force jumps by 4 to 12 % when an interface passes.
    fn deviation(&self, pose: &Pose, shape: &Shape, alone: bool) -> DisplacedFluid {
        let spacing = f64::from(self.grid.shape().spacing());
        let slicer = Slicer::new(pose, shape, self.up);
        if !self.may_be_near(pose, &slicer, shape) {
            return DisplacedFluid::default();
        }
        let diameter = 2.0 * slicer.radius;
        let finest = spacing / SLABS_PER_CELL;
        let count = ((diameter / finest).ceil() as usize).clamp(1, MOST_SLABS);
        let thickness = (diameter / count as f64).max(finest);
        let bottom = slicer.centre - 0.5 * thickness * count as f64;
        let height = |node: usize| bottom + (node as f64 - BEYOND as f64 + 0.5) * thickness;

        let mut slabs = [ShapeSlab::default(); MOST_NODES];
        let slabs = &mut slabs[..count + 2 * BEYOND];
        let inner = BEYOND..BEYOND + count;
        let whole = slicer.below(bottom + thickness * count as f64);
        let mut last = Part::default();
        for node in inner.clone() {
            let slab = &mut slabs[node];
            let full = node + 1 == inner.end;
            let part = if full { whole } else { slicer.below(height(node) + 0.5 * thickness) };
            if part.volume - last.volume > THIN * whole.volume {
                (slab.volume, slab.moment) = (part.volume - last.volume, part.moment - last.moment);
            }
            last = part;
        }
        let sharp = sharpening(spacing / thickness);
        for node in inner {
            let ShapeSlab { volume, moment, .. } = slabs[node];
            if volume == 0.0 {
                continue;
            }
            // ∫ (x − c) (z − z₀) dV, z₀ being the height of the slab's middle: by parts, with a cubic through
            // the moments of the parts below.
            let lean = (slabs[node + 1].moment - slabs[node - 1].moment) * (thickness / 24.0);
            for (offset, share) in sharp.into_iter().enumerate() {
                let weight = &mut slabs[node - BEYOND + offset].weight;
                weight.volume += share * volume;
                weight.moment += moment * share;
            }
            // Position of the centroid within its slab, by central differences.
            let lift = 0.5 * (self.up.dot(moment) - height(node) * volume) / thickness;
            for (node, sign) in [(node - 1, -1.0), (node + 1, 1.0)] {
                slabs[node].weight.volume += sign * lift;
                slabs[node].weight.moment += lean * (sign * 0.5 / thickness);
            }
        }
        // The same directions at all heights: sharpening would take differences between directions for
        // detail.
        let (u, v) = self.up.any_orthonormal_pair();
        let directions = [u, -u, v, -v].map(|way| (way, shape.pose.turn_back(pose.turn_back(way.as_vec3()))));
        let sides = SampleDirections { pose, shape, directions, alone };
        self.sum(&sides, &slicer, slabs, &height)
    }

    fn sum(
        &self,
        sides: &SampleDirections<'_>,
        slicer: &Slicer<'_>,
        slabs: &[ShapeSlab],
        height: &impl Fn(usize) -> f64,
    ) -> DisplacedFluid {
        let properties = slicer.convex.mass_properties();
        let axis = slicer.origin + slicer.turn * properties.centroid;
        let turn = DMat3::from_quat(slicer.turn);
        let second_moment = turn * properties.second_moment * turn.transpose();
        let mut fluid = DisplacedFluid::default();
        let (mut volume, mut slope, mut found_moment) = (0.0, DVec3::ZERO, DVec3::ZERO);
        let mut rings = [Ring::default(); MOST_NODES];
        for (node, slab) in slabs.iter().enumerate() {
            let ShapeSlab { weight, .. } = *slab;
            if weight.volume == 0.0 && weight.moment == DVec3::ZERO {
                continue;
            }
            // A height without a part of the shape is sampled above or below the nearest slab that has one.
            let filled = |&near: &usize| slabs.get(near).is_some_and(|slab| slab.volume > 0.0);
            let near = (0..=BEYOND).flat_map(|far| [node + far, node.wrapping_sub(far)]).find(filled);
            let Some(near) = near else { continue };
            let ring = self.ring(sides, &slabs[near], axis, height(node));
            fluid.mass += ring.deviation * weight.volume;
            fluid.moment += weight.moment * ring.deviation;
            fluid.mass += ring.slope.dot(slab.moment - axis * slab.volume);
            volume += slab.volume;
            slope += ring.slope * slab.volume;
            found_moment += weight.moment * (height(node) - self.up.dot(axis));
            rings[node] = ring;
        }
        if volume > 0.0 {
            // Sideways gradients, and the effect of tilted sides within slabs.
            let mut vertical = 0.0;
            let thickness = height(1) - height(0);
            for node in BEYOND..slabs.len() - BEYOND {
                let change = rings[node + 1].deviation - rings[node - 1].deviation;
                vertical += slabs[node].volume * change / (2.0 * thickness);
            }
            fluid.moment += second_moment * (slope / volume);
            fluid.moment += (second_moment * self.up - found_moment) * (vertical / volume);
        }
        // Deposits may overflow.
        if fluid.mass.is_finite() && fluid.moment.is_finite() { fluid } else { DisplacedFluid::default() }
    }

    /// False if all surroundings of a shape are outside of the grid.
    fn may_be_near(&self, pose: &Pose, slicer: &Slicer<'_>, shape: &Shape) -> bool {
        let grid = self.grid.shape();
        let (centre, _) = shape.geometry.queries().bounding_sphere();
        let centre = pose.to_world(shape.pose.to_world(centre));
        let reach = slicer.radius as f32 + sideways(self.grid);
        let (low, size) = (grid.origin(), grid.dims().as_vec3() * grid.spacing());
        ((centre + reach).cmpge(low) & (centre - reach).cmple(low + size)).all()
    }

    /// Samples around a slab, at `height` \[m\] above the centre of mass, at four points just outside of the
    /// shape.
    fn ring(&self, sides: &SampleDirections<'_>, slab: &ShapeSlab, axis: DVec3, height: f64) -> Ring {
        let SampleDirections { pose, shape, directions, alone } = *sides;
        let local = |place: DVec3| shape.pose.to_local(pose.turn_back(place.as_vec3()));
        let centroid = slab.moment / slab.volume;
        let level = centroid + self.up * (height - self.up.dot(centroid));
        let (start, level_start) = (local(centroid), local(level));
        let convex = shape.geometry.queries();
        let spacing = self.grid.shape().spacing();
        let mut all = [(0.0, 0.0, 0.0); 4];
        for ((direction, way), sample) in directions.into_iter().zip(&mut all) {
            let exit = convex.exit(start, way).map_or(0.0, |exit| exit.max(0.0));
            let mut distance = exit + SAMPLE_DISTANCE * spacing;
            // Beside a slanting surface that is not far enough. Distances from a convex shape grow at least
            // as fast as here.
            let here = convex.surface(level_start + way * distance);
            let rate = here.normal.dot(way);
            let further = (SAMPLE_DISTANCE * spacing - here.distance).max(0.0) / rate.max(SLANT);
            distance += further;
            let distance = f64::from(distance);
            let place = pose.position + (level + direction * distance).as_vec3();
            let from_surface = match alone {
                true => here.distance + rate.max(0.0) * further,
                false => self.distance_from_surfaces(place),
            };
            let (deviation, trust) = self.look_up(place, from_surface);
            *sample = (distance, deviation, trust);
        }
        let trust: f64 = all.iter().map(|sample| sample.2).sum();
        if trust == 0.0 {
            return Ring::default();
        }
        let mean = all.iter().map(|(_, deviation, trust)| deviation * trust).sum::<f64>() / trust;
        // Samples inside a neighbour are replaced by the mean.
        let [a, b, c, d] =
            all.map(|(distance, deviation, trust)| (distance, mean + (deviation - mean) * trust));
        let line = |a: (f64, f64), b: (f64, f64)| {
            let width = a.0 + b.0;
            ((a.1 * b.0 + b.1 * a.0) / width, (a.1 - b.1) / width)
        };
        let ((along_u, slope_u), (along_v, slope_v)) = (line(a, b), line(c, d));
        let slope = directions[0].0 * slope_u + directions[2].0 * slope_v;
        Ring { deviation: 0.5 * (along_u + along_v) + slope.dot(axis - centroid), slope }
    }

    /// True if no other obstacle is near enough to obstacle `index` to matter.
    fn is_alone(&self, index: usize) -> bool {
        let list = self.obstacles.list();
        let own = list[index].swept();
        let reach = Vec3::splat(own.radius + sideways(self.grid));
        let apart = |other: &Obstacle| !other.swept().meets_box(own.centre - reach, own.centre + reach);
        list[..index].iter().chain(&list[index + 1..]).all(apart)
    }

    /// Returns the distance \[m\] from the nearest surface of any obstacle, up to the distance at which
    /// surfaces no longer matter.
    fn distance_from_surfaces(&self, place: Vec3) -> f32 {
        let width = CUT_OFF * self.grid.shape().spacing();
        self.obstacles.nearest(place, width).map_or(width, |(_, surface)| surface.distance)
    }

    /// Returns the deviation \[kg/m³\] at a point at that distance \[m\] from a surface, and its weight, 0 to
    /// 1: 0 inside an obstacle.
    fn look_up(&self, place: Vec3, from_surface: f32) -> (f64, f64) {
        let x = (from_surface / (CUT_OFF * self.grid.shape().spacing())).clamp(-1.0, 1.0);
        let open = 0.5 + x * (0.75 - 0.25 * x * x);
        let deviation = self.grid.deviation_beside(&self.splines, place, open);
        (f64::from(deviation), f64::from((2.0 * open).min(1.0)))
    }
}

/// Returns the largest distance from a shape at which density is sampled \[m\].
fn sideways(grid: &ScalarGrid) -> f32 {
    (SAMPLE_DISTANCE + SAMPLE_DISTANCE / SLANT + CUT_OFF) * grid.shape().spacing()
}

/// Returns the weights with which five neighbouring heights compensate the smoothing of density along gravity
/// by deposit and lookup, both by quadratic splines, up to the fourth order. `cells` is the spacing of the
/// grid relative to that of the heights.
///
/// A wave of wave number k has been damped by sinc(k h/2)⁶ = exp(−x²/4 − x⁴/480 − …), x = k h, and its mean
/// over a slab of thickness t, which is needed, is its value in the middle times sinc(k t/2) = exp(−y²/24 −
/// y⁴/2880 − …), y = k t. With d = −δ², y² = d + d²/12 + ….
fn sharpening(cells: f64) -> [f64; 2 * BEYOND + 1] {
    let square = cells * cells;
    let second = square / 4.0 - 1.0 / 24.0;
    let fourth = 0.5 * second * second + square * square / 480.0 - 1.0 / 2880.0 + second / 12.0;
    // 1 + second d + fourth d².
    let (next, outer) = (-second - 4.0 * fourth, fourth);
    [outer, next, 1.0 - 2.0 * (next + outer), next, outer]
}
