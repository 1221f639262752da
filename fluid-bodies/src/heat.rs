//! Heat conduction between bodies and the fluid that touches them (E41).
//!
//! All vortons of a body's contacts relax at one rate k = h A / ΣC. The mean temperature and the differences
//! from it then decay as separate exponentials, and a step of any length is exact for constant heat
//! capacities. An ideal gas's are not constant: there the mean ones over the step are found by iteration.

use crate::body::Body;
use crate::contact::Contact;
use fluid_core::boundary::Motion;
use fluid_core::density::{Ambient, EquationOfState};
use fluid_core::particles::Vortons;

/// Conducts heat for one step between a body and the vortons of its contacts. Changes their mass deviations
/// and the body's temperature; returns the heat \[J\] transferred to the body. Energy is conserved to the
/// rounding of f64, nothing overshoots. The contact area of a vorton is that of one face of a cube of its
/// volume; the total is at most the body's area. `specific_heat` is the fluid's \[J/(kg K)\].
///
/// Vortons without volume, or with a density to which no temperature belongs, take no part. Nothing happens
/// unless time goes forwards.
pub fn conduct(
    motion: Motion<'_>,
    body: &mut Body,
    contacts: &[Contact],
    vortons: &mut Vortons,
    specific_heat: f32,
) -> f64 {
    let conductance_time = body.heat_transfer * f64::from(motion.dt);
    if !(conductance_time > 0.0 && body.temperature > 0.0 && body.temperature.is_finite()) {
        return 0.0;
    }
    let gas = Gas {
        ambient: &motion.params.ambient,
        state: motion.params.equation_of_state,
        specific_heat: specific_heat.into(),
    };
    let Some(relaxation) = gas.relaxation(body, conductance_time, contacts, vortons) else { return 0.0 };
    let after = |contact: &Contact, vortons: &Vortons| {
        let parcel = gas.parcel(contact, vortons)?;
        let density = gas.state.exact_density(gas.ambient, relaxation.of(parcel.temperature));
        let before = vortons.mass_deviations[contact.row as usize];
        let after = (f64::from(before) + parcel.volume * (density - parcel.density)) as f32;
        after.is_finite().then_some(after)
    };
    // From the values as they are stored, so that rounding them loses no energy.
    let mut gained = 0.0;
    for contact in contacts {
        let before = vortons.mass_deviations[contact.row as usize];
        gained += f64::from(after(contact, vortons).unwrap_or(before)) - f64::from(before);
    }
    let heat = gained * gas.heat_per_mass();
    let temperature = body.temperature + heat / body.heat_capacity;
    // Where vortons have so much mass that its rounding is more heat than the body has, none is exchanged.
    if !(temperature as f32 > 0.0 && (temperature as f32).is_finite()) {
        return 0.0;
    }
    for contact in contacts {
        if let Some(after) = after(contact, vortons) {
            vortons.mass_deviations[contact.row as usize] = after;
        }
    }
    body.temperature = temperature;
    heat
}

/// Thermal properties of the fluid.
struct Gas<'a> {
    ambient: &'a Ambient,
    state: EquationOfState,
    /// Specific heat \[J/(kg K)\].
    specific_heat: f64,
}

/// One vorton.
struct Parcel {
    /// Volume \[m³\].
    volume: f64,
    /// Density \[kg/m³\].
    density: f64,
    /// Temperature \[K\].
    temperature: f64,
}

/// Effect of a step on temperatures: each moves by the fraction `share` to `towards` \[K\], the body's
/// temperature averaged over the step.
#[derive(Clone, Copy)]
struct ThermalRelaxation {
    share: f64,
    towards: f64,
}

/// Most passes over the contacts to find mean heat capacities; a few suffice unless temperatures differ by
/// large factors.
const PASSES: usize = 64;
/// Relative change of the result by a pass below which the iteration ends \[1\].
const FOUND: f64 = 1e-9;

impl ThermalRelaxation {
    /// Returns the temperature after a step.
    fn of(&self, temperature: f64) -> f64 {
        temperature + (self.towards - temperature) * self.share
    }

    /// Returns the relaxation of fluid of heat capacity `capacity` \[J/K\] and mean temperature `mean` \[K\]
    /// beside a body; `conductance_time` is the product of heat transfer coefficient, area and time \[J/K\].
    /// None if that is too small to change anything.
    fn with(body: &Body, capacity: f64, mean: f64, conductance_time: f64) -> Option<Self> {
        let time = conductance_time / capacity;
        let sum = 1.0 + capacity / body.heat_capacity;
        let share = -libm::expm1(-time);
        // The difference between body and mean decays faster than differences among vortons, because the
        // body's temperature changes, too.
        let joint_share = -libm::expm1(-time * sum);
        (share > 0.0 && sum.is_finite()).then(|| {
            let towards = mean + (body.temperature - mean) * (joint_share / (sum * share));
            Self { share, towards }
        })
    }
}

impl Gas<'_> {
    /// Returns the heat \[J\] lost per \[kg\] that the fluid gains: c/β.
    fn heat_per_mass(&self) -> f64 {
        self.specific_heat * self.state.inverse_expansion(self.ambient)
    }

    fn parcel(&self, contact: &Contact, vortons: &Vortons) -> Option<Parcel> {
        let row = contact.row as usize;
        let volume = f64::from(vortons.volumes[row]);
        if !(volume > 0.0 && volume.is_finite()) {
            return None;
        }
        let ambient = f64::from(self.ambient.density_at(vortons.positions.get(row)));
        let density = ambient + f64::from(vortons.mass_deviations[row]) / volume;
        let temperature = self.state.exact_temperature(self.ambient, density)?;
        Some(Parcel { volume, density, temperature })
    }

    fn relaxation(
        &self,
        body: &Body,
        conductance_time: f64,
        contacts: &[Contact],
        vortons: &Vortons,
    ) -> Option<ThermalRelaxation> {
        let parcels = || contacts.iter().filter_map(|contact| self.parcel(contact, vortons));
        let face = |parcel: Parcel| {
            let edge = libm::cbrt(parcel.volume);
            edge * edge
        };
        let area = parcels().map(face).sum::<f64>().min(body.area);
        let mut last = ThermalRelaxation { share: 0.0, towards: body.temperature };
        for _ in 0..PASSES {
            // With these capacities the heat taken by a vorton is exactly capacity times change of
            // temperature.
            let (mut capacity, mut heat) = (0.0, 0.0);
            for Parcel { volume, temperature, .. } in parcels() {
                let after = last.of(temperature);
                let one = volume * self.state.mean_heat_capacity(self.ambient, temperature, after);
                (capacity, heat) = (capacity + one, heat + one * temperature);
            }
            let capacity_of_mean = capacity * self.specific_heat;
            let next =
                ThermalRelaxation::with(body, capacity_of_mean, heat / capacity, conductance_time * area)?;
            let change =
                ((next.towards - last.towards) / next.towards).abs().max((next.share - last.share).abs());
            last = next;
            if change <= FOUND {
                break;
            }
        }
        Some(last)
    }
}
