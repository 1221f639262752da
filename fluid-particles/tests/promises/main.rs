//! The promises of fluid-particles, one file each, named after it: `cargo test -p vorton-particles --test
//! promises NAME` tests one. They are one program, because one program for each takes several times as
//! long to compile. A test that counts allocations of its process is a separate program, beside this folder.

#[path = "../particle_operations/mod.rs"]
mod particle_operations;

mod particle_operations_carry_particles_in_second_order;
mod particle_operations_do_not_depend_on_the_frame_rate;
mod particle_operations_do_not_pass_surfaces;
mod particle_operations_fused_equal_one_by_one;
mod particle_operations_give_bodies_what_they_lose;
mod particle_operations_give_the_same_bits_in_any_layout;
mod particle_operations_kill_by_lifetime_alone;
mod particle_operations_leave_alone_what_is_dead_or_not_finite;
mod particle_operations_refuse_before_they_change_anything;
mod particle_operations_remove_and_add_rows_in_order;
mod particle_operations_sample_what_the_field_says;
mod particle_operations_spin_with_half_the_vorticity;
mod particle_operations_survive_hostile_views;
mod particle_operations_touch_only_listed_rows;
mod turbulence_spreads_particles_at_any_frame_rate;
