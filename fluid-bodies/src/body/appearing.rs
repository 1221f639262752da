//! Sheets that appear or go (E46): they change the energy of the flow without work.

use super::Body;
use crate::sheet::BodyMotion;

/// Number of steps in which a new sheet begins to answer the flow: it sees the flow in the first, and the
/// next two extrapolate.
const SETTLED: u8 = 3;

impl Body {
    /// Returns the energy per density \[m⁵/s²\] of sheets that have appeared or gone since the last step,
    /// each by itself, at the start of a step of `dt` \[s\]. A sheet answers the flow from its second step
    /// on that has a length.
    pub(crate) fn take_changed_sheets(&mut self, dt: f32) -> f64 {
        if self.has_sheet() && self.sheet_steps < SETTLED && dt != 0.0 {
            self.sheet_steps += 1;
            if self.sheet_steps > 1 {
                self.changed_sheets += self.energy_of_answer();
            }
        }
        std::mem::take(&mut self.changed_sheets)
    }

    /// Returns the energy per density \[m⁵/s²\] of the sheet's answer to the flow of others by itself,
    /// without that of the body's motion, which is accounted for.
    pub(super) fn energy_of_answer(&self) -> f64 {
        let surface = self.surface.as_ref();
        surface.map_or(0.0, |surface| surface.flow.energy_of_sheet(BodyMotion::default(), 0.0))
    }

    /// Returns the energy per density \[m⁵/s²\] of what the body holds, which goes with it.
    pub(crate) fn energy_held(&self) -> f64 {
        self.changed_sheets + self.energy_of_answer() + self.energy_of_bound()
    }

    /// Notes that the sheet is about to lose its strength.
    pub(super) fn lose_sheet(&mut self) {
        if std::mem::take(&mut self.sheet_steps) > 1 {
            self.changed_sheets += self.energy_of_answer();
        }
    }
}
