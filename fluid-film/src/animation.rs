//! Animated WebP.

use crate::picture::Picture;
use std::error::Error;
use std::fmt;
use webp_animation::{ColorMode, Encoder, EncoderOptions, EncodingConfig, EncodingType, LossyEncodingConfig};

/// An error of the encoder.
#[derive(Debug)]
pub struct EncodeError(webp_animation::Error);

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the film cannot be encoded: {:?}", self.0)
    }
}

impl Error for EncodeError {}

impl From<webp_animation::Error> for EncodeError {
    fn from(error: webp_animation::Error) -> Self {
        Self(error)
    }
}

/// Times of a film \[ms\].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timing {
    /// Duration of a frame.
    pub frame: u32,
    /// Duration of the last frame, before the film starts again.
    pub last: u32,
}

/// Qualities that are tried, best first.
const QUALITIES: [f32; 9] = [90.0, 84.0, 78.0, 72.0, 66.0, 58.0, 50.0, 40.0, 30.0];

/// Encodes frames of equal size as a film that repeats forever, at the best quality tried with which it has
/// at most `limit` bytes; at the lowest if none does. Returns the file and its quality.
///
/// # Errors
/// There are no frames, they are empty or larger than WebP allows, or `timing` has a zero.
pub fn encode(frames: &[Picture], timing: Timing, limit: usize) -> Result<(Vec<u8>, f32), EncodeError> {
    // Size grows with quality, so the best one is found by bisection.
    let (mut best, mut worst) = (0, QUALITIES.len() - 1);
    let mut found = None;
    while best < worst {
        let middle = usize::midpoint(best, worst);
        let file = encode_at(frames, timing, QUALITIES[middle])?;
        if file.len() <= limit {
            worst = middle;
            found = Some((file, middle));
        } else {
            best = middle + 1;
        }
    }
    match found {
        Some((file, quality)) if quality == worst => Ok((file, QUALITIES[quality])),
        _ => Ok((encode_at(frames, timing, QUALITIES[worst])?, QUALITIES[worst])),
    }
}

/// Encodes one picture, lossy, at a quality from 0 to 100.
pub(crate) fn still(picture: &Picture, quality: f32) -> Result<Vec<u8>, EncodeError> {
    encode_at(std::slice::from_ref(picture), Timing { frame: 1, last: 1 }, quality)
}

fn encode_at(frames: &[Picture], timing: Timing, quality: f32) -> Result<Vec<u8>, EncodeError> {
    let [width, height] = frames.first().map_or([0; 2], |frame| frame.size.map(|edge| edge as u32));
    let mut encoder = Encoder::new_with_options((width, height), options(quality))?;
    for (n, frame) in (0..).zip(frames) {
        encoder.add_frame(frame.pixels.as_flattened(), n * timing.frame as i32)?;
    }
    let end = frames.len().saturating_sub(1) as i32 * timing.frame as i32 + timing.last as i32;
    Ok(encoder.finalize(end)?.to_vec())
}

fn options(quality: f32) -> EncoderOptions {
    let lossy = LossyEncodingConfig {
        segments: 4,
        sns_strength: 30,
        filter_strength: 30,
        filter_type: 1,
        pass: 2,
        use_sharp_yuv: true,
        ..LossyEncodingConfig::default()
    };
    EncoderOptions {
        // Every frame is a whole picture. As differences from the frame before, smooth backgrounds would
        // have visible edges, because small changes are left out of them.
        kmin: 0,
        kmax: 1,
        color_mode: ColorMode::Rgb,
        encoding_config: Some(EncodingConfig {
            encoding_type: EncodingType::Lossy(lossy),
            quality,
            method: 4,
        }),
        ..EncoderOptions::default()
    }
}
