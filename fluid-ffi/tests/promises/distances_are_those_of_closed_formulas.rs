//! A C program queries the distance of points from bodies of every shape.
#![cfg(unix)]

use crate::common::run_c;

#[test]
fn of_balls_boxes_capsules_containers_and_floors() {
    run_c("surfaces");
}
