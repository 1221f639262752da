//! A C program rolls a world back again and again, restores it in another world, and tries damaged snapshots.
#![cfg(unix)]

use crate::common::run_c;

#[test]
fn with_bodies_emitters_tracers_and_emissions_that_come_and_go() {
    run_c("rollback");
}

#[test]
#[ignore = "a quarter of a minute"]
fn with_clusters_that_meet_and_part() {
    run_c("rollback_clusters");
}
