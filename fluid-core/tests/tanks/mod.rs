//! A box that contains fluid, its fluid, and measures of how still it is.
#![allow(dead_code, reason = "programs of tests take what they need")]

use crate::common::{inviscid, world};
use fluid_core::boundary::{
    BodyCoupling, Boundary, ContactWork, Enclosure, Inside, Motion, StepTime, WallHit, WallTreatment,
};
use fluid_core::math::{Random, Vec3Columns};
use fluid_core::params::Params;
use fluid_core::particles::{Vorton, Vortons};
use fluid_core::sim::VortexSim;
use fluid_core::velocity::{Sources, VelocityField};
use fluid_threads::{Executor, Serial};
use glam::{Quat, Vec3};
use std::sync::Arc;

/// g' = 1 m/s² for a density difference of 1/10 of the ambient's.
pub(crate) const GRAVITY: f32 = 10.0;
pub(crate) const JUMP: f32 = 0.1;

/// A box with walls on the inside. Vortons that would leave it are put back to the point of exit; the walls
/// do not affect the rest of the flow.
#[derive(Debug, Clone)]
pub(crate) struct BoxWalls {
    pub(crate) centre: Vec3,
    /// Half of its edges \[m\].
    pub(crate) half: Vec3,
    pub(crate) rotation: Quat,
    /// Acceleration \[m/s²\].
    pub(crate) acceleration: Vec3,
    pub(crate) hits: Vec<WallHit>,
    pub(crate) inside: Option<Arc<BoxInside>>,
}

/// Returns the unit box [0, 1]³.
pub(crate) fn unit_box() -> BoxWalls {
    BoxWalls {
        centre: Vec3::splat(0.5),
        half: Vec3::splat(0.5),
        rotation: Quat::IDENTITY,
        acceleration: Vec3::ZERO,
        hits: Vec::new(),
        inside: None,
    }
}

impl BoxWalls {
    /// Returns the distance from the nearest wall, positive inside, and its normal.
    fn nearest(&self, place: Vec3) -> (f32, Vec3) {
        let local = self.rotation.inverse() * (place - self.centre);
        let gaps = self.half - local.abs();
        let axis = gaps.min_position();
        let mut normal = Vec3::ZERO;
        normal[axis] = -local[axis].signum();
        (gaps[axis], self.rotation * normal)
    }

    /// Returns the world position of a point in the coordinates of the unit box.
    pub(crate) fn place(&self, unit: Vec3) -> Vec3 {
        self.centre + self.rotation * ((2.0 * unit - 1.0) * self.half)
    }
}

/// The interior of a box of these half edges \[m\].
#[derive(Debug)]
pub(crate) struct BoxInside(Vec3);

impl Inside for BoxInside {
    fn contains(&self, place: Vec3) -> bool {
        place.abs().cmple(self.0).all()
    }

    fn wall(&self, place: Vec3, _: f32) -> Option<(f32, Vec3)> {
        let gaps = self.0 - place.abs();
        let axis = gaps.min_position();
        let mut normal = Vec3::ZERO;
        normal[axis] = -place[axis].signum();
        Some((gaps[axis], normal))
    }
}

impl BodyCoupling for BoxWalls {
    /// The box is accelerated without moving: its fluid is subject to the acceleration alone.
    fn begin_step(&mut self, _: &dyn Executor, _: f32, _: &Vortons, boundary: &mut Boundary) {
        let half = self.half;
        let inside = self.inside.take().filter(|inside| inside.0 == half);
        let inside = inside.unwrap_or_else(|| Arc::new(BoxInside(half)));
        self.inside = Some(inside.clone());
        let at = (self.centre, self.rotation);
        boundary.enclosures.push(Enclosure {
            inside,
            at_start: at,
            at_middle: at,
            velocity: Vec3::ZERO,
            acceleration: self.acceleration,
            holds_flow: false,
        });
    }

    fn vorton_contacts(&mut self, _: Motion<'_>, _: &Vec3Columns, vortons: &mut Vortons) -> ContactWork {
        self.hits.clear();
        for row in 0..vortons.len() {
            for _ in 0..3 {
                let place = vortons.positions.get(row);
                let (distance, normal) = self.nearest(place);
                if distance < 0.0 {
                    vortons.positions.set(row, place - distance * normal);
                    self.hits.push(WallHit { position: place, normal });
                }
            }
        }
        ContactWork::default()
    }
}

/// The unit box with impermeable walls, enforced by mirror images of the vortons.
#[derive(Debug, Clone)]
pub(crate) struct MirrorWalls {
    pub(crate) walls: BoxWalls,
    pub(crate) vortons: usize,
}

impl BodyCoupling for MirrorWalls {
    fn begin_step(&mut self, exec: &dyn Executor, dt: f32, vortons: &Vortons, boundary: &mut Boundary) {
        self.walls.begin_step(exec, dt, vortons, boundary);
    }

    fn vorton_contacts(
        &mut self,
        motion: Motion<'_>,
        before: &Vec3Columns,
        vortons: &mut Vortons,
    ) -> ContactWork {
        self.vortons = vortons.len();
        self.walls.vorton_contacts(motion, before, vortons)
    }

