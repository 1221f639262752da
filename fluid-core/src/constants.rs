//! Constants of ours, each with its unit and its reason. A user's knobs are in [`crate::params`].

/// Targets per chunk of a direct sum \[particles\]. Against 1,000 vortons a chunk is about 50 µs of work: long enough to hide
/// a pool's 2 µs per loop, short enough to balance. Depends on the problem only (determinism, level 1).
pub const DIRECT_CHUNK: usize = 64;

/// Sources summed into one partial sum \[particles\]. Partial sums bound the rounding error of a long f32 sum by about
/// (512 + N/512) ulp instead of N ulp; 512 sources (12 KiB) also stay in the first-level cache.
pub const SOURCE_TILE: usize = 512;

/// Particles per chunk of a cheap per-particle loop \[particles\].
pub const PARTICLE_CHUNK: usize = 1024;

/// Steps between two sorts of a tracer set by cell \[steps\]. Order affects speed only; a sort costs about one advance.
pub const TRACER_SORT_INTERVAL: u64 = 16;

/// Edge of the cells by which tracers are sorted \[core radii\].
pub const TRACER_CELL: f32 = 2.0;

/// Smallest and largest core radius \[m\]. Inside it f32 holds every power of σ that the kernels need.
pub const CORE_RADIUS_RANGE: (f32, f32) = (1e-9, 1e9);

/// Most vortons a world may be asked to hold \[particles\].
pub const MAX_VORTONS: usize = 1 << 24;

/// Tracers or host particles per chunk \[particles\]: their scratch fits on the stack and in the first-level cache.
pub const TRACER_CHUNK: usize = 256;

/// Growth of Σ|α| that giving back may cost, as a part of the share that relaxation turns \[1\]. Closed vortex lines stay far below
/// it; where lines end in the cloud it would be about 0.1, again and again, until a sheet relaxed at 20/s is lost within 2 s.
pub const RELAXATION_COST: f64 = 0.02;
