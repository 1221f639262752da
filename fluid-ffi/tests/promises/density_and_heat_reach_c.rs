//! Density, temperature and dye go in and come out of the C interface with the values that physics asks for:
//! tests/c/density_and_heat.c.
#![cfg(unix)]

use crate::common::run_c;

#[test]
fn what_is_put_in_is_there_sinks_and_shows() {
    assert!(run_c("density_and_heat").contains("of their halo"));
}