    /// Adds the first images in each wall, edge and corner, if they are near.
    fn bound_vortons(&mut self, _: &dyn Executor, _: StepTime, sources: &mut Sources) -> f64 {
        let near = |place: Vec3| place.cmpge(Vec3::splat(-0.6)).all() && place.cmple(Vec3::splat(1.6)).all();
        for image in 1..27 {
            let sides = [image % 3, image / 3 % 3, image / 9];
            for row in 0..self.vortons {
                let (mut place, mut strength) = (sources.positions.get(row), sources.strengths.get(row));
                for axis in (0..3).filter(|&axis| sides[axis] > 0) {
                    let along = strength[axis];
                    strength = -strength;
                    strength[axis] = along;
                    place[axis] = if sides[axis] == 1 { -place[axis] } else { 2.0 - place[axis] };
                }
                if near(place) {
                    sources.push(place, strength);
                }
            }
        }
        1.0
    }
}

/// Density as a function of height in the unit box: from 1 (heavy) below to 0 above, in units of the whole
/// jump.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Profile {
    Even,
    Layers,
    Linear,
}

impl Profile {
    pub(crate) fn density(self, height: f32) -> f32 {
        match self {
            Self::Even => 1.0,
            Self::Layers => f32::from(height < 0.5),
            Self::Linear => 1.0 - height,
        }
    }
}

/// A tank full of vortons.
#[derive(Debug, Clone)]
pub(crate) struct Tank {
    pub(crate) walls: BoxWalls,
    pub(crate) profile: Profile,
    /// Number of vortons along an edge.
    pub(crate) count: usize,
    /// Largest displacement of a vorton along each axis \[spacings\].
    pub(crate) jitter: f32,
    pub(crate) seed: u64,
    /// Unit vector against gravity (less the tank's acceleration), in the tank's axes.
    pub(crate) up: Vec3,
}

impl Tank {
    pub(crate) fn new(profile: Profile, count: usize) -> Self {
        Self { walls: unit_box(), profile, count, jitter: 0.0, seed: 4, up: Vec3::Z }
    }

    /// Returns the spacing of vortons in the unit box \[m\].
    pub(crate) fn spacing(&self) -> f32 {
        2.0 * self.walls.half.x / self.count as f32
    }

    pub(crate) fn vortons(&self) -> Vec<Vorton> {
        let (n, random) = (self.count, Random::new(self.seed));
        let volume = (8.0 * self.walls.half.element_product()) / (n * n * n) as f32;
        let vorton = |i: usize| {
            let cell = Vec3::new((i % n) as f32, (i / n % n) as f32, (i / (n * n)) as f32);
            let unit = (cell + 0.5 + 2.0 * self.jitter * random.centred_vec3(i as u64)) / n as f32;
            let unit = unit.clamp(Vec3::splat(1e-6), Vec3::splat(1.0 - 1e-6));
            Vorton {
                position: self.walls.place(unit),
                volume,
                mass_deviation: volume * JUMP * self.profile.density((unit - 0.5).dot(self.up) + 0.5),
                ..Vorton::default()
            }
        };
        (0..n * n * n).map(vorton).collect()
    }

    /// Returns inviscid parameters; gravity along the tank's height; the lattice of density is as fine as
    /// the vortons.
    pub(crate) fn params(&self) -> Params {
        Params {
            gravity: self.walls.rotation * (self.up * -GRAVITY) + self.walls.acceleration,
            ..inviscid(1.5 * self.spacing())
        }
    }

    pub(crate) fn sim(&self, walls: WallTreatment) -> VortexSim {
        world(Params { walls, ..self.params() }, &self.vortons())
    }

    /// Returns [`spurious_of`](Self::spurious_of) for the whole tank.
    pub(crate) fn spurious(&self, treatment: WallTreatment) -> (f64, f64) {
        self.spurious_of(treatment, &self.vortons())
    }

    /// Returns the root mean square and largest value of |∇δρ| across gravity \[jumps per spacing\] at the
    /// vortons at rest, from the rate at which they gain strength: V ∇δρ × g/ρ₀.
    pub(crate) fn spurious_of(&self, treatment: WallTreatment, vortons: &[Vorton]) -> (f64, f64) {
        let mut sim = world(Params { walls: treatment, ..self.params() }, vortons);
        let mut walls = self.walls.clone();
        // Vortons in the outermost layer count as wall hits, for the treatment that uses them.
        for vorton in vortons {
            let (distance, normal) = walls.nearest(vorton.position);
            if distance < self.spacing() {
                walls.hits.push(WallHit { position: vorton.position, normal });
            }
        }
        let dt = 1e-3;
        step(&mut sim, &Serial, &mut walls, dt);
        let count = vortons.len();
        let vortons = sim.vortons();
        let unit = f64::from(vortons.volumes[0] * GRAVITY * JUMP * dt / self.spacing());
        let gradients: Vec<f64> =
            (0..count).map(|row| f64::from(vortons.strengths.get(row).length()) / unit).collect();
        let square = gradients.iter().map(|g| g * g).sum::<f64>() / count as f64;
        (square.sqrt(), gradients.into_iter().fold(0.0, f64::max))
    }
}

/// Takes a step between walls, with the wall hits of the previous one.
pub(crate) fn step(sim: &mut VortexSim, exec: &dyn Executor, walls: &mut BoxWalls, dt: f32) {
    sim.set_wall_hits(&walls.hits);
    sim.step(exec, walls, dt).expect("dt is finite");
}

/// Returns the largest speed of a vorton \[m/s\].
pub(crate) fn fastest(sim: &VortexSim) -> f32 {
    let places: Vec<Vec3> = sim.vortons().positions.iter().collect();
    let mut velocities = vec![Vec3::ZERO; places.len()];
    sim.field().velocities(&places, &mut velocities);
    velocities.into_iter().map(Vec3::length).fold(0.0, f32::max)
}
