//! Density, temperature and dye through the C interface: the results obey physics:
//! tests/c/density_and_heat.c.
#![cfg(unix)]

use crate::common::run_c;

#[test]
fn what_is_put_in_is_there_sinks_and_shows() {
    assert!(run_c("density_and_heat").contains("of their halo"));
}
