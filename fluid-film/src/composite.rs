//! Compositing of splats, front to back.

use crate::footprint::{Footprints, Weights};
use crate::order::{BAND, Bands};
use crate::solids::SolidPixel;
use crate::splat::Splat;
use fluid_threads::{Executor, for_each_chunk_mut};
use glam::{Vec3, Vec4};

/// Light and transmittance of a pixel.
#[derive(Debug, Clone, Copy)]
pub struct Pixel {
    /// Radiance so far; fourth: depth of the solid that is still to be drawn \[m\].
    light: Vec4,
    /// Transmittance so far; fourth 0.
    through: Vec4,
}

/// Transmittance below which nothing behind is drawn.
const OPAQUE: f32 = 0.004;

impl Pixel {
    /// Returns the radiance in front of a background.
    pub fn over(&self, background: Vec3) -> Vec3 {
        self.light.truncate() + self.through.truncate() * background
    }

    /// Returns the transmittance of everything drawn, for red, green and blue.
    pub fn transmittance(&self) -> Vec3 {
        self.through.truncate()
    }

    /// Draws the solid of this pixel, at most once.
    #[cold]
    fn draw_solid(&mut self, solid: &SolidPixel) {
        self.light += self.through * (solid.coverage * solid.colour).extend(0.0);
        self.light.w = f32::INFINITY;
        self.through *= 1.0 - solid.coverage;
    }

    /// Draws a splat with this optical depth in the pixel, at a distance along the optical axis.
    #[inline(always)]
    fn draw(&mut self, depth_sum: Vec4, light: Vec4) {
        // 1 - exp(-x) to 0.4 % up to an optical depth of 1, the most that a single splat has.
        let x = depth_sum.min(Vec4::ONE);
        let opacity = x * (Vec4::ONE - x * (Vec4::splat(0.5) - x * 0.136));
        self.light += self.through * opacity * light;
        self.through -= self.through * opacity;
    }
}

/// Composites splats in front of solids.
pub fn composite(
    exec: &dyn Executor,
    splats: &[Splat],
    solids: &[SolidPixel],
    footprints: &Footprints,
    [width, height]: [usize; 2],
) -> Vec<Pixel> {
    let bands = Bands::new(splats, height);
    let empty =
        |solid: &SolidPixel| Pixel { light: Vec3::ZERO.extend(solid.depth), through: Vec3::ONE.extend(0.0) };
    let mut pixels: Vec<Pixel> = solids.iter().map(empty).collect();
    for_each_chunk_mut(exec, BAND * width, pixels.as_mut_slice(), &|start, pixels: &mut [Pixel]| {
        let solids = &solids[start..start + pixels.len()];
        let mut band = Band { first_row: (start / width) as i32, width, pixels, solids };
        for &n in bands.of(start / width / BAND) {
            band.draw(&splats[n as usize], footprints);
        }
        band.finish();
    });
    pixels
}

/// Some rows of a picture.
struct Band<'a> {
    first_row: i32,
    width: usize,
    pixels: &'a mut [Pixel],
    solids: &'a [SolidPixel],
}

/// Returns the part of the weights that lies in `0..len` pixels, and its first pixel.
#[inline(always)]
fn cut(Weights { first, weights }: Weights<'_>, len: usize) -> (usize, &[f32]) {
    let skip = (-first).max(0) as usize;
    let end = (len as i32 - first).clamp(0, weights.len() as i32) as usize;
    if skip >= end { (0, &[]) } else { ((first + skip as i32) as usize, &weights[skip..end]) }
}

impl Band<'_> {
    fn draw(&mut self, splat: &Splat, footprints: &Footprints) {
        let mut place = splat.start;
        for _ in 0..splat.stamps {
            let mut rows = footprints.at(splat.class, place.y);
            rows.first -= self.first_row;
            let columns = cut(footprints.at(splat.class, place.x), self.width);
            self.stamp(splat, cut(rows, self.pixels.len() / self.width), columns);
            place += splat.stride;
        }
    }

    #[inline(always)]
    fn stamp(&mut self, splat: &Splat, (y, rows): (usize, &[f32]), (x, columns): (usize, &[f32])) {
        for (y, in_row) in (y..).zip(rows) {
            let depth_sum = splat.depth_sum * *in_row;
            let first = y * self.width + x;
            let pixels = &mut self.pixels[first..first + columns.len()];
            for (n, (pixel, in_column)) in pixels.iter_mut().zip(columns).enumerate() {
                if pixel.light.w < splat.depth {
                    pixel.draw_solid(&self.solids[first + n]);
                }
                if pixel.through.max_element() > OPAQUE {
                    pixel.draw(depth_sum * *in_column, splat.light);
                }
            }
        }
    }

    /// Draws the solids that no splat lies behind.
    fn finish(&mut self) {
        for (pixel, solid) in self.pixels.iter_mut().zip(self.solids) {
            if pixel.light.w < f32::INFINITY {
                pixel.draw_solid(solid);
            }
        }
    }
}
