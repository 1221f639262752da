//! Types and constants of shapes.

use crate::handle::child_id;
use crate::memory::sized32;
use crate::types::{VortonQuat, VortonVec3};

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
/// above it: what the box of an emitter emits below it comes out above, within the height of the box, at its
/// mirror image if the plane cuts the box (strength along the plane changes its sign); others are put on it.
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
/// its flat ends, positive. With VORTON_BODY_NO_THROUGH it is approximated by a prism of the same volume.
pub const VORTON_SHAPE_CYLINDER: u32 = 9;

/// Bit of VortonShapeDef.flags: the shape is a hole, a cavity filled with fluid (a tank, a bottle). Particles
/// inside at the start of a step stay inside, however the body moves; particles outside are not affected.
/// Overlapping holes of a body form one cavity. A solid that encloses a whole hole of its body by itself is
/// hollow: a jar is a box with a smaller box as a hole. Other solids that are in a hole, wholly or in part,
/// stand in its fluid, which sticks to them as to other bodies. Outside, fluid slides along glass thinner
/// than two core radii.
///
/// The fluid in the holes has inertia and, without VORTON_BODY_NO_BUOYANT_FORCE, weight: the impulses contain
/// both, so the engine's body is the shell alone, of any mass.
///
/// The walls are impermeable and free-slip, whether or not vortons touch them, and vortex lines that end at
/// them continue as in a mirror. With VortonWorldDef.viscosity the walls drag fluid along where vortons with
/// a volume are near. This takes 5 to 60 ms for each hole created, and up to 2,048 sources in each step with
/// vorticity in the hole. The walls of all holes of a body act only where vortons touch them if one of the
/// holes is larger than about 20 core radii or less than 2.5 across, or if two of them overlap or are nearer
/// than two core radii. The same holds while a hole is nearer than two core radii to that of another body,
/// or has more than a quarter of its height in a half-space. A tank may stand on a half-space and sink in
/// slightly: its contents have no images there.
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

sized32!(VortonShapeDef);
