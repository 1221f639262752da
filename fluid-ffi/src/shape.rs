//! Shapes of bodies.

use crate::body::index_of;
use crate::body::{ADDED_INERTIA, added_inertia_values};
use crate::guard;
use crate::handle::{Id, Key, stale};
use crate::heap::Hold;
use crate::lists::write_list;
use crate::memory::{
    check_array, check_optional_output, check_output, read_def, slice, write, write_optional, write_sized,
};
use crate::recorder::Call;
use crate::state::body_table::BodyIds;
use crate::state::user_data::answer;
use crate::state::{Need, State, World, growing, with_world};
use crate::status::*;
use crate::types::body::VortonBodyId;
use crate::types::shape::{
    VORTON_MAX_HEIGHT_FIELD_SAMPLES, VORTON_MAX_HULL_FACES, VORTON_MAX_HULL_POINTS,
    VORTON_MAX_MESH_TRIANGLES, VORTON_MAX_MESH_VERTICES, VORTON_SHAPE_BOX, VORTON_SHAPE_CAPSULE,
    VORTON_SHAPE_CYLINDER, VORTON_SHAPE_HALF_SPACE, VORTON_SHAPE_HEIGHT_FIELD, VORTON_SHAPE_HOLE,
    VORTON_SHAPE_HULL, VORTON_SHAPE_MESH, VORTON_SHAPE_PLANES, VORTON_SHAPE_SAVED_BY_HASH,
    VORTON_SHAPE_SPHERE, VortonMassProperties, VortonShapeDef, VortonShapeId,
};
use crate::types::world::VortonWorldId;
use crate::types::{VortonQuat, VortonVec3, saturated, saturated64};
use fluid_bodies::Pose;
use fluid_bodies::added_inertia::AddedInertia;
use fluid_bodies::shapes::{
    Capsule, Cuboid, Cylinder, Geometry, HalfSpace, HeightField, Parity, Polytope, PolytopeError, Shape,
    Sphere, TriangleMesh,
};
use glam::Vec3;
use std::borrow::Cow;

mod level;

const _: () = assert!(VORTON_MAX_MESH_TRIANGLES as usize == TriangleMesh::MAX_TRIANGLES);
const _: () = assert!(VORTON_MAX_MESH_VERTICES as usize == TriangleMesh::MAX_VERTICES);
const _: () = assert!(VORTON_MAX_HEIGHT_FIELD_SAMPLES == HeightField::MAX_SAMPLES);
const _: () = assert!(VORTON_MAX_HULL_POINTS as usize == Polytope::MAX_INPUT);
const _: () = assert!(VORTON_MAX_HULL_FACES as usize == Polytope::MAX_FACES);

