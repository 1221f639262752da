//! Random numbers that are a function of (seed, counter): no hidden state, so order of evaluation cannot
//! matter.

use glam::Vec3;

/// A counter-based generator: the n-th number of a stream is SplitMix64's finaliser (Steele, Lea, Flood 2014)
/// applied to seed and n. Equal seeds give equal numbers on every machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Random {
    seed: u64,
}

impl Random {
    /// Creates the stream of `seed`.
    pub const fn new(seed: u64) -> Self {
        Self { seed }
    }

    /// Returns 64 random bits at `counter`.
    pub fn bits(self, counter: u64) -> u64 {
        let mut z = self
            .seed
            .wrapping_mul(0xd134_2543_de82_ef95)
            .wrapping_add(counter.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number uniform in [0, 1), 24 bits, so that the value is exact in `f32`.
    pub fn unit(self, counter: u64) -> f32 {
        (self.bits(counter) >> 40) as f32 * (1.0 / (1u64 << 24) as f32)
    }

    /// Returns a vector uniform in [-1/2, 1/2) per component; uses counters 3n, 3n + 1, 3n + 2.
    pub fn centred_vec3(self, n: u64) -> Vec3 {
        let c = n.wrapping_mul(3);
        Vec3::new(self.unit(c), self.unit(c.wrapping_add(1)), self.unit(c.wrapping_add(2))) - 0.5
    }
}
