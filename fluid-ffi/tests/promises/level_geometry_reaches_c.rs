//! A C program puts a cave and terrain into worlds: vortons, tracers and particles of its own stay out of
//! what is solid, snapshots hold the level, and nonsense is refused.
#![cfg(unix)]

use crate::common::run_c;

#[test]
fn a_cave_and_terrain_keep_everything_on_their_side() {
    run_c("level");
}
