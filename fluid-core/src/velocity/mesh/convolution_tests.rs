//! The mesh's convolution compared with the direct sum.

use super::*;
use crate::lanes::BLOCK;
use crate::saved::NoInsides;
use fluid_threads::{Pool, Serial, Shuffled};
use glam::DVec3;
use rustfft::num_complex::Complex;
use std::f64::consts::PI;

/// Returns pseudorandom numbers in -1..1.
fn noise(seed: usize) -> f64 {
    let hash = (seed as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let hash = (hash ^ (hash >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    ((hash >> 40) as f64) / f64::from(1 << 23) - 1.0
}

fn strength(seed: usize) -> Vec4 {
    // w must not be read.
    Vec4::new(noise(3 * seed) as f32, noise(3 * seed + 1) as f32, noise(3 * seed + 2) as f32, f32::NAN)
}

fn node(dims: [usize; 3], index: usize) -> [usize; 3] {
    [index % dims[0], index / dims[0] % dims[1], index / (dims[0] * dims[1])]
}

/// Sources at the corners and at a few other nodes.
fn sources(dims: [usize; 3]) -> Vec<Vec4> {
    let count = dims.iter().product::<usize>();
    (0..count)
        .map(|index| {
            let at = node(dims, index);
            let corner = (0..3).all(|axis| at[axis] == 0 || at[axis] == dims[axis] - 1);
            if corner || index % 37 == 5 { strength(index) } else { Vec4::ZERO }
        })
        .collect()
}

/// Memory with meaningless numbers.
fn used_by_others() -> Scratch {
    let mut scratch = Scratch::default();
    scratch.blocks.resize(1 << 12, LaneBlock([f32::NAN; BLOCK]));
    scratch
}

fn solve(convolution: &mut Convolution, exec: &dyn Executor, dims: [usize; 3], source: &[Vec4]) -> Vec<Vec4> {
    let mut scratch = used_by_others();
    convolution.resize(exec, dims, &mut scratch);
    let mut out = vec![Vec4::NAN; source.len()];
    convolution.velocities(exec, source, &mut used_by_others().blocks, [1.0; 2], &mut out);
    out
}

/// Returns the largest difference relative to the largest velocity.
fn error(dims: [usize; 3], source: &[Vec4], out: &[Vec4], kernel: impl Fn([i32; 3]) -> DVec3) -> f64 {
    let (mut worst, mut largest) = (0.0_f64, 0.0_f64);
    for (n, velocity) in out.iter().enumerate() {
        let mut sum = DVec3::ZERO;
        for (m, strength) in source.iter().enumerate().filter(|(_, strength)| strength.x != 0.0) {
            let (a, b) = (node(dims, n), node(dims, m));
            let d = std::array::from_fn(|axis| a[axis] as i32 - b[axis] as i32);
            sum += strength.truncate().as_dvec3().cross(kernel(d));
        }
        worst = worst.max((velocity.truncate().as_dvec3() - sum).length());
        largest = largest.max(sum.length());
        assert_eq!(velocity.w, 0.0);
    }
    worst / largest
}

/// No deconvolution: nodes are their own particles.
const PLAIN: Transfers = Transfers { kernel: |_| 1.0, energy: |_| 1.0 };

fn biot_savart(kernel: Kernel, core: f64, d: [i32; 3]) -> DVec3 {
    let d = DVec3::from_array(d.map(f64::from));
    d * (kernel.q_over_cube(d.length() / core) / (4.0 * PI * core.powi(3)))
}

#[test]
fn energy_is_half_the_sum_of_strengths_times_potentials() {
    for dims in [[8, 16, 24], [16, 16, 16], [40, 8, 8]] {
        let (mut convolution, source) =
            (Convolution::new(Kernel::default(), 1.5, InstructionSet::Auto), sources(dims));
        convolution.resize(&Serial, dims, &mut used_by_others());
        let energy = convolution.energy(&Serial, &source, &mut used_by_others().blocks);
        let mut potentials = source.clone();
        let blocks = &mut used_by_others().blocks;
        convolution.potentials(&Pool::new(3).expect("threads"), Components::All, &mut potentials, blocks);
        let products =
            source.iter().zip(&potentials).map(|(a, b)| a.truncate().as_dvec3().dot(b.truncate().as_dvec3()));
        let error = 0.5 * products.sum::<f64>() / energy - 1.0;
        println!("{dims:?}: {energy}, error {error:.1e}");
        assert!(error.abs() < 1e-6, "{dims:?}: {error:e}");
        for components in [Components::Xy, Components::Z] {
            let mut part = source.clone();
            convolution.potentials(&Serial, components, &mut part, &mut used_by_others().blocks);
            let bits =
                |nodes: &[Vec4], c: usize| nodes.iter().map(|node| node[c].to_bits()).collect::<Vec<_>>();
            assert!(components.range().all(|c| bits(&part, c) == bits(&potentials, c)), "{components:?}");
        }
    }
}

#[test]
fn energy_is_the_sum_over_all_pairs_of_nodes() {
    for kernel in Kernel::ALL {
        for (dims, core) in [([8, 16, 24], 1.5_f32), ([16, 16, 16], 2.5), ([24, 8, 8], 0.25)] {
            let mut convolution = Convolution::with_transfers(kernel, core, InstructionSet::Auto, PLAIN);
            let source = sources(dims);
            convolution.resize(&Serial, dims, &mut used_by_others());
            let mut out = vec![Vec4::NAN; source.len()];
            let with_velocities = convolution.velocities_and_energy(
                &Serial,
                &source,
                &mut used_by_others().blocks,
                [1.0; 2],
                &mut out,
            );
            let alone =
                convolution.energy(&Pool::new(3).expect("threads"), &source, &mut used_by_others().blocks);
            assert_eq!(with_velocities.to_bits(), alone.to_bits(), "{kernel:?} {dims:?}");
            let mut energy = 0.0;
            let strengths = || source.iter().enumerate().filter(|(_, strength)| strength.x != 0.0);
            for (n, a) in strengths() {
                for (m, b) in strengths() {
                    let place = |index| DVec3::from_array(node(dims, index).map(|i| i as f64));
                    let rho = place(n).distance(place(m)) / f64::from(core);
                    let product = a.truncate().as_dvec3().dot(b.truncate().as_dvec3());
                    energy += 0.5 * product * kernel.green(rho) / f64::from(core);
                }
            }
            let error = (alone / energy - 1.0).abs();
            println!("{kernel:?} {dims:?} {core}: {energy:.4}, error {error:.1e}");
            assert!(error < 1e-5, "{kernel:?} {dims:?} {core}: {error:.1e}");
        }
    }
}

#[test]
fn free_space_sum_of_all_nodes() {
    for kernel in Kernel::ALL {
        for (dims, core) in
            [([8, 16, 24], 1.5_f32), ([16, 16, 16], 2.5), ([24, 8, 8], 0.25), ([8, 8, 40], 16.0)]
        {
            let mut convolution = Convolution::with_transfers(kernel, core, InstructionSet::Auto, PLAIN);
            let source = sources(dims);
            let out = solve(&mut convolution, &Serial, dims, &source);
            let error = error(dims, &source, &out, |d| biot_savart(kernel, f64::from(core), d));
            println!("{kernel:?} {dims:?} {core}: {error:.1e}");
            assert!(error < 1e-5, "{kernel:?} {dims:?} {core}: {error:.1e}");
        }
    }
}

/// Lengths with every radix, and with up to four passes.
#[test]
fn free_space_sum_for_many_lengths() {
    for dims in [
        [48, 8, 8],
        [8, 72, 8],
        [8, 8, 96],
        [128, 8, 8],
        [8, 144, 8],
        [8, 8, 192],
        [216, 8, 8],
        [8, 40, 8],
        [8, 8, 120],
        [8, 160, 8],
        [200, 8, 8],
        [8, 80, 8],
        [8, 8, 240],
        [256, 8, 8],
    ] {
        let mut convolution =
            Convolution::with_transfers(Kernel::default(), 1.5, InstructionSet::Auto, PLAIN);
        let source = sources(dims);
        let out = solve(&mut convolution, &Serial, dims, &source);
        let error = error(dims, &source, &out, |d| biot_savart(Kernel::default(), 1.5, d));
        assert!(error < 1e-5, "{dims:?}: {error:.1e}");
    }
}

/// Computes the deconvolved kernel on the doubled box, by plain sums over all its modes, mode n included,
/// for distances -n..n.
fn deconvolved_kernel(kernel: Kernel, core: f64, dims: [usize; 3]) -> Vec<[f64; 3]> {
    let full = dims.map(|nodes| 2 * nodes);
    let signed = |axis: usize, index: usize| {
        let nodes = dims[axis] as i32;
        (index as i32 + nodes) % (2 * nodes) - nodes
    };
    let mut values: Vec<[Complex<f64>; 3]> = (0..full.iter().product())
        .map(|index| {
            let at = node(full, index);
            let d = std::array::from_fn(|axis| signed(axis, at[axis]));
            let k = biot_savart(kernel, core, d).to_array();
            std::array::from_fn(|c| {
                let odd_at_the_image = at[c] == dims[c];
                Complex::new(if odd_at_the_image { 0.0 } else { k[c] }, 0.0)
            })
        })
        .collect();
    for axis in 0..3 {
        let len = full[axis];
        let stride: usize = full[..axis].iter().product();
        // Circular convolution along the axis with the transform of 1/W².
        let filter: Vec<f64> = (0..len)
            .map(|d| {
                (0..len)
                    .map(|m| {
                        let k = PI * f64::from(signed(axis, m)) / dims[axis] as f64;
                        let half = 0.5 * k.abs().max(1e-12);
                        (half / half.sin()).powi(6) * (k * d as f64).cos() / len as f64
                    })
                    .sum()
            })
            .collect();
        values = (0..values.len())
            .map(|index| {
                let at = node(full, index)[axis];
                std::array::from_fn(|c| {
                    (0..len)
                        .map(|from| {
                            values[index - at * stride + from * stride][c] * filter[(at + len - from) % len]
                        })
                        .sum()
                })
            })
            .collect();
    }
    values.into_iter().map(|k| k.map(|component| component.re)).collect()
}

#[test]
fn deconvolved_sum_of_all_nodes_without_a_lost_mode() {
    for (dims, core) in [([8, 16, 24], 1.5_f32), ([16, 8, 8], 0.5), ([16, 16, 16], 2.5)] {
        for kernel in Kernel::ALL {
            let table = deconvolved_kernel(kernel, f64::from(core), dims);
            let source = sources(dims);
            let out =
                solve(&mut Convolution::new(kernel, core, InstructionSet::Auto), &Serial, dims, &source);
            let error = error(dims, &source, &out, |d| {
                let at: [usize; 3] = std::array::from_fn(|axis| {
                    let full = 2 * dims[axis] as i32;
                    ((d[axis] + full) % full) as usize
                });
                DVec3::from_array(table[at[0] + 2 * dims[0] * (at[1] + 2 * dims[1] * at[2])])
            });
            println!("{kernel:?} {dims:?} {core}: {error:.1e}");
            assert!(error < 2e-5, "{kernel:?} {dims:?} {core}: {error:.1e}");
        }
    }
}

#[test]
fn a_vorton_does_not_move_itself_and_turns_its_neighbours_about_itself() {
    let dims = [16, 16, 16];
    let mut source = vec![Vec4::ZERO; 16 * 16 * 16];
    let centre = 8 + 16 * (8 + 16 * 8);
    source[centre] = Vec4::new(0.0, 0.0, 1.0, 0.0);
    // Not deconvolved: the inverse of the transfer's smoothing overshoots at a single node.
    let mut convolution = Convolution::with_transfers(Kernel::default(), 1.5, InstructionSet::Auto, PLAIN);
    let out = solve(&mut convolution, &Serial, dims, &source);
    let largest = out.iter().map(|u| u.length()).fold(0.0, f32::max);
    let tolerance = 1e-6 * largest;
    assert!(out[centre].length() < tolerance);
    for step in 1..8 {
        let (east, north, west) = (out[centre + step], out[centre + 16 * step], out[centre - step]);
        assert!(east.y > 0.0);
        assert!((east + west).length() < tolerance);
        assert!((east.y + north.x).abs() < tolerance && east.x.abs() + north.y.abs() < tolerance);
    }
    assert!(out.iter().all(|u| u.z.abs() < tolerance));
}

#[test]
fn same_bits_for_any_executor() {
    let dims = [24, 8, 16];
    let source = sources(dims);
    let bits = |exec: &dyn Executor| {
        let out =
            solve(&mut Convolution::new(Kernel::default(), 1.5, InstructionSet::Auto), exec, dims, &source);
        out.iter().map(|u| u.to_array().map(f32::to_bits)).collect::<Vec<_>>()
    };
    let serial = bits(&Serial);
    assert_eq!(serial, bits(&Pool::new(3).unwrap()));
    assert_eq!(serial, bits(&Shuffled::new(7)));
}

#[test]
fn same_bits_on_every_instruction_set() {
    // On some of them, lanes of the last block are unused.
    for dims in [[8, 16, 8], [24, 8, 16], [40, 24, 8], [16, 40, 24]] {
        let source = sources(dims);
        let bits = |set: InstructionSet| {
            let mut convolution = Convolution::new(Kernel::default(), 1.5, set);
            convolution.resize(&Serial, dims, &mut used_by_others());
            let mut out = vec![Vec4::NAN; source.len()];
            let energy = convolution.velocities_and_energy(
                &Serial,
                &source,
                &mut used_by_others().blocks,
                [1.0; 2],
                &mut out,
            );
            (energy.to_bits(), out.iter().map(|u| u.to_array().map(f32::to_bits)).collect::<Vec<_>>())
        };
        let portable = bits(InstructionSet::Portable);
        for set in InstructionSet::ALL.into_iter().filter(|set| set.is_available()) {
            assert!(bits(set) == portable, "{dims:?} {set:?}");
        }
    }
}

#[test]
fn nothing_remains_of_earlier_solves_and_dims() {
    let mut used = Convolution::new(Kernel::RosenheadMoore, 2.0, InstructionSet::Auto);
    for dims in [[32, 16, 8], [8, 8, 8], [8, 16, 24]] {
        let source = sources(dims);
        let fresh = solve(
            &mut Convolution::new(Kernel::RosenheadMoore, 2.0, InstructionSet::Auto),
            &Serial,
            dims,
            &source,
        );
        assert_eq!(solve(&mut used, &Serial, dims, &source), fresh);
        let silent = solve(&mut used, &Serial, dims, &vec![Vec4::ZERO; source.len()]);
        assert!(silent.iter().all(|u| *u == Vec4::ZERO));
    }
}

#[test]
fn a_table_made_ahead_has_the_bits_of_one_made_at_once() {
    let (first, next, last) = ([16, 24, 8], [24, 24, 16], [32, 24, 16]);
    let fresh = |dims| {
        solve(
            &mut Convolution::new(Kernel::default(), 1.5, InstructionSet::Auto),
            &Serial,
            dims,
            &sources(dims),
        )
    };
    // Number of calls before the box grows.
    for parts in 0..=TABLE_PARTS + PLANES_PARTS + 2 {
        let mut used = Convolution::new(Kernel::default(), 1.5, InstructionSet::Auto);
        let solved = |used: &mut Convolution, dims| solve(used, &Serial, dims, &sources(dims)) == fresh(dims);
        assert!(solved(&mut used, first));
        for _ in 0..parts {
            used.make_ahead(&Serial, next, &mut used_by_others());
            assert!(solved(&mut used, first), "{parts} parts");
        }
        assert!(solved(&mut used, next), "{parts} parts");
        // Back, where the previous table may be kept, and on, where parts of another one are in the way.
        assert!(solved(&mut used, first), "{parts} parts");
        used.solves_to_wait = 0;
        for _ in 0..parts {
            used.make_ahead(&Serial, last, &mut used_by_others());
        }
        assert!(solved(&mut used, next) && solved(&mut used, last), "{parts} parts");
    }
}

/// The energy budget waits in steps that make tables: these steps must not depend on memory allocated by
/// others.
#[test]
fn tables_are_made_ahead_in_the_same_steps_whatever_memory_there_is() {
    let made = |mut scratch: Scratch| {
        let mut used = Convolution::new(Kernel::default(), 1.5, InstructionSet::Auto);
        used.resize(&Serial, [16, 24, 8], &mut scratch);
        let parts = |_| {
            used.make_ahead(&Serial, [24, 24, 16], &mut scratch);
            used.other.as_ref().map(|(_, parts)| *parts)
        };
        (0..1 + PLANES_PARTS + TABLE_PARTS).map(parts).collect::<Vec<_>>()
    };
    let alone = made(Scratch::default());
    assert_eq!(alone.last(), Some(&Some(TABLE_PARTS)));
    assert_eq!(made(used_by_others()), alone);
}

#[test]
fn a_table_made_ahead_is_the_one_in_use_when_the_box_grows() {
    let (first, next, other) = ([16, 24, 8], [24, 24, 16], [24, 24, 8]);
    let mut used = Convolution::new(Kernel::default(), 1.5, InstructionSet::Auto);
    used.resize(&Serial, first, &mut used_by_others());
    // The plan, its memory, its parts.
    for _ in 0..1 + PLANES_PARTS + TABLE_PARTS {
        used.make_ahead(&Serial, next, &mut used_by_others());
    }
    let made = used.other.as_ref().map(|(plan, parts)| (plan.dims, *parts, plan.kernel.as_ptr()));
    let (dims, parts, ahead) = made.expect("a plan");
    assert_eq!((dims, parts), (next, TABLE_PARTS));
    // The expected box alternates: the table is not discarded each time.
    used.make_ahead(&Serial, other, &mut used_by_others());
    assert_eq!(used.other.as_ref().map(|(plan, _)| plan.dims), Some(next));
    used.resize(&Serial, next, &mut used_by_others());
    assert_eq!(used.plan.as_ref().map(|plan| plan.kernel.as_ptr()), Some(ahead));
    // Another core radius needs another table.
    used.set_nodes_per_core(1.2);
    for dims in [first, next] {
        let mut anew = Convolution::new(Kernel::default(), 1.2, InstructionSet::Auto);
        let source = sources(dims);
        assert_eq!(solve(&mut used, &Serial, dims, &source), solve(&mut anew, &Serial, dims, &source));
    }
}

fn bytes_of(convolution: &Convolution) -> Vec<u8> {
    let mut out = Writer::new(&mut [], &NoInsides);
    convolution.save(&mut out);
    let mut bytes = vec![0; out.len()];
    convolution.save(&mut Writer::new(&mut bytes, &NoInsides));
    bytes
}

/// Its bytes, and so the hash of its world, are those of one that has only the state and no other memory.
#[test]
fn a_plan_whose_core_radius_has_changed_is_no_part_of_the_state() {
    let (first, next) = ([16, 24, 8], [24, 24, 16]);
    let mut used = Convolution::new(Kernel::default(), 1.5, InstructionSet::Auto);
    used.resize(&Serial, first, &mut used_by_others());
    used.resize(&Serial, next, &mut used_by_others());
    used.set_nodes_per_core(1.2);
    for dims in [None, Some(next), Some(first)] {
        if let Some(dims) = dims {
            used.resize(&Serial, dims, &mut used_by_others());
        }
        let bytes = bytes_of(&used);
        let mut restored = [used.clone(), Convolution::new(Kernel::default(), 1.2, InstructionSet::Auto)];
        for (convolution, source) in restored.iter_mut().zip([sources(next), sources(next)]) {
            let mut from = Reader::new(&bytes, &NoInsides, &Serial);
            convolution.load(&mut used_by_others(), &mut from).expect("a saved convolution");
            assert_eq!(bytes_of(convolution), bytes, "{dims:?}");
            let mut anew = Convolution::new(Kernel::default(), 1.2, InstructionSet::Auto);
            let expected = solve(&mut anew, &Serial, next, &source);
            assert_eq!(solve(convolution, &Serial, next, &source), expected, "{dims:?}");
        }
    }
}
