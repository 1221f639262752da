//! Shapes of bodies.

mod level;

use crate::body::{ADDED_INERTIA, VortonBodyId, added_inertia_values};
use crate::guard;
use crate::handle::{child_id, stale};
use crate::memory::{
    check_array, check_optional_output, check_output, read_def, sized32, slice, write, write_optional,
    write_sized,
};
use crate::recording::{Call, Id};
use crate::status::*;
use crate::types::{VortonQuat, VortonVec3, saturated, saturated64};
use crate::world::{VortonWorldId, World, with_world, writing};
use fluid_bodies::Pose;
use fluid_bodies::added_inertia::AddedInertia;
use fluid_bodies::shapes::{
    Capsule, Cuboid, Cylinder, Geometry, HalfSpace, HeightField, Parity, Polytope, PolytopeError, Shape,
    Sphere, TriangleMesh,
};
use glam::Vec3;
use std::borrow::Cow;

/// A shape of a body. Zeroed memory is the null id. Opaque: do not look inside.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VortonShapeId {
    /// Opaque.
    pub index1: u32,
    /// Opaque.
    pub world: u16,
    /// Opaque.
    pub generation: u16,
}

child_id!(VortonShapeId, "shape");

/// A ball about the shape's origin: `radius`.
pub const VORTON_SHAPE_SPHERE: u32 = 1;
/// A box about the shape's origin, edges along its axes: `half_extents`.
pub const VORTON_SHAPE_BOX: u32 = 2;
/// A capsule about the shape's origin, along its z axis: `radius`, and `half_height` of the straight part
/// between the two half balls.
pub const VORTON_SHAPE_CAPSULE: u32 = 3;
/// The convex hull of `points`, for instance a mesh's vertices. Points inside the hull are ignored.
pub const VORTON_SHAPE_HULL: u32 = 4;
/// The convex solid on the inner sides of all `planes`.
pub const VORTON_SHAPE_PLANES: u32 = 5;
/// Everything below the plane z = 0 of the shape's axes: a floor, a water bed, a large wall. For a wall,
/// rotate the shape or its body; fluid is on the side of +z. No size is used.
///
/// The surface is impermeable: each vorton has a mirror image, so the flow is exact up to the surface, for
/// vortons of any size. It is free-slip and does not transfer heat. Vortons, tracers and host particles stay
/// above it.
///
/// It must be the only shape of its body, with mass 0 and angular velocity 0, and cannot be a hole. It
/// displaces no fluid and takes no impulses. A world may have up to three half-spaces, at right angles to
/// each other (floor and corner), and may turn one only while there is no other. Anything else is refused.
///
/// A moving body (a lift) moves the mirror, and particles in its path are pushed out. Its velocity does not
/// act on the fluid above: in unbounded fluid a rising floor would lift all of it. Wind is applied unchanged,
/// even through the surface: set it parallel to the surface. Diffusion does not cross the surface.
///
/// Near a half-space all vortons are duplicated, and each further half-space doubles that: a step takes about
/// twice as long, on the mesh up to three times, because its box holds both copies. If the vortons would
/// induce less than 1 % of the largest vorton speed at the surface, the images are left out and the
/// half-space costs nothing: for a ring, from about seven radii above it. The first step with a half-space
/// allocates memory for the images.
pub const VORTON_SHAPE_HALF_SPACE: u32 = 6;
/// `triangles` between `points`: static level geometry, of any form, anywhere. Points with the same
/// coordinates are one; triangles without an area are left out. Creation takes about half a microsecond per
/// triangle.
///
/// If the surface is closed (each edge belongs to two triangles, wound in opposite directions), the region
/// behind its triangles is solid; fluid is on the side from which they appear counterclockwise. So a rock is
/// solid inside and a cave outside. Any other surface is a thin wall with fluid on both sides, whatever its
/// winding. No particle passes it, but if heavy or light fluid lies on one side, halo vortons
/// (VORTON_VORTON_HALO) may be created on the other.
///
/// The mass of its body must be 0; other shapes of that body may be solids other than half-spaces. The body
/// may be moved, and its mesh sweeps particles out of its path; at rest, the cost is proportional to the
/// triangles near the fluid. It displaces no fluid, exchanges no heat, and takes impulses.
///
/// Vortons, tracers and host particles stay on their side of it; no-slip holds where vortons touch it.
/// VORTON_BODY_NO_THROUGH has no effect: elsewhere the flow passes through the surface, as by default through
/// other bodies. For a flat floor or wall VORTON_SHAPE_HALF_SPACE is exact.
pub const VORTON_SHAPE_MESH: u32 = 7;
/// Ground under `heights` along z: the sample in column i and row j is at x = i spacing[0], y = j spacing[1]
/// of the shape's axes; rotate the shape or its body if y is up. The cell between four samples is two
/// triangles, with their common edge from sample (i, j) to (i + 1, j + 1). The region below is solid, to any
/// depth; beyond the outermost samples there is no ground. Otherwise as VORTON_SHAPE_MESH, with a tenth of
/// the memory.
pub const VORTON_SHAPE_HEIGHT_FIELD: u32 = 8;

