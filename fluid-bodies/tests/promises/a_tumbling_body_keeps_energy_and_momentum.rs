//! A body that tumbles through fluid at rest conserves the energy and momentum of itself and the fluid
//! around it (Kirchhoff's equations), at any density and frame rate.

use crate::immersed::{World, body, params};
use fluid_bodies::added_inertia::AddedInertia;
use fluid_bodies::body::BuoyantForce;
use fluid_bodies::shapes::{Geometry, Shape};
use fluid_bodies::{BodyDef, BodyState};
use fluid_core::math::Random;
use glam::{DVec3, Vec3};

const SECONDS: f32 = 20.0;

struct Tumbling {
    world: World,
    shape: Shape,
    added: AddedInertia,
    density: f64,
}

impl Tumbling {
    fn new(shape: Shape, density: f64) -> Self {
        let added = AddedInertia::of(std::slice::from_ref(&shape)).expect("a solid");
        let state = BodyState {
            velocity: Vec3::new(0.3, 0.2, 0.1),
            angular_velocity: Vec3::new(1.0, 0.7, 0.9),
            ..BodyState::default()
        };
        let def = BodyDef { no_through: true, ..body(shape.clone(), density, state) };
        let def = BodyDef { buoyant_force: BuoyantForce::Off, ..def };
        let mut params = params(Vec3::ZERO);
        (params.core_radius, params.ambient.density) = (0.2, 1.0);
        Self { world: World::new(params, &[], &[def]), shape, added, density }
    }

    /// Returns ½ q (M + A) q of the motion q \[J\].
    fn energy(&self) -> f64 {
        let rigid = &self.world.rigid[0];
        let back = rigid.state().rotation.as_dquat().normalize().conjugate();
        let (v, w) = (back * rigid.velocity(), back * rigid.angular_velocity());
        let own = self.shape.geometry.queries().mass_properties();
        let AddedInertia { linear, coupling, angular } = self.added;
        let mass = own.volume * self.density;
        let turning = angular + own.inertia_about_origin() * self.density;
        0.5 * (v.dot(linear * v + v * mass) + 2.0 * v.dot(coupling * w) + w.dot(turning * w))
    }

    fn momentum(&self) -> DVec3 {
        let rigid = &self.world.rigid[0];
        rigid.velocity() * rigid.mass() + self.world.bodies.list()[0].fluid_momentum()
    }
}

#[test]
fn whatever_its_density() {
    for density in [0.01, 0.5, 2.0] {
        for rate in [24.0, 60.0] {
            let mut tumbling = Tumbling::new(Shape::cuboid(Vec3::new(0.4, 0.2, 0.2)), density);
            // The fluid's part is known from the second step on.
            (0..2).for_each(|_| tumbling.world.step(1.0 / rate));
            let (energy, momentum) = (tumbling.energy(), tumbling.momentum());
            let (mut least, mut most, mut drift) = (1.0_f64, 1.0_f64, 0.0_f64);
            for _ in 0..(SECONDS * rate) as usize {
                tumbling.world.step(1.0 / rate);
                let share = tumbling.energy() / energy;
                (least, most) = (least.min(share), most.max(share));
                drift = drift.max((tumbling.momentum() - momentum).length() / momentum.length());
            }
            println!("density {density}, {rate} Hz: energy {least:.4} to {most:.4}, momentum {drift:.1e}");
            assert!(least > 0.98 && most < 1.02, "density {density}, {rate} Hz: {least} to {most}");
            let share = tumbling.energy() / energy;
            assert!((share - 1.0).abs() < 0.01, "density {density}, {rate} Hz: {share} at the end");
            assert!(drift < 1e-9, "density {density}, {rate} Hz: momentum {drift}");
        }
    }
}

#[test]
fn whatever_its_shape() {
    tumble_for(10.0);
}

#[test]
#[ignore = "half a minute"]
fn for_a_minute_whatever_its_shape() {
    tumble_for(60.0);
}

/// Any shape for this time \[s\], in even and in uneven steps: no spin about an axis of symmetry, on which
/// the fluid has no hold, grows.
fn tumble_for(duration: f32) {
    for (name, shape) in [
        ("capsule", Shape::capsule(0.3, 0.2)),
        ("cylinder", Shape::cylinder(0.3, 0.2)),
        ("slab", Shape::cuboid(Vec3::new(0.5, 0.4, 0.15))),
    ] {
        for density in [0.1, 1.0] {
            for rate in [Some(30.0), Some(120.0), None] {
                let mut tumbling = Tumbling::new(shape.clone(), density);
                let (random, mut count) = (Random::new(3), 0);
                let mut dt = || match rate {
                    Some(rate) => 1.0 / rate,
                    None => {
                        count += 1;
                        1.0 / 144.0 + random.unit(count) * (1.0 / 15.0 - 1.0 / 144.0)
                    }
                };
                (0..2).for_each(|_| tumbling.world.step(dt()));
                let energy = tumbling.energy();
                let (mut least, mut most, mut time) = (1.0_f64, 1.0_f64, 0.0);
                while time < duration {
                    let dt = dt();
                    tumbling.world.step(dt);
                    time += dt;
                    let share = tumbling.energy() / energy;
                    (least, most) = (least.min(share), most.max(share));
                }
                let rigid = &tumbling.world.rigid[0];
                let back = rigid.state().rotation.as_dquat().normalize().conjugate();
                let about = (back * rigid.angular_velocity()).z / 0.9;
                println!(
                    "{name}, density {density}, {rate:?} Hz: energy {least:.4} to {most:.4}, axis {about:.4}"
                );
                let is_symmetric = !matches!(shape.geometry, Geometry::Polytope(_) | Geometry::Cuboid(_));
                let keeps_spin = !is_symmetric || (about - 1.0).abs() < 0.03;
                assert!(keeps_spin, "{name}, {density}, {rate:?}: {about} of the spin about its axis");
                assert!(least > 0.98 && most < 1.02, "{name}, {density}, {rate:?}: {least} to {most}");
            }
        }
    }
}
