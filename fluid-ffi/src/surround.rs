//! Vortons without strength around bodies, through which the bodies act on the fluid.

use crate::body::index_of;
use crate::initial::SPACINGS_PER_CORE;
use crate::memory::{check_optional_output, read_def, write_optional, write_sized};
use crate::recorder::Call;
use crate::state::{Need, State, World, writing};
use crate::status::*;
use crate::types::body::VortonBodyId;
use crate::types::surround::VortonSurroundDef;
use crate::types::world::VortonWorldId;
use crate::{guard, log, vortons};
use fluid_bodies::surroundings::{Surroundings, SurroundingsError};
use fluid_core::kill_volumes::is_killed;
use fluid_core::particles::Vorton;
use glam::Vec3;

/// Default of VortonSurroundDef.thickness \[core radii\]: around solids, vortons fill two thirds of it.
const THICKNESS: f32 = 3.0;

impl VortonSurroundDef {
    fn check(&self) -> Outcome {
        reserved(&[self.reserved], "the surround definition")?;
        finite(&[self.spacing, self.thickness], "spacing or thickness")?;
        for (name, value) in [("spacing", self.spacing), ("thickness", self.thickness)] {
            if value < 0.0 {
                return Err(Error::bad_value(format_args!("{name} is {value}, but must be at least 0")));
            }
        }
        if let Some((low, high)) = self.bounds()?
            && !low.cmple(high).all()
        {
            return Err(Error::bad_value(format_args!("low is {low}, but must be at most high, {high}")));
        }
        Ok(())
    }

    fn bounds(&self) -> Outcome<Option<(Vec3, Vec3)>> {
        let bounds = (self.low.checked("low")?, self.high.checked("high")?);
        Ok((bounds != (Vec3::ZERO, Vec3::ZERO)).then_some(bounds))
    }

    fn meant(&self, world: &World, state: &State) -> Outcome<Surroundings> {
        let is_all = (self.body.index1, self.body.world, self.body.generation) == (0, 0, 0);
        let only = if is_all { None } else { Some(index_of(world, state, self.body)?) };
        let core_radius = state.sim.params().core_radius;
        let or = |value: f32, default: f32| if value == 0.0 { default } else { value };
        let spacing = or(self.spacing, core_radius / SPACINGS_PER_CORE);
        let thickness = or(self.thickness, THICKNESS * core_radius);
        let bounds = self.bounds()?;
        let shapes = only.map(|body| state.bodies.bodies.obstacles().list()[body].shapes());
        if bounds.is_none() && shapes.is_some_and(|shapes| shapes.iter().any(|shape| shape.is_immovable())) {
            let text = "half-spaces, meshes and height fields may be of any size: set low and high";
            return Err(Error::bad_value(text));
        }
        if spacing > core_radius {
            let text =
                format!("spacing {spacing} is above core_radius {core_radius}: vortons do not overlap");
            log::line(log::VORTON_LOG_WARNING, &text);
        }
        let clearance = state.bodies.bodies.contact_distance().max(0.5 * spacing);
        Ok(Surroundings { only, bounds, spacing, thickness, clearance })
    }
}

/// Upper bound \[bytes\] on the memory that is in use per vorton while vortons are added around bodies.
const BYTES_PER_SURROUNDING: usize = 192;

/// Adds vortons around bodies. Returns the id of the first and their number.
fn surround(world: &World, state: &mut State, def: &VortonSurroundDef) -> Outcome<(u64, usize)> {
    let meant = def.meant(world, state)?;
    let room = state.sim.params().max_vortons - state.sim.vortons().len();
    let positions = &state.sim.vortons().positions;
    let taken = (0..positions.len()).map(|row| positions.get(row));
    let is_barred = |place: Vec3| is_killed(state.sim.kill_volumes(), place);
    let obstacles = state.bodies.bodies.obstacles();
    let places = meant.places(obstacles, taken, is_barred, room).map_err(|error| match error {
        SurroundingsError::TooMany => {
            let text = format_args!(
                "more than {room} vortons around bodies do not fit: max_vortons leaves room for {room}"
            );
            Error::new(VORTON_ERR_CAPACITY, text)
        }
        SurroundingsError::TooLarge => Error::bad_value(format_args!(
            "{error}: choose a smaller box, a smaller thickness or a larger spacing"
        )),
    })?;
    let vorton = Vorton { volume: meant.spacing.powi(3), ..Vorton::default() };
    let added: Vec<_> = places.into_iter().map(|position| Vorton { position, ..vorton }).collect();
    Ok((vortons::add(state, &added)?, added.len()))
}

/// Fills a definition with the defaults.
///
/// @param struct_size sizeof(VortonSurroundDef)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_surround_def_init(
    out: *mut VortonSurroundDef,
    struct_size: u32,
) -> VortonResult {
    // SAFETY: the caller passes null or a struct of struct_size bytes.
    guard::run(|| unsafe { write_sized(out, struct_size, VortonSurroundDef::default(), "out") })
}

/// Adds vortons without strength, mass and dye to the fluid around bodies, and inside containers along their
/// walls: fluid at rest that the bodies can stir. Without VORTON_BODY_NO_THROUGH a body and the fluid
/// interact only where vortons touch the body. The vortons move with the fluid, so a moving body leaves them
/// behind: fill the region through which it moves, by a larger thickness or by VORTON_INITIAL_NOISE.
///
/// The vortons are placed at the points of a lattice (multiples of the spacing along the world's axes) that
/// are nearer to a surface than the thickness. Points are left out inside a solid or less than core_radius
/// from one (the distance that no-slip keeps), less than half a spacing from a half-space or from a wall of a
/// container, beyond a wall of a container around the body, in a kill volume, or less than half a spacing
/// from an existing vorton, so a second call adds nothing. The volume of a vorton is the cube of the spacing.
/// Points with coordinates beyond a million spacings are left out.
///
/// All or none. Bodies have their poses after the last step, or those with which they were created or placed
/// since. Takes about half a microsecond per vorton, ten times as long next to terrain; allocates.
///
/// @param def          vorton_default_surround_def() surrounds all bodies
/// @param out_first_id NULL, or receives the id of the first vorton; the others follow
/// @param out_count    NULL, or receives the number of vortons added, which may be 0
/// @return VORTON_ERR_CAPACITY if max_vortons leaves too little room; VORTON_ERR_BAD_VALUE for a half-space,
///     mesh or height field without low and high, and for a region of more than 8 million lattice points
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_bodies_surround(
    world: VortonWorldId,
    def: *const VortonSurroundDef,
    out_first_id: *mut u64,
    out_count: *mut usize,
) -> VortonResult {
    guard::run(|| {
        check_optional_output(out_first_id, "out_first_id")?;
        check_optional_output(out_count, "out_count")?;
        // SAFETY: the caller passes null or a definition of struct_size bytes.
        let def = unsafe { read_def(def, VortonSurroundDef::default(), "def") }?;
        def.check()?;
        let (first, count) = writing(world, |world, state| {
            let bytes = BYTES_PER_SURROUNDING * state.sim.params().max_vortons;
            let _hold = world.hold(state, Need::objects("the vortons around bodies").and(bytes))?;
            let (first, count) = surround(world, state, &def)?;
            let def = VortonSurroundDef { body: VortonBodyId::replayed(def.body.recorded(), 0), ..def };
            world.record(&mut state.recorder, &Call::Surround { def, first, count: count as u64 });
            Ok((first, count))
        })?;
        // SAFETY: checked above; the caller promises the rest.
        unsafe {
            write_optional(out_first_id, first, "out_first_id")?;
            write_optional(out_count, count, "out_count")
        }
    })
}
