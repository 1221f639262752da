//! Types and constants of drawing.

use crate::memory::sized32;
use crate::types::VortonVec3;

/// VortonDrawDef.flags: each vorton, as a line along its strength with the vorton in the middle. All lines
/// have the same length; the colour shows the strength, from blue (0) through green to red (max_strength). A
/// vorton without strength is a grey line along z.
pub const VORTON_DRAW_VORTONS: u32 = 1;
/// VortonDrawDef.flags: the velocity of the field that vorton_world_sample reads, as arrows at the points of
/// a lattice: a shaft and two lines for the head, from blue (0) through green to red (max_speed). Three lines
/// per point; at zero velocity all three degenerate to points.
pub const VORTON_DRAW_FIELD: u32 = 2;
/// VortonDrawDef.flags: the boxes of the meshes that hold the field, 12 lines each: violet for velocity, if
/// it is on a mesh, brown for density and dye.
pub const VORTON_DRAW_MESH: u32 = 4;
/// VortonDrawDef.flags: the solid shapes of bodies, in light grey, those of sleeping bodies half as bright. A
/// box has 12 lines, a sphere three circles of 24, a capsule 100, a cylinder 52, a hull one per edge, a
/// half-space a grid of 10 x 10 cells (22 lines) near the vortons; meshes and height fields have three lines
/// per triangle in that region.
pub const VORTON_DRAW_BODIES: u32 = 8;
/// VortonDrawDef.flags: the holes of containers, drawn as with VORTON_DRAW_BODIES, in orange.
pub const VORTON_DRAW_CONTAINERS: u32 = 16;
/// VortonDrawDef.flags: the contacts of vortons with bodies in the last step, as lines from the surface along
/// its normal into the fluid, in magenta.
pub const VORTON_DRAW_CONTACTS: u32 = 32;
/// VortonDrawDef.flags: kill volumes, in red, and bounding volumes (VORTON_KILL_VOLUME_OUTSIDE), in green: 12
/// lines per box, 72 per sphere.
pub const VORTON_DRAW_KILL_VOLUMES: u32 = 64;
/// VortonDrawDef.flags: the boxes of emitters, in yellow: 12 lines each.
pub const VORTON_DRAW_EMITTERS: u32 = 128;

/// Most points of a lattice of arrows.
pub const VORTON_MAX_ARROWS: u32 = 1048576;

/// The flags that do not need a lattice from the caller.
/// All flags.
pub(crate) const KNOWN: u32 = 255;
const WITHOUT_FIELD: u32 = KNOWN & !VORTON_DRAW_FIELD;

/// Definition of a debug drawing. Fill it with vorton_draw_def_init, then change the fields you need.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct VortonDrawDef {
    /// sizeof(VortonDrawDef); set by vorton_draw_def_init.
    pub struct_size: u32,
    /// Sum of VORTON_DRAW_... Default: all but VORTON_DRAW_FIELD: arrows need a box.
    pub flags: u32,
    /// Lowest corner of the visible box [m]: vortons and contacts outside it are not drawn, nor are shapes
    /// with bounding spheres outside it. Arrows, meshes, kill volumes and emitters are always drawn. Default:
    /// -FLT_MAX.
    pub low: VortonVec3,
    /// Highest corner of the visible box [m], not below the lowest. Default: FLT_MAX.
    pub high: VortonVec3,
    /// Length of a vorton's line [core radii], positive. Default 1.
    pub vorton_length: f32,
    /// Strength drawn in red [m^3/s]; 0: that of the strongest vorton of the world. Default 0.
    pub max_strength: f32,
    /// Length of a contact's line [core radii], positive. Default 1.
    pub contact_length: f32,
    /// Length of an arrow per speed [s], positive: the arrow shows the displacement of the fluid in that
    /// time. Default 0.1.
    pub arrow_length: f32,
    /// Speed drawn in red [m/s]; 0: that of the fastest arrow. Default 0.
    pub max_speed: f32,
    /// Arrows along x, each at least 1, at most VORTON_MAX_ARROWS together. Default 8, also for the next two.
    pub arrows_x: u32,
    /// Arrows along y.
    pub arrows_y: u32,
    /// Arrows along z.
    pub arrows_z: u32,
    /// Lowest corner of the box of arrows [m]. Arrows begin at the centres of its cells, as the samples of
    /// VortonVolumeDef. x runs fastest, then y, then z.
    pub arrows_low: VortonVec3,
    /// Highest corner of the box of arrows [m], not below the lowest.
    pub arrows_high: VortonVec3,
    /// Reserved: 0.
    pub reserved: u32,
}

impl Default for VortonDrawDef {
    fn default() -> Self {
        let cube = |half: f32| VortonVec3 { x: half, y: half, z: half };
        Self {
            struct_size: size_of::<Self>() as u32,
            flags: WITHOUT_FIELD,
            low: cube(f32::MIN),
            high: cube(f32::MAX),
            vorton_length: 1.0,
            max_strength: 0.0,
            contact_length: 1.0,
            arrow_length: 0.1,
            max_speed: 0.0,
            arrows_x: 8,
            arrows_y: 8,
            arrows_z: 8,
            arrows_low: cube(-1.0),
            arrows_high: cube(1.0),
            reserved: 0,
        }
    }
}

sized32!(VortonDrawDef);

/// A coloured line of a debug view.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct VortonLine {
    /// Start of the line [m].
    pub from: VortonVec3,
    /// End of the line [m].
    pub to: VortonVec3,
    /// Colour: in memory the bytes red, green, blue, alpha, the R8G8B8A8 of graphics APIs (0xAABBGGRR on
    /// little-endian machines). Alpha is 255.
    pub color: u32,
}
