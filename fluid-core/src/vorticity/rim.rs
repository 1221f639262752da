//! Vortons added and removed at the rim of a cloud, so that diffusion can leave it (E44).
//!
//! Exchange between neighbours (E31) needs neighbours: at the end of a cloud, content that should spread
//! outwards stays inside, and the linear impulse falls by the part that should have reached fluid farther
//! out.

use crate::grid::Anchor;
use crate::lanes::{InstructionSet, VectorJob, run_in_vectors};
use crate::math::{Vec3Columns, outer};
use crate::particles::cells::{Cells, ConnectedComponents, floor};
use crate::particles::neighbours::{Block, NEIGHBOUR_CHUNK, Neighbours};
use crate::particles::{Vorton, Vortons};
use fluid_threads::Executor;
use glam::{DMat3, DVec3, IVec3, Vec3};

/// Upkeep of vortons around the cloud, where vorticity, heat and dye are about to spread (E44).
#[derive(Debug, Clone, Default)]
pub struct Rim {
    bricks: Bricks,
    places: Vec<Birthplace>,
    /// Per vorton: true if it is to be removed.
    going: Vec<bool>,
    /// Steps since the last search for places of new vortons.
    since_birth: u32,
    /// Steps since the last search for removable vortons.
    since_retirement: u32,
    /// Diffusion since the last search for places of new vortons \[m²\].
    amount: f64,
    /// Position of a node of the lattice.
    anchor: Anchor,
}

crate::saved::fields!(Rim { since_birth, since_retirement, amount, anchor } not { bricks, places, going });

/// Settings of the cloud's diffusion, and the points closed to vortons.
#[derive(Clone, Copy)]
pub struct RimSettings<'a> {
    /// Core radius σ \[m\].
    pub core_radius: f32,
    /// ν dt or κ dt, the larger \[m²\].
    pub amount: f64,
    /// True if strengths diffuse.
    pub viscous: bool,
    /// True if heat and dye diffuse.
    pub diffusive: bool,
    /// True at points where no vorton may be added.
    pub covered: &'a dyn Fn(Vec3) -> bool,
    /// Largest number of vortons.
    pub max_vortons: usize,
}

/// Counts of one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RimReport {
    /// Vortons added.
    pub born: usize,
    /// Vortons removed.
    pub retired: usize,
}

/// Spacing H of the lattice on which vortons are added \[core radii\].
pub(super) const RIM_SPACING: f64 = 0.8;

/// A node gets a vorton only if less than this fraction of its cell is filled with volume \[1\].
const FILLED: f32 = 0.3;

/// It also needs at least this fraction of the largest content per volume in its component (of connected
/// bricks) \[1\].
const WEAK: f32 = 0.1;

/// Nodes with less than this fraction of a cell deposited are skipped: no vorton is near, only the tail of
/// the spline \[1\].
const REACHED: f32 = 1e-6;

/// A rim vorton is removed if the content around it is below this fraction of the threshold for adding one
/// \[1\].
const FADED: f32 = 0.15;

/// A rim vorton is removed if the other vortons fill its cell this many times \[1\].
const CROWDED: f32 = 1.0;

/// Components below this fraction of the strongest one are rounding errors, and do not spread \[1\].
const COMPONENT_ROUNDING: f32 = 1e-6;

/// Most steps between two searches for places of new vortons \[steps\], because the flow separates vortons
/// and opens gaps even without diffusion.
const BIRTH_INTERVAL: u32 = 4;
/// Most steps between two searches for removable vortons \[steps\], which cost more.
const RETIREMENT_INTERVAL: u32 = 8;

/// Diffusion after which places of new vortons are searched for earlier \[spacings²\].
const BIRTH_AMOUNT: f64 = 0.01;

/// Needs that differ by less than this fraction are equal \[1\]: if capacity does not suffice for all nodes,
/// mirror images stay mirror images.
const ALIKE: f32 = 1e-3;

