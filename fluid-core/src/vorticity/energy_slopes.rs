//! Slopes of the energy along the directions of the budget (E46) as they are to be expected from earlier
//! ones. Exact ones need the vector potentials of the cloud, which cost another solve on a mesh. What a
//! direction takes out shows in the energy of the next look, at no cost, so expectations are corrected.

use std::ops::Range;

/// Which strengths to take out.
#[derive(Debug, Clone, Copy)]
pub(super) enum Direction {
    /// What the neighbours do not explain, where the flow strains.
    Rough,
    /// Vortons that make most of their vorticity themselves, where they are stretched.
    LonelyAndStretched,
    /// All in proportion.
    All,
    /// Vortons that make most of their vorticity themselves, wherever they are.
    Lonely,
}

impl Direction {
    /// The least harm first. Those that stand alone come last: they hardly ever have what the others have
    /// not.
    pub(super) const IN_ORDER: [Self; DIRECTIONS] =
        [Self::Rough, Self::LonelyAndStretched, Self::All, Self::Lonely];
}

const DIRECTIONS: usize = 4;

/// Part of what the energy was off by that corrects expectations \[1\]: the energy changes by itself as well.
const CORRECTION: f64 = 0.5;

/// What goes, over what was promised \[1\], beyond which the direction that promised the most is not taken
/// any more until its slope has been found anew.
const TRUSTED: Range<f64> = 0.3..3.0;

/// Least part of an excess that a promise takes out for the next look to tell whether it has gone \[1\].
const TOLD: f64 = 0.3;

/// Most promises that take the most along the last two directions, less one in so many looks, before slopes
/// are found anew \[1\]: a direction with less harm may have become better.
const MOST_LAST_RESORTS: f32 = 4.0;
const LOOKS_PER_LAST_RESORT: f32 = 8.0;

/// Expected slopes, and what has been taken out by them.
#[derive(Debug, Clone, Default)]
pub(super) struct EnergySlopes {
    /// Slope b over Σ d·α of each direction \[1/m\]; none before it has been found once.
    per_product: [Option<f64>; DIRECTIONS],
    /// What each direction contributes to the combined slope \[m⁵/s²\].
    parts: [f64; DIRECTIONS],
    promise: Option<Promise>,
    /// Promises that take the most along the last two directions, less those that are long ago.
    last_resorts: f32,
}

crate::saved::fields!(EnergySlopes { per_product, parts, promise, last_resorts });

/// \[m⁵/s²\].
#[derive(Debug, Clone, Copy, Default)]
struct Promise {
    /// Energy that goes.
    removed: f64,
    /// Excess that is left.
    left: f64,
    /// Growth of the excess until the next look.
    growth: f64,
}

crate::saved::fields!(Promise { removed, left, growth });

/// What a look finds after energy has been taken out by expected slopes \[m⁵/s²\].
#[derive(Debug, Clone, Copy)]
pub(super) struct Outcome {
    /// Energy that was to go, and has not gone.
    pub(super) missing: f64,
    /// Growth of the excess from one look to the next that was counted on.
    pub(super) growth: f64,
}

impl EnergySlopes {
    /// Another cloud, or another measure of its energy.
    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }

    /// True if the slope along some direction has been found before.
    pub(super) fn are_known(&self) -> bool {
        self.per_product.iter().any(Option::is_some)
    }

    /// The slope to expect along a direction of this Σ d·α, if it has been found before.
    pub(super) fn expected(&self, direction: Direction, product: f64) -> Option<f64> {
        let is_worn = self.last_resorts > MOST_LAST_RESORTS;
        self.per_product[direction as usize].filter(|_| !is_worn).map(|slope| slope * product)
    }

    /// The slope along a direction has been found.
    pub(super) fn learn(&mut self, direction: Direction, slope: f64, product: f64) {
        let per_product = slope / product;
        self.per_product[direction as usize] = per_product.is_finite().then_some(per_product);
        self.last_resorts = 0.0;
    }

    /// Another direction is being combined.
    pub(super) fn begin(&mut self) {
        self.parts = [0.0; DIRECTIONS];
    }

    /// So much of the combined slope \[m⁵/s²\] is along this direction.
    pub(super) fn take(&mut self, direction: Direction, slope: f64) {
        self.parts[direction as usize] = slope;
    }

    /// `removed` goes along the combined direction if its slope is the expected one, and an excess is `left`
    /// that grows by `growth` until the next look \[m⁵/s²\].
    pub(super) fn promise(&mut self, removed: f64, left: f64, growth: f64) {
        self.promise = Some(Promise { removed, left, growth });
        let largest = self.largest_part();
        if [Direction::All, Direction::Lonely].into_iter().any(|last| self.parts[last as usize] == largest) {
            self.last_resorts += 1.0;
        }
    }

    fn largest_part(&self) -> f64 {
        self.parts.into_iter().fold(0.0, f64::max)
    }

    /// A look finds this `excess` \[m⁵/s²\]: corrects expectations by what the last promise was off by. None
    /// if nothing was promised.
    pub(super) fn compare(&mut self, excess: f64) -> Option<Outcome> {
        self.last_resorts = (self.last_resorts - 1.0 / LOOKS_PER_LAST_RESORT).max(0.0);
        let Promise { removed, left, growth } = self.promise.take()?;
        let missing = excess - left - growth;
        let gone = 1.0 - missing / removed;
        let whole: f64 = self.parts.iter().sum();
        let largest = self.largest_part();
        let can_tell = removed >= TOLD * (removed + left);
        for (known, part) in self.per_product.iter_mut().zip(self.parts).filter(|_| can_tell) {
            let is_to_blame = part == largest && !TRUSTED.contains(&gone);
            let of_part = CORRECTION * (part / whole) * (gone - 1.0);
            let factor = if is_to_blame { 0.0 } else { (1.0 + of_part).clamp(0.5, 2.0) };
            *known = known.map(|slope| slope * factor);
        }
        Some(Outcome { missing: missing.clamp(0.0, removed), growth })
    }
}
