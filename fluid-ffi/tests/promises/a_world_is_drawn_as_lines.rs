//! A C program draws worlds and compares the lines with closed formulas and with the results of other
//! functions.
#![cfg(unix)]

use crate::common::run_c;

#[test]
fn of_vortons_bodies_contacts_meshes_volumes_and_the_flow() {
    run_c("draw");
}