/// Contents of removed vortons are distributed within this distance \[spacings\].
const RECEIVING_RADIUS: f64 = 2.5;

/// Largest Σ |share| for which contents are distributed \[1\]; it is 1 with neighbours on all sides, and
/// larger where large shares of opposite sign cancel.
const MOST_HANDED: f64 = 3.0;

/// Required accuracy of the sum and first moment of the shares \[1\]: neighbours nearly in a plane do not
/// reach it.
const EXACT: f64 = 1e-10;

/// A node that needs a vorton.
#[derive(Debug, Clone, Copy)]
struct Birthplace {
    place: Vec3,
    volume: f32,
    /// Content per volume over the largest in its component \[1\].
    need: f32,
}

impl Rim {
    /// Reserves memory for `capacity` vortons in disorder; more is allocated when needed.
    pub fn reserve(&mut self, capacity: usize) {
        self.bricks.reserve(capacity);
        self.places.reserve(capacity.div_ceil(VORTONS_PER_BRICK));
        self.going.reserve(capacity.saturating_sub(self.going.len()));
    }

    /// Moves the origin to `origin` \[m\]; the nodes stay at the same points of the fluid.
    pub(crate) fn shift_origin(&mut self, origin: Vec3) {
        self.anchor.shift_origin(origin);
    }

    /// Adds vortons around diffusing content, and removes rim vortons no longer needed. Σ α, Σ m', Σ dye and
    /// their first moments are conserved.
    pub fn keep_up(
        &mut self,
        exec: &dyn Executor,
        settings: RimSettings<'_>,
        neighbours: &mut Neighbours,
        vortons: &mut Vortons,
    ) -> RimReport {
        self.since_birth = self.since_birth.saturating_add(1);
        self.since_retirement = self.since_retirement.saturating_add(1);
        self.amount += settings.amount;
        let spacing = RIM_SPACING * f64::from(settings.core_radius);
        if self.since_birth < BIRTH_INTERVAL && self.amount < BIRTH_AMOUNT * spacing * spacing {
            return RimReport::default();
        }
        (self.since_birth, self.amount) = (0, 0.0);
        let channels = [false, settings.viscous, settings.diffusive, settings.diffusive];
        self.bricks.anchor = self.anchor.near_origin(spacing).0.place();
        self.bricks.deposit(spacing, vortons);
        self.bricks.find_components(spacing.powi(3) as f32);
        let weak = threshold(vortons.len(), settings.max_vortons);
        let mut retired = 0;
        if self.since_retirement >= RETIREMENT_INTERVAL {
            self.since_retirement = 0;
            let going = self.find_going(channels, weak, spacing, vortons);
            retired = if going { self.retire(exec, spacing, neighbours, vortons) } else { 0 };
        }
        let born = self.bear(&settings, channels, weak, spacing, vortons);
        RimReport { born, retired }
    }

    fn bear(
        &mut self,
        settings: &RimSettings<'_>,
        channels: [bool; CHANNELS],
        weak: f32,
        spacing: f64,
        vortons: &mut Vortons,
    ) -> usize {
        let cell = spacing.powi(3) as f32;
        let (bricks, places) = (&self.bricks, &mut self.places);
        places.clear();
        let floor: NodeValues = std::array::from_fn(|c| {
            COMPONENT_ROUNDING * bricks.most.iter().map(|most| most[c]).fold(0.0, f32::max)
        });
        for (brick, nodes) in bricks.nodes.iter().enumerate() {
            let most = &bricks.most[bricks.components.of(brick)];
            for (corner, node) in nodes.iter().enumerate() {
                if node[0] >= FILLED * cell || node[0] < REACHED * cell {
                    continue;
                }
                let need = need(&per_volume(node, 0.0), most, &floor, channels);
                if need <= weak {
                    continue;
                }
                let place = bricks.place(brick, corner, spacing);
                if !(settings.covered)(place) {
                    places.push(Birthplace { place, volume: cell - node[0], need });
                }
            }
        }
        let room = settings.max_vortons.saturating_sub(vortons.len());
        if places.len() > room {
            // The most needed ones. Of nodes with equal need all or none are used.
            places.sort_unstable_by(|a, b| b.need.total_cmp(&a.need));
            let least = places[room].need * (1.0 + ALIKE);
            places.truncate(places.partition_point(|place| place.need > least));
        }
        for &Birthplace { place, volume, .. } in places.iter() {
            vortons.push(Vorton { position: place, volume, halo: true, rim: true, ..Vorton::default() });
        }
        places.len()
    }

