//! Any description of a host's memory is refused, or the operations are correct. Checked against a
//! byte-by-byte oracle.

use crate::particle_operations::{Scenery, Uniform};

use fluid_core::particles::ScalarQuantity;
use fluid_particles::ops::*;
use fluid_particles::view::*;
use fluid_threads::{Pool, Serial};
use glam::Vec3;
use proptest::prelude::*;

const BYTES: usize = 1024;

#[derive(Debug, Clone)]
struct Said {
    streams: Vec<(usize, usize, usize, usize)>,
    count: usize,
    capacity: usize,
    element_size: usize,
}

/// Generates mostly plausible descriptions (one stride, multiples of four, the streams that operations
/// need), with every kind of error.
fn said() -> impl Strategy<Value = Said> {
    let common = (6..20_usize).prop_map(|n| 4 * n);
    let stride = prop_oneof![
        8 => Just(None),
        2 => (0..8_usize).prop_map(|n| Some(4 * n)),
        1 => any::<usize>().prop_map(Some)
    ];
    let offset = prop_oneof![12 => (0..24_usize).prop_map(|n| 4 * n), 1 => 0..200_usize, 1 => any::<usize>()];
    let semantic = prop_oneof![6 => Just(None), 1 => (0..Semantic::ALL.len()).prop_map(Some)];
    let stream = (semantic, 0..2_usize, stride, offset).boxed();
    // The more streams, the more often two of them overlap.
    let few = prop::collection::vec(stream.clone(), 0..5);
    let streams = prop_oneof![3 => few, 1 => prop::collection::vec(stream, 5..8)];
    let size = prop_oneof![2 => Just(None), 2 => Just(Some(0)), 1 => (0..60_usize).prop_map(Some)];
    (common, streams, 0..9_usize, 0..8_usize, size).prop_map(|(common, streams, count, more, size)| Said {
        streams: streams
            .into_iter()
            .enumerate()
            .map(|(at, (semantic, format, stride, offset))| {
                (semantic.unwrap_or(USUAL[at]), format, stride.unwrap_or(common), offset)
            })
            .collect(),
        count,
        // One in eight has a capacity below its own count.
        capacity: if more == 7 { count / 2 } else { count + more / 2 },
        element_size: size.unwrap_or(common),
    })
}

/// Position, velocity, age, flags, angular velocity, orientation, density, as indices into `Semantic::ALL`.
const USUAL: [usize; 7] = [0, 1, 2, 5, 9, 10, 7];

fn touched(format: Format) -> usize {
    if format == Format::F32X4 { 12 } else { format.size() }
}

/// Returns the bytes of every row of every stream, or None if one lies outside the memory.
fn bytes_of(streams: &[Stream], capacity: usize, base: usize) -> Option<Vec<Vec<usize>>> {
    streams
        .iter()
        .map(|s| {
            let mut bytes = Vec::new();
            for row in 0..capacity {
                let start = row.checked_mul(s.stride)?.checked_add(s.offset)?;
                if start > BYTES - 24 {
                    return None;
                }
                bytes.extend(start..start + touched(s.format));
            }
            debug_assert!(s.base.addr() == base);
            Some(bytes)
        })
        .collect()
}

