//! The direct sum: pairs of vorton and target per second, on one core.

use benches::timing::{interleaved, least};
use benches::{cloud, points};
use fluid_core::InstructionSet;
use fluid_core::velocity::{DirectSettings, FlowSample, Kernel, Precision, VelocityField};
use glam::Vec3;

/// Number of vortons, and of targets.
const COUNT: usize = 2048;
const ROUNDS: usize = 7;

/// Multiplications and additions of a pair in `velocity/direct.rs`, velocity alone, without 1/√x: distance 3
/// and its square 5, core 1, kernel 6, times distance 3, cross product and sum 12.
pub(crate) const OPERATIONS: f64 = 30.0;
/// The same with the gradient: kernel 10, cross product 9, slope times distance 3, fourteen sums 28.
pub(crate) const OPERATIONS_WITH_GRADIENT: f64 = 59.0;

/// Rates of one combination.
pub(crate) struct Rate {
    pub(crate) set: InstructionSet,
    pub(crate) precision: Precision,
    /// Velocity alone \[10⁹ pairs/s\].
    pub(crate) velocity: f64,
    /// Velocity and gradient \[10⁹ pairs/s\].
    pub(crate) flow: f64,
}

/// Measures all instruction sets of this processor, exact and fast.
pub(crate) fn measure() -> Vec<Rate> {
    let targets = points(COUNT, 3);
    let named =
        InstructionSet::ALL.into_iter().filter(|set| *set != InstructionSet::Auto && set.is_available());
    let kinds: Vec<_> =
        named.flat_map(|set| [Precision::Exact, Precision::Fast].map(|precision| (set, precision))).collect();
    let mut calls: Vec<Box<dyn FnMut()>> = Vec::new();
    for &(instruction_set, precision) in &kinds {
        let settings =
            DirectSettings { kernel: Kernel::default(), core_radius: 1.0, instruction_set, precision };
        let (sources, _) = cloud(COUNT, settings);
        let (also, places) = (sources.clone(), &targets);
        let mut velocities = vec![Vec3::ZERO; COUNT];
        let mut flow = vec![FlowSample::default(); COUNT];
        calls.push(Box::new(move || sources.velocities(places, &mut velocities)));
        calls.push(Box::new(move || also.flow(places, &mut flow)));
    }
    let times = interleaved(ROUNDS, &mut calls);
    let rate = |times: &[f64]| (COUNT * COUNT) as f64 / least(times) / 1e9;
    let rates = kinds.iter().zip(times.chunks(2));
    rates
        .map(|(&(set, precision), times)| Rate {
            set,
            precision,
            velocity: rate(&times[0]),
            flow: rate(&times[1]),
        })
        .collect()
}
