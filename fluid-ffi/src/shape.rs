//! Shapes of bodies.

mod level;

use crate::body::{ADDED_INERTIA, VortonBodyId, added_inertia_values};
use crate::guard;
use crate::handle::{child_id, stale};
use crate::memory::{
    check_array, check_optional_output, check_output, read_def, sized32, slice, write, write_optional,
    write_sized,
};
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
/// The convex hull of `points`: a mesh's vertices, say. Points inside of the hull do no harm.
pub const VORTON_SHAPE_HULL: u32 = 4;
/// The convex solid on the inner sides of all `planes`.
pub const VORTON_SHAPE_PLANES: u32 = 5;
/// Everything below the plane z = 0 of the shape's axes: a floor, a water bed, a large wall. Turn the shape
/// or its body to make a wall of it; fluid is on the side of +z. No size is used.
///
/// Nothing flows through it: each vorton has a mirror image, so the flow is exact up to the surface, for
/// vortons of any size. Fluid slides along it without friction and without heat transfer. Vortons, tracers
/// and particles of yours stay above it.
///
/// It is the only shape of its body, whose mass is 0 and whose angular velocity is 0; a hole it cannot be. It
/// displaces nothing and takes no impulses from the fluid. A world may have up to three, at right angles to
/// each other (floor and corner), and turn one only while there is no other. Others are refused.
///
/// A body that moves it (a lift) moves the mirror, and what is in the way is pushed out. The fluid above does
/// not feel its velocity: in fluid without end a floor that rises would lift all of it. Wind blows as it is
/// told, through the surface as well: let it blow along. Viscosity does not cross the surface.
///
/// Where vortons are near it costs a second copy of them, and each further half-space doubles that: a step
/// takes about twice as long, on the mesh up to three times, because its box holds both. Where the vortons
/// would induce less than 1 % of the largest speed of a vorton at the surface, the images are left out, and
/// a half-space costs nothing: from about seven radii above it on for a ring. The first step with it takes
/// memory for the images.
pub const VORTON_SHAPE_HALF_SPACE: u32 = 6;
/// `triangles` between `points`: static level geometry, of any form, anywhere. Points with the same
/// coordinates are one; triangles without an area are left out. Making it takes about half a microsecond for
/// each triangle.
///
/// Where the surface is closed (each edge belongs to two triangles, wound in opposite directions), what is
/// behind its triangles is solid: fluid is where these are seen counterclockwise. So a rock is solid inside
/// and a cave outside. Any other surface is a thin wall with fluid on both sides, whatever its winding.
/// Nothing passes it, but where heavy or light fluid lies at one side, halo (VORTON_VORTON_HALO) may be born
/// at the other.
///
/// The mass of its body is 0; other shapes of that body may be solids that are no half-spaces. Body and mesh
/// may be moved, and sweep out what is in their way; while it stands still, what it costs is that of the
/// triangles near the fluid. It displaces nothing, exchanges no heat, and takes impulses.
///
/// Vortons, tracers and particles of yours stay on their side of it; fluid sticks to it where vortons touch
/// it. VORTON_BODY_NO_THROUGH does nothing: elsewhere the flow goes through, as it does by default through
/// other bodies. For a flat floor or wall VORTON_SHAPE_HALF_SPACE is exact.
pub const VORTON_SHAPE_MESH: u32 = 7;
/// Ground under `heights` along z: the sample in column i and row j is at x = i spacing[0], y = j spacing[1]
/// of the shape's axes; turn the shape or its body where y is up. The cell between four samples is two
/// triangles, whose common edge goes from sample (i, j) to (i + 1, j + 1). What is below is solid, to any
/// depth; beside the outermost samples there is nothing. All else is as with VORTON_SHAPE_MESH; it takes a
/// tenth of the memory.
pub const VORTON_SHAPE_HEIGHT_FIELD: u32 = 8;

/// A cylinder about the shape's origin, along its z axis: `radius`, and `half_height`, half the distance of
/// its flat ends, positive. As a hole, its walls act where vortons touch them. With VORTON_BODY_NO_THROUGH a
/// prism of the same volume stands for it.
pub const VORTON_SHAPE_CYLINDER: u32 = 9;

/// Bit of VortonShapeDef.flags: the shape is a hole: fluid is inside of it, and solid around it (a tank, a
/// bottle). What is in it when a step begins stays in it, however the body moves; what is outside is left
/// alone. Several holes of a body that overlap are one room.
///
/// The walls of a body that is one hole, and nothing else, hold flow: fluid goes along them, whether or not
/// vortons touch them, and vortex lines that end there go on as in a mirror. With VortonWorldDef.viscosity
/// they drag fluid along, where vortons with a volume are near. What fills the hole has inertia, and, without
/// VORTON_BODY_NO_BUOYANT_FORCE, weight: impulses contain both, so the engine's body is the shell alone, of
/// any mass. That takes 0.1 to 0.9 s for each shape that the body is given, and up to 2,048 sources in each
/// step in which something turns in the hole. Holes larger than some 20 core radii or less than 2.5 across,
/// and bodies of several shapes with a hole, do without: their walls act where vortons touch them, and the
/// weight and the inertia of what is in them are the engine's. So are those of a hole that is nearer than two
/// core radii to another such hole, or has more than a quarter of its height in a half-space, for that time.
/// A tank may stand on a half-space, and sink in a little: what is in it has no images there.
pub const VORTON_SHAPE_HOLE: u32 = 1;
/// Bit of VortonShapeDef.flags, of meshes and height fields: snapshots (vorton_world_save) have a hash of its
/// points, triangles or heights instead of these, which a host has anyway. The world that restores such a
/// snapshot must have a body with the same level geometry, created with this flag; else vorton_world_restore
/// answers VORTON_ERR_SNAPSHOT. That holds for a level that has been destroyed, too.
pub const VORTON_SHAPE_SAVED_BY_HASH: u32 = 2;

