//! Values on the nodes of a lattice along the world's axes, and their transfer from particles (P2G) and
//! back to them (G2P).
//!
//! Node (i, j, k) of a grid is element i + nx (j + ny k) of a slice: x fastest. A *plane* is all nodes of one
//! k.

mod anchor;
mod domain;
mod extent;
mod filled_rows;
mod gaps;
mod node_order;
mod read_nodes;
mod shape;
mod spline;
mod transfer;
mod wanted;

pub use anchor::Anchor;
pub(crate) use domain::Domain;
pub(crate) use extent::{BOX_SIZES, box_nodes};
pub use extent::{Extent, ExtentRules, NextBox};
pub(crate) use filled_rows::FilledRows;
pub(crate) use gaps::find_cut;
pub use node_order::NodeOrder;
pub use shape::GridShape;
pub(crate) use shape::NodeBox;
pub(crate) use spline::ReceiveValues;
pub use spline::{Spline, Splines};
pub use transfer::{deposit, return_sources};
pub use wanted::Wanted;
pub(crate) use wanted::{MARKED, box_of};
