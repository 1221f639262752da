//! A world that is changed during a replay diverges in the next step, which the replay names; so does a call
//! that returns another id.
#![cfg(unix)]

use super::a_recording_replays_to_the_same_bits::run_replay;

#[test]
fn and_the_function_that_had_another_result() {
    run_replay("diverge");
}
