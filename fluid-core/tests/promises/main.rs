//! The promises of fluid-core, one file each, named after it: `cargo test -p vorton-core --test promises
//! NAME` tests one. They are one program, because one program for each takes several times as long to
//! compile. Tests that count allocations of their process are separate programs, beside this folder.

#[path = "../common/mod.rs"]
mod common;
#[path = "../diffusion/mod.rs"]
mod diffusion;
#[path = "../drops/mod.rs"]
mod drops;
#[path = "../hostile/mod.rs"]
mod hostile;
#[path = "../tanks/mod.rs"]
mod tanks;

mod a_drop_far_from_walls_falls_as_without_them;
mod a_fed_plume_has_a_constant_count;
mod a_few_fast_vortons_do_not_make_a_step_long;
mod a_gaussian_drop_falls_on_time;
mod a_mesh_without_memory_keeps_its_size;
mod a_moved_scene_moves_the_same;
mod a_ring_that_breaks_up_owes_what_it_loses;
mod a_shifted_fluid_goes_on_as_it_would_have;
mod a_tank_that_accelerates_has_its_own_gravity;
mod an_effect_pays_for_its_own_excess;
mod at_rest_means_at_rest;
mod automatic_solver_changes_without_a_jump;
mod boxes_that_change_are_expected;
mod burning_fluid_pushes_as_in_theory;
mod clouds_far_apart_keep_their_own_impulse;
mod clusters_far_apart_have_boxes_of_their_own;
mod coarse_ring_stays_finite_for_5000_steps;
mod coarse_rings_fly_on;
mod coherent_vortices_keep_impulse_and_energy;
mod crowded_boxes_take_a_coarser_lattice;
mod density_accelerates_as_in_theory;
mod density_has_no_hidden_scale;
mod density_is_delivered_as_prescribed;
mod density_is_seen_as_it_is_beside_walls;
mod diffusion_conserves_every_sum;
mod diffusion_gives_the_same_bits;
mod diffusion_is_stable_at_any_step;
mod diffusion_leaves_the_cloud;
mod diffusion_spreads_at_the_rate_of_the_heat_equation;
mod diffusion_survives_hostile_vortons;
mod direct_sum_matches_the_f64_oracle;
mod eddies_below_the_core_are_those_of_theory;
mod effects_side_by_side_do_not_exchange_strength;
mod emission_and_removal_keep_columns_aligned;
mod emitters_deliver_what_they_say;
mod energy_budget_has_no_scale_and_takes_no_gifts;
mod every_promise_is_in_the_program;
mod fire_keeps_its_balances;
mod flat_clouds_make_vorticity_along_their_normal;
mod fluid_far_apart_feels_gravity;
mod frames_take_as_many_steps_as_their_flow_needs;
mod gravity_gives_density_its_impulse;
mod halo_comes_and_goes;
mod head_on_rings_spread_as_predicted;
mod heavy_and_light_drops_mirror_each_other;
mod hostile_density_never_panics;
mod hostile_parameters_never_panic;
mod initial_conditions_deliver_the_prescribed_circulation;
mod invariants_hold_over_one_turnover;
mod layers_change_by_all_of_their_jump;
mod lines_of_sight_through_dye;
mod many_effects_move_as_each_of_them_alone;
mod mesh_matches_the_direct_sum;
mod modules_name_only_lower_layers;
mod nonsense_about_walls_is_survived;
mod one_stray_changes_nothing_near_the_others;
mod oracle_matches_closed_forms;
mod poisoned_walls_are_better_than_none_and_worse_than_balanced;
mod presets_are_alike_at_every_scale;
mod publishing_the_field_changes_nothing;
mod quality_keeps_within_its_budget;
mod relaxation_gives_back_what_it_takes;
mod rotations_are_plain_arithmetic;
mod same_bits_for_any_worker_count;
mod same_bits_on_every_instruction_set;
mod scattered_vortons_move_as_by_their_pairs;
mod small_eddies_damp_as_in_theory;
mod steps_are_of_second_order_and_long_ones_of_fourth;
mod steps_too_long_for_the_flow_stay_finite;
mod steps_with_one_solve_know_their_vortons;
mod strays_change_nothing_in_a_drop;
mod tanks_give_the_same_bits;
mod temperature_is_a_view_of_density;
mod the_field_knows_its_time;
mod the_halo_follows_the_density;
mod the_halo_takes_up_what_every_step_makes;
mod time_runs_backwards;
mod tracers_carry_what_they_show;
mod tracers_implied_by_density;
mod tracers_keep_their_ids_and_tags;
mod tracers_show_density_within_a_sixteenth_of_its_jumps;
mod transfer_keeps_sum_and_first_moment;
mod two_rings_leapfrog_on_time;
mod vectors_change_no_bits;
mod viscosity_keeps_the_impulse;
mod vortex_ring_moves_at_its_exact_speed;
mod weak_vortons_are_as_exact_as_strong_ones;
mod what_is_not_finite_goes;
mod wide_clouds_are_sampled_on_fewer_nodes;
mod zero_strength_is_zero_motion;
