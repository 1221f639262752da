//! Footprints of splats: Gaussians, separable and precomputed.

/// Number of positions within a pixel.
const OFFSETS: usize = 8;
/// Ratio of neighbouring radii.
const STEP: f32 = 1.1;
/// Smallest standard deviation \[pixels\]: a smaller Gaussian would flicker from pixel to pixel.
pub const SMALLEST: f32 = 0.6;
/// Number of radii: up to 7.3 pixels.
const RADII: usize = 27;
/// Half of a footprint's width, in standard deviations.
const REACH: f32 = 2.4;

/// Weights of pixels in one direction, for all radii and positions within a pixel.
#[derive(Debug)]
pub struct Footprints {
    rows: Vec<Vec<f32>>,
}

/// The weights of some neighbouring pixels, from `first` on; their sum is 1.
#[derive(Debug, Clone, Copy)]
pub struct Weights<'a> {
    /// First pixel; may lie outside of the picture.
    pub first: i32,
    /// Weights.
    pub weights: &'a [f32],
}

impl Default for Footprints {
    fn default() -> Self {
        let row = |n: usize| weights(radius(n / OFFSETS), ((n % OFFSETS) as f32 + 0.5) / OFFSETS as f32);
        Self { rows: (0..RADII * OFFSETS).map(row).collect() }
    }
}

/// Standard deviation \[pixels\] of a class.
fn radius(class: usize) -> f32 {
    SMALLEST * STEP.powi(class as i32)
}

/// Number of pixels on each side of the middle one.
fn reach(radius: f32) -> i32 {
    (REACH * radius).ceil() as i32
}

/// Weights of pixels for a Gaussian at `offset` in the middle one.
fn weights(radius: f32, offset: f32) -> Vec<f32> {
    let reach = reach(radius);
    let weight = |pixel: i32| (-0.5 * ((pixel as f32 + 0.5 - offset) / radius).powi(2)).exp();
    let weights: Vec<f32> = (-reach..=reach).map(weight).collect();
    let sum: f32 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / sum).collect()
}

impl Footprints {
    /// Returns the class of a standard deviation \[pixels\], the nearest one.
    #[inline]
    pub fn class(radius: f32) -> u8 {
        let class = (radius.max(SMALLEST) / SMALLEST).ln() / STEP.ln();
        (class.round() as usize).min(RADII - 1) as u8
    }

    /// Returns the number of pixels that a footprint of this class reaches beyond the middle one.
    pub fn reach(class: u8) -> i32 {
        reach(radius(class.into()))
    }

    /// Returns the weights for a Gaussian of this class at `x` \[pixels\].
    #[inline]
    pub fn at(&self, class: u8, x: f32) -> Weights<'_> {
        let pixel = x.floor();
        let offset = ((x - pixel) * OFFSETS as f32) as usize;
        let weights = &self.rows[usize::from(class) * OFFSETS + offset.min(OFFSETS - 1)];
        Weights { first: pixel as i32 - (weights.len() / 2) as i32, weights }
    }
}
