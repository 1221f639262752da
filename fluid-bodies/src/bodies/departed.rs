//! Precomputed data of shapes that no body has any more, because bodies of one kind come and go, and because
//! engines create shapes anew.

use crate::body::KnownShapes;
use crate::shapes::Shape;
use std::collections::VecDeque;
use std::sync::Arc;

/// Most kinds of bodies, removed or changed, for which data is kept \[1\]: each takes up to 2 MiB.
pub(super) const MOST_KINDS: usize = 8;

/// Data of the last kinds removed, the oldest at the front.
#[derive(Debug, Clone, Default)]
pub(super) struct Departed(VecDeque<(Arc<[Shape]>, KnownShapes)>);

impl Departed {
    /// Keeps the data of these shapes.
    pub(super) fn keep(&mut self, shapes: Arc<[Shape]>, known: KnownShapes) {
        if self.0.len() == MOST_KINDS {
            self.0.pop_front();
        }
        self.0.push_back((shapes, known));
    }

    /// Returns the number of kinds.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the data of equal shapes.
    pub(super) fn find(&self, shapes: &[Shape]) -> Option<&KnownShapes> {
        self.0.iter().find(|(others, _)| **others == *shapes).map(|(_, known)| known)
    }
}
