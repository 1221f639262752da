//! Slopes of the energy along the directions of the budget (E46), as expected from earlier ones. Exact slopes
//! need the vector potentials of the cloud, which cost another solve on a mesh. The energy of the next look
//! shows, at no cost, how much a direction has removed, and corrects the expectations.

use std::ops::Range;

/// A choice of strengths to remove.
#[derive(Debug, Clone, Copy)]
pub(super) enum Direction {
    /// Deviations from the fit of the neighbours, where the flow strains.
    Rough,
    /// Vortons that make most of their vorticity themselves, if they are stretched.
    LonelyAndStretched,
    /// All strengths in proportion.
    All,
    /// Vortons that make most of their vorticity themselves, stretched or not.
    Lonely,
}

impl Direction {
    /// The least harmful first. `Lonely` is last: it hardly ever finds energy that the others do not.
    pub(super) const IN_ORDER: [Self; DIRECTIONS] =
        [Self::Rough, Self::LonelyAndStretched, Self::All, Self::Lonely];
}

const DIRECTIONS: usize = 4;

/// Part of the energy's deviation that corrects expectations \[1\]: the energy changes by itself as well.
const CORRECTION: f64 = 0.5;

/// Range of removed over promised energy \[1\] outside which the direction with the largest promise is not
/// used until its slope has been found anew.
const TRUSTED: Range<f64> = 0.3..3.0;

/// Least part of an excess that a promise has to remove for the next look to tell the effect \[1\].
const TOLD: f64 = 0.3;

/// Most promises made mainly of the last two directions, minus one per [`LOOKS_PER_LAST_RESORT`] looks,
/// before slopes are found anew \[1\]: a less harmful direction may have become better.
const MOST_LAST_RESORTS: f32 = 4.0;
const LOOKS_PER_LAST_RESORT: f32 = 8.0;

/// Expected slopes, and the amounts removed by them.
#[derive(Debug, Clone, Default)]
pub(super) struct EnergySlopes {
    /// Slope b over Σ d·α of each direction \[1/m\]; none before it was first found.
    per_product: [Option<f64>; DIRECTIONS],
    /// Contribution of each direction to the combined slope \[m⁵/s²\].
    parts: [f64; DIRECTIONS],
    promise: Option<Promise>,
    /// Promises made mainly of the last two directions, minus a fraction for each look since.
    last_resorts: f32,
}

crate::saved::fields!(EnergySlopes { per_product, parts, promise, last_resorts });

/// Predicted result of a removal \[m⁵/s²\].
#[derive(Debug, Clone, Copy, Default)]
struct Promise {
    /// Energy removed.
    removed: f64,
    /// Excess left.
    left: f64,
    /// Growth of the excess until the next look.
    growth: f64,
}

crate::saved::fields!(Promise { removed, left, growth });

/// Result of a look after energy has been removed by expected slopes \[m⁵/s²\].
#[derive(Debug, Clone, Copy)]
pub(super) struct EnergyRemoval {
    /// Promised energy that has not been removed.
    pub(super) missing: f64,
    /// Expected growth of the excess from one look to the next.
    pub(super) growth: f64,
}

impl EnergySlopes {
    /// Discards all slopes, for another cloud or another measure of its energy.
    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }

    /// True if the slope along some direction has been found before.
    pub(super) fn are_known(&self) -> bool {
        self.per_product.iter().any(Option::is_some)
    }

    /// Returns the expected slope along a direction with this Σ d·α, if it has been found before.
    pub(super) fn expected(&self, direction: Direction, product: f64) -> Option<f64> {
        let is_worn = self.last_resorts > MOST_LAST_RESORTS;
        self.per_product[direction as usize].filter(|_| !is_worn).map(|slope| slope * product)
    }

    /// Stores the slope found along a direction.
    pub(super) fn learn(&mut self, direction: Direction, slope: f64, product: f64) {
        let per_product = slope / product;
        self.per_product[direction as usize] = per_product.is_finite().then_some(per_product);
        self.last_resorts = 0.0;
    }

    /// Begins to combine another direction.
    pub(super) fn begin(&mut self) {
        self.parts = [0.0; DIRECTIONS];
    }

    /// Sets this direction's part of the combined slope \[m⁵/s²\].
    pub(super) fn take(&mut self, direction: Direction, slope: f64) {
        self.parts[direction as usize] = slope;
    }

    /// Stores the prediction that `removed` goes along the combined direction if its slope is the expected
    /// one, and that the excess `left` grows by `growth` until the next look \[m⁵/s²\].
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

    /// Corrects expectations by the error of the last promise, from the `excess` of a look \[m⁵/s²\]. `None`
    /// if nothing was promised.
    pub(super) fn compare(&mut self, excess: f64) -> Option<EnergyRemoval> {
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
        Some(EnergyRemoval { missing: missing.clamp(0.0, removed), growth })
    }
}
