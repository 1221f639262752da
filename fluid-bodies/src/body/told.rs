//! Properties of a body as set by the engine: reading them back, and setting some of them anew.

use super::{Body, BodyDef};
use fluid_core::params::ParamError;
use glam::DMat3;

impl Body {
    /// Returns the definition that would create this body in its present state, without its shapes, which
    /// [`Bodies::obstacles`](crate::bodies::Bodies::obstacles) has.
    pub fn definition(&self) -> BodyDef {
        BodyDef {
            shapes: Vec::new(),
            state: self.state,
            mass: self.told_mass as f32,
            inertia: self.told_inertia,
            fluid_mass: if self.told_mass.is_finite() { self.fluid_mass as f32 } else { 0.0 },
            fluid_inertia: if self.told_mass.is_finite() { self.fluid_inertia } else { DMat3::ZERO },
            buoyant_force: self.buoyant_force,
            temperature: self.temperature as f32,
            heat_capacity: self.heat_capacity as f32,
            heat_transfer: self.heat_transfer as f32,
            lost_energy: self.lost_energy,
            no_through: self.no_through,
            drag_coefficient: self.drag.drag as f32,
            magnus_coefficient: self.drag.magnus as f32,
        }
    }

    /// Sets the heat transfer coefficient \[W/(m² K)\]; 0 insulates.
    ///
    /// # Errors
    /// Returns an error if it is negative or not finite; nothing is changed then.
    pub fn set_heat_transfer(&mut self, transfer: f32) -> Result<(), ParamError> {
        let valid = transfer.is_finite() && transfer >= 0.0;
        ParamError::check(valid, "heat transfer", transfer, "at least 0")?;
        self.heat_transfer = transfer.into();
        Ok(())
    }

    /// Sets the heat capacity \[J/K\]; infinity keeps the temperature constant.
    ///
    /// # Errors
    /// Returns an error if it is not positive; nothing is changed then.
    pub fn set_heat_capacity(&mut self, capacity: f32) -> Result<(), ParamError> {
        ParamError::check(capacity > 0.0, "heat capacity", capacity, "positive")?;
        self.heat_capacity = capacity.into();
        Ok(())
    }
}
