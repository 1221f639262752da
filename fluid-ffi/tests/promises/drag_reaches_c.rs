//! `VortonBodyDef.drag_coefficient`: bodies are slowed down where no vorton touches them, and leave a wake.
#![cfg(unix)]

use crate::common::run_c;

#[test]
fn and_leaves_rings_with_what_the_body_loses() {
    run_c("drag");
}
