//! Rotating bodies hit particles at the right time: the time of impact is within 1e-3 of the step of that
//! found by conservative advancement in f64.

use crate::moving_obstacles::Dice;
use fluid_bodies::Pose;
use fluid_bodies::obstacles::{Obstacle, Obstacles};
use fluid_bodies::shapes::Shape;
use fluid_bodies::sweep::Way;
use glam::{DQuat, DVec3, Vec3};
use std::sync::Arc;

const HALF: DVec3 = DVec3::new(1.0, 0.3, 0.01);

/// A paddle that moves from one pose to another in a step, in f64.
struct Paddle {
    from: DVec3,
    way: DVec3,
    rotation: DQuat,
    spin: DVec3,
}

impl Paddle {
    fn local(&self, place: DVec3, time: f64) -> DVec3 {
        let turn = DQuat::from_scaled_axis(self.spin * time) * self.rotation;
        turn.conjugate() * (place - self.from - self.way * time)
    }

    /// Returns the signed distance from the surface, negative inside.
    fn distance(&self, place: DVec3, time: f64) -> f64 {
        let beyond = self.local(place, time).abs() - HALF;
        beyond.max(DVec3::ZERO).length() + beyond.max_element().min(0.0)
    }

    /// Finds the impact by conservative advancement, which cannot miss: the distance shrinks no faster than
    /// the relative velocity plus the spin at that distance from the axis.
    fn impact(&self, start: DVec3, way: DVec3) -> Option<f64> {
        let mut time = 0.0;
        while time <= 1.0 {
            let place = start + way * time;
            let distance = self.distance(place, time);
            if distance < 1e-7 {
                return Some(time);
            }
            // For the rest of the step, the particle's distance from the axis is at most this.
            let relative = (way - self.way).length();
            let reach = (place - self.from - self.way * time).length() + relative * (1.0 - time);
            time += distance / (relative + self.spin.length() * reach);
        }
        None
    }

    /// Returns the least distance over the step.
    fn nearest(&self, start: DVec3, way: DVec3) -> f64 {
        let times = (0..=20_000).map(|i| f64::from(i) / 20_000.0);
        times.map(|time| self.distance(start + way * time, time)).fold(f64::INFINITY, f64::min)
    }
}

/// Depth to which a particle may touch a paddle's edge undetected, relative to the distance from the axis
/// \[1\]: rounding, and the sagitta that remains of an arc of 0.05 rad after eight halvings of its chord.
const UNSEEN: f64 = 3e-6;

#[test]
fn within_a_thousandth_of_the_step() {
    let mut dice = Dice::new(11);
    let (mut hits, mut worst) = (0, 0.0_f64);
    for _ in 0..20_000 {
        let pose = dice.pose(1.0);
        let spin = dice.direction() * dice.between(0.1, 3.0);
        let velocity = dice.vec3(1.0);
        let mut world = Obstacles::new(1e-4);
        world.push(Obstacle::new(Arc::from([Shape::cuboid(HALF.as_vec3())]), pose));
        world.advance(|_| (pose.advanced(velocity, spin, 1.0), velocity, spin));
        let start = pose.position + dice.direction() * dice.between(0.4, 1.2);
        let end = start + dice.vec3(1.0);
        let paddle = Paddle {
            from: pose.position.as_dvec3(),
            way: velocity.as_dvec3(),
            rotation: pose.rotation.as_dquat().normalize(),
            spin: spin.as_dvec3(),
        };
        let (from, way) = (start.as_dvec3(), (end - start).as_dvec3());
        if paddle.distance(from, 0.0) <= 0.0 {
            continue;
        }
        let swept = world.list()[0].sweep(&Way { start, end, since: 0.0 });
        match (paddle.impact(from, way), swept) {
            (Some(exact), Some(hit)) => {
                hits += 1;
                worst = worst.max((exact - f64::from(hit.share)).abs());
            }
            (None, None) => {}
            (_, swept) => {
                let depth = -paddle.nearest(from, way);
                assert!(depth.abs() <= UNSEEN * HALF.length(), "{swept:?}, but it goes {depth} deep");
            }
        }
    }
    println!("{hits} hits, at most {worst:.1e} of a step wrong");
    assert!(hits > 1000 && worst <= 1e-3);
}

/// A large plate that turns a radian in a step hits a particle at rest in the path of its rim.
#[test]
fn a_rim_far_from_the_centre_meets_all_that_are_on_its_way() {
    let half = Vec3::new(5.0, 5.0, 0.01);
    let (mut dice, mut hits) = (Dice::new(5), 0);
    for _ in 0..7260 {
        let spin =
            DVec3::new(dice.between(-1.0, 1.0).into(), dice.between(-1.0, 1.0).into(), 0.0).normalize();
        let mut world = Obstacles::new(1e-4);
        world.push(Obstacle::new(Arc::from([Shape::cuboid(half)]), Pose::IDENTITY));
        world.advance(|_| {
            (Pose::IDENTITY.advanced(Vec3::ZERO, spin.as_vec3(), 1.0), Vec3::ZERO, spin.as_vec3())
        });
        // Position of a point of the rim at a random time in the step.
        let corner = DVec3::new(5.0, dice.between(-5.0, 5.0).into(), 0.0);
        let rim = if dice.between(0.0, 1.0) < 0.5 { corner } else { DVec3::new(corner.y, corner.x, 0.0) };
        let turn = DQuat::from_scaled_axis(spin * f64::from(dice.between(0.05, 0.95)));
        // Deeper than rounding at 5 m.
        let place = turn * (rim * (1.0 - 1e-5 * f64::from(dice.between(1.0, 100.0))));
        let start = place.as_vec3();
        let before = start.z.abs() > 0.011 || start.abs().max_element() > 5.001;
        if !before {
            continue;
        }
        hits += 1;
        let swept = world.list()[0].sweep(&Way { start, end: start, since: 0.0 });
        assert!(swept.is_some(), "{start} passes the rim, spin {spin}");
    }
    assert!(hits > 5000, "{hits}");
}
