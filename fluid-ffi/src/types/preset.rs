//! Types and constants of presets.

use crate::memory::sized32;
use crate::types::tracers::VortonTracersId;
use crate::types::{VortonQuat, VortonVec3};

/// A slightly uneven smoke ring that travels along +z at about .3 sqrt(g scale), with g = 9.81 m/s^2. scale:
/// radius of the ring, 1 m. Tracers of its core have the second tag.
pub const VORTON_PRESET_SMOKE_RING: u32 = 1;
/// Hot gas that rises from a square until its emitter is destroyed. scale: edge of the square, .5 m. strength
/// multiplies the density deviation, -20 % of the ambient density.
pub const VORTON_PRESET_CAMPFIRE: u32 = 2;
/// A flame along +z from a nozzle, until its emitter is destroyed. scale: length of the flame, 1 m. strength
/// multiplies the speed of the jet, sqrt(g scale).
pub const VORTON_PRESET_TORCH: u32 = 3;
/// A ball of hot gas that rises and rolls up into a mushroom. scale: radius of the ball, 2 m. strength
/// multiplies the density deviation, -20 % of the ambient density. The outward blast is not simulated.
pub const VORTON_PRESET_EXPLOSION: u32 = 4;
/// Air displaced by an object that lands, and the dust that it lifts: a vortex ring that moves along -z
/// towards a floor at z = 0. The floor is not part of the effect: create a half-space or another body there.
/// scale: radius of the dust, .8 m.
pub const VORTON_PRESET_DUST_PUFF: u32 = 5;
/// A drop of heavy dye that falls, rolls up into a ring and breaks up. scale: radius of the drop, 1 m.
/// strength multiplies the density deviation, 20 % of the ambient density.
pub const VORTON_PRESET_INK_DROP: u32 = 6;
/// Air that spins and rises along +z, until its emitters are destroyed. A floor at z = 0 is not part of the
/// effect. scale: height to which it rises at first, 6 m; on a floor it then stays at .2 to .6 of that.
/// Tracers of the dust around its foot have the second tag.
pub const VORTON_PRESET_TORNADO: u32 = 7;
/// The trailing vortices of a wing that has flown along +x, eight spans long; they sink along -z at about
/// .1 sqrt(g scale). scale: distance of the two vortices, 2 m.
pub const VORTON_PRESET_WAKE: u32 = 8;
/// A ball of fluid with flakes at its bottom, in a container: a body of mass 0. Move or turn it to shake the
/// globe. scale: inner radius, 1 m. strength multiplies the excess density of the fluid with the flakes, 6 %
/// of the ambient density.
pub const VORTON_PRESET_SNOW_GLOBE: u32 = 9;
/// Fuel vapour that leaves a square, burns while it rises, and leaves smoke, until its emitter is destroyed.
/// It needs a world in which fuel burns (VortonWorldDef.ignition_temperature); vorton_preset_world_def
/// prepares one. scale: edge of the square, 1 m. strength multiplies the heat of the fuel, 3 times that of an
/// equal volume of ambient fluid. Tracers in a set of its own carry the temperature (vorton_tracers_read).
pub const VORTON_PRESET_BONFIRE: u32 = 10;

/// Largest number of emitters of a preset.
pub const VORTON_PRESET_EMITTERS: usize = 2;

/// Definition of an effect by name. Fill it with vorton_preset_def_init, then change the fields you need.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct VortonPresetDef {
    /// sizeof(VortonPresetDef); set by vorton_preset_def_init.
    pub struct_size: u32,
    /// VORTON_PRESET_...
    pub r#type: u32,
    /// Origin of the effect [m].
    pub position: VortonVec3,
    /// Rotation from the effect's axes to the world's. Gravity stays the world's.
    pub rotation: VortonQuat,
    /// Length [m] that the VORTON_PRESET_... constant describes, .001 to 100000, and at least two core radii
    /// of the world. Effects look alike at every scale: speeds are proportional to its square root.
    pub scale: f32,
    /// Factor on the effect's speeds or, for types with a density deviation or fuel, on that deviation or the
    /// fuel's heat, .05 to 4. Default 1.
    pub strength: f32,
    /// Approximate number of vortons, without halo: at the start or, for an effect with emitters, at any
    /// time, 100 to 262144. vorton_preset_world_def derives core_radius from it; vorton_world_add_preset
    /// ignores it and uses the world's core_radius. Default 1000.
    pub vortons: u32,
    /// Number of tracers, at the start or, for an effect with emitters, at any time, at most 4194304. Default
    /// 30000.
    pub tracers: u32,
    /// Set that receives the tracers; the null id (the default): a new set with this capacity.
    pub tracer_set: VortonTracersId,
    /// Tag of the tracers; tracers of a second part of the effect have tracer_tag + 1. Default 0.
    pub tracer_tag: u32,
    /// Seed of the disturbance from which instabilities grow, and of the tracers' positions. Default 1.
    pub seed: u64,
}

sized32!(VortonPresetDef);
