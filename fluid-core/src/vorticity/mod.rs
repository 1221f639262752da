//! How strengths change: one file per term of the vorticity equation (E5).

pub mod baroclinic;
pub mod diffuse;
pub mod halo;
pub mod relax;
pub mod stretch;
