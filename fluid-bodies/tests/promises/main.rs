//! The promises of fluid-bodies, one file each, named after it: `cargo test -p vorton-bodies --test promises
//! NAME` runs one. They are one program, because separate programs take several times as long to compile.
//! Tests that count the allocations of their process are separate programs, beside this folder.

#[path = "../common/mod.rs"]
mod common;
#[path = "../floor/mod.rs"]
mod floor;
#[path = "../immersed/mod.rs"]
mod immersed;
#[path = "../level/mod.rs"]
mod level;
#[path = "../moving_obstacles/mod.rs"]
mod moving_obstacles;

mod a_ball_in_layered_fluid_returns_on_time;
mod a_body_that_an_engine_throws_back_gains_no_speed;
mod a_body_that_is_held_is_pushed_steadily;
mod a_drum_turns_around_its_fluid;
mod a_floor_acts_where_the_fluid_is;
mod a_floor_far_below_costs_nothing;
mod a_free_body_keeps_momentum_and_spins_as_in_theory;
mod a_heavy_ball_falls_in_a_large_room;
mod a_hot_ball_warms_the_fluid_that_touches_it;
mod a_jar_holds_its_fluid;
mod a_light_tank_does_not_spin_up;
mod a_moved_scene_has_the_same_contacts;
mod a_pushed_tank_keeps_its_motion;
mod a_ring_and_a_body_exchange_what_they_lose;
mod a_ring_spreads_on_a_floor_as_in_theory;
mod a_sheet_acts_at_a_distance_as_its_vortons;
mod a_spinning_paddle_hits_on_time;
mod a_tank_in_company_stays_bounded;
mod a_thrown_tank_keeps_momentum_and_energy;
mod a_tumbling_body_keeps_energy_and_momentum;
mod a_turning_box_makes_no_energy;
mod a_vortex_that_ends_at_a_body_stays_bounded;
mod acute_edges_are_met;
mod added_inertia_is_that_of_theory;
mod any_number_of_fluid_steps_fit_in_an_engine_step;
mod bodies_far_from_vortons_need_no_mesh;
mod bodies_give_the_same_bits_for_any_worker_count;
mod bodies_of_any_mass_and_speed_stay_finite;
mod bodies_that_overlap_are_not_thrown;
mod body_scenes_do_not_depend_on_the_frame_rate;
mod buoyant_force_in_vorton_layers_is_the_displaced_weight;
mod buoyant_force_is_exact_in_ambient_fluid;
mod contacts_have_the_same_bits_for_any_worker_count;
mod contacts_lose_their_slip;
mod containers_keep_what_is_in_them;
mod distant_bodies_act_as_their_vortons;
mod drag_by_coefficients_is_that_of_the_formula;
mod energy_beside_a_floor_is_bounded;
mod fluid_emitted_below_a_floor_comes_out_above_it;
mod fluid_in_a_container_moves_with_it;
mod fluid_sticks_to_bodies_that_it_goes_around;
mod fluid_turns_with_a_spinning_body;
mod heat_between_bodies_and_fluid_relaxes_as_in_theory;
mod heat_of_a_gas_is_conserved_and_never_overshoots;
mod hostile_bodies_are_refused_or_survived;
mod hostile_questions_never_panic;
mod impulse_lost_by_fluid_is_gained_by_body;
mod inertia_is_what_the_engine_says;
mod layers_in_a_tank_rest_slosh_and_overturn;
mod level_geometry_is_as_far_as_its_nearest_triangle;
mod light_bodies_go_with_the_fluid;
mod light_bodies_rise_with_their_added_mass;
mod no_body_flies_off;
mod no_fluid_goes_through_a_surface;
mod no_fluid_goes_through_any_patch_of_a_surface;
mod no_particle_is_inside_a_body_after_a_step;
mod no_vorton_is_born_in_a_body;
mod nonsense_about_half_spaces_is_refused;
mod nothing_flows_through_a_floor;
mod nothing_flows_through_the_walls_of_a_tank;
mod nothing_passes_level_geometry;
mod polytopes_are_made_from_points_or_planes;
mod random_hulls_agree_with_parry;
mod shapes_are_entered_and_left_where_their_surface_is;
mod shapes_do_not_care_where_they_are;
mod shapes_inside_of_others_change_nothing;
mod shapes_know_their_true_distance;
mod shapes_know_what_they_displace;
mod spinning_bodies_are_braked;
mod surroundings_are_those_of_closed_formulas;
mod tanks_stay_bounded_in_the_open;
mod the_broad_phase_changes_nothing;
mod the_content_of_a_tank_has_weight_and_inertia;
mod the_halo_of_a_hot_body_stays_small;
mod the_way_of_a_particle_picks_the_face_it_meets;
mod tracers_in_turbulence_stay_out_of_bodies;
mod viscosity_brakes_what_spins;
mod vortons_at_one_place_of_a_surface_are_one;
mod walls_that_stand_still_are_asked_once;
mod waves_between_layers_keep_their_frequency_in_any_box;
mod what_bodies_hold_costs_what_is_near;
mod what_bodies_hold_makes_no_energy;
mod what_turns_in_a_tank_turns_its_shell;
mod wind_acts_as_motion_through_still_fluid;