/// A cylinder about the shape's origin, along its z axis: `radius`, and `half_height`, half the distance of
/// its flat ends, positive. As a hole, its walls act only where vortons touch them. With
/// VORTON_BODY_NO_THROUGH it is approximated by a prism of the same volume.
pub const VORTON_SHAPE_CYLINDER: u32 = 9;

/// Bit of VortonShapeDef.flags: the shape is a hole, a cavity filled with fluid (a tank, a bottle). Particles
/// inside at the start of a step stay inside, however the body moves; particles outside are not affected.
/// Overlapping holes of a body form one cavity.
///
/// If the body consists of one hole and nothing else, its walls are impermeable and free-slip, whether or not
/// vortons touch them, and vortex lines that end there continue as in a mirror. With VortonWorldDef.viscosity
/// the walls drag fluid along where vortons with a volume are near. The fluid in the hole has inertia and,
/// without VORTON_BODY_NO_BUOYANT_FORCE, weight: the impulses contain both, so the engine's body is the shell
/// alone, of any mass. This takes 0.1 to 0.9 s for each shape created, and up to 2,048 sources in each step
/// with vorticity in the hole. It does not apply to holes larger than about 20 core radii or less than 2.5
/// across, nor to bodies of several shapes with a hole: their walls act only where vortons touch them, and
/// the engine has to account for the weight and inertia of their contents. The same holds while a hole is
/// nearer than two core radii to another such hole, or has more than a quarter of its height in a half-space.
/// A tank may stand on a half-space and sink in slightly: its contents have no images there.
pub const VORTON_SHAPE_HOLE: u32 = 1;
/// Bit of VortonShapeDef.flags for meshes and height fields: snapshots (vorton_world_save) contain a hash of
/// the points, triangles or heights instead of the data, which the host has anyway. A world that restores
/// such a snapshot must have a body with the same level geometry, created with this flag; otherwise
/// vorton_world_restore returns VORTON_ERR_SNAPSHOT. This also holds if the level has been destroyed since.
pub const VORTON_SHAPE_SAVED_BY_HASH: u32 = 2;

/// Most points of a VORTON_SHAPE_HULL, and most planes of a VORTON_SHAPE_PLANES.
pub const VORTON_MAX_HULL_POINTS: u32 = 4096;
/// Most faces of the resulting solid: triangles and polygons of the hull, or planes that bound the solid.
pub const VORTON_MAX_HULL_FACES: u32 = 256;
/// Most triangles of a VORTON_SHAPE_MESH.
pub const VORTON_MAX_MESH_TRIANGLES: u32 = 1048576;
/// Most points of a VORTON_SHAPE_MESH.
pub const VORTON_MAX_MESH_VERTICES: u32 = 3145728;
/// Most columns, and most rows, of a VORTON_SHAPE_HEIGHT_FIELD.
pub const VORTON_MAX_HEIGHT_FIELD_SAMPLES: u32 = 4097;
const _: () = assert!(VORTON_MAX_MESH_TRIANGLES as usize == TriangleMesh::MAX_TRIANGLES);
const _: () = assert!(VORTON_MAX_MESH_VERTICES as usize == TriangleMesh::MAX_VERTICES);
const _: () = assert!(VORTON_MAX_HEIGHT_FIELD_SAMPLES == HeightField::MAX_SAMPLES);
const _: () = assert!(VORTON_MAX_HULL_POINTS as usize == Polytope::MAX_INPUT);
const _: () = assert!(VORTON_MAX_HULL_FACES as usize == Polytope::MAX_FACES);