/// Returns the number of cases: PROPTEST_CASES if it is set (the long checks set it), else `usual`.
/// with_cases alone would ignore it.
fn cases(usual: u32) -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|number| number.parse().ok()).unwrap_or(usual)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(4000)))]

    #[test]
    fn refused_or_right(said in said()) {
        let mut memory = vec![0_u64; BYTES / 8];
        let base = memory.as_mut_ptr().cast::<u8>();
        let streams: Vec<Stream> = said.streams.iter().map(|&(number, format, stride, offset)| {
            let semantic = Semantic::ALL[number];
            let formats = semantic.formats();
            Stream { semantic, format: formats[format % formats.len()], stride, offset, base }
        }).collect();
        let description = ViewDescription {
            count: said.count,
            capacity: said.capacity,
            streams: &streams,
            table: std::ptr::null(),
            indices: None,
            element_size: said.element_size,
        };
        // SAFETY: a view with a row outside the memory is not used.
        let view = unsafe { ParticleView::new(description) };
        let bytes = bytes_of(&streams, said.capacity, base.addr());
        let shared = bytes.as_ref().is_some_and(|bytes| {
            let mut all: Vec<usize> = bytes.concat();
            let len = all.len();
            all.sort_unstable();
            all.dedup();
            all.len() < len
        });
        match view {
            Err(ViewError::Overlap { first, second }) => {
                // Streams of one stride are refused only if bytes are shared.
                let find = |semantic| streams.iter().position(|s| s.semantic == semantic);
                let (Some(a), Some(b)) = (find(first), find(second)) else { panic!("unknown streams") };
                if let Some(bytes) = bytes && streams[a].stride == streams[b].stride {
                    prop_assert!(bytes[a].iter().any(|byte| bytes[b].contains(byte)));
                }
            }
            Err(error) => prop_assert!(!error.to_string().is_empty()),
            Ok(mut view) => {
                prop_assert!(said.count <= said.capacity);
                prop_assert!(!shared, "rows share bytes");
                let inside = said.element_size.checked_mul(said.capacity).is_some_and(|end| end <= BYTES);
                if let (Some(bytes), true) = (bytes, inside) {
                    let mut killed = [0; 12];
                    let mut states = [EmitState::default()];
                    let operations: [Operation<'_>; 9] = [
                        Velocity::default().into(),
                        Spin::default().into(),
                        SampleScalar::new(ScalarQuantity::Density).into(),
                        Advect.into(),
                        Collide { restitution: 0.5, friction: 0.5, mass: 1.0 }.into(),
                        Age.into(),
                        Kill { max_age: Some(0.5), max_age_frames: None, mode: KillMode::Compact }.into(),
                        Emit { rate: 2.0, seed: 1, timing: EmitTiming::Even, prototype: &[] }.into(),
                        Bounds.into(),
                    ];
                    let mut compacted = false;
                    for operation in operations {
                        let memory = RunMemory {
                            scratch: &mut RunScratch::default(),
                            emit_states: &mut states,
                            killed: &mut killed,
                        };
                        let inputs = RunInputs { field: &Uniform(Vec3::X), surfaces: &Scenery, dt: 1.0, frame: 1 };
                        let done = run_operations(&Serial, &inputs, &[operation], &mut view, memory);
                        compacted |= done.is_ok() && operation.name() == "Kill";
                    }
                    prop_assert!(view.count() <= said.capacity);
                    // All of the memory was 0, and only streams may have changed. Compaction moves gaps.
                    let after: Vec<u8> = memory.iter().flat_map(|word| word.to_ne_bytes()).collect();
                    let mut allowed = vec![false; BYTES];
                    bytes.iter().flatten().for_each(|&byte| allowed[byte] = true);
                    let wrong = (0..BYTES).find(|&byte| after[byte] != 0 && !allowed[byte]);
                    prop_assert!(wrong.is_none() || compacted, "byte {wrong:?} was written");
                }
            }
        }
    }

    #[test]
    fn any_index_list_is_refused_or_visits_each_row_once(indices in prop::collection::vec(0..40_u32, 0..12)) {
        let mut ages = [0.0_f32; 30];
        let ascending = indices.windows(2).all(|pair| pair[0] < pair[1]);
        let inside = indices.iter().all(|&index| index < 30);
        let mut slices = ParticleSlices::new().f32(Semantic::Age, &mut ages).indices(&indices);
        let Ok(mut view) = slices.view() else {
            prop_assert!(!(ascending && inside));
            return Ok(());
        };
        prop_assert!(ascending && inside);
        let pool = Pool::new(2).expect("threads");
        let inputs = RunInputs { field: &Uniform(Vec3::X), surfaces: &Scenery, dt: 1.0, frame: 1 };
        let memory = RunMemory { scratch: &mut RunScratch::default(), emit_states: &mut [], killed: &mut [] };
        run_operations(&pool, &inputs, &[Age.into()], &mut view, memory).expect("a right list");
        for (row, age) in ages.iter().enumerate() {
            prop_assert_eq!(*age, if indices.contains(&(row as u32)) { 1.0 } else { 0.0 });
        }
    }
}
