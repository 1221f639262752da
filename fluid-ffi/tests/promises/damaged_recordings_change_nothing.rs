//! A recording that was cut is replayed up to the last complete call; damaged bytes are refused where they
//! are, and no call is made of them.
#![cfg(unix)]

use super::a_recording_replays_to_the_same_bits::run_replay;

#[test]
fn and_cut_ones_are_replayed_as_far_as_they_go() {
    run_replay("damage");
}
