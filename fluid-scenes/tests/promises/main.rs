//! The promises of fluid-scenes, one file each, named after it: `cargo test -p fluid-scenes --test promises
//! NAME` tests one. They are one program, because one program for each takes several times as long to
//! compile. Tests that count allocations of their process are separate programs, beside this folder.

mod a_saved_scene_goes_on_as_if_nothing_had_happened;
mod a_spinning_ball_curves_in_smoke;
mod bodies_in_scenes_keep_out_the_smoke_and_stay_within_their_speed;
mod budgets_cost_no_energy_and_no_vortons;
mod energy_never_grows_by_itself;
mod halos_follow_the_density;
mod the_table_of_scenes_is_true;