    /// Marks removable vortons; true if there are any.
    fn find_going(&mut self, channels: [bool; CHANNELS], weak: f32, spacing: f64, vortons: &Vortons) -> bool {
        let cell = spacing.powi(3) as f32;
        self.going.clear();
        self.going.resize(vortons.len(), false);
        let bricks = &mut self.bricks;
        let mut any = false;
        for row in 0..vortons.len() {
            if !vortons.rims[row] || values_of(vortons, row, cell).is_none() {
                continue;
            }
            let Some(stencil) = bricks.stencil(vortons.positions.get(row), spacing) else { continue };
            let volume = vortons.volumes[row].min(cell);
            let Some((here, own, component)) = bricks.gather(&stencil) else { continue };
            let most = &bricks.most[component];
            let faded = need(&per_volume(&here, 0.0), most, &[0.0; CHANNELS], channels) < FADED * weak;
            let crowded = here[0] - own * volume >= CROWDED * cell;
            if faded || crowded {
                self.going[row] = true;
                any = true;
                bricks.add(&stencil, [-volume, 0.0, 0.0, 0.0]);
            }
        }
        any
    }

    /// Removes the marked vortons, except those with neighbours that cannot take over their contents.
    fn retire(
        &mut self,
        exec: &dyn Executor,
        spacing: f64,
        neighbours: &mut Neighbours,
        vortons: &mut Vortons,
    ) -> usize {
        let around = (RECEIVING_RADIUS * spacing) as f32;
        let positions = &vortons.positions;
        let finite = (0..vortons.len()).filter(|&row| positions.get(row).is_finite());
        neighbours.sort(exec, around, finite, |row| positions.get(row));
        hand_over(neighbours, around, vortons, &mut self.going);
        let going = &self.going;
        vortons.retain(|_, row| !going[row])
    }
}

/// Returns the least relative need of a node that gets a vorton: [`WEAK`] while half of the capacity is free,
/// 1 when none is.
fn threshold(count: usize, max: usize) -> f32 {
    let taken = (2.0 * count as f32 / max as f32 - 1.0).clamp(0.0, 1.0);
    libm::powf(WEAK, 1.0 - taken)
}

/// Returns the contents of a node per volume, with a volume of at least `least`.
fn per_volume(node: &NodeValues, least: f32) -> NodeValues {
    let [volume, contents @ ..] = *node;
    let volume = volume.max(least);
    let [strength, mass, dye] = contents.map(|content| if content > 0.0 { content / volume } else { 0.0 });
    [volume, strength, mass, dye]
}

/// Returns the largest ratio of a node's contents to the maximum of its component.
fn need(node: &NodeValues, most: &NodeValues, floor: &NodeValues, channels: [bool; CHANNELS]) -> f32 {
    let share = |c: usize| {
        if channels[c] && node[c] > floor[c] { (node[c] / most[c]).min(1.0) } else { 0.0 }
    };
    (1..CHANNELS).map(share).fold(0.0, f32::max)
}

