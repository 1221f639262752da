//! A running scene in front of the camera.

use crate::look::Look;
use crate::picture::Picture;
use crate::render::{Cloud, render};
use crate::solids::Solid;
use crate::spectrum::spectrum;
use fluid_bodies::Pose;
use fluid_bodies::shapes::Shape;
use fluid_core::params::ParamError;
use fluid_core::particles::{ScalarQuantity, Tracers};
use fluid_scenes::SceneBody;
use fluid_scenes::run::Run;
use fluid_threads::{Executor, for_each_chunk_mut};
use glam::Vec3;

/// A scene that runs, with tracers for pictures.
#[derive(Debug)]
pub struct Shot {
    /// Description of the film.
    pub look: Look,
    run: Run,
    /// Shapes of each body.
    shapes: Vec<Vec<Shape>>,
    /// Number of tracers per volume of fresh smoke \[1/m³\].
    density: f32,
    /// Position of each tracer at the last picture, by id \[m\]; NaN if it did not exist.
    before: Vec<Vec3>,
    paths: Vec<Vec3>,
    /// Displacement of the cameras from their first position, at the last picture and now \[m\].
    followed: [Vec3; 2],
    /// Tracers that are due, but are not a whole one yet.
    due: f32,
    fed: u64,
}

/// Fraction of the time from frame to frame for which the shutter is open.
const EXPOSED: f32 = 0.5;

impl Shot {
    /// Starts a scene, with about `count` tracers by the end of the film.
    ///
    /// # Errors
    /// The look has changed the scene to one with parameters out of range.
    pub fn new(look: Look, count: usize) -> Result<Self, ParamError> {
        let mut run = Run::new(&look.scene)?;
        let density = count as f32 / look.smoke_volume();
        let mut tracers = Tracers::with_capacity(count + count / 4);
        for (volume, dye) in &look.smoke {
            for place in volume.fill(density) {
                if !run.bodies.obstacles().contains(place) {
                    tracers.push_tagged(place, *dye);
                }
            }
        }
        tracers.turbulence = look.turbulence;
        tracers.carry = look.glow.map(|_| ScalarQuantity::Temperature);
        run.tracers = tracers;
        let shapes = (look.scene.bodies)().into_iter().map(|SceneBody { def, .. }| def.shapes).collect();
        Ok(Self {
            look,
            run,
            shapes,
            density,
            before: Vec::new(),
            paths: Vec::new(),
            followed: [Vec3::ZERO; 2],
            due: 0.0,
            fed: 0,
        })
    }

    /// Returns the time of the scene \[s\].
    pub fn time(&self) -> f32 {
        self.run.sim.time() as f32
    }

    /// Returns the energy spectrum of the vortons: [`spectrum`].
    pub fn spectrum(&self, exec: &dyn Executor, wavenumbers: &[f64]) -> Vec<f64> {
        spectrum(exec, &self.run.sim, wavenumbers)
    }

    /// Returns the number of tracers.
    pub fn tracer_count(&self) -> usize {
        self.run.tracers.len()
    }

    /// Advances to a later time \[s\], in steps of at most the scene's length.
    ///
    /// # Errors
    /// None for the scenes of the table.
    pub fn advance_to(&mut self, exec: &dyn Executor, time: f32) -> Result<(), ParamError> {
        self.remember();
        let longest = self.look.scene.dt / self.look.scene.substeps as f32;
        let span = time - self.time();
        let steps = (span / longest - 1e-3).ceil().max(0.0);
        for _ in 0..steps as u32 {
            self.run.step(exec, span / steps)?;
            self.feed(span / steps);
        }
        self.followed = [self.followed[1], self.displacement()];
        Ok(())
    }

    /// Returns the displacement \[m\] of the body that the cameras follow since the scene began.
    fn displacement(&self) -> Vec3 {
        let Some(index) = self.look.follows else { return Vec3::ZERO };
        let start = (self.look.scene.bodies)()[index].def.state.position;
        self.run.rigid_bodies[index].state().position - start
    }

    /// Notes the positions of all tracers.
    fn remember(&mut self) {
        let tracers = &self.run.tracers;
        let end = tracers.ids().iter().max().map_or(0, |&id| id as usize + 1);
        self.before.resize(end.max(self.before.len()), Vec3::NAN);
        for (&id, &place) in tracers.ids().iter().zip(tracers.positions()) {
            self.before[id as usize] = place;
        }
    }

    /// Adds smoke at random positions of the feed's volume, outside of bodies.
    fn feed(&mut self, dt: f32) {
        let Some(feed) = &self.look.feed else { return };
        self.due += self.density * feed.rate * dt;
        while self.due >= 1.0 {
            self.fed += 1;
            let Some(place) = feed.volume.random(self.fed) else { continue };
            if !self.run.bodies.obstacles().contains(place) {
                self.run.tracers.push(place);
                self.due -= 1.0;
            }
        }
    }

    /// Draws the scene as it is.
    pub fn picture(&mut self, exec: &dyn Executor, size: [usize; 2]) -> Picture {
        self.find_paths(exec);
        let tracers = &self.run.tracers;
        let cloud = Cloud {
            positions: tracers.positions(),
            paths: &self.paths,
            dyes: tracers.tags(),
            temperatures: tracers.values(),
            cross_section: self.look.extinction / self.density,
            radius: self.look.softness / self.density.cbrt(),
        };
        let camera = self.look.camera_at(self.time()).moved(self.followed[1]);
        render(exec, &cloud, &self.solids(), &self.look, &camera, size)
    }

    /// Finds the path of each tracer past the cameras during the exposure: none for tracers that are new.
    fn find_paths(&mut self, exec: &dyn Executor) {
        const CHUNK: usize = 4096;
        let tracers = &self.run.tracers;
        let (before, places, ids) = (&self.before, tracers.positions(), tracers.ids());
        let followed = self.followed[1] - self.followed[0];
        self.paths.resize(places.len(), Vec3::ZERO);
        for_each_chunk_mut(exec, CHUNK, self.paths.as_mut_slice(), &|start, paths: &mut [Vec3]| {
            for (n, path) in (start..).zip(paths) {
                let moved =
                    before.get(ids[n] as usize).map_or(Vec3::NAN, |before| places[n] - before - followed);
                *path = if moved.is_finite() { EXPOSED * moved } else { Vec3::ZERO };
            }
        });
    }

    fn solids(&self) -> Vec<Solid> {
        let bodies = self.run.rigid_bodies.iter().zip(&self.shapes);
        let solid = |(body, shapes): (&fluid_bodies::rigid_body::RigidBody, &Vec<Shape>)| {
            let state = body.state();
            let pose = Pose { position: state.position, rotation: state.rotation };
            let (albedo, glow) = (self.look.body, self.look.body_glow);
            shapes.iter().map(|shape| Solid { shape: shape.clone(), pose, albedo, glow }).collect::<Vec<_>>()
        };
        bodies.flat_map(solid).collect()
    }
}
