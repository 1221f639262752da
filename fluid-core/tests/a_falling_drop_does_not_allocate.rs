//! While a drop stays in its box, steps allocate nothing, neither for the mesh nor for the halo. The only
//! test in its binary, because its threads share one counter.

mod counting;
mod common;
mod drops;

use common::{steps, world};
use drops::{ball, heavy_fluid, vortons};
use fluid_core::initial::DensityProfile::TopHat;
use fluid_core::params::Params;

#[test]
fn nor_does_its_halo() {
    let params = Params { max_vortons: 4000, relaxation_rate: 1.0, ..heavy_fluid(0.375) };
    let mut sim = world(params, &vortons(&ball(TopHat, 0.25, 1.5)));
    steps(&mut sim, 1.0 / 60.0, 60);
    let (born, retired) = (sim.stats().halo_born, sim.stats().halo_retired);
    let dims = sim.field().scalar_grid().shape().dims();
    let before = counting::allocations();
    steps(&mut sim, 1.0 / 60.0, 120);
    let allocations = counting::allocations() - before;
    assert_eq!(sim.field().scalar_grid().shape().dims(), dims, "a larger box needs memory");
    assert!(sim.stats().halo_born > born && sim.stats().halo_retired > retired, "nothing happened");
    assert_eq!(allocations, 0);
}
