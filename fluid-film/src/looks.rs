//! The looks of scenes: one table, and what is common to its rows.

use crate::camera::Camera;
use crate::light::Lamp;
use crate::look::{Dye, Feed, Floor, Look, Stage};
use crate::ramp::Glow;
use crate::scenes::{self, named};
use crate::smoke::Volume;
use fluid_scenes::Scene;
use glam::Vec3;

/// A film of the documents.
#[derive(Debug, Clone, Copy)]
pub struct Film {
    /// Name of the scene.
    pub scene: &'static str,
    /// Width and height \[pixels\].
    pub size: [usize; 2],
    /// Number of tracers.
    pub tracers: usize,
    /// Number of frames.
    pub frames: usize,
    /// Frames per second when played.
    pub fps: u32,
    /// Upper bound of the file's size \[kB\].
    pub kilobytes: usize,
}

/// Moments of a scene, side by side.
#[derive(Debug, Clone, Copy)]
pub struct Strip {
    /// Name of the picture.
    pub name: &'static str,
    /// Name of the scene.
    pub scene: &'static str,
    /// Width and height of each picture \[pixels\].
    pub size: [usize; 2],
    /// Times of the scene \[s\].
    pub moments: &'static [f32],
}

/// The films of README.md.
pub const FILMS: &[Film] = &[
    Film { scene: "fine_drop", size: [640, 480], tracers: 1_000_000, frames: 64, fps: 15, kilobytes: 450 },
    Film { scene: "two_drops", size: [480, 360], tracers: 600_000, frames: 56, fps: 14, kilobytes: 400 },
    Film {
        scene: "ball_through_smoke",
        size: [480, 360],
        tracers: 600_000,
        frames: 56,
        fps: 14,
        kilobytes: 400,
    },
    Film { scene: "hot_ball", size: [480, 360], tracers: 600_000, frames: 60, fps: 15, kilobytes: 400 },
    Film { scene: "fire", size: [360, 480], tracers: 600_000, frames: 60, fps: 15, kilobytes: 400 },
    Film { scene: "head_on", size: [480, 360], tracers: 600_000, frames: 56, fps: 14, kilobytes: 400 },
    Film {
        scene: "overturning_tank",
        size: [480, 360],
        tracers: 600_000,
        frames: 60,
        fps: 15,
        kilobytes: 400,
    },
];

/// The pictures of docs/gallery.md.
pub const STRIPS: &[Strip] = &[
    Strip { name: "wake", scene: "ball_through_smoke", size: [400, 240], moments: &[0.5, 2.0, 3.5, 5.0] },
    Strip { name: "drop", scene: "fine_drop", size: [400, 400], moments: &[0.0, 1.7, 3.3, 4.6] },
    Strip { name: "two_drops", scene: "two_drops", size: [520, 400], moments: &[1.5, 2.6, 4.2] },
    Strip {
        name: "buoyancy",
        scene: "stratified_ball",
        size: [200, 320],
        moments: &[0.0, 0.8, 1.5, 2.2, 3.0, 4.0, 6.0],
    },
    Strip { name: "plume", scene: "hot_ball_sheet", size: [270, 440], moments: &[1.7, 2.2, 2.7, 3.3, 4.1] },
    Strip { name: "slosh", scene: "pushed_tank", size: [270, 400], moments: &[1.2, 1.8, 2.1, 2.4, 2.8] },
];

/// White smoke in a dark room.
const SMOKE: Dye = Dye { extinction: Vec3::ONE, albedo: Vec3::new(0.97, 0.965, 0.95) };
/// Blue ink in water.
const BLUE_INK: Dye = Dye { extinction: Vec3::new(1.0, 0.62, 0.16), albedo: Vec3::new(0.02, 0.04, 0.30) };
/// Red ink in water.
const RED_INK: Dye = Dye { extinction: Vec3::new(0.14, 0.85, 1.0), albedo: Vec3::new(0.42, 0.03, 0.02) };

/// Soot: nearly all light that meets it is absorbed.
const SOOT: Dye = Dye { extinction: Vec3::ONE, albedo: Vec3::new(0.22, 0.21, 0.20) };