/// Definition of a shape, a solid or a hole. Fill it with vorton_shape_def_init, then change the fields that
/// the type uses. Lengths in metres.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct VortonShapeDef {
    /// sizeof(VortonShapeDef); set by vorton_shape_def_init.
    pub struct_size: u32,
    /// VORTON_SHAPE_...
    pub r#type: u32,
    /// Position of its origin in the body [m]; the body's origin is its centre of mass. Default 0.
    pub position: VortonVec3,
    /// Orientation in the body.
    pub rotation: VortonQuat,
    /// BOX: half the edges [m], positive. Default 0.5.
    pub half_extents: VortonVec3,
    /// SPHERE, CAPSULE and CYLINDER: radius [m], positive. Default 0.5.
    pub radius: f32,
    /// CAPSULE: half the length of the straight part [m], at least 0. CYLINDER: half the height [m],
    /// positive. Default 0.5.
    pub half_height: f32,
    /// HULL: number of points, 4 to VORTON_MAX_HULL_POINTS. Their hull may have up to VORTON_MAX_HULL_FACES
    /// faces. MESH: number of points, 3 to VORTON_MAX_MESH_VERTICES.
    pub point_count: u32,
    /// PLANES: number of planes, 4 to VORTON_MAX_HULL_POINTS, of which up to VORTON_MAX_HULL_FACES may bound
    /// the solid.
    pub plane_count: u32,
    /// HULL: x y z [m] of each point, not all in one plane; copied. MESH: x y z [m] of each point; copied.
    pub points: *const f32,
    /// PLANES: nx ny nz d of each plane; inside is nx x + ny y + nz z <= d. Normals point outwards and may
    /// have any length but 0. Together they must enclose a volume; copied.
    pub planes: *const f32,
    /// 0, VORTON_SHAPE_HOLE or VORTON_SHAPE_SAVED_BY_HASH. Default 0: a solid.
    pub flags: u32,
    /// Reserved: 0.
    pub reserved: u32,
    /// User data, stored and never interpreted: see vorton_shape_user_data. Default 0.
    pub user_data: u64,
    /// MESH: three point indices for each triangle; copied.
    pub triangles: *const u32,
    /// HEIGHT_FIELD: columns times rows heights [m], row after row; copied.
    pub heights: *const f32,
    /// MESH: number of triangles, 1 to VORTON_MAX_MESH_TRIANGLES.
    pub triangle_count: u32,
    /// HEIGHT_FIELD: samples along x, 2 to VORTON_MAX_HEIGHT_FIELD_SAMPLES.
    pub columns: u32,
    /// HEIGHT_FIELD: samples along y, 2 to VORTON_MAX_HEIGHT_FIELD_SAMPLES.
    pub rows: u32,
    /// HEIGHT_FIELD: distance of samples along x and y [m], positive. Default 1.
    pub spacing: [f32; 2],
    /// Reserved: 0.
    pub reserved2: u32,
}

/// Mass properties of a solid of density 1: multiply by the density for the engine's body.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VortonMassProperties {
    /// Volume [m^3]; multiply by the density for the mass.
    pub volume: f32,
    /// Area of the surface [m^2].
    pub area: f32,
    /// Centroid [m], in the body's axes: the centre of mass.
    pub centroid: VortonVec3,
    /// Inertia tensor about the centroid [m^5], in the body's axes, symmetric; times density [kg m^2].
    pub inertia: [f32; 9],
}

impl VortonShapeDef {
    pub(crate) fn default_of(r#type: u32) -> Self {
        Self {
            struct_size: size_of::<Self>() as u32,
            r#type,
            position: VortonVec3::ZERO,
            rotation: VortonQuat::IDENTITY,
            half_extents: VortonVec3 { x: 0.5, y: 0.5, z: 0.5 },
            radius: 0.5,
            half_height: 0.5,
            point_count: 0,
            plane_count: 0,
            points: std::ptr::null(),
            planes: std::ptr::null(),
            flags: 0,
            reserved: 0,
            user_data: 0,
            triangles: std::ptr::null(),
            heights: std::ptr::null(),
            triangle_count: 0,
            columns: 0,
            rows: 0,
            spacing: [1.0; 2],
            reserved2: 0,
        }
    }

