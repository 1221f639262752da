//! Drag where no vorton touches a body and sideways force everywhere, by coefficients, and the rings in its
//! wake that carry the opposite momentum (E64).

use fluid_core::particles::VortonRing;
use glam::DVec3;
use std::f64::consts::PI;

/// Fewest vortons of a ring \[1\].
const FEWEST: f64 = 8.0;
/// Most vortons of a ring \[1\]: that of a large body is coarser than its cores.
const MOST: f64 = 64.0;
/// Distance of a ring behind a body with a sheet, relative to the radius of its cross-section \[1\]: nearer,
/// the fluid that closes behind the body would narrow the ring, which would give a quarter of its impulse
/// back.
const AWAY: f64 = 3.0;
/// Distance of a ring behind a body without a sheet, beyond that at which vortons touch it \[core radii\].
const CLEAR: f64 = 0.1;
/// Distance between the vortons of a ring, and depth of its core \[core radii\].
const SPACING: f64 = 0.8;

/// The coefficients of a body, and what it owes to the fluid.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct BodyDrag {
    /// Force along the flow, over that of its dynamic pressure on the mean cross-section \[1\].
    pub(crate) drag: f64,
    /// Sideways force, over that of ρ V w × v \[1\].
    pub(crate) magnus: f64,
    /// Impulse per density that the next ring gives to the fluid \[m⁴/s\].
    owed: DVec3,
    /// Distance that the fluid has moved past the body since the last ring \[m\].
    way: f64,
    /// Direction in which it moves past.
    lee: DVec3,
    /// Speed of the fluid relative to the body after the last step \[m/s\].
    last: f64,
}

fluid_core::saved::fields!(BodyDrag { drag, magnus, owed, way, lee, last });

/// A body in the flow.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Flown {
    /// Velocity of the fluid relative to the body \[m/s\].
    pub(crate) flow: DVec3,
    /// Angular velocity of the body \[rad/s\].
    pub(crate) spin: DVec3,
    /// Volume \[m³\] and surface area \[m²\] of the body.
    pub(crate) volume: f64,
    pub(crate) area: f64,
    /// Fraction of the area that no vorton touches \[1\].
    pub(crate) bare: f64,
    /// Mass that a force along the flow accelerates, with that of the fluid that moves along, over the
    /// fluid's density \[m³\].
    pub(crate) mass: f64,
}

/// Returns the radius of the mean cross-section of a convex body, a quarter of its surface area (Cauchy).
pub(crate) fn radius(area: f64) -> f64 {
    (area / (4.0 * PI)).sqrt()
}

impl BodyDrag {
    pub(crate) fn new(drag: f32, magnus: f32) -> Self {
        Self { drag: drag.into(), magnus: magnus.into(), ..Self::default() }
    }

    /// True for values that a step can leave.
    pub(crate) fn is_valid(&self) -> bool {
        let is_size = |value: f64| value.is_finite() && value >= 0.0;
        [self.drag, self.magnus, self.way, self.last].into_iter().all(is_size)
            && self.owed.is_finite()
            && self.lee.length_squared() < 1.1
    }

    pub(crate) fn is_off(&self) -> bool {
        self.drag == 0.0 && self.magnus == 0.0
    }

    /// Returns the impulse per density on the body that the fluid is still to get \[m⁴/s\].
    pub(crate) fn owed(&self) -> DVec3 {
        self.owed
    }

    /// Passes momentum per density \[m⁴/s\] on to the next ring.
    pub(crate) fn owe(&mut self, momentum: DVec3) {
        self.owed += momentum;
    }

    /// Forgets the flow, because the body has been moved elsewhere. Returns the impulse per density that the
    /// fluid was still to get \[m⁴/s\].
    pub(crate) fn forget(&mut self) -> DVec3 {
        (self.way, self.lee, self.last) = Default::default();
        std::mem::take(&mut self.owed)
    }

    /// Returns the impulse per density \[m⁴/s\] on the body in a step of `dt` \[s\], given the `change` of
    /// its velocity \[m/s\] by an impulse. Drag is implicit, with the speed after the last step: for a body
    /// that nothing else moves this is the exact solution, and a steady force, which has acted before the
    /// drag of its step, leads to exactly the final speed. At least the speed of backward Euler counts. The
    /// sideways force turns the relative velocity, and both together never raise the energy of the motion
    /// relative to the fluid: no body overshoots, however light, thin, or long the step.
    pub(crate) fn act(&mut self, body: &Flown, change: impl Fn(DVec3) -> DVec3, dt: f64) -> DVec3 {
        let Flown { flow, spin, volume, area, bare, mass } = *body;
        let speed = flow.length();
        let per_speed = 0.5 * self.drag * (0.25 * area) * bare * dt;
        let root = (1.0 + 4.0 * per_speed * speed / mass).sqrt();
        let braked = per_speed * self.last.max(2.0 * speed / (1.0 + root)).min(speed);
        // No more than at a surface as fast as the flow.
        let spin = spin - flow * (spin.dot(flow) / (speed * speed));
        let spin = spin * (speed / (spin.length() * radius(area))).min(1.0);
        let turned = spin * (self.magnus * volume * dt);
        let impulse = if mass.is_finite() {
            let slowed = flow * (mass / (mass + braked));
            let half = turned * (0.5 / mass);
            let across = half.cross(slowed + half.cross(slowed));
            let after = slowed + across * (2.0 / (1.0 + half.length_squared()));
            let impulse = (flow - after) * mass;
            // −I·u + ½ I·(change by I) ≤ 0.
            let most = 2.0 * impulse.dot(flow) / impulse.dot(change(impulse));
            if most < 1.0 { impulse * most.max(0.0) } else { impulse }
        } else {
            flow * braked - turned.cross(flow)
        };
        if !impulse.is_finite() {
            return DVec3::ZERO;
        }
        self.owed -= impulse;
        self.way += speed * dt;
        self.lee = flow / speed;
        let after = (flow - change(impulse)).length();
        self.last = if after.is_finite() { after } else { 0.0 };
        impulse
    }

