//! Combustion: vortons that are hot enough burn their fuel; its heat expands them (E62).

use crate::constants::PARTICLE_CHUNK;
use crate::density::{Ambient, EquationOfState};
use crate::particles::Vortons;
use fluid_threads::{Executor, for_each_chunk_mut, reduce_ordered};
use glam::Vec3;

/// How fuel burns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Combustion {
    /// Temperature \[K\] from which on the fuel in a vorton burns; 0 (the default): nothing burns.
    pub ignition_temperature: f32,
    /// Time \[s\] in which all but 1/e of the fuel in a vorton that stays hot burns, positive.
    pub burn_time: f32,
    /// Specific heat of the fluid at constant pressure \[J/(kg K)\], positive.
    pub specific_heat: f32,
    /// Part of the expansion that pushes other fluid away, 0 to 1. 1 (the default) is the real fluid; 0
    /// leaves the flow free of divergence, and heat acts by buoyancy alone.
    pub expansion: f32,
}

crate::saved::fields!(Combustion { ignition_temperature, burn_time, specific_heat, expansion });

impl Default for Combustion {
    fn default() -> Self {
        Self { ignition_temperature: 0.0, burn_time: 0.2, specific_heat: 1000.0, expansion: 1.0 }
    }
}

impl Combustion {
    /// Returns true if fuel can burn.
    pub fn is_on(&self) -> bool {
        self.ignition_temperature > 0.0
    }

    /// Returns true if all values are in range.
    pub fn is_valid(&self) -> bool {
        let positive = |v: f32| v.is_finite() && v > 0.0;
        self.ignition_temperature.is_finite()
            && self.ignition_temperature >= 0.0
            && positive(self.burn_time)
            && positive(self.specific_heat)
            && (0.0..=1.0).contains(&self.expansion)
    }

    /// Returns the volume \[m³\] by which fluid expands for each J of heat: for an ideal gas at any
    /// temperature, because ρ T is constant.
    pub fn expansion_per_heat(&self, ambient: &Ambient, state: EquationOfState) -> f64 {
        let capacity = f64::from(ambient.density) * f64::from(self.specific_heat);
        1.0 / (capacity * state.inverse_expansion(ambient))
    }
}

/// The combustion of a step.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Burnt {
    /// Heat released \[J\].
    pub heat: f64,
    /// Heat of the fuel that is left in all vortons \[J\].
    pub fuel: f64,
    /// Number of vortons that burned.
    pub vortons: usize,
}

impl Burnt {
    fn add(self, other: Self) -> Self {
        Self {
            heat: self.heat + other.heat,
            fuel: self.fuel + other.fuel,
            vortons: self.vortons + other.vortons,
        }
    }
}

/// Expansion by the remaining fuel, over the volume of a vorton \[1\], below which that fuel burns at once.
const LEAST_EXPANSION: f64 = 1e-6;

/// Scratch of combustion: the heat and the rate of expansion of each vorton in a step.
#[derive(Debug, Clone, Default)]
pub struct Fire {
    /// \[J\]; empty if nothing burns.
    heats: Vec<f32>,
    /// \[m³/s\]; empty if nothing expands.
    rates: Vec<f32>,
    partials: Vec<Burnt>,
}

/// The fluid that burns.
#[derive(Debug, Clone, Copy)]
pub struct Burning<'a> {
    /// How its fuel burns.
    pub combustion: Combustion,
    /// Its ambient.
    pub ambient: &'a Ambient,
    /// Relation between its density and temperature.
    pub state: EquationOfState,
}

/// The combustion of a step, for one vorton after the other.
#[derive(Clone, Copy)]
struct BurningStep<'a> {
    burning: Burning<'a>,
    /// Part of the fuel of a hot vorton that burns in the step \[1\].
    part: f64,
    /// Expansion by heat \[m³/J\].
    per_heat: f64,
}

impl BurningStep<'_> {
    /// Returns the fuel \[J\] that the step leaves in a vorton of this volume, mass deviation and fuel, in
    /// fluid of density `around` \[kg/m³\]; `None` if it does not burn. Volume and fuel are positive.
    fn fuel_left(&self, around: f32, (volume, mass_deviation, fuel): (f32, f32, f32)) -> Option<f32> {
        let Burning { combustion, ambient, state } = self.burning;
        let temperature = state.temperature(ambient, around + mass_deviation / volume);
        let (fuel, volume) = (f64::from(fuel), f64::from(volume));
        let expands = fuel * self.per_heat;
        // NaN fails.
        if !(temperature >= combustion.ignition_temperature && volume + expands < MOST_VOLUME) {
            return None;
        }
        let left = 1.0 - self.part;
        Some(if expands * left < LEAST_EXPANSION * volume { 0.0 } else { (fuel * left) as f32 })
    }
}

impl Fire {
    /// Reserves memory for `capacity` vortons.
    pub fn reserve(&mut self, capacity: usize) {
        for column in [&mut self.heats, &mut self.rates] {
            column.reserve(capacity.saturating_sub(column.len()));
        }
        let partials = capacity.div_ceil(PARTICLE_CHUNK);
        self.partials.reserve(partials.saturating_sub(self.partials.len()));
    }

