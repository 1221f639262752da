//! What fluid and bodies exchange, in f64: nothing is lost between them.

use glam::{DVec3, Vec3};

/// What the fluid has given to a body since it was last asked.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Reaction {
    /// Impulse \[N s\].
    pub linear: DVec3,
    /// Angular impulse \[N m s\] about the centre of mass.
    pub angular: DVec3,
    /// The part of `linear` that gravity has given \[N s\]: lift, with
    /// [`BuoyantForce::OnWithWeight`](crate::body::BuoyantForce::OnWithWeight) the body's weight, and the
    /// weight of what fills its hole. The rest are pushes: of vortons, of other fluid, of particles.
    pub lift_linear: DVec3,
    /// The part of `angular` that gravity has given \[N m s\].
    pub lift_angular: DVec3,
    /// Heat \[J\] that has gone from the fluid into the body.
    pub heat: f64,
    /// Kinetic energy \[J\] that body and fluid have lost to each other.
    pub lost_energy: f64,
    /// Vortons that have touched it.
    pub hits: u32,
}

fluid_core::saved::fields!(Reaction { linear, angular, lift_linear, lift_angular, heat, lost_energy, hits });

impl Reaction {
    /// Gravity has given this \[N s\], \[N m s\].
    pub(crate) fn add_lift(&mut self, linear: DVec3, angular: DVec3) {
        self.linear += linear;
        self.angular += angular;
        self.lift_linear += linear;
        self.lift_angular += angular;
    }

    /// What gravity has given is not handed out.
    pub(crate) fn drop_lift(&mut self) {
        self.linear -= std::mem::take(&mut self.lift_linear);
        self.angular -= std::mem::take(&mut self.lift_angular);
    }

    /// Both together.
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

/// What a body keeps of the fluid's, so that sums stay what they were (E38).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Bound {
    /// Strength \[m³/s\]: what vortons have got at its surface is missing here, so that total strength does
    /// not change.
    pub strength: DVec3,
    /// What of it layers of vortons have left, and what was where the body has been put \[m³/s\]: the
    /// vorticity of its inside. The fluid feels it.
    pub felt: DVec3,
    /// Its part ½ Σ x × Δα of the impulse \[m⁴/s\], about the world's origin, each change counted where the
    /// body was then, and what contacts have given that would have made the body faster than the fluid that
    /// touches it. Mass times velocity + density times (½ Σ x × α of the vortons + this) does not change when
    /// body and vortons meet.
    pub impulse: DVec3,
}

fluid_core::saved::fields!(Bound { strength, felt, impulse });

impl Bound {
    /// The place `origin` \[m\] becomes the world's origin: ½ Σ (x − origin) × Δα.
    pub(crate) fn shift_origin(&mut self, origin: DVec3) {
        self.impulse -= 0.5 * origin.cross(self.strength);
    }
}

/// First and second moments of vortons about a centre: ½ Σ y × α and ⅓ Σ y × (y × α) (E10, E11).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Moments {
    /// Σ α \[m³/s\].
    pub strength: DVec3,
    /// ½ Σ y × α \[m⁴/s\].
    pub linear: DVec3,
    /// ⅓ Σ y × (y × α) \[m⁵/s\].
    pub angular: DVec3,
}

fluid_core::saved::fields!(Moments { strength, linear, angular });

impl Moments {
    /// Adds the share of one vorton, or of a change of one.
    pub fn add(&mut self, centre: DVec3, position: Vec3, strength: DVec3) {
        self.add_at(position.as_dvec3() - centre, strength);
    }

    /// The same at this place from the centre \[m\].
    pub fn add_at(&mut self, y: DVec3, strength: DVec3) {
        let moment = y.cross(strength);
        self.strength += strength;
        self.linear += 0.5 * moment;
        self.angular += y.cross(moment) / 3.0;
    }

    /// Adds what moving a vorton by `way` does, counted where it is about `place` on the way.
    pub fn add_way(&mut self, centre: DVec3, place: Vec3, way: Vec3, strength: DVec3) {
        let (y, way) = (place.as_dvec3() - centre, way.as_dvec3());
        let moment = way.cross(strength);
        self.linear += 0.5 * moment;
        self.angular += (way.cross(y.cross(strength)) + y.cross(moment)) / 3.0;
    }

    /// True if nothing in it is beyond numbers.
    pub fn is_finite(&self) -> bool {
        self.strength.is_finite() && self.linear.is_finite() && self.angular.is_finite()
    }

    /// Both together.
    pub fn and(&self, other: &Self) -> Self {
        Self {
            strength: self.strength + other.strength,
            linear: self.linear + other.linear,
            angular: self.angular + other.angular,
        }
    }
}