    /// # Safety
    /// Each array that the type uses is null or has as many elements as its count says.
    unsafe fn checked(&self) -> Outcome<Shape> {
        finite(&[self.radius, self.half_height], "radius or half_height")?;
        finite(&self.spacing, "spacing")?;
        self.half_extents.checked("half_extents")?;
        let pose = Pose {
            position: self.position.checked("position")?,
            rotation: self.rotation.checked("rotation")?,
        };
        let geometry = match self.r#type {
            VORTON_SHAPE_SPHERE => Geometry::Sphere(Sphere { radius: positive(self.radius, "radius")? }),
            VORTON_SHAPE_BOX => {
                let VortonVec3 { x, y, z } = self.half_extents;
                for (value, name) in [(x, "half_extents.x"), (y, "half_extents.y"), (z, "half_extents.z")] {
                    positive(value, name)?;
                }
                Geometry::Cuboid(Cuboid { half_extents: self.half_extents.vec() })
            }
            VORTON_SHAPE_CAPSULE => {
                if self.half_height < 0.0 {
                    let text = format_args!("half_height is {}, but must be at least 0", self.half_height);
                    return Err(Error::bad_value(text));
                }
                let radius = positive(self.radius, "radius")?;
                Geometry::Capsule(Capsule { half_height: self.half_height, radius })
            }
            VORTON_SHAPE_CYLINDER => Geometry::Cylinder(Cylinder {
                half_height: positive(self.half_height, "half_height")?,
                radius: positive(self.radius, "radius")?,
            }),
            VORTON_SHAPE_HULL => {
                // SAFETY: the caller's promise.
                let points = unsafe { numbers::<3>(self.points, self.point_count, "point") }?;
                let points: Vec<_> = points.iter().map(|p| Vec3::from_array(*p)).collect();
                Geometry::Polytope(Polytope::from_points(&points).map_err(|error| refused("points", &error))?)
            }
            VORTON_SHAPE_PLANES => {
                // SAFETY: the caller's promise.
                let planes = unsafe { numbers::<4>(self.planes, self.plane_count, "plane") }?;
                let planes: Vec<_> = planes.iter().map(|&[x, y, z, d]| (Vec3::new(x, y, z), d)).collect();
                Geometry::Polytope(Polytope::from_planes(&planes).map_err(|error| refused("planes", &error))?)
            }
            VORTON_SHAPE_HALF_SPACE => Geometry::HalfSpace(HalfSpace),
            // SAFETY: the caller's promise.
            VORTON_SHAPE_MESH => unsafe { level::mesh(self) }?,
            // SAFETY: the caller's promise.
            VORTON_SHAPE_HEIGHT_FIELD => unsafe { level::height_field(self) }?,
            other => return Err(unknown_type(other)),
        };
        reserved(&[self.reserved, self.reserved2], "the shape definition")?;
        if self.flags & !(VORTON_SHAPE_HOLE | VORTON_SHAPE_SAVED_BY_HASH) != 0 {
            let text = format_args!(
                "flags is {:#x}, but must be VORTON_SHAPE_HOLE, VORTON_SHAPE_SAVED_BY_HASH or 0",
                self.flags
            );
            return Err(Error::bad_value(text));
        }
        if self.flags & VORTON_SHAPE_SAVED_BY_HASH != 0 && !geometry.is_level() {
            let text =
                "flags has VORTON_SHAPE_SAVED_BY_HASH, but only meshes and height fields are saved by hash";
            return Err(Error::bad_value(text));
        }
        let parity = if self.flags & VORTON_SHAPE_HOLE == 0 { Parity::Solid } else { Parity::Hole };
        let shape = Shape { geometry, pose, parity };
        if shape.is_immovable() && parity == Parity::Hole {
            let text =
                "flags has VORTON_SHAPE_HOLE, but half-spaces, meshes and height fields cannot be holes";
            return Err(Error::bad_value(text));
        }
        Ok(shape)
    }
}

