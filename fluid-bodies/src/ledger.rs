//! Quantities exchanged between fluid and bodies, in f64: nothing is lost between them.

use glam::{DVec3, Vec3};

/// Impulse of the fluid on a body since it was last taken.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct BodyImpulse {
    /// Impulse \[N s\].
    pub linear: DVec3,
    /// Angular impulse \[N m s\] about the centre of mass.
    pub angular: DVec3,
    /// Part of `linear` due to gravity \[N s\]: lift, with
    /// [`BuoyantForce::OnWithWeight`](crate::body::BuoyantForce::OnWithWeight) the body's weight, and the
    /// weight of the contents of its hole. The rest is due to vortons, other fluid (that of a tank that
    /// accelerates, too) and particles.
    pub lift_linear: DVec3,
    /// Part of `angular` due to gravity \[N m s\].
    pub lift_angular: DVec3,
    /// Heat \[J\] transferred from the fluid to the body.
    pub heat: f64,
    /// Kinetic energy \[J\] dissipated between body and fluid.
    pub lost_energy: f64,
    /// Number of vortons that have touched the body.
    pub hits: u32,
}

fluid_core::saved::fields!(BodyImpulse {
    linear,
    angular,
    lift_linear,
    lift_angular,
    heat,
    lost_energy,
    hits
});

impl BodyImpulse {
    /// Adds an impulse of gravity \[N s\], \[N m s\].
    pub(crate) fn add_lift(&mut self, linear: DVec3, angular: DVec3) {
        self.linear += linear;
        self.angular += angular;
        self.lift_linear += linear;
        self.lift_angular += angular;
    }

    /// Drops the impulses of gravity.
    pub(crate) fn drop_lift(&mut self) {
        self.linear -= std::mem::take(&mut self.lift_linear);
        self.angular -= std::mem::take(&mut self.lift_angular);
    }

    /// Returns the sum of two reactions.
    pub fn and(&self, other: &Self) -> Self {
        Self {
            linear: self.linear + other.linear,
            angular: self.angular + other.angular,
            lift_linear: self.lift_linear + other.lift_linear,
            lift_angular: self.lift_angular + other.lift_angular,
            heat: self.heat + other.heat,
            lost_energy: self.lost_energy + other.lost_energy,
            hits: self.hits.saturating_add(other.hits),
        }
    }
}

/// Quantities of the fluid held by a body, so that totals are conserved (E38).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Bound {
    /// Strength \[m³/s\]: the opposite of the strength that vortons have gained at the surface, so that total
    /// strength does not change.
    pub strength: DVec3,
    /// The part of it that induces velocity \[m³/s\]: the counterpart of vortex layers on the surface, plus
    /// vortons that were at the body's position when it was placed. It is the vorticity of the body's
    /// interior.
    pub felt: DVec3,
    /// Its part ½ Σ x × Δα of the impulse \[m⁴/s\], about the world's origin, each change counted at the
    /// body's position at that time and moved along with the wind since (a container's is not), plus impulses
    /// of contacts that would have made the body faster than the fluid that touches it. Mass times velocity +
    /// density times (½ Σ x × α of the vortons + this) does not change when body and vortons meet.
    pub impulse: DVec3,
}

fluid_core::saved::fields!(Bound { strength, felt, impulse });

impl Bound {
    /// Makes the position `origin` \[m\] the world's origin: ½ Σ (x − origin) × Δα.
    pub(crate) fn shift_origin(&mut self, origin: DVec3) {
        self.impulse -= 0.5 * origin.cross(self.strength);
    }

    /// Moves it by `way` \[m\], as the wind moves the vortons that have gained its opposite.
    pub(crate) fn drift(&mut self, way: DVec3) {
        self.impulse += 0.5 * way.cross(self.strength);
    }
}

/// First and second moments of vortons about a centre: ½ Σ y × α and ⅓ Σ y × (y × α) (E10, E11).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct CentredMoments {
    /// Σ α \[m³/s\].
    pub strength: DVec3,
    /// ½ Σ y × α \[m⁴/s\].
    pub linear: DVec3,
    /// ⅓ Σ y × (y × α) \[m⁵/s\].
    pub angular: DVec3,
}

fluid_core::saved::fields!(CentredMoments { strength, linear, angular });

impl CentredMoments {
    /// Adds the contribution of one vorton, or of a change of one.
    pub fn add(&mut self, centre: DVec3, position: Vec3, strength: DVec3) {
        self.add_at(position.as_dvec3() - centre, strength);
    }

    /// Adds a contribution at this offset from the centre \[m\].
    pub fn add_at(&mut self, y: DVec3, strength: DVec3) {
        let moment = y.cross(strength);
        self.strength += strength;
        self.linear += 0.5 * moment;
        self.angular += y.cross(moment) / 3.0;
    }

    /// Adds the effect of moving a vorton by the displacement `way`, with the vorton at `place` on its path.
    pub fn add_way(&mut self, centre: DVec3, place: Vec3, way: Vec3, strength: DVec3) {
        let (y, way) = (place.as_dvec3() - centre, way.as_dvec3());
        let moment = way.cross(strength);
        self.linear += 0.5 * moment;
        self.angular += (way.cross(y.cross(strength)) + y.cross(moment)) / 3.0;
    }

    /// Returns `angular` about another point, from which `arm` \[m\] leads to the centre. The total strength
    /// counts as 0.
    pub(crate) fn angular_about(&self, arm: DVec3) -> DVec3 {
        self.angular + arm.cross(self.linear)
    }

    /// True if all values are finite.
    pub fn is_finite(&self) -> bool {
        self.strength.is_finite() && self.linear.is_finite() && self.angular.is_finite()
    }

    /// Returns the sum of two sets of moments.
    pub fn and(&self, other: &Self) -> Self {
        Self {
            strength: self.strength + other.strength,
            linear: self.linear + other.linear,
            angular: self.angular + other.angular,
        }
    }
}
