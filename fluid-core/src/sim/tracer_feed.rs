//! Tracers that come out of emitters.

use super::VortexSim;
use crate::boundary::BodyCoupling;
use crate::kill_volumes::is_killed;
use crate::particles::Tracers;
use crate::velocity::VelocityField;

/// What an emitter feeds to a set of tracers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TracerFeed {
    /// How many a second \[1/s\].
    pub rate: f32,
    /// The tag that they get.
    pub tag: u32,
    /// Most tracers in the set.
    pub capacity: usize,
}

impl VortexSim {
    /// Adds to a set of tracers what has come out of an emitter, by its number in
    /// [`emitters`](Self::emitters), in the step of `dt` \[s\] just taken: where it has got since by itself
    /// (E59), less far where a body is in the way, and not in volumes that kill. Call it after
    /// [`advance_tracers`](Self::advance_tracers). Returns how many there was no room for.
    ///
    /// # Panics
    /// If there is no such emitter.
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
        let refused = self.emitters[emitter].take_tracers(dt, feed.rate, room, |from, place| {
            let mut place = [place];
            if let Some(surfaces) = surfaces {
                surfaces.keep_out(&[from], &mut place);
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
            // One beyond f32 shows nothing yet.
            values.iter_mut().filter(|value| !value.is_finite()).for_each(|value| *value = 0.0);
        }
        refused
    }
}
