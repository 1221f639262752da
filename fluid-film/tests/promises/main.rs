//! The promises of fluid-film, one file each, named after it: `cargo test -p fluid-film --test promises NAME`
//! tests one.

mod every_scene_has_a_look;
mod farther_things_are_hidden_by_nearer_ones;
mod films_are_decoded_with_all_their_frames;
mod films_stay_below_their_limit;
mod hotter_fluid_is_brighter;
mod light_falls_off_exponentially_in_smoke;
mod pictures_are_the_same_on_any_number_of_threads;
mod points_are_projected_as_by_a_pinhole;
mod smoke_fills_its_volume_evenly;
mod solids_cover_the_circle_that_is_seen;
mod solids_shadow_the_line_behind_them;
mod splats_cover_the_area_of_their_particles;
mod spectra_are_those_of_closed_formulas;
mod the_film_curve_rises_from_black_to_white;
