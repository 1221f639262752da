//! Advancing a world by one frame.

use crate::handle::Slots;
use crate::recorder::Call;
use crate::state::tracer_source::TracerSource;
use crate::state::{State, TracerSet, World};
use crate::status::*;
use crate::types::budget::VortonBudget;
use fluid_bodies::bodies::Bodies;
use fluid_core::advance::{Advance, StepLimits};
use fluid_core::clock::Moment;
use fluid_core::governor::{Budget, Choice, Measure};
use fluid_core::params::check_step;
use fluid_core::particles::Tracers;
use fluid_core::saved::{NoInsides, Saved, Writer};
use fluid_core::sim::{TracerFeed, VortexSim};
use fluid_threads::Executor;
use std::borrow::Cow;

/// How a frame is advanced.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Frame {
    /// In equal steps.
    Steps(StepLimits),
    /// In one step.
    Within(Budget),
    /// In one step, at a quality chosen before.
    AsChosen(Choice),
}

impl Frame {
    fn check(&self, dt: f32) -> Outcome {
        check_step(dt)?;
        match self {
            Self::Steps(limits) => limits.validate()?,
            Self::Within(budget) => budget.validate()?,
            Self::AsChosen(_) => {}
        }
        Ok(())
    }

    /// Returns the frame as it is recorded if its quality can be chosen again.
    fn call(&self, dt: f32) -> Call<'static> {
        match *self {
            Self::Steps(limits) if limits == StepLimits::ONE => Call::Step { dt },
            Self::Steps(StepLimits { max_stretch, max_steps }) => {
                Call::Advance { dt, max_stretch, max_steps }
            }
            Self::Within(budget) => Call::StepWithin { dt, budget: VortonBudget::of(&budget) },
            Self::AsChosen(_) => Call::StepAsChosen { dt, choice: Cow::Borrowed(&[]) },
        }
    }
}

/// Adds the tracers that emitters emitted in a step to a set.
pub(crate) fn feed(
    sim: &mut VortexSim,
    bodies: &Bodies,
    sources: &[TracerSource],
    (set, tracers): (&TracerSet, &mut Tracers),
    dt: f32,
) {
    for (emitter, source) in sources.iter().enumerate().filter(|(_, source)| source.set == Some(set.key)) {
        let feed = TracerFeed { rate: source.rate, tag: source.tag, capacity: set.capacity };
        sim.feed_tracers(bodies, (emitter, feed), tracers, dt);
    }
}

impl World {
    /// Advances the state by one frame. Enters the executor once for all steps: entering a pool costs ten
    /// times as much as a loop inside it.
    pub(crate) fn advance(&self, state: &mut State, dt: f32, frame: Frame) -> Outcome<Advance> {
        frame.check(dt)?;
        let _hold = self.hold_for_steps(state)?;
        let _zone = self.zones.step();
        let start = Moment::now();
        // Checked, so the step is taken: it is recorded before, with the reactions that it uses up.
        let mut impulses = self.pending_impulses_in_order(&mut state.recorder);
        state.bodies.push(&self.body_ids(), &mut impulses);
        drop(impulses);
        let frame = self.record_step(state, dt, frame)?;
        let mut outcome = None;
        let State { sim, bodies, tracers, tracer_sets, tracer_sources, .. } = state;
        self.exec.enter(&mut || {
            let mut after_step = |sim: &mut VortexSim, bodies: &mut Bodies, step: f32| {
                sim.set_wall_hits(bodies.wall_hits());
                for set in &*tracer_sets {
                    if let Some(tracers) = tracers.get_mut(set.key) {
                        sim.advance_tracers(&*self.exec, bodies, tracers, step);
                        // Expired tracers are removed first to make room.
                        tracers.retain_up_to(set.max_age);
                        feed(sim, bodies, tracer_sources, (set, tracers), step);
                    }
                }
            };
            let bodies = &mut bodies.bodies;
            outcome = Some(match frame {
                Frame::Steps(limits) => sim.advance(&*self.exec, bodies, dt, limits, after_step),
                Frame::Within(_) | Frame::AsChosen(_) => match frame {
                    Frame::Within(budget) => sim.step_within(&*self.exec, bodies, dt, budget),
                    _ => sim.step_as_chosen(&*self.exec, bodies, dt),
                }
                .map(|()| {
                    after_step(sim, bodies, dt);
                    Advance { steps: 1, step: dt, followed: sim.stats().was_followed() }
                }),
            });
            self.publish_tracers(tracers, tracer_sets);
        });
        let advance = outcome.unwrap_or(Ok(Advance { steps: 0, step: 0.0, followed: true }))?;
        self.publish(state);
        state.step_ms = start.elapsed_ms() as f32;
        let diffuses = state.diffuses();
        state.warned.look_at(state.sim.stats(), diffuses);
        self.note_stats(state);
        if state.recorder.is_on() {
            let hash = self.kept_hash.now(&state.sim, &state.bodies);
            self.record(&mut state.recorder, &Call::Stepped { hash });
        }
        Ok(advance)
    }

    /// Writes a step to the recording. Returns how it is taken: its quality is chosen here if the choice
    /// cannot be repeated, because it depends on the clock.
    fn record_step(&self, state: &mut State, dt: f32, frame: Frame) -> Outcome<Frame> {
        let State { sim, recorder, .. } = state;
        let choose = |sim: &mut VortexSim| match frame {
            Frame::Within(budget) => sim.choose_within(&*self.exec, dt, budget),
            Frame::AsChosen(choice) => {
                sim.choose_again(&*self.exec, &choice);
                Ok(())
            }
            Frame::Steps(_) => Ok(()),
        };
        let by_clock = matches!(frame, Frame::Within(Budget { measure: Measure::Clock, .. }));
        if !(by_clock && recorder.is_on() || matches!(frame, Frame::AsChosen(_))) {
            self.record(recorder, &frame.call(dt));
            return Ok(frame);
        }
        let mut chosen = Ok(());
        self.exec.enter(&mut || chosen = choose(sim));
        chosen?;
        let (choice, mut bytes) = (sim.choice(), [0; 512]);
        let mut out = Writer::new(&mut bytes, &NoInsides);
        choice.save(&mut out);
        let len = out.len();
        self.record(recorder, &Call::StepAsChosen { dt, choice: Cow::Borrowed(&bytes[..len]) });
        Ok(Frame::AsChosen(choice))
    }

    /// Copies the sets that are readable during steps, for readers during the next step.
    pub(crate) fn publish_tracers(&self, tracers: &Slots<Tracers>, sets: &[TracerSet]) {
        for TracerSet { key, readable_during_steps, .. } in sets {
            if let Some(set) = tracers.get(*key).filter(|_| *readable_during_steps) {
                self.published_tracers.publish(&*self.exec, *key, set);
            }
        }
    }
}
