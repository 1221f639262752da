//! The promises of fluid-ffi, one file each, named after it: `cargo test -p fluid-ffi --test promises NAME`
//! tests one. They are one program, because one program for each takes several times as long to compile.
//! header_is_current, which also writes the header, is a program of its own beside this folder.

#[path = "../common/mod.rs"]
mod common;

mod a_forked_child_goes_on_serially;
mod a_frame_takes_as_many_steps_as_its_flow_needs;
mod a_hash_is_read_while_a_step_runs;
mod a_hosts_job_system_gives_the_same_bits;
mod a_profiler_is_told_of_steps_and_stages;
mod a_recording_names_the_step_that_diverged;
mod a_recording_replays_to_the_same_bits;
mod a_ring_spreads_on_a_floor_from_c;
mod a_rolled_back_world_goes_on_to_the_same_bits;
mod a_volume_of_texels_holds_what_samples_see;
mod a_world_goes_on_where_its_origin_was_shifted;
mod a_world_is_drawn_as_lines;
mod a_world_tells_what_it_holds;
mod a_world_that_is_reset_is_a_new_one;
mod an_installed_library_is_found;
mod bad_input_is_an_error_and_changes_nothing;
mod bodies_are_surrounded_by_vortons;
mod bodies_reach_c;
mod damaged_recordings_change_nothing;
mod density_and_heat_reach_c;
mod distances_are_those_of_closed_formulas;
mod drag_reaches_c;
mod emitters_reach_c;
mod exported_files_hold_what_the_world_holds;
mod header_compiles_everywhere;
mod hello_world_is_short;
mod kill_volumes_remove_what_enters_them;
mod level_geometry_reaches_c;
mod many_threads_may_call_at_once;
mod memory_comes_from_the_host_and_goes_back;
mod memory_may_run_out_in_any_allocation;
mod no_infinity_comes_out;
mod only_vorton_names_are_exported;
mod particles_die_in_bytes_of_either_polarity;
mod presets_reach_c;
mod readme_snippets_run_as_pasted;
mod same_bits_from_c_for_any_thread_count;
mod steady_calls_do_not_allocate;
mod steps_keep_within_their_budget;
mod structs_have_the_same_layout_on_both_sides;
mod the_cpp_wrapper_gives_the_same_bits;
mod the_memory_of_each_world_is_counted_and_limited;
mod the_systems_mathematics_is_exact;
mod tracers_are_read_while_a_step_runs;
mod two_rust_libraries_link_into_one_program;
mod vector_instructions_are_inlined;
