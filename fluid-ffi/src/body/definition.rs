//! The definition of a body, read and changed, and the settings of worlds for all bodies.

use super::index_of;
use crate::guard;
use crate::handle::{Key, stale};
use crate::memory::write_sized;
use crate::recorder::Call;
use crate::state::body_table::BodyIds;
use crate::state::user_data::answer;
use crate::state::{World, reading, with_world};
use crate::status::*;
use crate::types::body::{
    VORTON_BODY_FRICTION_WARMS, VORTON_BODY_NO_BUOYANT_FORCE, VORTON_BODY_NO_THROUGH, VORTON_BODY_WEIGHT,
    VortonBodyDef, VortonBodyId, VortonBodyState,
};
use crate::types::saturated;
use crate::types::world::VortonWorldId;
use crate::world::definition::{apply_body_settings, redefine};
use fluid_bodies::BodyDef;
use fluid_bodies::body::{BuoyantForce, LostEnergy};
use glam::DMat3;

/// Converts an inertia tensor; all zeros leave it to the shapes. It is symmetric, so rows and columns are
/// interchangeable.
pub(super) fn inertia_of(inertia: &[f32; 9], name: &str) -> Outcome<Option<DMat3>> {
    finite(inertia, name)?;
    let told = inertia.iter().any(|&v| v != 0.0);
    Ok(told.then(|| DMat3::from_cols_array(&inertia.map(f64::from))))
}

/// Converts a mass or heat capacity; zero stands for infinity.
pub(super) fn or_infinity(value: f32, name: &str) -> Outcome<f32> {
    finite(&[value], name)?;
    match value {
        0.0 => Ok(f32::INFINITY),
        v if v > 0.0 => Ok(v),
        v => Err(Error::bad_value(format_args!("{name} is {v}, but must be at least 0"))),
    }
}

pub(super) fn kelvins(temperature: f32) -> Outcome<f32> {
    finite(&[temperature], "temperature")?;
    if temperature <= 0.0 {
        return Err(Error::bad_value(format_args!("temperature is {temperature}, but must be positive")));
    }
    Ok(temperature)
}

pub(super) fn transfer(heat_transfer: f32) -> Outcome<f32> {
    finite(&[heat_transfer], "heat_transfer")?;
    if heat_transfer < 0.0 {
        let text = format_args!("heat_transfer is {heat_transfer}, but must be at least 0");
        return Err(Error::bad_value(text));
    }
    Ok(heat_transfer)
}

fn coefficient(name: &'static str, value: f32) -> Outcome<f32> {
    finite(&[value], name)?;
    if !(0.0..=BodyDef::MOST_COEFFICIENT).contains(&value) {
        return Err(Error::bad_value(format_args!("{name} is {value}, but must be from 0 to 1000")));
    }
    Ok(value)
}

impl VortonBodyDef {
    /// Returns the definition that would create this body.
    pub(crate) fn of(def: &BodyDef) -> Self {
        let VortonBodyState { position, rotation, velocity, angular_velocity } =
            VortonBodyState::of(&def.state);
        let flag = |set: bool, bit: u32| if set { bit } else { 0 };
        let or_zero = |value: f32| if value.is_finite() { value } else { 0.0 };
        Self {
            flags: flag(def.buoyant_force == BuoyantForce::OnWithWeight, VORTON_BODY_WEIGHT)
                | flag(def.buoyant_force == BuoyantForce::Off, VORTON_BODY_NO_BUOYANT_FORCE)
                | flag(def.lost_energy == LostEnergy::WarmsBody, VORTON_BODY_FRICTION_WARMS)
                | flag(def.no_through, VORTON_BODY_NO_THROUGH),
            position,
            rotation,
            velocity,
            angular_velocity,
            mass: or_zero(def.mass),
            temperature: saturated(def.temperature.into()),
            heat_capacity: or_zero(def.heat_capacity),
            heat_transfer: def.heat_transfer,
            inertia: def.inertia.map_or([0.0; 9], |tensor| tensor.to_cols_array().map(|v| v as f32)),
            drag_coefficient: def.drag_coefficient,
            magnus_coefficient: def.magnus_coefficient,
            fluid_mass: def.fluid_mass,
            fluid_inertia: def.fluid_inertia.to_cols_array().map(|v| v as f32),
            ..Self::default()
        }
    }