const NIGHT: Stage = Stage {
    above: Vec3::new(0.004, 0.005, 0.009),
    below: Vec3::new(0.012, 0.013, 0.018),
    vignette: 0.35,
    floor: None,
};
const ROOM: Stage = Stage {
    above: Vec3::new(0.010, 0.012, 0.018),
    below: Vec3::new(0.055, 0.062, 0.080),
    vignette: 0.35,
    floor: None,
};
const ROOM_LIGHT: Lamp = Lamp {
    towards_sun: Vec3::new(-0.45, 0.25, 1.0),
    sun: Vec3::new(0.78, 0.73, 0.64),
    sky: Vec3::new(0.11, 0.13, 0.17),
    ground: Vec3::new(0.035, 0.035, 0.04),
    anisotropy: 0.35,
};
const PAPER: Stage = Stage {
    above: Vec3::new(0.92, 0.93, 0.94),
    below: Vec3::new(0.84, 0.86, 0.88),
    vignette: 0.3,
    floor: None,
};
const PAPER_LIGHT: Lamp = Lamp {
    towards_sun: Vec3::new(-0.4, -0.5, 1.0),
    sun: Vec3::new(1.2, 1.2, 1.2),
    sky: Vec3::new(0.6, 0.6, 0.6),
    ground: Vec3::new(0.12, 0.12, 0.12),
    anisotropy: 0.2,
};

/// Returns a floor of the room.
fn floor(height: f32, middle: Vec3, reach: f32) -> Option<Floor> {
    Some(Floor { height, albedo: Vec3::new(0.21, 0.22, 0.245), middle, reach })
}

/// Returns the look of a scene, or of a variant of one.
pub fn by_name(name: &str) -> Option<Look> {
    Some(match name {
        "fine_drop" => fine_drop(),
        "two_drops" => two_drops(),
        "ball_through_smoke" => ball_through_smoke(),
        "stratified_ball" => stratified_ball(),
        "hot_ball" => hot_ball(),
        "fire" => fire(),
        "hot_ball_sheet" => hot_ball_sheet(),
        "head_on" => head_on(),
        "sloshing_tank" => sloshing_tank(),
        "pushed_tank" => pushed_tank(),
        "overturning_tank" => overturning_tank(),
        _ => plain(*fluid_scenes::by_name(name)?),
    })
}

/// Returns a look for any scene: its own smoke and camera, in a dark room.
fn plain(scene: Scene) -> Look {
    let camera = Camera { eye: scene.camera.eye, target: scene.camera.target, field_of_view: 45.0 };
    let places = (scene.tracers)();
    let smoke = if places.is_empty() { Vec::new() } else { vec![(Volume::Places(places), 0)] };
    let seconds = scene.frames as f32 * scene.dt;
    let feed = scene.emission.map(|emission| Feed {
        volume: Volume::Box {
            low: emission.centre - 0.5 * emission.extent,
            high: emission.centre + 0.5 * emission.extent,
        },
        rate: emission.extent.y * emission.extent.z * scene.fluid.wind.length().max(0.1),
    });
    Look {
        scene: silent(scene),
        smoke,
        feed,
        dyes: vec![SMOKE],
        extinction: 6.0,
        softness: 0.6,
        turbulence: 0.0,
        cameras: [camera; 2],
        follows: None,
        lamp: ROOM_LIGHT,
        stage: ROOM,
        body: Vec3::new(0.85, 0.42, 0.12),
        body_glow: Vec3::ZERO,
        edges: Vec3::new(0.30, 0.33, 0.38),
        glow: None,
        bloom: 0.3,
        exposure: 1.0,
        from: 0.0,
        seconds,
    }
}

/// Returns a scene without tracers of its own: a film adds its own.
fn silent(scene: Scene) -> Scene {
    let emission = scene.emission.map(|emission| fluid_scenes::Emission { tracer_rate: 0.0, ..emission });
    Scene { emission, tracers: Vec::new, tracer_count: 0, ..scene }
}

/// Returns a look for dye in water, in front of a light wall.
fn in_water(scene: Scene) -> Look {
    Look {
        dyes: vec![BLUE_INK, RED_INK],
        extinction: 2.8,
        lamp: PAPER_LIGHT,
        stage: PAPER,
        bloom: 0.0,
        exposure: 1.0,
        ..plain(scene)
    }
}

fn still(eye: Vec3, target: Vec3, field_of_view: f32) -> [Camera; 2] {
    [Camera { eye, target, field_of_view }; 2]
}

