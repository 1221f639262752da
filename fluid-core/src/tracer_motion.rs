//! Motion of tracers with the flow.

mod column_loops;

use crate::boundary::surfaces::Surfaces;
use crate::constants::TRACER_CHUNK;
use crate::lanes::InstructionSet;
use crate::particles::{ScalarQuantity, Tracers};
use crate::velocity::{EddyField, PlacedFlow, VelocityField};
use column_loops::{all_are_finite, follow, lead};
use fluid_threads::{Executor, for_each_chunk_mut};
use glam::Vec3;
use std::sync::atomic::{AtomicBool, Ordering};

/// Weight c of the previous lead \[1\]: a lead is (1 + c) u − c times the previous one, the velocity some
/// (½ − c/(1 + c)) steps before the start. A rotation by 0.2 to 0.6 in a step grows by 0.3 to 0.6 times as
/// much as in a midpoint step.
const LED_BY_LEAD: f32 = 0.6;

/// Number of tracers for which the flow is sampled together with its gradient.
const BATCH: usize = 128;

/// Samples of the field by which a tracer is moved in a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TracerSteps {
    /// At its position, and half a step along that velocity: midpoint.
    Midpoint,
    /// Half a step along its lead, which is extrapolated from the last velocities: also second order.
    Led,
    /// As `Led`, in every second step and over both; in the other step it continues with its lead.
    EverySecond,
}

impl TracerSteps {
    /// Returns the number of samples of a tracer per step \[1\].
    pub(crate) fn samples(self) -> f64 {
        match self {
            Self::Midpoint => 2.0,
            Self::Led => 1.0,
            Self::EverySecond => 0.5,
        }
    }
}

/// Moves tracers over `dt` \[s\] with a field frozen at the middle of that time, at second order, and out of
/// bodies. Tracers that carry a quantity sample it at their new positions. For a set in turbulence `steps` is
/// never `EverySecond`, because eddies are sampled in each step. Returns true if all positions are finite.
/// Does not allocate.
pub(crate) fn advance_tracers(
    exec: &dyn Executor,
    (field, surfaces): (&dyn VelocityField, Option<&dyn Surfaces>),
    tracers: &mut Tracers,
    (set, steps): (InstructionSet, TracerSteps),
    dt: f32,
) -> bool {
    tracers.grow_older(dt);
    let steps = if tracers.is_even(dt) { steps } else { TracerSteps::Midpoint };
    let eddies = field.eddies().filter(|_| tracers.turbulence != 0.0);
    let eddies = eddies.map(|eddies| (eddies.with_seed(EddyField::TRACER_SEED), tracers.turbulence));
    let turn = tracers.advances() as usize;
    let Tracers { positions, ages, values, leads, carry, .. } = tracers;
    let motion = TracerMotion { field, eddies, carry: *carry, dt, set };
    let all_finite = AtomicBool::new(true);
    let columns =
        ((positions.as_mut_slice(), leads.as_mut_slice()), (ages.as_mut_slice(), values.as_mut_slice()));
    for_each_chunk_mut(exec, TRACER_CHUNK, columns, &|first, ((places, leads), shown)| {
        let goes_on = steps == TracerSteps::EverySecond && (first / TRACER_CHUNK + turn) % 2 == 1;
        let advance = |places: &mut [Vec3]| motion.advance(steps, goes_on, (places, leads), shown);
        let finite = match surfaces {
            None => advance(places),
            Some(surfaces) => {
                let mut before = [Vec3::ZERO; TRACER_CHUNK];
                let before = &mut before[..places.len()];
                before.copy_from_slice(places);
                advance(places);
                surfaces.keep_out(before, places);
                all_are_finite(set, places)
            }
        };
        if !finite {
            all_finite.store(false, Ordering::Relaxed);
        }
    });
    all_finite.into_inner()
}

/// Motion of a set of tracers in a step.
struct TracerMotion<'a> {
    field: &'a dyn VelocityField,
    /// Eddies that shake them, and their intensity.
    eddies: Option<(EddyField, f32)>,
    carry: Option<ScalarQuantity>,
    dt: f32,
    set: InstructionSet,
}

