//! After one call of `reserve`, diffusion allocates nothing, however the vortons move. The only test in its
//! binary, because its threads share one counter.

mod counting;
mod diffusion;

use diffusion::{CORE, both, lattice, settings};
use fluid_core::math::Random;
use fluid_core::particles::Neighbours;
use fluid_core::vorticity::diffuse::Diffusion;
use fluid_threads::Serial;

#[test]
fn wherever_the_vortons_go() {
    let mut vortons = lattice([13, 11, 12], CORE / 1.6, 0.25, 0.5, |x| x.x);
    let mut diffusion = Diffusion::default();
    diffusion.reserve(vortons.len());
    let mut neighbours = Neighbours::default();
    neighbours.reserve(vortons.len());
    let random = Random::new(5);
    let before = counting::allocations();
    for step in 0..20 {
        // From a dense cloud to one with a separate row for each vorton.
        for i in 0..vortons.len() {
            let moved = random.centred_vec3(i as u64) * CORE * 1.5_f32.powi(step);
            vortons.positions.set(i, vortons.positions.get(i) + moved);
        }
        diffusion.apply(
            &Serial,
            settings(),
            &mut neighbours,
            &mut vortons,
            both(CORE * CORE),
            0.1 * step as f32,
        );
    }
    assert_eq!(counting::allocations() - before, 0);
}
