//! `vorton_world_memory` counts the memory of each world, and `VortonWorldDef.max_memory` limits it.
#![cfg(unix)]

use crate::common::run_c;

#[test]
fn to_the_byte_and_without_stopping_a_step() {
    run_c("world_memory");
}
