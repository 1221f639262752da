//! Serialization of a body without the data that depends on its shapes: it is loaded into a body with equal
//! shapes.

use super::Body;
use super::definition::check_fluid_part;
use fluid_core::saved::{LoadError, Reader, Saved, Writer, check};

/// Writes an optional part. The shapes decide whether it exists.
fn save_if_any<T: Saved>(part: &Option<Box<T>>, out: &mut Writer<'_>) {
    part.is_some().save(out);
    part.iter().for_each(|part| part.save(out));
}

fn load_if_any<T: Saved>(part: &mut Option<Box<T>>, from: &mut Reader<'_>) -> Result<(), LoadError> {
    check(from.value::<bool>()? == part.is_some())?;
    part.iter_mut().try_for_each(|part| part.load(from))
}

impl Saved for Body {
    fn save(&self, out: &mut Writer<'_>) {
        // Data that depends on the shapes, the mass and the fluid comes first.
        let Self {
            displaced: _,
            even_inertia: _,
            inverse_inertia: _,
            area: _,
            reach: _,
            support_points: _,
            half_space: _,
            immovable: _,
            container: _,
            energy_of_held: _,
            is_large: _,
            spacing: _,
            added_inertia: _,
            sheet_settings: _,
            no_through: _,
            density: _,
            demands_inside: _,
            // Saved beside the body, with its shapes.
            former: _,
            state,
            poses,
            step,
            mass,
            told_mass,
            asleep,
            told_inertia,
            fluid_mass,
            fluid_inertia,
            buoyant_force,
            temperature,
            heat_capacity,
            heat_transfer,
            lost_energy,
            bound,
            held,
            impulse,
            rooms,
            pushed,
            taken,
            taken_inside,
            lost,
            met,
            motion,
            wind,
            surface,
            filling,
            walls,
            own_energy,
            sheet_steps,
            changed_sheets,
            drag,
            in_tank,
            placed,
        } = self;
        state.save(out);
        poses.save(out);
        step.save(out);
        [*mass, *told_mass].save(out);
        asleep.save(out);
        told_inertia.save(out);
        fluid_mass.save(out);
        fluid_inertia.save(out);
        buoyant_force.save(out);
        [*temperature, *heat_capacity, *heat_transfer].save(out);
        lost_energy.save(out);
        bound.save(out);
        held.save(out);
        impulse.save(out);
        rooms.len().save(out);
        rooms.iter().for_each(|room| room.save(out));
        pushed.save(out);
        taken.save(out);
        taken_inside.save(out);
        lost.save(out);
        met.save(out);
        motion.save(out);
        wind.save(out);
        save_if_any(surface, out);
        save_if_any(filling, out);
        walls.len().save(out);
        walls.iter().for_each(|walls| walls.save(out));
        own_energy.save(out);
        sheet_steps.save(out);
        changed_sheets.save(out);
        drag.save(out);
        in_tank.save(out);
        placed.save(out);
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LoadError> {
        self.state.load(from)?;
        self.poses.load(from)?;
        self.step.load(from)?;
        [self.mass, self.told_mass] = from.value()?;
        self.asleep.load(from)?;
        self.told_inertia.load(from)?;
        self.fluid_mass.load(from)?;
        self.fluid_inertia.load(from)?;
        let part = (self.fluid_mass, self.fluid_inertia);
        check(check_fluid_part(self.told_mass.min(f64::MAX), self.told_inertia, part).is_ok())?;
        self.buoyant_force.load(from)?;
        [self.temperature, self.heat_capacity, self.heat_transfer] = from.value()?;
        self.lost_energy.load(from)?;
        self.bound.load(from)?;
        self.held.load(from)?;
        self.impulse.load(from)?;
        check(from.value::<usize>()? == self.rooms.len())?;
        self.rooms.iter_mut().try_for_each(|room| room.load(from))?;
        self.pushed.load(from)?;
        self.taken.load(from)?;
        self.taken_inside.load(from)?;
        self.lost.load(from)?;
        self.met.load(from)?;
        self.motion.load(from)?;
        self.wind.load(from)?;
        load_if_any(&mut self.surface, from)?;
        load_if_any(&mut self.filling, from)?;
        self.leave_content_to_engine();
        check(from.value::<usize>()? == self.walls.len())?;
        self.walls.iter_mut().try_for_each(|walls| walls.load(from))?;
        self.own_energy.load(from)?;
        self.sheet_steps.load(from)?;
        self.changed_sheets.load(from)?;
        self.drag.load(from)?;
        self.in_tank.load(from)?;
        self.placed.load(from)?;
        check(self.placed.iter().all(|part| part.is_finite()))?;
        self.invert_inertia();
        check(self.drag.is_valid())?;
        check(self.mass > 0.0 && self.temperature > 0.0 && self.heat_capacity > 0.0)
    }
}