fn fine_drop() -> Look {
    let camera = |z: f32| Camera {
        eye: Vec3::new(0.0, -9.0, z + 1.2),
        target: Vec3::new(0.0, 0.0, z),
        field_of_view: 32.0,
    };
    Look {
        smoke: vec![(Volume::Ball { centre: Vec3::ZERO, radius: 1.0 }, 0)],
        cameras: [camera(-0.6), camera(-4.6)],
        seconds: 4.6,
        ..in_water(named("fine_drop"))
    }
}

fn two_drops() -> Look {
    let drop = |z: f32| Volume::Ball { centre: Vec3::Z * z, radius: 1.0 };
    Look {
        smoke: vec![(drop(2.0), 0), (drop(-2.0), 1)],
        cameras: still(Vec3::new(0.0, -11.5, 4.0), Vec3::ZERO, 33.0),
        seconds: 4.6,
        ..in_water(scenes::two_fine_drops())
    }
}

fn ball_through_smoke() -> Look {
    let half = Vec3::new(2.0, 0.25, 0.25);
    Look {
        smoke: vec![(Volume::Box { low: -half, high: half }, 0)],
        cameras: [-0.35, 0.55].map(|x| Camera {
            eye: Vec3::new(x + 0.4, -5.6, 1.3),
            target: Vec3::new(x, 0.0, -0.12),
            field_of_view: 34.0,
        }),
        stage: Stage { floor: floor(-0.7, Vec3::ZERO, 3.2), ..ROOM },
        extinction: 1.6,
        softness: 0.8,
        seconds: 5.4,
        ..plain(scenes::ball_through_fine_smoke())
    }
}

fn hot_ball() -> Look {
    let around = |radius| Volume::Ball { centre: Vec3::ZERO, radius };
    Look {
        smoke: vec![(around(0.32), 0)],
        feed: Some(Feed { volume: around(0.26), rate: 0.05 }),
        cameras: still(Vec3::new(0.0, -6.6, 1.4), Vec3::new(0.0, 0.0, 1.4), 32.0),
        stage: Stage { floor: floor(-0.35, Vec3::ZERO, 2.0), ..ROOM },
        glow: Some(Glow { from: 303.0, to: 350.0, radiance: 1.6 }),
        body: Vec3::splat(0.2),
        body_glow: Vec3::new(1.3, 0.28, 0.04),
        extinction: 4.0,
        bloom: 0.5,
        seconds: 6.0,
        ..plain(scenes::hot_ball_in_fine_smoke())
    }
}

fn fire() -> Look {
    let half = Vec3::new(0.5, 0.5, 0.05);
    Look {
        feed: Some(Feed { volume: Volume::Box { low: -half, high: half }, rate: 0.47 }),
        dyes: vec![SOOT],
        cameras: still(Vec3::new(0.0, -9.0, 1.7), Vec3::new(0.0, 0.0, 2.25), 33.0),
        lamp: Lamp {
            sun: Vec3::new(0.05, 0.055, 0.07),
            // Light of the flames, on the floor and on the smoke above them.
            sky: Vec3::new(0.17, 0.085, 0.03),
            ground: Vec3::new(0.22, 0.12, 0.06),
            ..ROOM_LIGHT
        },
        stage: Stage { floor: floor(-0.06, Vec3::ZERO, 2.2), ..NIGHT },
        glow: Some(Glow { from: 480.0, to: 1400.0, radiance: 14.0 }),
        extinction: 9.0,
        softness: 1.0,
        turbulence: 1.0,
        bloom: 0.5,
        from: 3.5,
        seconds: 4.0,
        ..plain(named("fire"))
    }
}

/// A thin sheet of dye around the hot ball: a cross-section of its plume.
fn hot_ball_sheet() -> Look {
    let half = Vec3::new(0.25, 0.012, 0.25);
    let sheet = || Volume::Box { low: -half, high: half };
    Look {
        smoke: vec![(sheet(), 0)],
        feed: Some(Feed { volume: sheet(), rate: 0.002 }),
        dyes: vec![RED_INK],
        cameras: still(Vec3::new(0.0, -7.0, 1.4), Vec3::new(0.0, 0.0, 1.05), 25.0),
        body: Vec3::new(0.75, 0.62, 0.06),
        extinction: 30.0,
        softness: 0.8,
        seconds: 6.0,
        ..in_water(named("hot_ball"))
    }
}

