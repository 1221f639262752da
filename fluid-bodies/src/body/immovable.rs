//! Bodies that impulses do not move because of their shapes: half-spaces and level geometry.

use super::definition::{check_mass_of_immovable, check_spin_of_half_space};
use super::{Body, Held, reach_of};
use crate::ledger::Bound;
use crate::shapes::{MassProperties, Parity, Shape};
use crate::support_points::SupportPoints;
use fluid_core::params::ParamError;
use glam::{DMat3, DVec3};
use std::sync::OnceLock;

impl Body {
    /// Turns the body into an infinite solid that impulses do not move and that holds no bound strength.
    pub(super) fn become_half_space(&mut self, shape: &Shape, shapes: usize) -> Result<(), ParamError> {
        ParamError::check(shapes == 1, "number of shapes", shapes, "1 for a body that is a half-space")?;
        ParamError::check(shape.parity == Parity::Solid, "a half-space", shape.parity, "a solid, no hole")?;
        check_mass_of_immovable(self.told_mass)?;
        check_spin_of_half_space(&self.state)?;
        self.become_immovable();
        (self.half_space, self.reach) = (true, 0.0);
        self.bound = Bound::default();
        self.held = Held::at(Vec::new(), DVec3::ZERO);
        Ok(())
    }

    /// Turns the body into level geometry, alone or with other solids, which acts where vortons touch it.
    /// Bound strength is held under the contacts.
    pub(super) fn become_level(&mut self, shapes: &[Shape]) -> Result<(), ParamError> {
        let is_solid = |shape: &Shape| shape.parity == Parity::Solid;
        let allowed = "solids for a body with a mesh or height field";
        ParamError::check(shapes.iter().all(is_solid), "shapes", shapes.len(), allowed)?;
        check_mass_of_immovable(self.told_mass)?;
        let held = self.holds_by_place().then(|| std::mem::take(&mut self.held));
        self.become_immovable();
        (self.half_space, self.reach) = (false, reach_of(shapes));
        self.is_large = true;
        // Strength bound where fluid has touched the body stays there.
        self.held = held.unwrap_or_else(|| std::mem::take(&mut self.held));
        self.held.reserve();
        Ok(())
    }

    /// Marks the body as one that impulses do not move; it displaces nothing.
    fn become_immovable(&mut self) {
        self.lose_sheet();
        (self.immovable, self.container, self.is_large) = (true, false, false);
        (self.surface, self.filling) = (None, None);
        self.rooms.clear();
        self.walls.clear();
        self.displaced = MassProperties::NONE;
        (self.even_inertia, self.area) = (DMat3::ZERO, 0.0);
        self.support_points = SupportPoints::NONE;
        self.added_inertia = OnceLock::new();
        self.held = Held::at(Vec::new(), self.bound.felt);
        self.invert_inertia();
    }

    /// True for half-spaces and level geometry.
    pub(crate) fn is_immovable(&self) -> bool {
        self.immovable
    }

    /// True for a half-space.
    pub fn is_half_space(&self) -> bool {
        self.half_space
    }
}
