//! The thermal properties of a body.

use super::definition::{or_infinity, transfer};
use super::with_body;
use crate::recorder::Call;
use crate::status::*;
use crate::types::body::VortonBodyId;
use crate::types::world::VortonWorldId;

/// Changes a body's heat transfer coefficient [W/(m^2 K)], at least 0; 0 insulates (see
/// VortonBodyDef.heat_transfer).
#[unsafe(no_mangle)]
pub extern "C" fn vorton_body_set_heat_transfer(
    world: VortonWorldId,
    body: VortonBodyId,
    heat_transfer: f32,
) -> VortonResult {
    with_body(world, body, |world, state, index| {
        state.bodies.bodies.body_mut(index).set_heat_transfer(transfer(heat_transfer)?)?;
        let call = Call::BodySetHeatTransfer { body: body.recorded(), heat_transfer };
        world.record(&mut state.recorder, &call);
        Ok(())
    })
}

/// Changes a body's heat capacity [J/K]; 0: the temperature is constant (see VortonBodyDef.heat_capacity).
#[unsafe(no_mangle)]
pub extern "C" fn vorton_body_set_heat_capacity(
    world: VortonWorldId,
    body: VortonBodyId,
    heat_capacity: f32,
) -> VortonResult {
    with_body(world, body, |world, state, index| {
        let capacity = or_infinity(heat_capacity, "heat_capacity")?;
        state.bodies.bodies.body_mut(index).set_heat_capacity(capacity)?;
        let call = Call::BodySetHeatCapacity { body: body.recorded(), heat_capacity };
        world.record(&mut state.recorder, &call);
        Ok(())
    })
}
