//! The layout of every public struct, written to tests/c/layout.inc, which C and C++ compile as assertions
//! (tests/promises/structs_have_the_same_layout_on_both_sides.rs); and the layout in 32-bit WebAssembly
//! ([`wasm32`]), for pages that use the library from JavaScript. `VORTON_BLESS=1 cargo test -p fluid-ffi`
//! rewrites it.
#![cfg(target_pointer_width = "64")]

use crate::types::allocator::*;
use crate::types::body::*;
use crate::types::budget::*;
use crate::types::draw::*;
use crate::types::emitter::*;
use crate::types::initial::*;
use crate::types::kill_volumes::*;
use crate::types::op_result::*;
use crate::types::ops::*;
use crate::types::preset::*;
use crate::types::published_tracers::*;
use crate::types::recording::*;
use crate::types::shape::*;
use crate::types::stats::*;
use crate::types::surfaces::*;
use crate::types::surround::*;
use crate::types::tracers::*;
use crate::types::view::*;
use crate::types::volume::*;
use crate::types::vortons::*;
use crate::types::world::*;
use crate::types::world_def::*;
use crate::types::*;
use std::fmt::Write;
use std::mem::{align_of, offset_of, size_of};
use std::path::Path;

mod wasm32;

/// A struct of the interface.
struct Struct {
    name: &'static str,
    /// Rust name with its modules.
    type_name: &'static str,
    size: usize,
    alignment: usize,
    fields: Vec<Field>,
}

/// A field of a struct.
struct Field {
    /// Name in C.
    name: &'static str,
    /// Rust name with its modules.
    type_name: &'static str,
    offset: usize,
    size: usize,
    alignment: usize,
}

impl Field {
    fn new<S, F>(name: &'static str, offset: usize, _: fn(&S) -> &F) -> Self {
        let name = name.trim_start_matches("r#");
        let type_name = std::any::type_name::<F>();
        Self { name, type_name, offset, size: size_of::<F>(), alignment: align_of::<F>() }
    }

    /// Returns the type without modules.
    fn short_type(&self) -> &'static str {
        self.type_name.rsplit("::").next().unwrap_or(self.type_name)
    }

    /// Returns the kind of floating-point numbers in the field.
    fn numbers(&self) -> &'static str {
        match self.short_type() {
            "f32" | "[f32; 3]" | "[f32; 9]" | "VortonVec3" | "VortonQuat" | "VortonAabb" => "FLOATS",
            "f64" | "[f64; 3]" => "DOUBLES",
            _ => "OTHER",
        }
    }
}

macro_rules! layout {
    ($($name:ident { $($field:ident),+ })+) => {
        vec![$({
            // Does not compile if a field is missing in the list.
            let _ = |$name { $($field: _),+ }: $name| ();
            let fields = vec![
                $(Field::new(stringify!($field), offset_of!($name, $field), |s: &$name| &s.$field)),+
            ];
            let (name, type_name) = (stringify!($name), std::any::type_name::<$name>());
            let (size, alignment) = (size_of::<$name>(), align_of::<$name>());
            assert_eq!(fields.iter().map(|field| field.size).sum::<usize>(), size, "{name} has holes");
            Struct { name, type_name, size, alignment, fields }
        }),+]
    };
}

/// Returns the text of tests/c/layout.inc.
fn in_c(structs: &[Struct]) -> String {
    let mut text = "/* STRUCT(name, size, alignment), FIELD(struct, name, offset, size, numbers). Written by src/layout_tests.rs. */\n".to_owned();
    for Struct { name, size, alignment, fields, .. } in structs {
        writeln!(text, "STRUCT({name}, {size}, {alignment})").unwrap();
        for field in fields {
            let numbers = field.numbers();
            writeln!(text, "FIELD({name}, {}, {}, {}, {numbers})", field.name, field.offset, field.size)
                .unwrap();
        }
    }
    text
}

/// Compares a committed file with its expected text, or writes the text.
fn check_committed(path: &Path, text: &str) {
    if std::env::var_os("VORTON_BLESS").is_some() {
        std::fs::write(path, text).expect("the file is writable");
    }
    let committed = std::fs::read_to_string(path).unwrap_or_default();
    let path = path.display();
    assert!(
        committed == text,
        "{path} is not current; if it may change: VORTON_BLESS=1 cargo test -p fluid-ffi"
    );
}