    /// Burns the fuel of a step of `dt` \[s\], and gives the vortons half of its heat: the state of the
    /// middle of the step has half of it, too. Vortons for which `is_enclosed(position)` holds do not push
    /// other fluid away, because walls hold it.
    pub fn begin(
        &mut self,
        exec: &dyn Executor,
        burning: Burning<'_>,
        vortons: &mut Vortons,
        is_enclosed: &(dyn Fn(Vec3) -> bool + Sync),
        dt: f32,
    ) -> Burnt {
        let Burning { combustion, ambient, state } = burning;
        self.heats.clear();
        self.rates.clear();
        if !combustion.is_on() || vortons.fuels.iter().all(|&fuel| fuel == 0.0) {
            return Burnt::default();
        }
        let count = vortons.len();
        self.heats.resize(count, 0.0);
        self.rates.resize(count, 0.0);
        if dt > 0.0 {
            let part = -libm::expm1(-f64::from(dt) / f64::from(combustion.burn_time));
            let per_heat = combustion.expansion_per_heat(ambient, state);
            let per_rate = per_heat * f64::from(combustion.expansion) / f64::from(dt);
            let Vortons { positions, volumes, mass_deviations, fuels, .. } = vortons;
            let columns = (
                (volumes.as_mut_slice(), mass_deviations.as_mut_slice(), fuels.as_mut_slice()),
                (self.heats.as_mut_slice(), self.rates.as_mut_slice()),
            );
            let step = BurningStep { burning, part, per_heat };
            for_each_chunk_mut(exec, PARTICLE_CHUNK, columns, &|first, (vortons, fire)| {
                let (volumes, masses, fuels): (&mut [f32], &mut [f32], &mut [f32]) = vortons;
                let (heats, rates): (&mut [f32], &mut [f32]) = fire;
                for i in 0..fuels.len() {
                    if !(fuels[i] > 0.0 && volumes[i] > 0.0) {
                        continue;
                    }
                    let place = positions.get(first + i);
                    let around = ambient.density_at(place);
                    let Some(left) = step.fuel_left(around, (volumes[i], masses[i], fuels[i])) else {
                        continue;
                    };
                    heats[i] = fuels[i] - left;
                    fuels[i] = left;
                    let heat = f64::from(heats[i]);
                    rates[i] = if is_enclosed(place) { 0.0 } else { (heat * per_rate) as f32 };
                    expand(&mut volumes[i], &mut masses[i], 0.5 * heat * per_heat, around);
                }
            });
        }
        let (heats, fuels) = (&self.heats, &vortons.fuels);
        let one = |row: usize| Burnt {
            heat: f64::from(heats[row]),
            fuel: f64::from(fuels[row]),
            vortons: usize::from(heats[row] > 0.0),
        };
        let of_rows = |rows: std::ops::Range<usize>| rows.map(one).fold(Burnt::default(), Burnt::add);
        let (none, partials) = (Burnt::default(), &mut self.partials);
        let burnt = reduce_ordered(exec, count, PARTICLE_CHUNK, none, partials, &of_rows, Burnt::add);
        if self.rates.iter().all(|&rate| rate == 0.0) {
            self.rates.clear();
        }
        if burnt.vortons == 0 {
            self.heats.clear();
        }
        burnt
    }

    /// Gives the vortons, the same as in [`begin`](Self::begin), the other half of the heat.
    pub fn end(&mut self, exec: &dyn Executor, burning: Burning<'_>, vortons: &mut Vortons) {
        let Burning { combustion, ambient, state } = burning;
        if self.heats.is_empty() {
            return;
        }
        let half = 0.5 * combustion.expansion_per_heat(ambient, state);
        let Vortons { positions, volumes, mass_deviations, .. } = vortons;
        let (heats, columns) = (&self.heats, (volumes.as_mut_slice(), mass_deviations.as_mut_slice()));
        for_each_chunk_mut(exec, PARTICLE_CHUNK, columns, &|first, (volumes, masses)| {
            let (volumes, masses): (&mut [f32], &mut [f32]) = (volumes, masses);
            for i in 0..volumes.len() {
                if heats[first + i] == 0.0 {
                    continue;
                }
                let around = ambient.density_at(positions.get(first + i));
                expand(&mut volumes[i], &mut masses[i], f64::from(heats[first + i]) * half, around);
            }
        });
        self.heats.clear();
    }

    /// Returns the rates \[m³/s\] at which the vortons of the step push other fluid away; empty if none does.
    pub fn rates(&self) -> &[f32] {
        &self.rates
    }
}

/// Largest volume \[m³\] to which a vorton burns: sums of volumes and of mass deviations stay finite.
const MOST_VOLUME: f64 = 1e30;

/// Expands a vorton by `more` \[m³\] in fluid of density `around` \[kg/m³\]: its mass stays.
fn expand(volume: &mut f32, mass_deviation: &mut f32, more: f64, around: f32) {
    *volume = (f64::from(*volume) + more) as f32;
    *mass_deviation = (f64::from(*mass_deviation) - more * f64::from(around)) as f32;
}
