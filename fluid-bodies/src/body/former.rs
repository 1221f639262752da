//! Changes of a body's shapes between two steps: equal shapes again have the flow that was around the former
//! ones, and a sheet on shapes of about the same volume goes on with it.

use super::Body;
use super::sheeted::KnownShapes;
use crate::ledger::BodyImpulse;
use crate::shapes::Shape;
use fluid_core::params::ParamError;
use glam::Vec3;
use std::sync::Arc;

/// Largest ratio of the volumes of two bodies for which the sheet of one goes on with the flow of the other
/// \[1\]: the jump of the answer, in proportion to the volume, acts as an impulse on the body.
const MOST_GROWN: f64 = 2.0;

/// A body as it was at the end of the last step, with other shapes.
#[derive(Debug, Clone)]
pub(crate) struct Former {
    shapes: Arc<[Shape]>,
    body: Box<Body>,
    /// True if the present sheet goes on with its flow.
    goes_on: bool,
}

impl Former {
    /// Creates the record of a `body` with these shapes.
    pub(crate) fn new(shapes: Arc<[Shape]>, body: Body, goes_on: bool) -> Self {
        Self { shapes, body: Box::new(body), goes_on }
    }

    pub(crate) fn shapes(&self) -> &[Shape] {
        &self.shapes
    }

    pub(crate) fn body(&self) -> &Body {
        &self.body
    }

    pub(crate) fn goes_on(&self) -> bool {
        self.goes_on
    }
}

impl Body {
    /// Replaces the shapes, which were `before`, with `known` data of the new ones; the mass is kept.
    ///
    /// # Errors
    /// Returns an error if a size or a pose is invalid; nothing is changed then.
    pub(crate) fn change_shapes(
        &mut self,
        (before, shapes): (Arc<[Shape]>, &[Shape]),
        known: KnownShapes,
    ) -> Result<(), ParamError> {
        // Bodies that impulses never move have no sheet, and find their bound strength under the contacts.
        let is_kept = !(before.is_empty() || self.immovable);
        let mut former = self.former.take();
        let is_known = former.is_some();
        if former.is_none() && is_kept {
            let body = self.clone();
            // The original keeps its memory.
            former = Some(Former::new(before, std::mem::replace(self, body), false));
        }
        let result = self.set_shapes(shapes, known);
        let Some(Former { shapes: former_shapes, body, goes_on }) = former else { return result };
        if result.is_err() {
            if is_known {
                self.former = Some(Former { shapes: former_shapes, body, goes_on });
            } else {
                *self = *body;
            }
        } else if *former_shapes == *shapes {
            self.become_again(*body);
        } else {
            let goes_on = self.go_on_from(&body);
            self.former = Some(Former { shapes: former_shapes, body, goes_on });
        }
        result
    }

    /// Takes back the flow around the body from itself with the same shapes.
    fn become_again(&mut self, former: Self) {
        self.bound = former.bound;
        (self.held, self.energy_of_held) = (former.held, former.energy_of_held);
        (self.rooms, self.in_tank) = (former.rooms, former.in_tank);
        (self.surface, self.filling, self.walls) = (former.surface, former.filling, former.walls);
        (self.sheet_steps, self.changed_sheets) = (former.sheet_steps, former.changed_sheets);
        self.added_inertia = former.added_inertia;
        self.leave_content_to_engine();
    }

    /// Lets the sheet, which is new, go on with the flow of a former one. Returns false if one of them does
    /// not exist, or if their volumes are too different.
    fn go_on_from(&mut self, former: &Self) -> bool {
        let grown = self.displaced.volume / former.displaced.volume;
        let Some((new, old)) = self.surface.as_mut().zip(former.surface.as_ref()) else { return false };
        if !(1.0 / MOST_GROWN..=MOST_GROWN).contains(&grown) {
            return false;
        }
        let scale = libm::cbrt(grown) as f32;
        let [to, from] = [&self.displaced, &former.displaced].map(|one| one.centroid.as_vec3());
        new.go_on_from(old, scale, &|place: Vec3| from + (place - to) / scale);
        self.in_tank = former.in_tank;
        self.sheet_steps = former.sheet_steps;
        let change = (self.energy_of_answer() - former.energy_of_answer()).abs();
        self.changed_sheets = former.changed_sheets + if self.sheet_steps > 1 { change } else { 0.0 };
        true
    }

    /// Forgets placements since the last step, and the shapes before that, at the start of a step of `dt`
    /// \[s\]: a step of no length changes nothing, and one backwards in time gives no impulse.
    pub(crate) fn settle_changes(&mut self, dt: f32) {
        if dt > 0.0 {
            self.settle_shapes();
        } else if dt < 0.0 {
            self.former = None;
        }
        if dt != 0.0 {
            self.placed = [0.0; 2];
        }
    }

    /// Ends the time in which the body may get its former shapes back: at the start of a step, or before the
    /// body is elsewhere. The body gets what was due to a sheet that has gone.
    pub(crate) fn settle_shapes(&mut self) {
        if let Some(Former { body, goes_on: false, .. }) = self.former.take() {
            let BodyImpulse { linear, angular, .. } = body.due_to_sheet();
            self.impulse.linear += linear;
            self.impulse.angular += angular;
        }
    }

    /// Returns the body with the shapes that it had at the end of the last step, if they have changed since.
    pub(crate) fn former(&self) -> Option<&Former> {
        self.former.as_ref()
    }

    pub(crate) fn set_former(&mut self, former: Option<Former>) {
        self.former = former;
    }

    /// Returns the extent of the body now, or with the shapes that it had \[m\].
    pub(super) fn reach_of_any(&self) -> f64 {
        self.former.as_ref().map_or(self.reach, |former| former.body.reach.max(self.reach))
    }

    /// Makes the position `origin` \[m\] the origin for the body that it was.
    pub(super) fn shift_former(&mut self, origin: Vec3) {
        if let Some(former) = &mut self.former {
            former.body.shift_origin(origin);
        }
    }

    /// Adjusts the index of its tank after body `removed` was removed.
    pub(crate) fn forget_body(&mut self, removed: usize) {
        if self.in_tank.is_in(removed) && self.wind != Vec3::ZERO {
            self.leave_flow();
        }
        self.in_tank.forget_body(removed);
        if let Some(former) = &mut self.former {
            former.body.in_tank.forget_body(removed);
        }
    }
}