/// Distributes the contents of vortons to be removed to their remaining neighbours, conserving sums and first
/// moments. A vorton is kept if its neighbours do not allow that.
fn hand_over(neighbours: &Neighbours, around: f32, vortons: &mut Vortons, going: &mut [bool]) {
    for start in (0..neighbours.len()).step_by(NEIGHBOUR_CHUNK) {
        for block in neighbours.blocks(start) {
            for row in block.targets().map(|i| neighbours.particle(i)) {
                if !going[row] {
                    continue;
                }
                let Vorton { position, strength, mass_deviation, dye, fuel, .. } = vortons.get(row);
                if strength == Vec3::ZERO && [mass_deviation, dye, fuel] == [0.0; 3] {
                    continue;
                }
                let visit =
                    Neighbourhood { neighbours, block: &block, place: position, reach2: around * around };
                let Some(shares) = visit.shares(&vortons.positions, going) else {
                    going[row] = false;
                    continue;
                };
                let Vortons { positions, strengths, mass_deviations, dyes, fuels, .. } = &mut *vortons;
                visit.for_each(positions, going, |other, weight, d| {
                    let share = shares.of(weight, d);
                    let changed = strengths.get(other).as_dvec3() + strength.as_dvec3() * share;
                    strengths.set(other, changed.as_vec3());
                    mass_deviations[other] += (f64::from(mass_deviation) * share) as f32;
                    dyes[other] += (f64::from(dye) * share) as f32;
                    fuels[other] += (f64::from(fuel) * share) as f32;
                });
            }
        }
    }
}

/// The surroundings of a vorton to be removed.
struct Neighbourhood<'a> {
    neighbours: &'a Neighbours,
    block: &'a Block,
    place: Vec3,
    reach2: f32,
}

/// A neighbour at distance d with the weight w takes the share w (a + b · d) of a removed vorton's content.
#[derive(Clone, Copy)]
struct Shares {
    a: f64,
    b: DVec3,
}

impl Shares {
    fn of(self, weight: f64, d: DVec3) -> f64 {
        weight * (self.a + self.b.dot(d))
    }
}

impl Neighbourhood<'_> {
    /// Calls `visit(other, weight, d)` for the remaining neighbours.
    fn for_each(&self, positions: &Vec3Columns, going: &[bool], mut visit: impl FnMut(usize, f64, DVec3)) {
        for other in self.block.sources().flatten().map(|i| self.neighbours.particle(i)) {
            let d = positions.get(other) - self.place;
            let near = 1.0 - d.length_squared() / self.reach2;
            if near > 0.0 && !going[other] {
                let near2 = f64::from(near * near);
                visit(other, near2 * near2, d.as_dvec3());
            }
        }
    }

    /// Returns the smallest shares (in Σ share²/w) with Σ share = 1 and Σ share d = 0.
    fn shares(&self, positions: &Vec3Columns, going: &[bool]) -> Option<Shares> {
        let (mut sum, mut first, mut second) = (0.0, DVec3::ZERO, DMat3::ZERO);
        self.for_each(positions, going, |_, weight, d| {
            sum += weight;
            first += weight * d;
            second += outer(d, d) * weight;
        });
        let slope = second.inverse() * first;
        let a = 1.0 / (sum - first.dot(slope));
        let shares = Shares { a, b: -a * slope };
        let (mut handed, mut kept, mut moved) = (0.0, 0.0, DVec3::ZERO);
        self.for_each(positions, going, |_, weight, d| {
            let share = shares.of(weight, d);
            handed += share.abs();
            kept += share;
            moved += share * d;
        });
        // NaN (no neighbour, or all in a plane) fails.
        let exact =
            (kept - 1.0).abs() < EXACT && moved.length_squared() < EXACT * EXACT * f64::from(self.reach2);
        (handed <= MOST_HANDED && exact).then_some(shares)
    }
}

/// Values deposited on a node: volume, |α|, |m'| and |dye|.
type NodeValues = [f32; CHANNELS];
const CHANNELS: usize = 4;

/// Returns the values that a vorton deposits; `None` for one without a volume, which takes no part in
/// diffusion, or with values that are not finite.
#[inline(always)]
fn values_of(vortons: &Vortons, row: usize, cell: f32) -> Option<NodeValues> {
    let values = [
        vortons.volumes[row].min(cell),
        vortons.strengths.get(row).length(),
        vortons.mass_deviations[row].abs(),
        vortons.dyes[row].abs(),
    ];
    (vortons.volumes[row] > 0.0 && values.iter().all(|v| v.is_finite())).then_some(values)
}

