//! Internal constants, each with its unit and its reason. User parameters are in [`crate::params`].

/// Targets per chunk of a direct sum \[particles\]. Against 1,000 vortons a chunk is about 50 µs of work:
/// long enough to hide a pool's 2 µs per loop, short enough to balance. Depends on the problem only
/// (determinism, level 1).
pub const DIRECT_CHUNK: usize = 64;

/// Sources summed into one partial sum \[particles\]. Partial sums bound the rounding error of a long f32 sum
/// by about (512 + N/512) ulp instead of N ulp; 512 sources (12 KiB) also stay in the first-level cache.
pub const SOURCE_TILE: usize = 512;

/// Particles per chunk of a cheap per-particle loop \[particles\].
pub const PARTICLE_CHUNK: usize = 1024;

/// Steps between two sorts of a tracer set by cell \[steps\]. Order affects speed only; a sort costs about
/// one advance.
pub const TRACER_SORT_INTERVAL: u64 = 16;

/// Edge of the cells by which tracers are sorted \[core radii\].
pub const TRACER_CELL: f32 = 2.0;

/// Smallest and largest core radius \[m\]. Within it f32 holds every power of σ that the kernels need.
pub const CORE_RADIUS_RANGE: (f32, f32) = (1e-9, 1e9);

/// Smallest and largest density \[kg/m³\] and temperature \[K\] of the ambient fluid. Within it a thousandth
/// and a thousand times of either are numbers of full precision.
pub const AMBIENT_RANGE: (f32, f32) = (1e-9, 1e9);

/// Initial capacity for bound vortons \[particles\]: about 16 bodies' worth, or those of one sheet. More
/// allocate once.
pub const BOUND_VORTONS: usize = 2048;

/// Maximum number of vortons of a world \[particles\].
pub const MAX_VORTONS: usize = 1 << 24;

/// Tracers or host particles per chunk \[particles\]: their scratch fits on the stack and in the first-level
/// cache.
pub const TRACER_CHUNK: usize = 256;

/// Time step times velocity gradient \[1\] above which a midpoint step is inaccurate (above 1 it is
/// unstable).
pub const STRETCH_LIMIT: f64 = 0.3;

/// Stretch number above which a step is made at fourth order \[1\]. In midpoint steps a filament ring at
/// 0.48 per step breaks up after 80 s, at 0.42 it keeps its energy for 90 s; with one solve per step it
/// keeps it at 0.38 for 80 s.
pub const FOURTH_ORDER_ABOVE: f32 = 0.4;

/// Time step times velocity gradient \[1\] above which the growth of strengths is limited (E6), and a step
/// of second order did not follow the flow: strengths turn and stretch by more than a step can resolve.
pub const STRETCH_BOUNDED: f32 = 1.0;

/// Time step times velocity gradient \[1\] above which a step of fourth order did not follow the flow,
/// which the host can query. The core of a vortex turns by 1.4 rad in such a step.
pub const STRETCH_FOLLOWED: f32 = 2.0;

/// Longest step \[s\] in either direction of time. Displacements, angles and ages of a step at the other
/// bounds stay within `f32`, their squares too, and units of length and time can be chosen freely.
pub const MAX_STEP: f32 = 1e7;

/// Largest speed \[m/s\] of the wind.
pub const MAX_SPEED: f32 = 1e10;

/// Largest speed \[m/s\] of a body.
pub const MAX_BODY_SPEED: f32 = 1e6;

/// Largest coordinate \[m\] of a body.
pub const MAX_COORDINATE: f32 = 1e9;

/// Largest acceleration of gravity \[m/s²\].
pub const MAX_GRAVITY: f32 = 1e12;

/// Largest angular velocity \[rad/s\] of a body.
pub const MAX_SPIN: f32 = 1e6;

/// Factor on the work that gravity does on the fluid, where it gives energy, in containers with walls that
/// act where vortons touch them \[1\]: the energy of the vortons (E8) includes the flow that they induce
/// outside of the walls.
pub const WALL_CREDIT: f64 = 2.0;

/// Growth of Σ|α| allowed for the correction after relaxation, relative to the fraction by which relaxation
/// turns strengths \[1\]. Closed vortex lines stay far below it; where lines end in the cloud it would be
/// about 0.1 in every step, until a sheet relaxed at 20/s is lost within 2 s.
pub const RELAXATION_COST: f64 = 0.02;

/// Smallest `max_grid_nodes`: 16 along each axis, which hold one vorton and its margins \[nodes\].
pub const LEAST_GRID_NODES: usize = 4096;

/// Largest `max_grid_nodes`: 256 along each axis \[nodes\].
pub const MOST_GRID_NODES: usize = 1 << 24;

/// Nodes per core radius of the lattice on which density is differentiated \[1\]. Vortons of a volume are
/// σ/1.5 to σ/1.65 apart, so there is about one per cell: the resolution limit of a finite difference
/// between them.
pub const DENSITY_NODES_PER_CORE: f32 = 1.5;

/// Nodes between the outermost vorton that carries density and the faces of density's box: deposit,
/// smoothing and difference reach one node each, and halo vortons created on the outermost of these need
/// one node around them, and one to move.
pub const DENSITY_MARGIN: u32 = 5;

/// Nodes between the outermost vorton and the faces of the mesh's box. The field is read from nodes up to one
/// node inside the faces; beyond, from a lattice twice as wide, which must not be nearer to a source than 1.5
/// of its spacings.
pub const MESH_MARGIN: u32 = 4;