impl VortonShapeDef {
    /// Returns the creation of a shape, with the arrays that its type uses.
    ///
    /// # Safety
    /// The definition has been checked, and its arrays are as then.
    unsafe fn recorded(&self, body: Id, shape: Id) -> Call<'_> {
        let only_of =
            |kinds: &[u32], count: u32| if kinds.contains(&self.r#type) { count as usize } else { 0 };
        let points = only_of(&[VORTON_SHAPE_HULL, VORTON_SHAPE_MESH], self.point_count);
        let planes = only_of(&[VORTON_SHAPE_PLANES], self.plane_count);
        let triangles = only_of(&[VORTON_SHAPE_MESH], self.triangle_count);
        let columns = only_of(&[VORTON_SHAPE_HEIGHT_FIELD], self.columns);
        let rows = only_of(&[VORTON_SHAPE_HEIGHT_FIELD], self.rows);
        // SAFETY: as many elements as the caller promises, or none.
        let (points, planes, triangles, heights) = unsafe {
            (
                list(self.points.cast(), points),
                list(self.planes.cast(), planes),
                list(self.triangles.cast(), triangles),
                list(self.heights, columns * rows),
            )
        };
        let &Self { position, rotation, half_extents, radius, half_height, spacing, .. } = self;
        let (kind, flags, user_data) = (self.r#type, self.flags, self.user_data);
        Call::ShapeCreate {
            body,
            kind,
            flags,
            position,
            rotation,
            half_extents,
            radius,
            half_height,
            user_data,
            points,
            planes,
            triangles,
            samples: [columns as u32, rows as u32],
            spacing,
            heights,
            shape,
        }
    }
}

/// # Safety
/// `pointer` points to `count` readable elements that are not written during `'a`, or `count` is 0.
unsafe fn list<'a, T: Clone>(pointer: *const T, count: usize) -> Cow<'a, [T]> {
    // SAFETY: the caller's promise; arrays were checked before.
    Cow::Borrowed(if count == 0 { &[] } else { unsafe { std::slice::from_raw_parts(pointer, count) } })
}

sized32!(VortonShapeDef);

fn unknown_type(value: u32) -> Error {
    Error::bad_value(format_args!("type is {value}, which is no VORTON_SHAPE_... constant"))
}

fn refused(field: &str, error: &PolytopeError) -> Error {
    Error::bad_value(format_args!("{field}: {error}"))
}

fn positive(value: f32, name: &str) -> Outcome<f32> {
    if value <= 0.0 {
        return Err(Error::bad_value(format_args!("{name} is {value}, but must be positive")));
    }
    Ok(value)
}

/// Returns the caller's points or planes; checks their number and that they are finite.
///
/// # Safety
/// `pointer` is null or points to `count` times N readable floats that are not written during `'a`.
unsafe fn numbers<'a, const N: usize>(
    pointer: *const f32,
    count: u32,
    what: &str,
) -> Outcome<&'a [[f32; N]]> {
    if !(4..=VORTON_MAX_HULL_POINTS).contains(&count) {
        let text = format_args!("{what}_count is {count}, but must be from 4 to {VORTON_MAX_HULL_POINTS}");
        return Err(Error::bad_value(text));
    }
    let name = format!("{what}s");
    // SAFETY: the caller's promise; arrays of floats are aligned as floats are.
    let values = unsafe { slice(pointer.cast::<[f32; N]>(), count as usize, &name) }?;
    finite(values.as_flattened(), &name)?;
    Ok(values)
}

