//! Repeated sums over the same pairs: conjugate gradients need the velocity at the same targets from the
//! same sources, with strengths that change from pass to pass. q/r³, most of the cost, is computed once.

use super::direct::{Factors, SourceCloud, velocity_block};
use super::kernel::{Kernel, Mollifier, RigidCore, RosenheadMoore, WinckelmansLeonard};
use super::source_groups::SelectedGroups;
use crate::constants::DIRECT_CHUNK;
use crate::lanes::{BLOCK, Job, Lanes};
use fluid_threads::{Executor, Rows, for_each_chunk_mut};
use glam::Vec3;
use std::marker::PhantomData;

/// Maximum number of pairs with stored factors: 8 MiB, the walls of a tank of 2,000 vortons. Even from a
/// third-level cache, loading them is faster than computing them again.
const MOST_PAIRS: usize = 1 << 21;

/// Maximum number of pairs to reserve in advance, 256 KiB: 256 contacts of a body. More allocate on demand.
const MOST_RESERVED: usize = 1 << 16;

/// Stored q/r³ of the pairs of targets and sources, 4 bytes each.
#[derive(Debug, Clone, Default)]
pub struct PairFactors {
    /// \[block of targets\]\[source\]\[target of the block\].
    factors: Vec<f32>,
    /// Numbers of targets and sources of the stored pairs.
    known: Option<(usize, usize)>,
}

impl PairFactors {
    /// Reserves memory for this number of targets and sources, up to 256 KiB, so that later sums over no
    /// more of them do not allocate.
    pub fn reserve(&mut self, targets: usize, sources: usize) {
        let pairs = targets.next_multiple_of(BLOCK).saturating_mul(sources).min(MOST_RESERVED);
        self.factors.reserve(pairs.saturating_sub(self.factors.len()));
    }

    /// Discards the factors after targets or sources have moved.
    pub fn forget(&mut self) {
        self.known = None;
    }
}

impl SourceCloud {
    /// Computes the velocities \[m/s\] at `targets` \[m\], in parallel; `out` is resized. The positions of
    /// targets and sources must not have changed since the last [`forget`](PairFactors::forget). The bits
    /// are those of a sum without `factors`, which is taken if there is no memory for them.
    pub fn velocities_again(
        &self,
        exec: &dyn Executor,
        factors: &mut PairFactors,
        targets: &[Vec3],
        out: &mut Vec<Vec3>,
    ) {
        // Whole blocks, so that each target has a row of factors.
        let padded = targets.len().next_multiple_of(BLOCK);
        let (sources, pairs) = (self.len(), padded.saturating_mul(self.len()));
        // A fourth more than needed: the number of contacts varies.
        let reserved = (pairs + pairs / 4).min(MOST_PAIRS);
        let is_short = factors.factors.capacity() < pairs;
        if pairs > MOST_PAIRS || is_short && !exec.has_memory(size_of::<f32>() * reserved) {
            self.velocities_in_parallel(exec, targets, out);
            return;
        }
        out.clear();
        out.resize(padded, Vec3::ZERO);
        if pairs > 0 {
            let is_known = factors.known.replace((targets.len(), sources)) == Some((targets.len(), sources));
            if is_short {
                // There are more pairs now, so none is stored.
                factors.factors = Vec::new();
                factors.factors.reserve_exact(reserved);
            }
            factors.factors.resize(pairs, 0.0);
            let rows = Rows::new(factors.factors.as_mut_slice(), sources);
            let columns = (rows, out.as_mut_slice());
            for_each_chunk_mut(exec, DIRECT_CHUNK, columns, &|first, (factors, out)| {
                let targets = &targets[first..(first + out.len()).min(targets.len())];
                match self.settings().kernel {
                    Kernel::WinckelmansLeonard => {
                        self.run(PairJob::<WinckelmansLeonard>::new(self, targets, is_known, factors, out))
                    }
                    Kernel::RosenheadMoore => {
                        self.run(PairJob::<RosenheadMoore>::new(self, targets, is_known, factors, out))
                    }
                    Kernel::RigidCore => {
                        self.run(PairJob::<RigidCore>::new(self, targets, is_known, factors, out))
                    }
                }
            });
        }
        out.truncate(targets.len());
    }
}