/// A sparse lattice: bricks of 2 × 2 × 2 nodes, in the order in which vortons reach them.
#[derive(Debug, Clone, Default)]
struct Bricks {
    /// Position of node 0 \[m\].
    anchor: DVec3,
    cells: Cells,
    nodes: Vec<[NodeValues; 8]>,
    /// Per brick: the 2 × 2 × 2 bricks of which it is the lowest, or [`NOT_TOUCHED`] until a vorton deposits
    /// there.
    around: Vec<[u32; 8]>,
    components: ConnectedComponents,
    /// The largest contents per volume of a node in each component.
    most: Vec<NodeValues>,
}

/// Vortons per brick for which memory is reserved at the start \[particles\]. A filled volume has 14; sheets
/// and filaments have fewer.
const VORTONS_PER_BRICK: usize = 4;

/// `around` of a brick that is not the lowest of eight reached by a vorton.
const NOT_TOUCHED: [u32; 8] = [u32::MAX; 8];

/// Farthest node on which vortons are added \[nodes\]: beyond it f32 cannot distinguish neighbouring nodes.
const FARTHEST_NODE: f64 = (1 << 20) as f64;

/// Deposits all vortons, compiled for vectors.
struct BrickDeposit<'a> {
    bricks: &'a mut Bricks,
    spacing: f64,
    vortons: &'a Vortons,
}

impl VectorJob for BrickDeposit<'_> {
    #[inline(always)]
    fn run(self) {
        let Self { bricks, spacing, vortons } = self;
        let cell = spacing.powi(3) as f32;
        for row in 0..vortons.len() {
            let Some(values) = values_of(vortons, row, cell) else { continue };
            if let Some(stencil) = bricks.stencil(vortons.positions.get(row), spacing) {
                bricks.add(&stencil, values);
            }
        }
    }
}

/// Interpolation at a point: the lowest of its 2 × 2 × 2 bricks, and weights of their 4 × 4 × 4 nodes (one
/// row along each axis is 0).
struct Stencil {
    brick: IVec3,
    weights: [[f32; 4]; 3],
}

impl Stencil {
    /// Returns the stencil of a position \[m\] relative to a node.
    #[inline(always)]
    fn at(place: DVec3, spacing: f64) -> Option<Self> {
        let cells = place / spacing;
        // NaN fails.
        if !cells.abs().cmplt(DVec3::splat(FARTHEST_NODE)).all() {
            return None;
        }
        let nearest = floor(cells + 0.5);
        let offset = (cells - nearest.as_dvec3()).as_vec3().to_array();
        let lowest = nearest - 1;
        let brick = lowest >> 1;
        let odd = (lowest & 1).to_array();
        let weights = std::array::from_fn(|axis| {
            let t = offset[axis];
            let (low, high) = (0.5 * (0.5 - t) * (0.5 - t), 0.5 * (0.5 + t) * (0.5 + t));
            let mid = 0.75 - t * t;
            if odd[axis] == 0 { [low, mid, high, 0.0] } else { [0.0, low, mid, high] }
        });
        Some(Self { brick, weights })
    }

    /// Returns the lowest of the eight bricks and its seven neighbours.
    fn bricks(lowest: IVec3) -> [IVec3; 8] {
        std::array::from_fn(|b| lowest + IVec3::new(b as i32 & 1, b as i32 >> 1 & 1, b as i32 >> 2))
    }

    /// Returns the weights of the nodes of the `b`-th brick.
    #[inline(always)]
    fn weights(&self, b: usize) -> [f32; 8] {
        let ([wx, wy, wz], [bx, by, bz]) = (&self.weights, [b & 1, b >> 1 & 1, b >> 2]);
        std::array::from_fn(|n| wx[2 * bx + (n & 1)] * wy[2 * by + (n >> 1 & 1)] * wz[2 * bz + (n >> 2)])
    }
}

