//! Types of emitters.

use crate::handle::child_id;
use crate::memory::sized32;
use crate::types::body::VortonBodyId;
use crate::types::tracers::VortonTracersId;
use crate::types::{VortonQuat, VortonVec3};
use fluid_core::emitter::{EmitterDef, Nozzle};

/// An emitter. Zeroed memory is the null id. Opaque: do not look inside.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VortonEmitterId {
    /// Opaque.
    pub index1: u32,
    /// Opaque.
    pub world: u16,
    /// Opaque.
    pub generation: u16,
}

child_id!(VortonEmitterId, "emitter");

/// Definition of an emitter: it emits either vortons at random in a box (stirred, warm, heavy or dyed fluid),
/// or the jet of a nozzle. Fill it with vorton_emitter_def_init, then change the fields you need. Vortons
/// live until they reach VortonWorldDef.max_age or a kill volume; at max_vortons emitters stop. Set a max_age
/// in worlds with emitters.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct VortonEmitterDef {
    /// sizeof(VortonEmitterDef); set by vorton_emitter_def_init.
    pub struct_size: u32,
    /// Vortons per second, at least 0. Default 60.
    pub rate: f32,
    /// Centre of the box [m], in the axes of the body that carries the emitter, if one does (body).
    pub position: VortonVec3,
    /// Orientation of the box and of the strengths, likewise.
    pub rotation: VortonQuat,
    /// Edges of the box [m]; zero emits from a point. Fluid of another density or with fuel spreads over at
    /// least a tenth of a core radius along each axis, because density in a plane, line or point is no
    /// three-dimensional fluid. What the box emits inside of a solid comes out in front of the face that is
    /// nearest to the middle of the box, within its width; of a solid that reaches less far behind that face
    /// than the box, in front of the nearest face. Not used with a nozzle.
    pub extent: VortonVec3,
    /// Mean strength [m^3/s] of a vorton, in the box's frame.
    pub strength: VortonVec3,
    /// Full width of the random part of each component of the strength [m^3/s].
    pub strength_spread: VortonVec3,
    /// Volume of a vorton [m^3], at least 0: about the cube of two thirds of core_radius. With a nozzle, 0
    /// stands for the volume of fluid that passes the nozzle per vorton. Otherwise vortons of no volume carry
    /// neither density nor temperature, dye or fuel; vorton_emitter_create logs a warning if the definition
    /// asks for some. Default 0.
    pub volume: f32,
    /// Heat [J/m^3] that the fuel in the emitted fluid releases when it burns, at least 0: 2.5e6 makes air of
    /// 300 K a flame of 2300 K. Needs a volume, which grows by the heat. With a nozzle, its rings have none.
    /// Default 0.
    pub fuel: f32,
    /// Seed of the random numbers: equal seeds give equal vortons.
    pub seed: u64,
    /// User data, stored and never interpreted: see vorton_emitter_user_data. Default 0.
    pub user_data: u64,
    /// Density of the emitted fluid minus the ambient density [kg/m^3]: negative rises, positive sinks. Needs
    /// a volume: the mass deviation of a vorton is volume times this. Default 0.
    pub density_deviation: f32,
    /// Temperature of the emitted fluid [K], which sets its density; 0: density_deviation is used. Default 0.
    pub temperature: f32,
    /// Concentration of dye in the emitted fluid, 0 to 1: see VORTON_SAMPLE_DYE. Needs a volume. Default 0.
    pub dye: f32,
    /// Radius [m] of a jet's nozzle: a disc across the z axis of the frame that pushes fluid along it, as a
    /// fan or rotor does, by 1/2 density speed^2 area [N]. Fluid passes the disc at half of nozzle_speed, and
    /// the jet narrows to .7 of the radius within about a radius; for the thrust of a pipe, use a disc of 1.4
    /// times its radius. The nozzle sheds nozzle_speed / (1.33 core_radius) rings per second, of 9.4
    /// nozzle_radius / core_radius vortons each (8 at least), and in addition `rate` vortons from the disc:
    /// set rate to 0 if the jet consists of the surrounding fluid. 0: no nozzle. Default 0.
    pub nozzle_radius: f32,
    /// Speed [m/s] of the jet, at least 0. Default 1.
    pub nozzle_speed: f32,
    /// Random displacement of the vortons of these rings: full width, as a fraction of their distance, 0 to
    /// 1. A jet without it stays symmetric longer than a real jet. Default 0.1.
    pub nozzle_disturbance: f32,
    /// The set to which the emitter adds tracers, where its vortons are emitted. Tracers that exceed the
    /// set's capacity are left out: it needs a capacity of tracer_rate times (its max_age plus one step).
    /// Null: none. Default null.
    pub tracers: VortonTracersId,
    /// Tracers per second, at least 0. Default 0.
    pub tracer_rate: f32,
    /// Tag stored with the tracers. Default 0.
    pub tracer_tag: u32,
    /// The body that carries the emitter: a campfire on a ship, the exhaust of a car, a torch in a hand.
    /// position and rotation are then in the body's axes, from its centre of mass, and what it emits at its
    /// rate in a step comes out at the beginning of the next one, along its way in that step; after
    /// vorton_body_place at the new position, and within the body, if that is a container, at its position
    /// there. If the body is destroyed, the emitter stays where it is. The body does not feel the thrust of a
    /// nozzle. A tank around the nozzle does, through its fluid, except for its own emitters. Null: no body;
    /// the emitter is in the world's axes. Default null.
    pub body: VortonBodyId,
}

impl Default for VortonEmitterDef {
    fn default() -> Self {
        let (def, nozzle) = (EmitterDef::default(), Nozzle::default());
        Self {
            struct_size: size_of::<Self>() as u32,
            rate: def.rate,
            position: VortonVec3::ZERO,
            rotation: VortonQuat::IDENTITY,
            extent: VortonVec3::ZERO,
            strength: VortonVec3::ZERO,
            strength_spread: VortonVec3::ZERO,
            volume: def.volume,
            fuel: def.fuel,
            seed: def.seed,
            user_data: 0,
            density_deviation: def.density_deviation,
            temperature: 0.0,
            dye: def.dye,
            nozzle_radius: 0.0,
            nozzle_speed: nozzle.speed,
            nozzle_disturbance: nozzle.disturbance,
            tracers: VortonTracersId::NULL,
            tracer_rate: 0.0,
            tracer_tag: 0,
            body: VortonBodyId::NULL,
        }
    }
}

sized32!(VortonEmitterDef);