    /// Returns the ring that is due, once the fluid has moved past a body with its middle at `place` \[m\] by
    /// its width: vortons of total strength zero that have the impulse owed. It lies in the lee, behind the
    /// surface, which `extent` returns the distance to from there. Vortons are `touching` a body without a
    /// sheet up to this distance \[m\]; there its surface would take the ring's rotation.
    pub(crate) fn take_ring(
        &mut self,
        place: DVec3,
        extent: impl Fn(DVec3) -> f64,
        (area, core): (f64, f64),
        touching: Option<f64>,
    ) -> Option<VortonRing> {
        let own = radius(area);
        if self.way < 2.0 * own || self.is_off() {
            return None;
        }
        let impulse = std::mem::take(&mut self.owed);
        self.way = 0.0;
        let radius = own.max(core);
        let axis = impulse.try_normalize()?;
        let half = radius * (1.0 - axis.dot(self.lee).powi(2)).max(0.0).sqrt();
        let surface = own.max(extent(self.lee));
        let edge = match touching {
            Some(distance) => surface + distance + CLEAR * core,
            None => (AWAY * own).max(surface + own),
        };
        let centre = place + self.lee * (edge + half);
        Some(VortonRing {
            centre,
            plane: axis.any_orthonormal_pair().into(),
            radius,
            circulation: impulse.length() / (PI * radius * radius),
            section: (SPACING * core) * (SPACING * core),
            count: vortons_of_ring(radius, core),
            phase: 0.5,
        })
    }
}

/// Returns the number of vortons of a ring of this radius for this core radius.
fn vortons_of_ring(radius: f64, core: f64) -> usize {
    (2.0 * PI * radius / (SPACING * core)).ceil().clamp(FEWEST, MOST) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moments(ring: VortonRing) -> (DVec3, DVec3) {
        ring.vortons().fold((DVec3::ZERO, DVec3::ZERO), |(sum, impulse), vorton| {
            let strength = vorton.strength.as_dvec3();
            (sum + strength, impulse + 0.5 * vorton.position.as_dvec3().cross(strength))
        })
    }

    #[test]
    fn a_ring_has_the_impulse_that_is_owed() {
        let mut drag = BodyDrag { drag: 0.47, magnus: 0.375, ..BodyDrag::default() };
        let body = Flown {
            flow: DVec3::new(-3.0, 0.5, 1.0),
            spin: DVec3::new(1.0, 8.0, 2.0),
            volume: 0.0335,
            area: 0.503,
            bare: 1.0,
            mass: 0.05,
        };
        let mut given = DVec3::ZERO;
        for _ in 0..12 {
            given += drag.act(&body, |impulse| impulse / body.mass, 0.01);
        }
        assert!(drag.take_ring(DVec3::ZERO, |_| 0.2, (body.area, 0.08), Some(0.096)).is_none(), "{:?}", drag);
        for _ in 0..12 {
            given += drag.act(&body, |impulse| impulse / body.mass, 0.01);
        }
        let ring =
            drag.take_ring(DVec3::new(1.0, 2.0, 3.0), |_| 0.2, (body.area, 0.08), None).expect("it is due");
        let (sum, impulse) = moments(ring);
        assert!(sum.length() < 1e-6 * ring.circulation * ring.radius, "{sum}");
        assert!((impulse + given).length() < 1e-6 * given.length(), "{impulse} against {given}");
        assert_eq!(drag.owed(), DVec3::ZERO);
    }

    #[test]
    fn no_step_is_too_long() {
        for (mass, dt) in [(1e-4, 1.0), (1e-2, 0.1), (1.0, 1e-3), (1e-6, 1e6)] {
            let mut drag = BodyDrag { drag: 1.0, magnus: 2.0, ..BodyDrag::default() };
            let (flow, spin) = (DVec3::new(4.0, 0.0, -1.0), DVec3::new(0.0, 300.0, 5.0));
            let body = Flown { flow, spin, volume: 0.03, area: 0.5, bare: 1.0, mass };
            let after = flow - drag.act(&body, |impulse| impulse / mass, dt) / mass;
            assert!(after.length() <= flow.length() * (1.0 + 1e-12), "{mass} kg, {dt} s: {after}");
        }
    }

    /// A thin plate: its added mass differs by direction a thousandfold.
    #[test]
    fn energy_never_rises_however_thin_the_body() {
        let inverse = DVec3::new(1.0, 1e3, 1e3);
        for turn in 0..32 {
            let angle = 0.2 * f64::from(turn);
            let (flow, spin) =
                (DVec3::new(angle.cos(), angle.sin(), 0.3) * 4.0, DVec3::new(3.0, -80.0, 40.0));
            let mass = 1.0 / flow.normalize().dot(inverse * flow.normalize());
            let body = Flown { flow, spin, volume: 0.03, area: 0.5, bare: 1.0, mass };
            let mut drag = BodyDrag::new(1.0, 0.5);
            let impulse = drag.act(&body, |impulse| inverse * impulse, 0.02);
            let gained = 0.5 * impulse.dot(inverse * impulse) - impulse.dot(flow);
            assert!(gained <= 1e-9 && impulse != DVec3::ZERO, "turn {turn}: {gained}");
        }
    }
}
