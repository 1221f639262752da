//! Energy that bodies exchange through each other's flow (E68): together they gain what the flow between them
//! loses.

/// Largest energy that the flow between bodies can lack, relative to the energy of the flow that they drive
/// each by itself \[1\]. Two balls that touch lack a fifth if they move in opposite directions, and a light
/// one that makes way for another less.
const MOST_LENT: f64 = 0.25;

/// A body's part of the energy of the flow between bodies \[J\]: that of the flow around all of them, less
/// that of each body's own.
///
/// The flow of one body pushes another: of two that follow each other, the one in front is pushed forward,
/// the other one backward. Each push follows from what a body read in the last step, so that pushes alone
/// would drive bodies side by side faster and faster.
#[derive(Debug, Clone, Default)]
pub(crate) struct EnergyAccount {
    /// What the body has given to it, less what it and others nearby have taken.
    held: f64,
    /// What they may take beyond that.
    lent: f64,
}

fluid_core::saved::fields!(EnergyAccount { held, lent });

impl EnergyAccount {
    /// Returns what may be taken from it.
    pub(crate) fn available(&self) -> f64 {
        (self.held + self.lent).max(0.0)
    }

    /// Takes up to `wanted`, which is not negative. Returns the part that was taken.
    pub(crate) fn withdraw(&mut self, wanted: f64) -> f64 {
        let taken = wanted.min(self.available());
        self.held -= taken;
        taken
    }

    /// Adds what the body has lost.
    pub(crate) fn deposit(&mut self, energy: f64) {
        self.held += energy;
    }

    /// Ends the body's part in a step, in which its own flow had this energy: that between flows is at most
    /// the sum of their own (Cauchy-Schwarz inequality). A body without neighbours has none, except for what
    /// errors of a flow read with errors have taken from it: they give it back.
    pub(crate) fn close(&mut self, own: f64, has_neighbours: bool, has_errors: bool) {
        let most = if has_neighbours || has_errors { own.max(0.0) } else { 0.0 };
        self.lent = if has_neighbours { MOST_LENT * most } else { 0.0 };
        self.held = self.held.clamp(-self.lent, most);
    }
}

/// What a body may gain in a step from the flow between it and others, and what it has gained \[J\].
#[derive(Debug)]
pub(crate) struct EnergyExchange {
    available: f64,
    gained: f64,
    /// Energy of the body's own flow, if the step has a length.
    own: Option<f64>,
}

impl EnergyExchange {
    pub(crate) fn new(available: f64) -> Self {
        Self { available, gained: 0.0, own: None }
    }

    /// Returns what the body gains by a push that would give it `wanted`; negative if it loses.
    pub(crate) fn gain(&mut self, wanted: f64) -> f64 {
        let gained = if wanted.is_finite() { wanted.min(self.available) } else { 0.0 };
        self.available -= gained;
        self.gained += gained;
        gained
    }

    /// Returns a part of the gain that the body could not use.
    pub(crate) fn give_back(&mut self, energy: f64) {
        self.available += energy;
        self.gained -= energy;
    }

    pub(crate) fn set_own(&mut self, energy: f64) {
        self.own = Some(energy);
    }

    pub(crate) fn gained(&self) -> f64 {
        self.gained
    }

    pub(crate) fn own(&self) -> Option<f64> {
        self.own
    }
}
