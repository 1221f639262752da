//! A C program provides the library's memory, gets all of it back, and has too little for some worlds.
#![cfg(target_os = "linux")]

use crate::common::run_c;

#[test]
fn and_what_there_is_no_memory_for_is_an_error() {
    run_c("memory");
}