/// Most points or planes that VORTON_SHAPE_HULL or _PLANES may be made from.
pub const VORTON_MAX_HULL_POINTS: u32 = 4096;
/// Most faces that the solid may have: triangles and polygons of the hull, or planes that bound the solid.
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

/// A solid, or a hole. Fill it with vorton_shape_def_init, then change what the type uses. Lengths in metres.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct VortonShapeDef {
    /// sizeof(VortonShapeDef); set by vorton_shape_def_init.
    pub struct_size: u32,
    /// VORTON_SHAPE_...
    pub r#type: u32,
    /// Where its origin is in the body [m]; the body's origin is its centre of mass. Default 0.
    pub position: VortonVec3,
    /// How it is turned in the body.
    pub rotation: VortonQuat,
    /// BOX: half the edges [m], positive. Default 0.5.
    pub half_extents: VortonVec3,
    /// SPHERE, CAPSULE and CYLINDER: radius [m], positive. Default 0.5.
    pub radius: f32,
    /// CAPSULE: half the length of the straight part [m], at least 0. CYLINDER: half its height [m],
    /// positive. Default 0.5.
    pub half_height: f32,
    /// HULL: number of points, 4 to VORTON_MAX_HULL_POINTS. Their hull may have VORTON_MAX_HULL_FACES faces.
    /// MESH: number of points, 3 to VORTON_MAX_MESH_VERTICES.
    pub point_count: u32,
    /// PLANES: number of planes, 4 to VORTON_MAX_HULL_POINTS, of which VORTON_MAX_HULL_FACES may bound the
    /// solid.
    pub plane_count: u32,
    /// HULL: x y z [m] of each point, not all in one plane; copied. MESH: x y z [m] of each point; copied.
    pub points: *const f32,
    /// PLANES: nx ny nz d of each plane; inside is nx x + ny y + nz z <= d. Normals point outwards and may
    /// have any length but 0. Together they must enclose a volume; copied.
    pub planes: *const f32,
    /// Sum of VORTON_SHAPE_HOLE or VORTON_SHAPE_SAVED_BY_HASH, or nothing. Default 0: a solid.
    pub flags: u32,
    /// 0.
    pub reserved: u32,
    /// A number of yours, which the library only keeps: see vorton_shape_user_data. Default 0.
    pub user_data: u64,
    /// MESH: three numbers of points for each triangle; copied.
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
    /// 0.
    pub reserved2: u32,
}

/// What a solid of density 1 weighs, and where: times its density, what an engine wants to know.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VortonMassProperties {
    /// Volume [m^3]; times density: mass.
    pub volume: f32,
    /// Area of the surface [m^2].
    pub area: f32,
    /// Centroid [m], in the body's axes: the centre of mass.
    pub centroid: VortonVec3,
    /// Inertia tensor about the centroid [m^5], in the body's axes, symmetric; times density [kg m^2].
    pub inertia: [f32; 9],
}

impl VortonShapeDef {
    fn default_of(r#type: u32) -> Self {
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
    /// The arrays are null or hold as many as their counts say, if the type uses them.
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

/// A caller's points or planes, finite and as many as may be.
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
/// floor; in the middle of its body.
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

/// Gives a body one more shape. Shapes of a body may overlap; what two of them share is lifted twice, then.
///
/// @param out NULL, or receives the shape's id: only vorton_shape_destroy asks for it, and a body's shapes go
///     with the body
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
            Ok(VortonShapeId::new(key, world.serial))
        })?;
        // SAFETY: checked above; the caller promises the rest.
        unsafe { write_optional(out, id, "out") }
    })
}

/// Takes a shape from its body.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_shape_destroy(world: VortonWorldId, shape: VortonShapeId) -> VortonResult {
    guard::run(|| {
        writing(world, |world, state| {
            let key = shape.key(world.serial)?;
            state.bodies.remove_shape(&mut world.body_ids(), key)
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

/// Computes what a shape weighs, for making the engine's body from it; needs no world. If the centroid is not
/// 0, subtract it from VortonShapeDef.position before creating the shape: the origin of a body is its centre
/// of mass. Half-spaces, meshes and height fields are refused: nothing moves their bodies.
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

/// Computes the added inertia of a solid: the inertia of the fluid that it has to accelerate with itself, in
/// fluid of density 1, in the axes of its body and about the body's origin, its centre of mass; needs no
/// world. For engines whose bodies can have an inertia of six by six numbers: not together with
/// VORTON_BODY_NO_THROUGH, whose impulses contain it. A ball has half of what it displaces and none for
/// turning; other shapes are within about 1 to 8 % (docs/validation.md). Takes up to 0.7 s, for a box 10 to
/// 50 ms, and allocates: call it while loading, and keep the result. Holes are refused, because what is
/// around them is not known, and half-spaces, meshes and height fields, whose bodies nothing moves. See
/// vorton_body_added_inertia for bodies of several shapes.
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
