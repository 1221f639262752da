//! Emission of tracers by emitters.

use super::VortexSim;
use crate::boundary::BodyCoupling;
use crate::emitter::Carried;
use crate::kill_volumes::is_killed;
use crate::particles::Tracers;
use crate::velocity::VelocityField;
use glam::Vec3;

/// Settings for feeding an emitter's tracers to a set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TracerFeed {
    /// Tracers per second \[1/s\].
    pub rate: f32,
    /// The tag of these tracers.
    pub tag: u32,
    /// Most tracers in the set.
    pub capacity: usize,
}

impl VortexSim {
    /// Adds to a set the tracers that an emitter, given by its index in [`emitters`](Self::emitters), has
    /// emitted in the step of `dt` \[s\] just taken. Each is placed at the position it has reached since
    /// (E59), stopped by bodies in its path, unless a kill volume contains it. Call it after
    /// [`advance_tracers`](Self::advance_tracers). Returns the number left out because the set was full.
    ///
    /// # Panics
    /// If there is no emitter with this index.
    pub fn feed_tracers(
        &mut self,
        bodies: &dyn BodyCoupling,
        (emitter, feed): (usize, TracerFeed),
        tracers: &mut Tracers,
        dt: f32,
    ) -> u64 {
        let (surfaces, kill_volumes) = (bodies.surfaces(), &self.kill_volumes);
        let room = feed.capacity.saturating_sub(tracers.len()) as u64;
        let (first, mut killed, mut lost) = (tracers.len(), 0, 0);
        let end = self.emitters[emitter].at_end_of_step(bodies, dt);
        let def = end.placed();
        let carried = Carried::at(def.position, self.params.wind, bodies);
        let due = (dt, feed.rate);
        let refused =
            self.emitters[emitter].take_tracers(&end, due, (room, carried), |from, place, since| {
                let out = |at: Vec3| def.brought_out(bodies, def.extent, (at, Vec3::ZERO)).0;
                let (from, mut place) = (out(from), [out(place)]);
                if let Some(surfaces) = surfaces {
                    surfaces.keep_out_since(&[from], &mut place, since);
                }
                if !place[0].is_finite() {
                    lost += 1;
                } else if is_killed(kill_volumes, place[0]) {
                    killed += 1;
                } else {
                    tracers.push_tagged(place[0], feed.tag);
                }
            });
        self.stats.killed_tracers += killed;
        self.stats.lost_tracers += lost;
        if let Some(quantity) = tracers.carry {
            let (places, values) = (&tracers.positions[first..], &mut tracers.values[first..]);
            self.field.values(quantity, places, values);
            // Values beyond the range of f32 show 0 at first.
            values.iter_mut().filter(|value| !value.is_finite()).for_each(|value| *value = 0.0);
        }
        refused
    }
}
