//! Pictures of 8 bits per channel, and their files.

use std::error::Error;
use std::fs::{File, write};
use std::io::BufWriter;
use std::path::Path;

use crate::animation;

/// A picture, row by row from the top.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// Width and height \[pixels\].
    pub size: [usize; 2],
    /// Red, green and blue of each pixel.
    pub pixels: Vec<[u8; 3]>,
}

impl Picture {
    /// Places pictures of equal size side by side, with a dark gap between them.
    ///
    /// # Panics
    /// If there are none, or if their sizes differ.
    pub fn beside(pictures: &[Self]) -> Self {
        const GAP: usize = 4;
        let [width, height] = pictures[0].size;
        assert!(pictures.iter().all(|picture| picture.size == [width, height]), "sizes differ");
        let mut pixels = Vec::new();
        for row in 0..height {
            for (n, picture) in pictures.iter().enumerate() {
                pixels.extend_from_slice(&[[16; 3]; GAP][..if n == 0 { 0 } else { GAP }]);
                pixels.extend_from_slice(&picture.pixels[row * width..(row + 1) * width]);
            }
        }
        Self { size: [pictures.len() * (width + GAP) - GAP, height], pixels }
    }

    /// Writes a file: WebP (lossy, of this quality from 0 to 100) if its name ends so, else PNG.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, path: &Path, quality: f32) -> Result<(), Box<dyn Error>> {
        if path.extension().is_some_and(|end| end == "webp") {
            write(path, animation::still(self, quality)?)?;
            return Ok(());
        }
        let [width, height] = self.size.map(|edge| edge as u32);
        let mut encoder = png::Encoder::new(BufWriter::new(File::create(path)?), width, height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.write_header()?.write_image_data(self.pixels.as_flattened())?;
        Ok(())
    }
}
