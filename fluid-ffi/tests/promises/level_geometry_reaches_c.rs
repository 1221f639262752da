//! A C program adds a cave and terrain to worlds: vortons, tracers and host particles stay outside solids,
//! snapshots contain the level, and invalid input is refused.
#![cfg(unix)]

use crate::common::run_c;

#[test]
fn a_cave_and_terrain_keep_everything_on_their_side() {
    run_c("level");
}