    pub(super) fn checked(&self) -> Outcome<BodyDef> {
        let known = VORTON_BODY_WEIGHT
            | VORTON_BODY_NO_BUOYANT_FORCE
            | VORTON_BODY_FRICTION_WARMS
            | VORTON_BODY_NO_THROUGH;
        let unknown = self.flags & !known;
        if unknown != 0 {
            return Err(Error::bad_value(format_args!("flags has unknown bits: {unknown:#x}")));
        }
        let has = |flag: u32| self.flags & flag != 0;
        let buoyant_force = match (has(VORTON_BODY_NO_BUOYANT_FORCE), has(VORTON_BODY_WEIGHT)) {
            (false, false) => BuoyantForce::On,
            (false, true) => BuoyantForce::OnWithWeight,
            (true, false) => BuoyantForce::Off,
            (true, true) => {
                let text = "flags has VORTON_BODY_WEIGHT and VORTON_BODY_NO_BUOYANT_FORCE: weight alone is the engine's";
                return Err(Error::bad_value(text));
            }
        };
        let warms = has(VORTON_BODY_FRICTION_WARMS);
        let lost_energy = if warms { LostEnergy::WarmsBody } else { LostEnergy::Counted };
        let &Self { position, rotation, velocity, angular_velocity, heat_transfer, .. } = self;
        let state = VortonBodyState { position, rotation, velocity, angular_velocity }.checked()?;
        finite(&[self.fluid_mass], "fluid_mass")?;
        Ok(BodyDef {
            shapes: Vec::new(),
            state,
            mass: or_infinity(self.mass, "mass")?,
            inertia: inertia_of(&self.inertia, "inertia")?,
            fluid_mass: self.fluid_mass,
            fluid_inertia: inertia_of(&self.fluid_inertia, "fluid_inertia")?.unwrap_or(DMat3::ZERO),
            buoyant_force,
            temperature: kelvins(self.temperature)?,
            heat_capacity: or_infinity(self.heat_capacity, "heat_capacity")?,
            heat_transfer: transfer(heat_transfer)?,
            lost_energy,
            no_through: has(VORTON_BODY_NO_THROUGH),
            drag_coefficient: coefficient("drag_coefficient", self.drag_coefficient)?,
            magnus_coefficient: coefficient("magnus_coefficient", self.magnus_coefficient)?,
        })
    }
}

fn body_key(world: &World, ids: &BodyIds, body: VortonBodyId) -> Outcome<Key> {
    world.check_alive()?;
    let key = body.key(world.serial)?;
    ids.bodies.get(key).map(|_| key).ok_or_else(|| stale(VortonBodyId::KIND))
}

/// Changes the user data of a body (VortonBodyDef.user_data). Does not wait for a step.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_body_set_user_data(
    world: VortonWorldId,
    body: VortonBodyId,
    user_data: u64,
) -> VortonResult {
    guard::run(|| {
        with_world(world, |world| {
            // Locked meanwhile, so that the change is recorded before the body is destroyed.
            let ids = world.body_ids();
            let key = body_key(world, &ids, body)?;
            let mut data = world.user_data();
            data.log.reserve(1)?;
            data.bodies.set(key, user_data);
            data.log.push(Call::BodySetUserData { body: body.recorded(), value: user_data });
            Ok(())
        })
    })
}

/// Reads the user data of a body. Does not wait for a step.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_body_user_data(
    world: VortonWorldId,
    body: VortonBodyId,
    out: *mut u64,
) -> VortonResult {
    let find =
        |world: &World| body_key(world, &world.body_ids(), body).map(|key| world.user_data().bodies.get(key));
    // SAFETY: the caller passes null or a number to write to.
    unsafe { answer(out, || with_world(world, find)) }
}

/// Reads the definition that would create this body as it is now, without its shapes: its state (as
/// vorton_body_read), its present temperature, and the other fields as last set. A mass or a heat capacity of
/// 0 stays 0; an inertia that has not been set is all 0. Does not contain whether the body sleeps.
///
/// @param struct_size sizeof(VortonBodyDef)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_body_def(
    world: VortonWorldId,
    body: VortonBodyId,
    out: *mut VortonBodyDef,
    struct_size: u32,
) -> VortonResult {
    guard::run(|| {
        let def = reading(world, |world, state| {
            let index = index_of(world, state, body)?;
            let user_data = world.user_data().bodies.get(state.bodies.key(index));
            let def = VortonBodyDef::of(&state.bodies.bodies.list()[index].definition());
            Ok(VortonBodyDef { user_data, ..def })
        })?;
        // SAFETY: the caller passes null or a struct of struct_size bytes.
        unsafe { write_sized(out, struct_size, def, "out") }
    })
}

/// Changes VortonWorldDef.no_slip_rate [1/s] from the next step on.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_world_set_no_slip_rate(world: VortonWorldId, rate: f32) -> VortonResult {
    redefine(world, Call::SetNoSlipRate { rate }, |def| def.no_slip_rate = rate, apply_body_settings)
}

/// Changes VortonWorldDef.specific_heat [J/(kg K)] from the next step on.
#[unsafe(no_mangle)]
pub extern "C" fn vorton_world_set_specific_heat(world: VortonWorldId, specific_heat: f32) -> VortonResult {
    redefine(
        world,
        Call::SetSpecificHeat { specific_heat },
        |def| def.specific_heat = specific_heat,
        apply_body_settings,
    )
}