impl TracerMotion<'_> {
    /// Moves a chunk of tracers, with their ages and values. Returns true if all new positions are finite.
    /// With `goes_on`, the in-between step of `EverySecond`, moves the chunk by its leads alone.
    fn advance(
        &self,
        steps: TracerSteps,
        goes_on: bool,
        (places, leads): (&mut [Vec3], &mut [Vec3]),
        (ages, values): (&mut [f32], &mut [f32]),
    ) -> bool {
        let (mut middles, mut velocities) = ([Vec3::ZERO; TRACER_CHUNK], [Vec3::ZERO; TRACER_CHUNK]);
        let (middles, velocities) = (&mut middles[..places.len()], &mut velocities[..places.len()]);
        if goes_on && lead(self.set, (places, leads), self.dt, middles) {
            ages.iter_mut().for_each(|age| *age += self.dt);
            places.copy_from_slice(middles);
            return true;
        }
        // Whether the lead is sampled anew at the start, the number of steps over which it is used, and the
        // weight by which the next lead is extrapolated from it beyond the velocity at the middle: after a
        // midpoint step the extrapolation reaches as far as after a led one. Eddies change too fast for it.
        let (starts_anew, led_over, beyond) = match steps {
            _ if self.eddies.is_some() => (steps == TracerSteps::Midpoint, 1.0, 0.0),
            TracerSteps::Midpoint => (true, 1.0, 2.0 * LED_BY_LEAD / (1.0 + LED_BY_LEAD)),
            TracerSteps::Led => (false, 1.0, LED_BY_LEAD),
            TracerSteps::EverySecond => (false, 2.0, 0.0),
        };
        let to_middle = 0.5 * led_over * self.dt;
        if starts_anew || !lead(self.set, (places, leads), to_middle, middles) {
            self.find_leads(places, leads, |lead| starts_anew || !lead.is_finite());
            lead(self.set, (places, leads), to_middle, middles);
        }
        // Leads found anew are of the flow alone: eddies are then followed from the middle to which these
        // lead. New tracers among others are led by the flow alone in their first step.
        let followed = if starts_anew { self.dt } else { 0.0 };
        self.sample_middles(middles, followed, velocities);
        let finite = follow(self.set, velocities, (beyond, self.dt), (places, leads));
        self.show(places, (ages, values));
        finite
    }

    /// Samples the velocity at those tracers with a `wanted` lead, as their new lead.
    fn find_leads(&self, places: &[Vec3], leads: &mut [Vec3], wanted: impl Fn(&Vec3) -> bool) {
        let (mut carried, mut sampled) = ([Vec3::ZERO; TRACER_CHUNK], [Vec3::ZERO; TRACER_CHUNK]);
        let (carried, sampled) = (&mut carried[..places.len()], &mut sampled[..places.len()]);
        carried.copy_from_slice(places);
        // The field has been carried along for half a step; a tracer's position relative to it is the same.
        self.field.carry(carried, 0.5 * self.dt);
        self.field.velocities_together(carried, sampled);
        for (lead, sampled) in leads.iter_mut().zip(sampled) {
            *lead = if wanted(lead) { *sampled } else { *lead };
        }
    }

    /// Samples the velocities at the positions to which the leads lead, with those of the eddies there, or
    /// half of `followed` \[s\] along their path through the eddies.
    fn sample_middles(&self, middles: &[Vec3], followed: f32, velocities: &mut [Vec3]) {
        let Some((eddies, intensity)) = &self.eddies else {
            return self.field.velocities_together(middles, velocities);
        };
        let mut flow = [PlacedFlow::ZERO; BATCH];
        for (places, velocities) in middles.chunks(BATCH).zip(velocities.chunks_mut(BATCH)) {
            let flow = &mut flow[..places.len()];
            self.field.placed_flow(true, places, flow);
            velocities.iter_mut().zip(&*flow).for_each(|(velocity, flow)| *velocity = flow.velocity());
            eddies.add_to(*intensity, followed, flow, velocities);
        }
    }

    /// Ages the tracers by a step, and samples the carried quantity at their new positions.
    fn show(&self, places: &[Vec3], (ages, values): (&mut [f32], &mut [f32])) {
        ages.iter_mut().for_each(|age| *age += self.dt);
        if let Some(quantity) = self.carry {
            let mut shown = [0.0; TRACER_CHUNK];
            let shown = &mut shown[..places.len()];
            self.field.values(quantity, places, shown);
            for (value, &new) in values.iter_mut().zip(&*shown) {
                // A sample beyond f32 keeps the last value.
                *value = if new.is_finite() { new } else { *value };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{TracerSteps, advance_tracers};
    use crate::lanes::InstructionSet;
    use crate::math::Random;
    use crate::particles::Tracers;
    use crate::velocity::{Eddies, FlowSample, VelocityField};
    use fluid_threads::Serial;
    use glam::{Mat3, Vec3};

    /// Advances tracers in this field, and returns true if all are finite.
    fn advance(field: &dyn VelocityField, tracers: &mut Tracers, steps: TracerSteps, dt: f32) -> bool {
        advance_tracers(&Serial, (field, None), tracers, (InstructionSet::Auto, steps), dt)
    }

    /// One radian a second about z.
    struct Rotation;

    impl VelocityField for Rotation {
        fn velocities(&self, positions: &[Vec3], out: &mut [Vec3]) {
            out.iter_mut().zip(positions).for_each(|(out, place)| *out = Vec3::Z.cross(*place));
        }

        fn flow(&self, _positions: &[Vec3], _out: &mut [FlowSample]) {
            unreachable!("tracers have no use for gradients");
        }
    }

    /// Radius and angle after so many steps of `dt` from (1, 0, 0).
    fn circle(steps: TracerSteps, count: usize, dt: f32) -> (f32, f32) {
        let mut tracers = Tracers::with_capacity(1);
        tracers.push(Vec3::X);
        for _ in 0..count {
            assert!(advance(&Rotation, &mut tracers, steps, dt));
        }
        let place = tracers.positions()[0];
        (place.length(), place.y.atan2(place.x))
    }

    /// A rotation by z in a step grows by z⁴/8 in a midpoint step.
    #[test]
    fn led_tracers_stay_on_circles_better_than_those_of_midpoint_steps() {
        for dt in [0.1_f32, 0.2, 0.4, 0.55] {
            let grown = |steps| circle(steps, 100, dt).0.ln() / 100.0;
            let (midpoint, led) = (grown(TracerSteps::Midpoint), grown(TracerSteps::Led));
            println!("{dt}: {midpoint:.1e} and {led:.1e} a step");
            assert!((midpoint / (dt.powi(4) / 8.0) - 1.0).abs() < 0.15, "{dt}: {midpoint:e}");
            assert!(led.abs() < 0.7 * midpoint, "{dt}: {led:e}, {midpoint:e}");
        }
    }

    /// Half the step gives a quarter of the error, also when alternating between both kinds of steps.
    #[test]
    fn both_ways_and_changes_between_them_are_of_second_order() {
        let error = |steps: &dyn Fn(usize) -> TracerSteps, count: usize| {
            let mut tracers = Tracers::with_capacity(1);
            tracers.push(Vec3::X);
            for step in 0..count {
                advance(&Rotation, &mut tracers, steps(step), 1.0 / count as f32);
            }
            tracers.positions()[0].distance(Vec3::new(1.0_f32.cos(), 1.0_f32.sin(), 0.0))
        };
        let in_turns = |step: usize| if step % 5 < 2 { TracerSteps::Midpoint } else { TracerSteps::Led };
        for (name, steps) in [
            ("midpoint", &(|_| TracerSteps::Midpoint) as &dyn Fn(usize) -> TracerSteps),
            ("led", &|_| TracerSteps::Led),
            ("in turns", &in_turns),
        ] {
            let [coarse, fine] = [20, 40].map(|count| error(steps, count));
            println!("{name}: {coarse:.1e}, {fine:.1e}");
            assert!(fine < 0.3 * coarse && coarse < 1e-3, "{name}: {coarse:e}, {fine:e}");
        }
    }

    /// A step not as long as the last one is a midpoint step: exact to z³/6 whatever came before.
    #[test]
    fn leads_of_steps_of_another_length_are_not_followed() {
        let mut tracers = Tracers::with_capacity(1);
        tracers.push(Vec3::X);
        let mut go = |dt: f32| {
            let before = tracers.positions()[0];
            advance(&Rotation, &mut tracers, TracerSteps::Led, dt);
            let exact = glam::Quat::from_rotation_z(dt) * before;
            tracers.positions()[0].distance(exact) / before.length()
        };
        for dt in [0.5, 0.1, -0.1, 0.5, 0.02, 0.1] {
            let error = go(dt);
            assert!(error < 0.2 * dt.abs().powi(3) + 1e-6, "{dt}: {error:e}");
        }
    }

    /// Uniform shear without the velocity that causes it.
    struct Sheared {
        rate: f32,
        eddies: Eddies,
    }

    impl VelocityField for Sheared {
        fn velocities(&self, _: &[Vec3], out: &mut [Vec3]) {
            out.fill(Vec3::ZERO);
        }

        fn flow(&self, _: &[Vec3], out: &mut [FlowSample]) {
            let gradient = Mat3::from_cols(Vec3::ZERO, Vec3::X * self.rate, Vec3::ZERO);
            out.fill(FlowSample { velocity: Vec3::ZERO, gradient });
        }

        fn eddies(&self) -> Option<&Eddies> {
            Some(&self.eddies)
        }
    }

    const SIGMA: f32 = 0.1;

    /// Returns ⟨x²⟩ |S| / (2 ⟨|u'|²⟩ t) \[1\] of tracers after `lives` of the eddies in a shear of `rate`
    /// \[1/s\].
    fn spread(steps: TracerSteps, rate: f32, lives: f32, mut step: impl FnMut() -> f32) -> f64 {
        let random = Random::new(1);
        let start: Vec<Vec3> = (0..2000).map(|n| 8.0 * random.centred_vec3(n)).collect();
        let mut tracers = Tracers::with_capacity(start.len());
        tracers.turbulence = 1.0;
        start.iter().for_each(|place| _ = tracers.push(*place));
        let mut field = Sheared { rate, eddies: Eddies::new(SIGMA, InstructionSet::Auto) };
        let (mut now, time) = (0.0, lives * 2.0 / rate);
        while now < time {
            let dt = step().min(time - now);
            now += dt;
            field.eddies.advance(0.5 * dt, rate);
            assert!(advance(&field, &mut tracers, steps, dt));
            field.eddies.advance(0.5 * dt, rate);
        }
        let square = |(a, b): (&Vec3, &Vec3)| f64::from(a.distance_squared(*b));
        let mean = start.iter().zip(tracers.positions()).map(square).sum::<f64>() / start.len() as f64;
        let rms2 = 1.5 * f64::from(rate * SIGMA / 2.0).powi(2);
        mean / (2.0 * rms2 * f64::from(time)) * f64::from(rate)
    }

    /// Up to the stretch number at which tracers are led through eddies, and up to twice that in midpoint
    /// steps.
    #[test]
    fn tracers_spread_alike_at_any_frame_rate() {
        for (steps, rate, lives) in [
            (TracerSteps::Led, 4.0_f32, 2.0),
            (TracerSteps::Led, 10.0, 2.0),
            (TracerSteps::Led, 10.0, 10.0),
            (TracerSteps::Midpoint, 10.0, 2.0),
            (TracerSteps::Midpoint, 20.0, 10.0),
        ] {
            let fine = spread(steps, rate, lives, || 1.0 / 480.0);
            let others = [30.0_f32, 60.0, 120.0].map(|hz| spread(steps, rate, lives, || 1.0 / hz));
            let (random, mut n) = (Random::new(7), 0);
            let uneven = spread(steps, rate, lives, || {
                n += 1;
                (0.2 + 1.6 * random.unit(n)) / 60.0
            });
            println!("{steps:?} {rate} /s, {lives} lives: {others:.3?}, uneven {uneven:.3}, fine {fine:.3}");
            assert!((0.45..0.61).contains(&fine), "{rate} {lives}: {fine}");
            for other in others.into_iter().chain([uneven]) {
                assert!((other / fine - 1.0).abs() < 0.06, "{steps:?} {rate} {lives}: {other} {fine}");
            }
        }
    }

    /// Eddies at rest: half the step gives a quarter of the error.
    #[test]
    fn tracers_follow_eddies_in_second_order() {
        let field = Sheared { rate: 1.0, eddies: Eddies::new(SIGMA, InstructionSet::Auto) };
        let random = Random::new(2);
        let after = |steps: TracerSteps, count: usize| {
            let mut tracers = Tracers::with_capacity(200);
            tracers.turbulence = 1.0;
            (0..200).for_each(|n| _ = tracers.push(random.centred_vec3(n)));
            for _ in 0..count {
                advance(&field, &mut tracers, steps, 1.0 / count as f32);
            }
            tracers.positions().to_vec()
        };
        let exact = after(TracerSteps::Midpoint, 256);
        for steps in [TracerSteps::Midpoint, TracerSteps::Led] {
            let [coarse, fine] = [10, 20].map(|count| {
                let places = after(steps, count);
                let squares = places.iter().zip(&exact).map(|(a, b)| f64::from(a.distance_squared(*b)));
                (squares.sum::<f64>() / 200.0).sqrt()
            });
            println!("{steps:?}: {coarse:.1e} and {fine:.1e} m");
            assert!(fine < 0.34 * coarse, "{steps:?}: {coarse:e} {fine:e}");
        }
    }
}