/// Upper bounds \[bytes\] on the memory that is in use while a geometry is made: a fixed part, and parts per
/// point or plane of a polytope, triangle of a mesh, and sample of a height field.
const BYTES_PER_GEOMETRY: usize = 32 << 10;
const BYTES_PER_POINT: usize = 640;
const BYTES_PER_TRIANGLE: usize = 256;
const BYTES_PER_SAMPLE: usize = 32;

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

    /// Returns the size \[bytes\] of the arrays that the type uses, and an upper bound \[bytes\] on the
    /// memory that is in use while the geometry is made of them.
    fn memory(&self) -> (usize, usize) {
        // Larger numbers are refused by `checked`.
        let number = |count: u32, most: u32| if count <= most { count as usize } else { 0 };
        match self.r#type {
            VORTON_SHAPE_HULL => {
                let points = number(self.point_count, VORTON_MAX_HULL_POINTS);
                (12 * points, BYTES_PER_GEOMETRY + BYTES_PER_POINT * points)
            }
            VORTON_SHAPE_PLANES => {
                let planes = number(self.plane_count, VORTON_MAX_HULL_POINTS);
                (16 * planes, BYTES_PER_GEOMETRY + BYTES_PER_POINT * planes)
            }
            VORTON_SHAPE_MESH => {
                let points = number(self.point_count, VORTON_MAX_MESH_VERTICES);
                let triangles = number(self.triangle_count, VORTON_MAX_MESH_TRIANGLES);
                let bytes = 12 * (points + triangles);
                (bytes, BYTES_PER_GEOMETRY + bytes + BYTES_PER_TRIANGLE * triangles)
            }
            VORTON_SHAPE_HEIGHT_FIELD => {
                let of_side = |count| number(count, VORTON_MAX_HEIGHT_FIELD_SAMPLES);
                let samples = of_side(self.columns) * of_side(self.rows);
                (4 * samples, BYTES_PER_GEOMETRY + BYTES_PER_SAMPLE * samples)
            }
            _ => (0, BYTES_PER_GEOMETRY),
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
        let (bytes, geometry) = given.memory();
        let _geometry = Hold::take(geometry, "the shape")?;
        // SAFETY: as above.
        let shape = unsafe { given.checked() }?;
        let id = growing(world, Need::objects("the shape").recorded(bytes), |world, state| {
            let mut ids = world.body_ids();
            let index = state.bodies.index_of(&ids, body.key(world.serial)?)?;
            let _change = Hold::take(state.bodies.bodies.memory_of_change(index, Some(&shape)), "the shape")?;
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

/// Destroys a shape of a body. A body that has equal shapes again before the next step has not changed. The
/// flow around a VORTON_BODY_NO_THROUGH body goes on around shapes of half to twice the volume.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_shape_destroy(world: VortonWorldId, shape: VortonShapeId) -> VortonResult {
    guard::run(|| {
        growing(world, Need::objects("the shapes"), |world, state| {
            let key = shape.key(world.serial)?;
            let index = state.bodies.index_of_shape(&world.body_ids(), key)?;
            let _change = Hold::take(state.bodies.bodies.memory_of_change(index, None), "the shapes")?;
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
/// engines with a 6 x 6 inertia per body, and for VortonBodyDef.fluid_mass; do not add it to bodies with
/// VORTON_BODY_NO_THROUGH in any other way, because their impulses include it. A ball has half the mass of
/// the displaced fluid and no added inertia for rotation; other shapes are accurate to about 1 to 8 %
/// (docs/validation.md). Takes up to 0.7 s, for a box 10 to 50 ms, and allocates: call it while loading, and
/// keep the result. Holes are refused, because the fluid around them is not known, and so are half-spaces,
/// meshes and height fields, because their bodies are static. See vorton_body_added_inertia for bodies of
/// several shapes.
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
        let def = unsafe { read_def(def, VortonShapeDef::default_of(0), "def") }?;
        let _hold = Hold::take(def.memory().1 + AddedInertia::MEMORY, "the added inertia")?;
        // SAFETY: as above.
        let shape = unsafe { def.checked() }?;
        let values = added_inertia_values(AddedInertia::of(&[shape]))?;
        // SAFETY: checked above; the caller promises 21 writable floats.
        unsafe { write(out.cast(), values, "out") }
    })
}

/// Lists the shapes of a body, in the order in which they were created: see vorton_world_bodies.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_body_shapes(
    world: VortonWorldId,
    body: VortonBodyId,
    out: *mut VortonShapeId,
    capacity: usize,
    out_count: *mut usize,
) -> VortonResult {
    let count =
        |world: &World, state: &State| Ok(state.bodies.shape_keys(index_of(world, state, body)?).len());
    let list = |world: &World, state: &State, put: &mut dyn FnMut(usize, VortonShapeId)| {
        let keys = state.bodies.shape_keys(index_of(world, state, body)?);
        keys.enumerate().for_each(|(place, key)| put(place, VortonShapeId::new(key, world.serial)));
        Ok(())
    };
    // SAFETY: as the caller promises.
    unsafe { write_list(world, "ids", (out, capacity, out_count), count, list) }
}

fn shape_key(world: &World, ids: &BodyIds, shape: VortonShapeId) -> Outcome<Key> {
    world.check_alive()?;
    let key = shape.key(world.serial)?;
    ids.shapes.get(key).map(|_| key).ok_or_else(|| stale(VortonShapeId::KIND))
}

/// Changes the user data of a shape (VortonShapeDef.user_data). Does not wait for a step.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_shape_set_user_data(
    world: VortonWorldId,
    shape: VortonShapeId,
    user_data: u64,
) -> VortonResult {
    guard::run(|| {
        with_world(world, |world| {
            // Locked meanwhile, so that the change is recorded before the shape is destroyed.
            let ids = world.body_ids();
            let key = shape_key(world, &ids, shape)?;
            let mut data = world.user_data();
            data.log.reserve(1)?;
            data.shapes.set(key, user_data);
            data.log.push(Call::ShapeSetUserData { shape: shape.recorded(), value: user_data });
            Ok(())
        })
    })
}

/// Reads the user data of a shape. Does not wait for a step.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_shape_user_data(
    world: VortonWorldId,
    shape: VortonShapeId,
    out: *mut u64,
) -> VortonResult {
    let find = |world: &World| {
        shape_key(world, &world.body_ids(), shape).map(|key| world.user_data().shapes.get(key))
    };
    // SAFETY: the caller passes null or a number to write to.
    unsafe { answer(out, || with_world(world, find)) }
}