/// Computes velocities at whole blocks of targets, the last of which may be short.
struct PairJob<'a, K> {
    cloud: &'a SourceCloud,
    targets: &'a [Vec3],
    is_known: bool,
    factors: &'a mut [f32],
    out: &'a mut [Vec3],
    kernel: PhantomData<K>,
}

impl<'a, K> PairJob<'a, K> {
    fn new(
        cloud: &'a SourceCloud,
        targets: &'a [Vec3],
        is_known: bool,
        factors: &'a mut [f32],
        out: &'a mut [Vec3],
    ) -> Self {
        Self { cloud, targets, is_known, factors, out, kernel: PhantomData }
    }
}

impl<K: Mollifier> Job for PairJob<'_, K> {
    #[inline(always)]
    fn run<L: Lanes>(self) {
        let (factors, _) = self.factors.as_chunks_mut::<BLOCK>();
        let factors = factors.chunks_exact_mut(self.cloud.len());
        let blocks = self.targets.chunks(BLOCK).zip(self.out.chunks_mut(BLOCK));
        for ((targets, out), factors) in blocks.zip(factors) {
            let out = &mut out[..targets.len()];
            if self.is_known {
                velocity_block::<L, K, _>(
                    (self.cloud, &SelectedGroups::ALL),
                    targets,
                    &mut KnownFactors(factors),
                    out,
                );
            } else {
                velocity_block::<L, K, _>(
                    (self.cloud, &SelectedGroups::ALL),
                    targets,
                    &mut KeptFactors(factors),
                    out,
                );
            }
        }
    }
}

/// Stored factors of one block of targets, source by source.
struct KnownFactors<'a>(&'a [[f32; BLOCK]]);

impl Factors for KnownFactors<'_> {
    #[inline(always)]
    fn of<L: Lanes, K: Mollifier>(&mut self, source: usize, lane: usize, _: L, _: L) -> L {
        L::load(&self.0[source], lane)
    }
}

/// Factors that are computed and stored.
struct KeptFactors<'a>(&'a mut [[f32; BLOCK]]);

impl Factors for KeptFactors<'_> {
    #[inline(always)]
    fn of<L: Lanes, K: Mollifier>(&mut self, source: usize, lane: usize, r2: L, core2: L) -> L {
        let factor = K::velocity_factor(r2, core2);
        factor.store(&mut self.0[source], lane);
        factor
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::InstructionSet;
    use crate::math::Random;
    use crate::velocity::{DirectSettings, Precision, VelocityField};
    use fluid_threads::{Pool, Serial};

    #[test]
    fn kept_factors_give_the_same_bits() {
        let pool = Pool::new(3).expect("threads start");
        let random = Random::new(5);
        // Whole blocks and partial ones, nearly empty sets, and more pairs than are stored.
        for (targets, sources) in [(0, 3), (3, 0), (1, 1), (64, 7), (150, 700), (1100, 2000)] {
            for kernel in [Kernel::WinckelmansLeonard, Kernel::RosenheadMoore, Kernel::RigidCore] {
                let mut cloud = SourceCloud::new(DirectSettings {
                    kernel,
                    core_radius: 0.1,
                    instruction_set: InstructionSet::Auto,
                    precision: Precision::Exact,
                });
                let place = |i: usize| random.centred_vec3(i as u64);
                let targets: Vec<Vec3> = (0..targets).map(|i| place(i + 10_000)).collect();
                let (mut factors, mut out) = (PairFactors::default(), Vec::new());
                factors.reserve(targets.len(), sources);
                for pass in 0..3 {
                    cloud.set_from((0..sources).map(|i| (place(i), place(20_000 * (pass + 1) + i))));
                    let mut expected = vec![Vec3::ZERO; targets.len()];
                    cloud.velocities(&targets, &mut expected);
                    let exec: &dyn Executor = if pass == 1 { &pool } else { &Serial };
                    cloud.velocities_again(exec, &mut factors, &targets, &mut out);
                    assert_eq!(out, expected, "{kernel:?}, {sources} sources, pass {pass}");
                }
                factors.forget();
                cloud.set_from((0..sources).map(|i| (place(i) * 2.0, place(i + 7))));
                let mut expected = vec![Vec3::ZERO; targets.len()];
                cloud.velocities(&targets, &mut expected);
                cloud.velocities_again(&Serial, &mut factors, &targets, &mut out);
                assert_eq!(out, expected, "sources that have moved");
            }
        }
    }
}