impl Bricks {
    fn reserve(&mut self, capacity: usize) {
        let bricks = capacity.div_ceil(VORTONS_PER_BRICK);
        self.cells.reserve(bricks);
        self.components.reserve(bricks);
        self.nodes.reserve(bricks.saturating_sub(self.nodes.len()));
        self.around.reserve(bricks.saturating_sub(self.around.len()));
    }

    #[inline(always)]
    fn stencil(&self, place: Vec3, spacing: f64) -> Option<Stencil> {
        Stencil::at(place.as_dvec3() - self.anchor, spacing)
    }

    fn deposit(&mut self, spacing: f64, vortons: &Vortons) {
        self.cells.clear();
        self.nodes.clear();
        self.around.clear();
        run_in_vectors(InstructionSet::Auto, BrickDeposit { bricks: self, spacing, vortons });
    }

    #[inline(always)]
    fn add(&mut self, stencil: &Stencil, values: NodeValues) {
        let around = self.around(stencil.brick);
        let nodes = self.nodes.as_mut_slice();
        for (b, brick) in around.into_iter().enumerate() {
            for (node, weight) in nodes[brick as usize].iter_mut().zip(stencil.weights(b)) {
                (0..CHANNELS).for_each(|c| node[c] += weight * values[c]);
            }
        }
    }

    /// Returns the eight bricks of which the one in this cell is the lowest; those that are new are added.
    #[inline(never)]
    fn around(&mut self, cell: IVec3) -> [u32; 8] {
        let lowest = self.brick(cell);
        if self.around[lowest] == NOT_TOUCHED {
            self.around[lowest] = Stencil::bricks(cell).map(|cell| self.brick(cell) as u32);
        }
        self.around[lowest]
    }

    /// Returns the index of the brick in this cell, which is added if new.
    fn brick(&mut self, cell: IVec3) -> usize {
        let brick = self.cells.add(cell);
        if brick == self.nodes.len() {
            self.nodes.push([[0.0; CHANNELS]; 8]);
            self.around.push(NOT_TOUCHED);
        }
        brick
    }

    /// Returns the contents at a point, the fraction of its own value that a deposit reads back there, and
    /// the component. `None` if nothing was deposited.
    fn gather(&self, stencil: &Stencil) -> Option<(NodeValues, f32, usize)> {
        let (mut values, mut own, mut component) = ([0.0; CHANNELS], 0.0, None);
        for (b, cell) in Stencil::bricks(stencil.brick).into_iter().enumerate() {
            let Some(brick) = self.cells.find(cell) else { continue };
            component = Some(self.components.of(brick));
            for (node, weight) in self.nodes[brick].iter().zip(stencil.weights(b)) {
                own += weight * weight;
                (0..CHANNELS).for_each(|c| values[c] += weight * node[c]);
            }
        }
        component.map(|component| (values, own, component))
    }

    fn place(&self, brick: usize, corner: usize, spacing: f64) -> Vec3 {
        let corner = IVec3::new(corner as i32 & 1, corner as i32 >> 1 & 1, corner as i32 >> 2);
        ((2 * self.cells.get(brick) + corner).as_dvec3() * spacing + self.anchor).as_vec3()
    }

    /// Joins touching bricks to components, and finds the largest contents of each.
    fn find_components(&mut self, cell: f32) {
        self.components.find(&self.cells);
        self.most.clear();
        self.most.resize(self.components.count(), [0.0; CHANNELS]);
        for (brick, nodes) in self.nodes.iter().enumerate() {
            let most = &mut self.most[self.components.of(brick)];
            for node in nodes {
                // At least half a cell: a single vorton of a tiny volume then has a fraction of the largest
                // content, not all of it.
                let values = per_volume(node, 0.5 * cell);
                *most = std::array::from_fn(|c| most[c].max(values[c]));
            }
        }
    }
}
