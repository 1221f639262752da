//! Collision of particles with bodies (parts 4 and 13 of the articles).

use super::error::{Problem, check_rate, check_share};
use super::notes::Notes;
use super::run::{CHUNK, Local, OperationKind, RunInputs, Runnable};
use crate::view::{Chunk, ParticleView, Semantic};
use fluid_core::boundary::{SurfaceImpulse, Touch};
use glam::Vec3;

/// Moves particles that have run into a body back to its surface, and changes their velocity v as at a wall
/// of velocity u and normal n: of w = v - u, the component into the wall is reversed and multiplied by the
/// restitution, and the component along the wall loses the fraction `friction`.
///
/// Place it directly after [`Advect`](super::Advect): the path tested is the segment from x - v dt to x. If
/// the view has [`Semantic::Hit`] and [`Semantic::Normal`], they are written for every particle, also for
/// those that met nothing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Collide {
    /// Speed away from the surface after a contact, as a fraction of the speed into it before: 0 to 1.
    pub restitution: f32,
    /// Fraction of the velocity along the surface that a contact removes: 0 slides (part 13), 1 sticks
    /// (part 4).
    pub friction: f32,
    /// Mass m of one particle \[kg\]. Above 0, bodies receive the momentum that particles lose, see
    /// [`RunScratch::impulses`](super::RunScratch::impulses).
    pub mass: f32,
}

impl Default for Collide {
    /// Massless particles that slide and do not bounce.
    fn default() -> Self {
        Self { restitution: 0.0, friction: 0.0, mass: 0.0 }
    }
}

impl Runnable for Collide {
    fn needs(&self) -> &'static [Semantic] {
        &[Semantic::Position, Semantic::Velocity]
    }

    fn check(&self, _: &ParticleView<'_>) -> Result<(), Problem> {
        check_share("restitution", self.restitution)?;
        check_share("friction", self.friction)?;
        check_rate("mass", self.mass)
    }

    fn kind(&self) -> OperationKind<'_> {
        OperationKind::Local(self)
    }
}

impl Local for Collide {
    fn run(&self, inputs: &RunInputs<'_>, chunk: &Chunk<'_>, notes: &mut Notes) {
        let (Some(position), Some(velocity)) =
            (chunk.vec3(Semantic::Position), chunk.vec3(Semantic::Velocity))
        else {
            return;
        };
        let hit = chunk.scalar::<u32>(Semantic::Hit);
        let normal = chunk.vec3(Semantic::Normal);
        let mut numbers = [0_u16; CHUNK];
        let (mut before, mut after) = ([Vec3::ZERO; CHUNK], [Vec3::ZERO; CHUNK]);
        let mut len = 0;
        chunk.living().for_each(|k| {
            let (x, v) = (position.get(k), velocity.get(k));
            let from = x - v * inputs.dt;
            // `from` is finite only if x and v are: an infinite v makes the displacement infinite, or NaN
            // if dt is 0.
            if from.is_finite() {
                (numbers[len], before[len], after[len]) = (k as u16, from, x);
                len += 1;
            } else {
                notes.skip(k);
            }
        });
        let mut touches = [None; CHUNK];
        let (after, touches) = (&mut after[..len], &mut touches[..len]);
        inputs.surfaces.meet(&before[..len], after, touches);

        for ((&k, &x), touch) in numbers[..len].iter().zip(&*after).zip(&*touches) {
            let k = usize::from(k);
            if let Some(touch) = touch {
                let old = velocity.get(k);
                let new = self.reflected(old, touch);
                if ![x, new, touch.point, touch.normal].iter().all(|v| v.is_finite()) {
                    notes.skip(k);
                    continue;
                }
                position.set(k, x);
                velocity.set(k, new);
                notes.marks[k] |= Notes::HIT;
                if self.mass > 0.0 {
                    notes.given_to(touch.body).add(self.given(old, new, touch));
                }
            }
            if let Some(hit) = hit {
                hit.set(k, touch.map_or(0, |touch| touch.body.saturating_add(1)));
            }
            if let Some(normal) = normal {
                normal.set(k, touch.map_or(Vec3::ZERO, |touch| touch.normal));
            }
        }
    }
}

impl Collide {
    /// Returns the velocity after a contact.
    fn reflected(&self, velocity: Vec3, touch: &Touch) -> Vec3 {
        let relative = velocity - touch.velocity;
        let through = relative.dot(touch.normal);
        let along = relative - touch.normal * through;
        velocity - touch.normal * ((1.0 + self.restitution) * through.min(0.0)) - along * self.friction
    }

    /// Returns the impulse on the body when a particle's velocity changes from `old` to `new`.
    fn given(&self, old: Vec3, new: Vec3, touch: &Touch) -> SurfaceImpulse {
        let [old, new, wall, point] = [old, new, touch.velocity, touch.point].map(|v| v.as_dvec3());
        let mass = f64::from(self.mass);
        let linear = (old - new) * mass;
        SurfaceImpulse {
            linear,
            moment: point.cross(linear),
            lost_energy: 0.5 * mass * ((old - wall).length_squared() - (new - wall).length_squared()),
            hits: 1,
        }
    }
}
