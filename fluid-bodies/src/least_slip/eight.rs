//! Numbers and vectors in eights, which the compiler turns into vector instructions.

use glam::{DVec3, Vec3};
use std::ops::{Add, Mul, Sub};

/// Contacts in a block.
pub(super) const WIDTH: usize = 8;

/// A number for each contact of a block.
// Aligned, so that the compiler may keep it in one register.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C, align(32))]
pub(super) struct Eight(pub(super) [f32; WIDTH]);

#[inline(always)]
fn zip(a: Eight, b: Eight, f: impl Fn(f32, f32) -> f32) -> Eight {
    let (a, b) = (a.0, b.0);
    Eight([
        f(a[0], b[0]),
        f(a[1], b[1]),
        f(a[2], b[2]),
        f(a[3], b[3]),
        f(a[4], b[4]),
        f(a[5], b[5]),
        f(a[6], b[6]),
        f(a[7], b[7]),
    ])
}

impl Eight {
    #[inline(always)]
    pub(super) fn splat(value: f32) -> Self {
        Self([value; WIDTH])
    }
}

impl Add for Eight {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        zip(self, other, |a, b| a + b)
    }
}

impl Sub for Eight {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        zip(self, other, |a, b| a - b)
    }
}

impl Mul for Eight {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        zip(self, other, |a, b| a * b)
    }
}

/// A vector for each contact of a block.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct EightVectors {
    x: Eight,
    y: Eight,
    z: Eight,
}

impl EightVectors {
    #[inline(always)]
    pub(super) fn splat(value: Vec3) -> Self {
        Self { x: Eight::splat(value.x), y: Eight::splat(value.y), z: Eight::splat(value.z) }
    }

    /// Returns the vector of one contact.
    #[inline(always)]
    pub(super) fn get(&self, lane: usize) -> Vec3 {
        Vec3::new(self.x.0[lane], self.y.0[lane], self.z.0[lane])
    }

    /// Overwrites the vector of one contact.
    #[inline(always)]
    pub(super) fn set(&mut self, lane: usize, value: Vec3) {
        (self.x.0[lane], self.y.0[lane], self.z.0[lane]) = value.into();
    }

    #[inline(always)]
    pub(super) fn times(self, factor: Eight) -> Self {
        Self { x: self.x * factor, y: self.y * factor, z: self.z * factor }
    }

    #[inline(always)]
    pub(super) fn dot(self, other: Self) -> Eight {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    #[inline(always)]
    pub(super) fn cross(self, other: Self) -> Self {
        Self {
            x: self.y * other.z - self.z * other.y,
            y: self.z * other.x - self.x * other.z,
            z: self.x * other.y - self.y * other.x,
        }
    }
}

impl Add for EightVectors {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
    }
}

impl Sub for EightVectors {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self { x: self.x - other.x, y: self.y - other.y, z: self.z - other.z }
    }
}

/// BlockSum over blocks, contact by contact of a block.
#[derive(Clone, Copy, Default)]
pub(super) struct BlockSum([f64; WIDTH]);

impl BlockSum {
    #[inline(always)]
    pub(super) fn add(&mut self, values: Eight) {
        for (sum, value) in self.0.iter_mut().zip(values.0) {
            *sum += f64::from(value);
        }
    }

    #[inline(always)]
    pub(super) fn total(self) -> f64 {
        let [a, b, c, d, e, f, g, h] = self.0;
        ((a + b) + (c + d)) + ((e + f) + (g + h))
    }
}

/// BlockSum of vectors over blocks.
#[derive(Clone, Copy, Default)]
pub(super) struct BlockVectorSum([BlockSum; 3]);

impl BlockVectorSum {
    #[inline(always)]
    pub(super) fn add(&mut self, values: EightVectors) {
        self.0[0].add(values.x);
        self.0[1].add(values.y);
        self.0[2].add(values.z);
    }

    #[inline(always)]
    pub(super) fn total(self) -> DVec3 {
        DVec3::new(self.0[0].total(), self.0[1].total(), self.0[2].total())
    }
}
