//! Transforms compared with those of a library in f64.

use super::super::butterflies::{DOUBLES, Doubles};
use super::super::lines::{LINES, LineJob, MAX_NODES, run_with_lines};
use super::*;
use crate::lanes::{BLOCK, InstructionSet, Lanes};
use rustfft::num_complex::Complex64;
use rustfft::{FftDirection, FftPlannerScalar};

fn lengths() -> impl Iterator<Item = usize> {
    (8..=MAX_NODES).filter(|&len| radices(len).is_some())
}

/// Returns a pseudorandom number in -1..1.
fn noise(seed: usize) -> f32 {
    let hash = (seed as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((hash >> 40) as f32) / (1 << 23) as f32 - 1.0
}

/// Returns the line of one lane.
fn values(len: usize, lane: usize) -> Vec<[f32; 2]> {
    (0..len).map(|t| [noise(2 * (len * lane + t)), noise(2 * (len * lane + t) + 1)]).collect()
}

fn expected(line: &[[f32; 2]], direction: FftDirection) -> Vec<Complex64> {
    let mut modes: Vec<Complex64> =
        line.iter().map(|[re, im]| Complex64::new(f64::from(*re), f64::from(*im))).collect();
    FftPlannerScalar::new().plan_fft(line.len(), direction).process(&mut modes);
    modes
}

/// Modes of a line in each lane: forward or inverse, or forward and back.
struct Modes<'a> {
    transform: &'a Transform<f32>,
    ways: &'a [FftDirection],
    lines: &'a [Vec<[f32; 2]>],
    out: &'a mut Vec<Vec<[f32; 2]>>,
}

impl LineJob for Modes<'_> {
    #[inline(always)]
    fn run<L: Lanes>(self, memory: &mut [[L; 2]]) {
        let Self { transform, ways, lines, out } = self;
        let len = transform.len();
        let (line, scratch) = memory.split_at_mut(len);
        for first in (0..BLOCK).step_by(L::WIDTH) {
            for t in 0..len {
                for part in 0..2 {
                    let mut floats = [0.0; BLOCK];
                    for lane in 0..L::WIDTH {
                        floats[lane] = lines[first + lane][t][part];
                    }
                    line[t][part] = L::load(&floats, 0);
                }
            }
            for way in ways {
                if *way == FftDirection::Forward {
                    transform.start::<L, false>(&Line(line, 1), scratch);
                    transform.finish::<L, false>(scratch, &mut LineMut(line, 1));
                } else {
                    transform.start::<L, true>(&Line(line, 1), scratch);
                    transform.finish::<L, true>(scratch, &mut LineMut(line, 1));
                }
            }
            for lane in 0..L::WIDTH {
                let mode = |parts: &[L; 2]| {
                    parts.map(|part| {
                        let mut floats = [0.0; BLOCK];
                        part.store(&mut floats, 0);
                        floats[lane]
                    })
                };
                out.push(line.iter().map(mode).collect());
            }
        }
    }
}

fn modes(set: InstructionSet, len: usize, ways: &[FftDirection]) -> Vec<Vec<[f32; 2]>> {
    const { assert!(LINES >= 3) };
    let lines: Vec<_> = (0..BLOCK).map(|lane| values(len, lane)).collect();
    let mut out = Vec::new();
    let transform = &Transform::new(len);
    run_with_lines(set, len, Modes { transform, ways, lines: &lines, out: &mut out });
    out
}

const WAYS: [FftDirection; 2] = [FftDirection::Forward, FftDirection::Inverse];

#[test]
fn every_length_transforms_as_in_double_precision() {
    for len in lengths() {
        for way in WAYS {
            for (lane, modes) in modes(InstructionSet::Auto, len, &[way]).iter().enumerate() {
                let expected = expected(&values(len, lane), way);
                let largest = expected.iter().map(|mode| mode.norm()).fold(0.0, f64::max);
                for (mode, expected) in modes.iter().zip(expected) {
                    let mode = Complex64::new(f64::from(mode[0]), f64::from(mode[1]));
                    let error = (mode - expected).norm() / largest;
                    assert!(error < 4e-7, "{len} {way:?}: {error:.1e}");
                }
            }
        }
    }
}

#[test]
fn forward_and_inverse_multiply_by_the_length() {
    for len in lengths() {
        for (lane, line) in modes(InstructionSet::Auto, len, &WAYS).iter().enumerate() {
            for (there, [re, im]) in line.iter().zip(values(len, lane)) {
                let error = (there[0] / len as f32 - re).abs().max((there[1] / len as f32 - im).abs());
                assert!(error < 1e-6, "{len}: {error:.1e}");
            }
        }
    }
}

#[test]
fn every_length_has_the_same_bits_on_every_instruction_set() {
    let bits = |set, len| -> Vec<u32> {
        modes(set, len, &WAYS[..1]).into_iter().flatten().flatten().map(f32::to_bits).collect()
    };
    for len in lengths() {
        let portable = bits(InstructionSet::Portable, len);
        for set in InstructionSet::ALL.into_iter().filter(|set| set.is_available()) {
            assert_eq!(bits(set, len), portable, "{len} {set:?}");
        }
    }
}

#[test]
fn doubles_are_as_exact_as_the_library() {
    for len in lengths() {
        let transform = Transform::<f64>::new(len);
        let line = values(len, 0);
        let doubles = |value: f32| Doubles([f64::from(value); DOUBLES]);
        let mut lanes: Vec<_> = line.iter().map(|[re, im]| [doubles(*re), doubles(*im)]).collect();
        let mut scratch = vec![[doubles(0.0); 2]; 2 * len];
        transform.start::<Doubles, false>(&Line(&lanes, 1), &mut scratch);
        transform.finish::<Doubles, false>(&mut scratch, &mut LineMut(&mut lanes, 1));
        for (mode, expected) in lanes.iter().zip(expected(&line, FftDirection::Forward)) {
            let mode = Complex64::new(mode[0].0[0], mode[1].0[DOUBLES - 1]);
            assert!((mode - expected).norm() < 1e-13 * len as f64, "{len}");
        }
    }
}

#[test]
fn sizes_of_boxes_have_butterflies() {
    for nodes in crate::grid::BOX_SIZES {
        assert!(radices(nodes as usize).is_some(), "{nodes}");
    }
}
