//! The pinhole camera.

use glam::Vec3;

/// Position and direction of a camera, for pictures of any size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Camera {
    /// Position of the eye \[m\].
    pub eye: Vec3,
    /// Point in the centre of the picture \[m\].
    pub target: Vec3,
    /// Vertical field of view \[degrees\].
    pub field_of_view: f32,
}

impl Camera {
    /// Returns the camera a fraction `share` of the way to another one.
    pub fn towards(&self, end: &Self, share: f32) -> Self {
        Self {
            eye: self.eye.lerp(end.eye, share),
            target: self.target.lerp(end.target, share),
            field_of_view: self.field_of_view + share * (end.field_of_view - self.field_of_view),
        }
    }

    /// Returns the camera displaced by `way` \[m\].
    pub fn moved(&self, way: Vec3) -> Self {
        Self { eye: self.eye + way, target: self.target + way, ..*self }
    }

    /// Returns the projection onto a picture of this size \[pixels\], with z upwards.
    pub fn view(&self, [width, height]: [usize; 2]) -> View {
        let forward = (self.target - self.eye).normalize();
        let right = forward.cross(Vec3::Z).normalize();
        let focal_length = 0.5 * height as f32 / (0.5 * self.field_of_view.to_radians()).tan();
        View {
            eye: self.eye,
            forward,
            right,
            up: right.cross(forward),
            focal_length,
            centre: [0.5 * width as f32, 0.5 * height as f32],
        }
    }
}

/// A camera's projection onto a picture: x to the right, y downwards, pixel (0, 0) from 0 to 1 in both.
#[derive(Debug, Clone, Copy)]
pub struct View {
    /// Position of the eye \[m\].
    pub eye: Vec3,
    /// Unit vector of the optical axis.
    pub forward: Vec3,
    right: Vec3,
    up: Vec3,
    /// Distance of the picture plane \[pixels\].
    pub focal_length: f32,
    centre: [f32; 2],
}

/// A projected point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Projected {
    /// Position in the picture \[pixels\].
    pub x: f32,
    /// Position in the picture \[pixels\].
    pub y: f32,
    /// Distance from the eye along the optical axis \[m\].
    pub depth: f32,
}

impl View {
    /// Smallest depth that is drawn \[m\].
    const NEAR: f32 = 0.05;

    /// Projects a point; `None` if it is behind the eye or nearly so.
    #[inline]
    pub fn project(&self, point: Vec3) -> Option<Projected> {
        let offset = point - self.eye;
        let depth = offset.dot(self.forward);
        let scale = self.focal_length / depth;
        let [x, y] =
            [self.centre[0] + scale * offset.dot(self.right), self.centre[1] - scale * offset.dot(self.up)];
        (depth > Self::NEAR).then_some(Projected { x, y, depth })
    }

    /// Returns the direction from the eye through a point of the picture \[pixels\], 1 long along the
    /// optical axis.
    #[inline]
    pub fn ray(&self, x: f32, y: f32) -> Vec3 {
        let [x, y] = [(x - self.centre[0]) / self.focal_length, (y - self.centre[1]) / self.focal_length];
        self.forward + x * self.right - y * self.up
    }
}