#[test]
fn the_committed_layout_is_this_one() {
    let structs = layout! {
        VortonVec3 { x, y, z }
        VortonQuat { x, y, z, w }
        VortonAabb { min, max }
        VortonWorldId { index1, generation }
        VortonWorldDef {
            struct_size, threads, worker_count, kernel, precision, instructions, solver, field_sampling, core_radius,
            nodes_per_core, max_grid_nodes, relaxation_rate, viscosity, diffusivity, gravity, wind, ambient_density,
            ambient_temperature, equation_of_state, expansion, stratification, density_gradient, layer_normal,
            layer_height, layer_jump, layer_thickness, max_age, max_vortons,
            smagorinsky, no_slip_rate, shedding_depth, specific_heat,
            ignition_temperature, burn_time, burn_expansion, walls, energy_budget, fourth_order_above, multistep,
            expected_samples, enqueue_task, finish_task, task_user, thread_start, thread_stop, thread_user, user_data,
            zone_begin, zone_end, zone_user, check_memory, reserved, max_memory
        }
        VortonKillVolume { r#type, flags, position, rotation, half_extents, radius }
        VortonBudget { struct_size, measure, fluid_ms, tracers_ms }
        VortonMemory { struct_size, reserved, bytes, peak_bytes, blocks, allocations }
        VortonVolumeDef {
            struct_size, format, components, vector, scalar, width, height, depth, low, high, row_pitch, slice_pitch
        }
        VortonDrawDef {
            struct_size, flags, low, high, vorton_length, max_strength, contact_length, arrow_length, max_speed, arrows_x,
            arrows_y, arrows_z, arrows_low, arrows_high, reserved
        }
        VortonLine { from, to, color }
        VortonVorton { position, strength, volume, mass_deviation, dye, age, flags, fuel, id }
        VortonInitialDef {
            struct_size, r#type, centre, axis, direction, extent, radius, thickness, length, width, circulation,
            velocity_jump, variation, wave_number, amplitude, density_deviation, dye, spacing, count, fuel, seed,
            position_disturbance, strength_disturbance
        }
        VortonSurroundDef { struct_size, reserved, body, low, high, spacing, thickness }
        VortonPresetDef {
            struct_size, r#type, position, rotation, scale, strength, vortons, tracers, tracer_set, tracer_tag, seed
        }
        VortonEmitterId { index1, world, generation }
        VortonEmitterDef {
            struct_size, rate, position, rotation, extent, strength, strength_spread, volume, fuel, seed, user_data,
            density_deviation, temperature, dye, nozzle_radius, nozzle_speed, nozzle_disturbance, tracers, tracer_rate,
            tracer_tag, body
        }
        VortonTracersId { index1, world, generation }
        VortonTracersDef { struct_size, capacity, max_age, show, user_data, readable_during_steps, turbulence }
        VortonImpliedDef { struct_size, per_cell, threshold, jitter, tag, reserved, seed }
        VortonBodyId { index1, world, generation }
        VortonBodyState { position, rotation, velocity, angular_velocity }
        VortonBodyImpulse { linear, angular, heat, lost_energy, temperature, hits, lift_linear, lift_angular }
        VortonBodyDef {
            struct_size, flags, position, rotation, velocity, angular_velocity, mass, temperature, heat_capacity,
            heat_transfer, inertia, user_data, drag_coefficient, magnus_coefficient,
            fluid_mass, fluid_inertia
        }
        VortonShapeId { index1, world, generation }
        VortonShapeDef {
            struct_size, r#type, position, rotation, half_extents, radius, half_height, point_count, plane_count, points,
            planes, flags, reserved, user_data, triangles, heights, triangle_count, columns, rows, spacing, reserved2
        }
        VortonMassProperties { volume, area, centroid, inertia }
        VortonSurface { distance, point, normal, body }
        VortonStream { semantic, format, stride, offset, base }
        VortonTracerRows { struct_size, reserved, lease, count, positions, ids, tags, ages, values }
        VortonParticleView {
            struct_size, stream_count, count, capacity, streams, table, indices, index_count, element_size
        }
        VortonOpId { index1, world, generation }
        VortonEmitValue { semantic, reserved, value, spread, reserved2 }
        VortonOpDef {
            struct_size, r#type, vector, rate, quadratic, sample, kill_mode, max_age, max_age_frames, value_count, timing,
            quantity, into, intensity, values, seed, restitution, friction, mass, gain
        }
        VortonOpResult {
            struct_size, has_bounds, count, killed, removed, emitted, not_emitted, non_finite, kill_list, kill_capacity,
            bounds, hits
        }
        VortonStats {
            struct_size, workers, steps, time, vortons, tracers, not_added, expired, non_finite, lost_tracers, halo_born,
            halo_retired, mesh_nodes, mesh_outside, density_outside, stretch_number, max_gradient, baroclinic_lost,
            diffusion_passes, diffused_share, step_ms, emit_ms, halo_ms, velocity_ms, baroclinic_ms, advance_ms,
            diffuse_ms, relax_ms, bodies_ms, remove_ms, tracers_ms, viscosity,
            bodies, shapes, body_contacts, solves, energy_ms, energy, energy_removed, energy_scalings, halo_threshold, halo_vortons,
            nodes_per_core, quality, tracer_quality, expected_ms, expected_tracers_ms, burning, quality_changes, killed, killed_tracers, merged,
            heat_released, fuel, density_nodes
        }
        VortonReplay {
            struct_size, finished, offset, calls, steps, diverged_step, diverged_call, diverged_in, expected_hash, hash
        }
        VortonInvariants {
            struct_size, flags, total_strength, linear_impulse, angular_impulse, strength_magnitude, max_strength, energy,
            helicity, bound_strength, bound_impulse, owed_impulse
        }
    };
    let layout = in_c(&structs);

    let crate_dir = Path::new(env!("CARGO_MANIFEST_DIR"));
    let header = std::fs::read_to_string(crate_dir.join("../include/vorton.h")).expect("the header is there");
    let in_header =
        header.lines().filter_map(|line| line.strip_prefix("typedef struct ")?.strip_suffix(" {"));
    for name in in_header {
        assert!(
            layout.contains(&format!("STRUCT({name}, ")),
            "{name} is in the header, but not in this test"
        );
    }
    check_committed(&crate_dir.join("tests/c/layout.inc"), &layout);
    let on_wasm32 = wasm32::lay_out(&structs);
    check_committed(&crate_dir.join("src/layout_on_wasm32.rs"), &wasm32::as_assertions(&on_wasm32));
    check_committed(&crate_dir.join("../studio/layouts.js"), &wasm32::as_javascript(&on_wasm32, &header));
}