fn stratified_ball() -> Look {
    let (low, high) = (Vec3::new(-0.375, -0.375, -0.75), Vec3::new(0.375, 0.375, 0.75));
    Look {
        smoke: vec![
            (Volume::Box { low: low.with_z(0.0), high }, 1),
            (Volume::Box { low, high: high.with_z(0.0) }, 0),
        ],
        cameras: still(Vec3::new(0.0, -5.0, 0.6), Vec3::ZERO, 22.0),
        body: Vec3::new(0.75, 0.62, 0.06),
        extinction: 1.8,
        seconds: 8.0,
        ..in_water(named("stratified_ball"))
    }
}

fn head_on() -> Look {
    let ring = |z: f32| Volume::Ring { z, radius: 1.0, thickness: 0.2 };
    Look {
        smoke: vec![(ring(1.0), 0), (ring(-1.0), 1)],
        dyes: vec![
            Dye { extinction: Vec3::ONE, albedo: Vec3::new(0.95, 0.60, 0.20) },
            Dye { extinction: Vec3::ONE, albedo: Vec3::new(0.16, 0.48, 0.90) },
        ],
        cameras: [
            Camera {
                eye: Vec3::new(0.0, -7.0, 3.0),
                target: Vec3::new(0.0, 0.0, -0.15),
                field_of_view: 36.0,
            },
            Camera {
                eye: Vec3::new(0.0, -8.2, 5.2),
                target: Vec3::new(0.0, 0.0, -0.25),
                field_of_view: 43.0,
            },
        ],
        stage: Stage { floor: floor(-1.5, Vec3::ZERO, 4.5), ..ROOM },
        extinction: 5.0,
        seconds: 7.0,
        ..plain(scenes::disturbed_rings())
    }
}

/// Half of the sloshing tank's edges \[m\].
const SLOSHING: Vec3 = Vec3::new(0.5, 0.28125, 0.5);

fn sloshing_tank() -> Look {
    Look {
        smoke: vec![(Volume::Box { low: -SLOSHING, high: SLOSHING.with_z(0.0) }, 0)],
        cameras: still(Vec3::new(0.0, -4.2, 1.0), Vec3::new(0.0, 0.0, -0.07), 23.0),
        stage: Stage { floor: floor(-0.52, Vec3::ZERO, 2.4), ..ROOM },
        dyes: vec![Dye { extinction: Vec3::ONE, albedo: Vec3::new(0.15, 0.42, 0.95) }],
        extinction: 4.0,
        seconds: 12.0,
        ..plain(named("sloshing_tank"))
    }
}

fn pushed_tank() -> Look {
    let half = scenes::PUSHED;
    let sheet = |z: f32| (Volume::Box { low: (-half).with_z(z - 0.01), high: half.with_z(z + 0.01) }, 0);
    Look {
        smoke: [-0.9, -0.7, -0.5, -0.3, -0.1].map(sheet).to_vec(),
        cameras: still(Vec3::new(0.0, -6.2, 0.6), Vec3::new(0.0, 0.0, -0.07), 24.0),
        follows: Some(0),
        dyes: vec![Dye { extinction: Vec3::ONE, albedo: Vec3::new(0.15, 0.42, 0.95) }],
        extinction: 12.0,
        seconds: 12.0,
        ..plain(scenes::pushed_tank())
    }
}

fn overturning_tank() -> Look {
    let half = Vec3::new(0.5, 0.5, 1.0);
    Look {
        smoke: vec![
            (Volume::Box { low: -half, high: half.with_z(0.0) }, 0),
            (Volume::Box { low: (-half).with_z(0.0), high: half }, 1),
        ],
        cameras: still(Vec3::new(1.8, -5.4, 1.6), Vec3::new(0.0, 0.0, -0.05), 30.0),
        stage: Stage { floor: floor(-1.03, Vec3::ZERO, 3.0), ..ROOM },
        dyes: vec![
            Dye { extinction: Vec3::ONE, albedo: Vec3::new(0.95, 0.60, 0.20) },
            Dye { extinction: Vec3::ONE, albedo: Vec3::new(0.16, 0.48, 0.90) },
        ],
        extinction: 6.0,
        seconds: 6.0,
        ..plain(named("overturning_tank"))
    }
}
