//! What takes long to find of the shapes of bodies that have gone: bodies of one kind come and go.

use crate::body::KnownShapes;
use crate::shapes::Shape;
use std::collections::VecDeque;
use std::sync::Arc;

/// Most kinds of bodies that have gone of which something is kept \[1\]: each takes up to 2 MiB.
pub(super) const MOST: usize = 8;

/// The last kinds, those that have gone first at the front.
#[derive(Debug, Clone, Default)]
pub(super) struct Departed(VecDeque<(Arc<[Shape]>, KnownShapes)>);

impl Departed {
    /// Keeps what is known of these shapes.
    pub(super) fn keep(&mut self, shapes: Arc<[Shape]>, known: KnownShapes) {
        if self.0.len() == MOST {
            self.0.pop_front();
        }
        self.0.push_back((shapes, known));
    }

    /// How many kinds there are.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// What is known of these shapes.
    pub(super) fn find(&self, shapes: &[Shape]) -> Option<&KnownShapes> {
        self.0.iter().find(|(others, _)| **others == *shapes).map(|(_, known)| known)
    }
}
