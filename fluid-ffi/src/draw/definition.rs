//! The definition of a drawing.

use crate::memory::sized32;
use crate::status::*;
use crate::types::VortonVec3;
use glam::{UVec3, Vec3};

/// VortonDrawDef.flags: each vorton, as a line along its strength with the vorton in the middle. All lines
/// have the same length; the colour shows the strength, from blue (0) through green to red (max_strength). A
/// vorton without strength is a grey line along z.
pub const VORTON_DRAW_VORTONS: u32 = 1;
/// VortonDrawDef.flags: the velocity of the field that vorton_sample reads, as arrows at the points of a
/// lattice: a shaft and two lines for the head, from blue (0) through green to red (max_speed). Three lines
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
const WITHOUT_FIELD: u32 = KNOWN & !VORTON_DRAW_FIELD;
const KNOWN: u32 = 255;

/// Definition of a debug drawing. Fill it with vorton_draw_def_init, then change the fields you need.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct VortonDrawDef {
    /// sizeof(VortonDrawDef); set by vorton_draw_def_init.
    pub struct_size: u32,
    /// Sum of VORTON_DRAW_... Default: all but VORTON_DRAW_FIELD, whose arrows need a box.
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

/// A definition that has been checked.
#[derive(Debug, Clone, Copy)]
pub(super) struct Drawing {
    flags: u32,
    pub(super) low: Vec3,
    pub(super) high: Vec3,
    pub(super) vorton_length: f32,
    pub(super) contact_length: f32,
    pub(super) arrow_length: f32,
    /// `None`: the strength of the strongest vorton.
    pub(super) max_strength: Option<f32>,
    /// `None`: the speed of the fastest arrow.
    pub(super) max_speed: Option<f32>,
    pub(super) lattice: Lattice,
}

/// The start points of arrows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lattice {
    low: Vec3,
    cell: Vec3,
    counts: [usize; 3],
}

impl Lattice {
    pub(super) fn len(&self) -> usize {
        self.counts.iter().product()
    }

    /// Returns the point \[m\] of this number.
    pub(super) fn point(&self, number: usize) -> Vec3 {
        let [x, y, _] = self.counts;
        let cell = [number % x, number / x % y, number / (x * y)].map(|n| n as f32);
        self.low + (Vec3::from_array(cell) + 0.5) * self.cell
    }
}

impl Drawing {
    pub(super) fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    /// True if the drawing needs only the published field.
    pub(super) fn is_of_field(&self) -> bool {
        self.flags & !(VORTON_DRAW_FIELD | VORTON_DRAW_MESH) == 0
    }

    /// True if a point \[m\] is in the visible box.
    pub(super) fn shows(&self, point: Vec3) -> bool {
        point.cmpge(self.low).all() && point.cmple(self.high).all()
    }

    /// True if a ball \[m\] intersects the visible box.
    pub(super) fn shows_ball(&self, centre: Vec3, radius: f32) -> bool {
        centre.distance(centre.clamp(self.low, self.high)) <= radius
    }
}

/// Checks the two corners of a box, the highest not below the lowest.
fn corners(low: VortonVec3, high: VortonVec3, names: [&str; 2]) -> Outcome<[Vec3; 2]> {
    let [low_name, high_name] = names;
    let (low, high) = (low.checked(low_name)?, high.checked(high_name)?);
    if low.cmple(high).all() {
        return Ok([low, high]);
    }
    Err(Error::bad_value(format_args!("{high_name} is {high}, but must be at least {low_name}, {low}")))
}

impl VortonDrawDef {
    pub(super) fn checked(&self) -> Outcome<Drawing> {
        let &Self { flags, vorton_length, contact_length, arrow_length, max_strength, max_speed, .. } = self;
        let lengths = [vorton_length, contact_length, arrow_length];
        finite(&lengths, "a length of def")?;
        finite(&[max_strength, max_speed], "max_strength or max_speed")?;
        let [low, high] = corners(self.low, self.high, ["low", "high"])?;
        let lattice = self.lattice()?;
        reserved(&[self.reserved], "def")?;
        if flags & !KNOWN != 0 {
            return Err(Error::bad_value(format_args!("flags is {flags:#x}, which has unknown bits")));
        }
        if let Some(length) = lengths.iter().find(|length| **length <= 0.0) {
            return Err(Error::bad_value(format_args!("a length is {length}, but must be positive")));
        }
        if let Some(most) = [max_strength, max_speed].iter().find(|most| **most < 0.0) {
            let text = format_args!("max_strength or max_speed is {most}, but must be at least 0");
            return Err(Error::bad_value(text));
        }
        let told = |most: f32| (most > 0.0).then_some(most);
        Ok(Drawing {
            flags,
            low,
            high,
            vorton_length,
            contact_length,
            arrow_length,
            max_strength: told(max_strength),
            max_speed: told(max_speed),
            lattice,
        })
    }

    fn lattice(&self) -> Outcome<Lattice> {
        let [low, high] = corners(self.arrows_low, self.arrows_high, ["arrows_low", "arrows_high"])?;
        let size = high - low;
        if !size.is_finite() {
            return Err(Error::bad_value("arrows_high is too far from arrows_low"));
        }
        let counts = [self.arrows_x, self.arrows_y, self.arrows_z];
        let points = counts.iter().try_fold(1_u32, |product, &n| product.checked_mul(n));
        if points.is_none_or(|points| points == 0 || points > VORTON_MAX_ARROWS) {
            let [x, y, z] = counts;
            let text = format_args!(
                "{x} x {y} x {z} arrows: must be at least 1 along each axis, at most {VORTON_MAX_ARROWS} in all"
            );
            return Err(Error::bad_value(text));
        }
        let cell = size / UVec3::from_array(counts).as_vec3();
        Ok(Lattice { low, cell, counts: counts.map(|n| n as usize) })
    }
}
