//! Scene 35: heavy fluid on light fluid.

use crate::Scene;
use crate::resting_tank::{self, DEVIATION, HALF, SPACING, layers};
use fluid_core::math::Random;
use fluid_core::particles::Vorton;

/// Returns the layers upside down, slightly disturbed: a perfect lattice would remain in equilibrium.
fn upside_down() -> Vec<Vorton> {
    let random = Random::new(7);
    let mut vortons = layers(HALF, -DEVIATION, SPACING);
    for (n, vorton) in (0..).zip(&mut vortons) {
        vorton.position += random.centred_vec3(n) * (0.2 * SPACING);
    }
    vortons
}

pub(crate) const SCENE: Scene = Scene {
    number: Some(35),
    name: "overturning_tank",
    title: "Overturning tank",
    expected: "Heavy fingers fall, light ones rise, the layers change places and come to rest.",
    vortons: upside_down,
    ..resting_tank::SCENE
};
