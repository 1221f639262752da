//! Calls are made without memory: from their n-th allocation on, or with no more than what they hold.
#![cfg(target_os = "linux")]

use crate::common::{run_c, run_c_refused};

#[test]
fn and_the_call_completes_or_changes_nothing() {
    run_c("out_of_memory");
}

/// Worlds that check their memory, in hosts with almost none.
#[test]
fn and_steps_complete_or_change_nothing() {
    run_c("steps_hold");
}

/// Whole programs, of which no call gets anything beyond what it holds: their worlds check their memory. Only
/// a library with debug assertions can be made to refuse.
#[test]
fn and_what_calls_hold_is_enough() {
    if cfg!(debug_assertions) {
        let programs = ["bodies", "draw", "emitters", "holds", "kill_volumes", "misuse", "preset", "replay"];
        programs
            .iter()
            .chain(&["reset", "rollback", "steps_hold", "surfaces", "surround"])
            .for_each(|name| run_c_refused(name));
    }
}
