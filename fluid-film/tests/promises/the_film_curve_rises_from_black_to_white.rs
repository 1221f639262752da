use fluid_film::curve::{film, srgb};

#[test]
fn without_a_step_back() {
    assert_eq!(film(0.0), 0.0);
    assert_eq!(film(-1.0), 0.0);
    let values: Vec<f32> = (0..=4000).map(|n| film(n as f32 / 400.0)).collect();
    assert!(values.is_sorted());
    assert!(values.iter().all(|value| (0.0..=1.0).contains(value)));
    assert!(values[4000] > 0.99);
    // Dim light keeps its differences: no two of the first steps coincide.
    assert!(values[..400].windows(2).all(|pair| pair[0] < pair[1]));
}

#[test]
fn the_signal_is_that_of_the_standard() {
    // IEC 61966-2-1: the ends, the joint of both pieces, and mid grey.
    assert_eq!([0.0, 1.0].map(srgb).map(|signal| (signal * 1e5).round()), [0.0, 1e5]);
    assert!((srgb(0.003_130_8) - srgb(0.003_130_9)).abs() < 1e-5);
    assert!((srgb(0.214_041) - 0.5).abs() < 1e-4);
}
