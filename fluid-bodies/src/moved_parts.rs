//! Parts of changes of velocity that the displacement of an engine's frame contains (E48).

use glam::DVec3;

/// Factor by which observations fade in each frame \[1\].
const FADING: f64 = 0.9;
/// Largest weight of a frame, relative to those before it \[1\]: blows would count for a long time.
const MOST_WEIGHT: f64 = 1.0;
/// Part of a change that is spread evenly over the frame, and of one at its start \[1\].
const SPREAD: f64 = 0.5;
const AT_ONCE: f64 = 1.0;
/// Distance from parts of engines up to which a displacement is taken as one by them \[1\]: beyond, the
/// engine has corrected the position, or thrown the body back.
const MOST_OFF: f64 = 0.25;
/// Squared error of another kind of engine, relative to that of the present one \[1\], below which the engine
/// is of that kind: forces and impulses that are always opposite hardly tell kinds apart.
const MUCH_LESS: f64 = 0.5;
/// Number of kinds of engines.
const KINDS: usize = 3;
/// Difference between changes of an engine's own acceleration from frame to frame, relative to the last
/// \[1\], up to which it is taken to vary evenly.
const EVEN: f64 = 0.5;

/// Parts of the fluid's impulses and of the engine's own forces, by the method of least squares over the last
/// frames. Engines move bodies by both together, by forces in several steps after the impulse, or before
/// either.
#[derive(Debug, Clone, Default)]
pub(crate) struct MovedParts {
    /// Σ of the products of changes of velocity by impulses, by own forces, and of the displacement per time
    /// \[m²/s²\].
    sums: Sums,
    /// Changes of velocity by the engine's own forces in the last two frames \[m/s\], the last one first.
    own: [DVec3; 2],
    /// Number of the kind of engine.
    kind: usize,
    /// The parts; None without observations.
    found: Option<(f64, f64)>,
}

fluid_core::saved::fields!(MovedParts { sums, own, kind, found } check is_valid);

/// Sums over frames; `i`: impulses, `o`: own forces, `m`: displacement per time.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    ii: f64,
    io: f64,
    oo: f64,
    mi: f64,
    mo: f64,
    mm: f64,
}

fluid_core::saved::fields!(Sums { ii, io, oo, mi, mo, mm });

impl MovedParts {
    /// True if a loaded value can be one of these.
    fn is_valid(&self) -> bool {
        let is_part = |part: f64| (0.0..=AT_ONCE).contains(&part);
        self.kind < KINDS && self.found.is_none_or(|(a, b)| is_part(a) && is_part(b))
    }

    /// Returns the parts of the fluid's impulses and of the engine's own forces, 0 to 1.
    pub(crate) fn get(&self) -> (f64, f64) {
        self.found.unwrap_or((AT_ONCE, AT_ONCE))
    }

    /// Takes in a frame in which the fluid's impulses have changed the velocity by `taken` and the engine's
    /// own forces by `own` \[m/s\], and both have moved the body by `moved` \[m/s\] per time, if this is
    /// known.
    pub(crate) fn observe(&mut self, moved: Option<DVec3>, taken: DVec3, own: DVec3) {
        let before = self.own;
        self.own = [own, before[0]];
        let Some(moved) = moved.filter(|&moved| is_by_engine(moved, taken, own)) else { return };
        // A force that grows in the frame moves the body later than its mean, if it acts all along.
        let grown = own - before[0];
        let is_even = (grown - (before[0] - before[1])).length() <= EVEN * grown.length();
        let later = if is_even { grown * ((AT_ONCE - self.get().1) / 6.0) } else { DVec3::ZERO };
        self.sums.add(moved + later, taken, own);
        let found = self.sums.fits();
        let errors = found.map(|parts| self.sums.error(parts));
        let best =
            (1..found.len()).fold(0, |best, kind| if errors[kind] < errors[best] { kind } else { best });
        if errors[best] < MUCH_LESS * errors[self.kind] {
            self.kind = best;
        }
        self.found = Some(found[self.kind]);
    }
}

/// True if an engine can move a body by `moved` through changes of velocity by impulses and own forces
/// \[m/s\].
fn is_by_engine(moved: DVec3, taken: DVec3, own: DVec3) -> bool {
    let change = taken + own;
    let (least, most) = (-MOST_OFF, AT_ONCE + MOST_OFF);
    let range = |along: f64| ((least * along).min(most * along), (least * along).max(most * along));
    let (by_impulses, by_own) = (range(taken.dot(change)), range(own.dot(change)));
    (by_impulses.0 + by_own.0..=by_impulses.1 + by_own.1).contains(&moved.dot(change))
}

impl Sums {
    fn add(&mut self, moved: DVec3, taken: DVec3, own: DVec3) {
        let (size, before) = (taken.length_squared() + own.length_squared(), self.ii + self.oo);
        let weight = if before > 0.0 { (MOST_WEIGHT * before / size).min(1.0) } else { 1.0 };
        let sum = |old: f64, new: f64| FADING * old + weight * new;
        *self = Self {
            ii: sum(self.ii, taken.dot(taken)),
            io: sum(self.io, taken.dot(own)),
            oo: sum(self.oo, own.dot(own)),
            mi: sum(self.mi, moved.dot(taken)),
            mo: sum(self.mo, moved.dot(own)),
            mm: sum(self.mm, moved.dot(moved)),
        };
    }

    /// Returns the parts for each kind of engine.
    fn fits(&self) -> [(f64, f64); KINDS] {
        let part = |share: f64| if share.is_nan() { AT_ONCE } else { share.clamp(SPREAD, AT_ONCE) };
        let together = part((self.mi + self.mo) / (self.ii + 2.0 * self.io + self.oo));
        let afterwards = part((self.mo - self.io) / self.oo);
        [(together, together), (AT_ONCE, afterwards), (0.0, 0.0)]
    }

    /// Returns the Σ of squared errors of displacements by these parts \[m²/s²\].
    fn error(&self, (a, b): (f64, f64)) -> f64 {
        let moved = a * a * self.ii + 2.0 * a * b * self.io + b * b * self.oo;
        (self.mm - 2.0 * (a * self.mi + b * self.mo) + moved).max(0.0)
    }
}
