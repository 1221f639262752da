//! Bodies that move with the fluid around them.

use super::Body;

/// A body that follows the fluid less than this stays where it is \[1\].
const LEAST_FOLLOWED: f64 = 0.05;

impl Body {
    /// Returns how far the body follows the fluid around it \[1\] (E71): its acceleration in fluid that
    /// accelerates, if it were a ball, over that of the fluid, at most 1; 0 if it hardly does.
    pub(crate) fn follows_fluid(&self) -> f32 {
        let displaced = self.density * self.displaced.volume;
        let follows = (1.5 * displaced / (self.mass + 0.5 * displaced)).min(1.0);
        if follows < LEAST_FOLLOWED { 0.0 } else { follows as f32 }
    }
}
