use fluid_film::animation::{Timing, encode};
use fluid_film::picture::Picture;
use image_webp::{LoopCount, WebPDecoder};
use std::io::Cursor;

const SIZE: [usize; 2] = [48, 32];

/// A bright square on grey, which moves to the right.
pub(crate) fn frame(n: usize) -> Picture {
    let inside = |x: usize, y: usize| (4 * n..4 * n + 12).contains(&x) && (10..22).contains(&y);
    let pixel = |k: usize| if inside(k % SIZE[0], k / SIZE[0]) { [230, 120, 40] } else { [60; 3] };
    Picture { size: SIZE, pixels: (0..SIZE[0] * SIZE[1]).map(pixel).collect() }
}

#[test]
fn their_size_and_their_times() {
    let frames: Vec<_> = (0..8).map(frame).collect();
    let (file, _) = encode(&frames, Timing { frame: 60, last: 500 }, usize::MAX).expect("encoded");
    let mut decoder = WebPDecoder::new(Cursor::new(&file)).expect("a WebP file");
    assert_eq!(decoder.dimensions(), (48, 32));
    assert_eq!(decoder.num_frames(), 8);
    assert_eq!(decoder.loop_count(), LoopCount::Forever);
    assert_eq!(decoder.loop_duration(), 7 * 60 + 500);
    let channels = if decoder.has_alpha() { 4 } else { 3 };
    let mut pixels = vec![0; decoder.output_buffer_size().expect("a size")];
    for (n, frame) in frames.iter().enumerate() {
        let duration = decoder.read_frame(&mut pixels).expect("a frame");
        assert_eq!(duration, if n < 7 { 60 } else { 500 });
        // Lossy: the mean error is a few levels, that of a frame too early or too late 20.
        let error: i32 = pixels
            .chunks(channels)
            .zip(&frame.pixels)
            .flat_map(|(decoded, original)| decoded.iter().zip(original))
            .map(|(&decoded, &original)| (i32::from(decoded) - i32::from(original)).abs())
            .sum();
        let mean = f64::from(error) / frame.pixels.len() as f64 / 3.0;
        assert!(mean < 6.0, "frame {n}: {mean}");
    }
}

#[test]
fn a_film_without_frames_is_an_error() {
    assert!(encode(&[], Timing { frame: 60, last: 60 }, usize::MAX).is_err());
}
