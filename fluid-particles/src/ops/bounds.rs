//! Bounding box of the particles.

use super::run::{Global, GlobalContext, OperationKind, Runnable};
use crate::view::Semantic;
use glam::Vec3;

/// Computes the bounding box of all live particles with finite positions, and stores it in the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Bounds;

/// An axis-aligned box.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoundingBox {
    /// Least coordinates \[m\].
    pub min: Vec3,
    /// Largest coordinates \[m\].
    pub max: Vec3,
}

impl BoundingBox {
    fn merge(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }
}

impl Runnable for Bounds {
    fn needs(&self) -> &'static [Semantic] {
        &[Semantic::Position]
    }

    fn kind(&self) -> OperationKind<'_> {
        OperationKind::Global(self)
    }
}

impl Global for Bounds {
    fn run(&self, context: &mut GlobalContext<'_, '_>) {
        context.for_each_chunk(&|chunk, notes| {
            // Clears the result of an earlier search.
            notes.bounds = None;
            let Some(position) = chunk.vec3(Semantic::Position) else { return };
            chunk.living().for_each(|k| {
                let x = position.get(k);
                if x.is_finite() {
                    grow(&mut notes.bounds, BoundingBox { min: x, max: x });
                } else {
                    notes.skip(k);
                }
            });
        });
        // In chunk order: the least of 0 and -0 depends on which comes first.
        let mut all = None;
        for bounds in context.notes_in_use().iter().filter_map(|notes| notes.bounds) {
            grow(&mut all, bounds);
        }
        context.report.bounds = all;
    }
}

fn grow(bounds: &mut Option<BoundingBox>, by: BoundingBox) {
    *bounds = Some(bounds.map_or(by, |bounds| bounds.merge(by)));
}
