use fluid_core::math::Random;
use fluid_film::animation::{Timing, encode};
use fluid_film::picture::Picture;

/// Frames of noise, which are large at any quality.
fn noise(frame: u64) -> Picture {
    let random = Random::new(frame);
    Picture { size: [64, 64], pixels: (0..64 * 64).map(|n| [random.bits(n) as u8; 3]).collect() }
}

#[test]
fn at_the_best_quality_that_does() {
    let frames: Vec<_> = (0..4).map(noise).collect();
    let timing = Timing { frame: 50, last: 50 };
    let (best, highest) = encode(&frames, timing, usize::MAX).expect("encoded");
    let (smallest, lowest) = encode(&frames, timing, 0).expect("encoded");
    assert!(smallest.len() < best.len() && lowest < highest);
    let limit = usize::midpoint(smallest.len(), best.len());
    let (file, quality) = encode(&frames, timing, limit).expect("encoded");
    assert!(file.len() <= limit && (lowest..=highest).contains(&quality), "{} {quality}", file.len());
}