/// Fills a definition with the defaults of a shape: a ball of diameter 1, a box of edge 1, a capsule of
/// length 2 and width 1, a cylinder of height and width 1, no points, planes, triangles or heights yet, or a
/// floor; at the origin of its body.
///
/// @param struct_size sizeof(VortonShapeDef)
/// @param type        VORTON_SHAPE_...
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_shape_def_init(
    out: *mut VortonShapeDef,
    struct_size: u32,
    r#type: u32,
) -> VortonResult {
    guard::run(|| {
        if !(VORTON_SHAPE_SPHERE..=VORTON_SHAPE_CYLINDER).contains(&r#type) {
            return Err(unknown_type(r#type));
        }
        // SAFETY: the caller passes null or a struct of struct_size bytes.
        unsafe { write_sized(out, struct_size, VortonShapeDef::default_of(r#type), "out") }
    })
}

/// Adds a shape to a body. Shapes of a body may overlap; buoyancy then counts the common volume twice.
///
/// @param out NULL, or receives the shape's id: only vorton_shape_destroy needs it, and destroying a body
///     destroys its shapes
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_shape_create(
    world: VortonWorldId,
    body: VortonBodyId,
    def: *const VortonShapeDef,
    out: *mut VortonShapeId,
) -> VortonResult {
    guard::run(|| {
        check_optional_output(out, "out")?;
        // SAFETY: the caller passes null or a definition of struct_size bytes with its arrays.
        let given = unsafe { read_def(def, VortonShapeDef::default_of(0), "def") }?;
        // SAFETY: as above.
        let shape = unsafe { given.checked() }?;
        let id = writing(world, |world, state| {
            let mut ids = world.body_ids();
            let index = state.bodies.index_of(&ids, body.key(world.serial)?)?;
            let key = state.bodies.add_shape(&mut ids, index, shape)?;
            world.user_data().shapes.set(key, given.user_data);
            if state.recorder.is_on() {
                // SAFETY: as above.
                let call = unsafe { given.recorded(body.recorded(), Id::of(key)) };
                drop(ids);
                world.record(&mut state.recorder, &call);
            }
            Ok(VortonShapeId::new(key, world.serial))
        })?;
        // SAFETY: checked above; the caller promises the rest.
        unsafe { write_optional(out, id, "out") }
    })
}

/// Destroys a shape of a body.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_shape_destroy(world: VortonWorldId, shape: VortonShapeId) -> VortonResult {
    guard::run(|| {
        writing(world, |world, state| {
            let key = shape.key(world.serial)?;
            state.bodies.remove_shape(&mut world.body_ids(), key)?;
            world.record(&mut state.recorder, &Call::ShapeDestroy { shape: shape.recorded() });
            Ok(())
        })
    })
}

/// True if the id names a shape of a living body of this world. Does not wait for a step.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_shape_is_valid(world: VortonWorldId, shape: VortonShapeId) -> bool {
    let find = |world: &World| {
        let key = shape.key(world.serial)?;
        world.body_ids().shapes.get(key).map(|_| ()).ok_or_else(|| stale(VortonShapeId::KIND))
    };
    with_world(world, find).is_ok()
}

/// Computes the mass properties of a shape, for creating the engine's body; needs no world. If the centroid
/// is not 0, subtract it from VortonShapeDef.position before creating the shape: the origin of a body is its
/// centre of mass. Half-spaces, meshes and height fields are refused, because their bodies are static.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_shape_mass_properties(
    def: *const VortonShapeDef,
    out: *mut VortonMassProperties,
) -> VortonResult {
    guard::run(|| {
        check_output(out, "out")?;
        // SAFETY: the caller passes null or a definition of struct_size bytes with its arrays.
        let shape = unsafe { read_def(def, VortonShapeDef::default_of(0), "def")?.checked() }?;
        if shape.is_immovable() {
            let text =
                "half-spaces, meshes and height fields have no mass properties: nothing moves their bodies";
            return Err(Error::bad_value(text));
        }
        let convex = shape.geometry.queries();
        let moments = convex.mass_properties().moved(&shape.pose);
        let value = VortonMassProperties {
            volume: saturated(moments.volume),
            area: saturated(convex.area()),
            centroid: moments.centroid.map(saturated64).as_vec3().into(),
            inertia: moments.inertia().to_cols_array().map(saturated),
        };
        // SAFETY: checked above; the caller promises the rest.
        unsafe { write(out, value, "out") }
    })
}

/// Computes the added inertia of a solid: the inertia of the fluid accelerated along with it, in fluid of
/// density 1, in the axes of its body and about the body's origin, its centre of mass; needs no world. For
/// engines with a 6 x 6 inertia per body; do not combine it with VORTON_BODY_NO_THROUGH, which includes added
/// inertia in the impulses. A ball has half the mass of the displaced fluid and no added inertia for
/// rotation; other shapes are accurate to about 1 to 8 % (docs/validation.md). Takes up to 0.7 s, for a box
/// 10 to 50 ms, and allocates: call it while loading, and keep the result. Holes are refused, because the
/// fluid around them is not known, and so are half-spaces, meshes and height fields, because their bodies are
/// static. See vorton_body_added_inertia for bodies of several shapes.
///
/// @param out 21 floats: the upper triangle, row after row, of the symmetric matrix of momentum x y z and
///     angular momentum x y z (rows) by velocity x y z and angular velocity x y z (columns); 0 to 2, 6, 7 and
///     11 are [m^3], 3 to 5, 8 to 10 and 12 to 14 [m^4], the last six [m^5]; times the fluid's density [kg],
///     [kg m], [kg m^2]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_shape_added_inertia(
    def: *const VortonShapeDef,
    out: *mut f32,
) -> VortonResult {
    guard::run(|| {
        check_array(out, ADDED_INERTIA, "out")?;
        // SAFETY: the caller passes null or a definition of struct_size bytes with its arrays.
        let shape = unsafe { read_def(def, VortonShapeDef::default_of(0), "def")?.checked() }?;
        let values = added_inertia_values(AddedInertia::of(&[shape]))?;
        // SAFETY: checked above; the caller promises 21 writable floats.
        unsafe { write(out.cast(), values, "out") }
    })
}
