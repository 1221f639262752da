//! Tests of behaviour that cannot be provoked from C: internal panics.

use crate::draw::vorton_world_draw;
use crate::guard;
use crate::state::writing;
use crate::status::*;
use crate::types::draw::{VORTON_DRAW_FIELD, VORTON_DRAW_MESH, VORTON_DRAW_VORTONS, VortonDrawDef};
use crate::types::world::*;
use crate::types::world_def::*;
use crate::world::definition::vorton_world_user_data;
use crate::world::*;

fn world() -> VortonWorldId {
    let def = VortonWorldDef { max_vortons: 16, user_data: 7, ..VortonWorldDef::default() };
    let mut id = VortonWorldId { index1: 0, generation: 0 };
    // SAFETY: both point to locals.
    assert_eq!(unsafe { vorton_world_create(&raw const def, &raw mut id) }, VORTON_OK);
    id
}

#[test]
fn a_panic_becomes_a_code_and_poisons_that_world_only() {
    let (broken, sound) = (world(), world());
    let panics = || guard::run(|| writing(broken, |_, _| -> Outcome { panic!("boom {}", 42) }));
    assert_eq!(panics(), VORTON_ERR_PANIC);
    assert!(guard::last_error().contains("boom 42"));
    assert_eq!(vorton_world_step(broken, 0.1), VORTON_ERR_POISONED);
    assert_eq!(vorton_world_step(sound, 0.1), VORTON_OK);
    assert_eq!(panics(), VORTON_ERR_POISONED);
    assert_eq!(vorton_world_destroy(broken), VORTON_OK);
    assert_eq!(vorton_world_step(broken, 0.1), VORTON_ERR_STALE_ID);
    assert_eq!(vorton_world_destroy(sound), VORTON_OK);
}

#[test]
fn a_call_from_inside_a_call_is_busy() {
    let id = world();
    let mut inner = VORTON_OK;
    assert_eq!(
        guard::run(|| {
            inner = vorton_world_step(id, 0.1);
            Ok(())
        }),
        VORTON_OK
    );
    assert_eq!(inner, VORTON_ERR_BUSY);
    assert_eq!(vorton_world_destroy(id), VORTON_OK);
}

#[test]
fn a_second_writer_is_busy_and_harms_nothing() {
    let id = world();
    let result = guard::run(|| {
        writing(id, |_, _| {
            let other = std::thread::spawn(move || vorton_world_step(id, 0.1)).join();
            assert_eq!(other.unwrap(), VORTON_ERR_BUSY);
            // Data outside the state can be read meanwhile.
            let mut kept = 0;
            let asked = std::thread::spawn(move || {
                // SAFETY: points to a local.
                let result = unsafe { vorton_world_user_data(id, &raw mut kept) };
                (result, kept)
            });
            assert_eq!(asked.join().unwrap(), (VORTON_OK, 7));
            Ok(())
        })
    });
    assert_eq!(result, VORTON_OK);
    assert_eq!(vorton_world_step(id, 0.1), VORTON_OK);
    assert_eq!(vorton_world_destroy(id), VORTON_OK);
}

#[test]
fn the_field_is_drawn_while_a_step_runs_and_vortons_are_not() {
    let id = world();
    let draw = move |flags: u32| {
        let def = VortonDrawDef { flags, ..VortonDrawDef::default() };
        let mut count = usize::MAX;
        // SAFETY: both point to locals.
        let result =
            unsafe { vorton_world_draw(id, &raw const def, std::ptr::null_mut(), 0, &raw mut count) };
        (result, count)
    };
    let while_a_step_runs = move |flags| std::thread::spawn(move || draw(flags)).join().unwrap();
    let result = guard::run(|| {
        writing(id, |_, _| {
            let field = VORTON_DRAW_FIELD | VORTON_DRAW_MESH;
            assert_eq!(while_a_step_runs(field), (VORTON_OK, 3 * 512));
            assert_eq!(while_a_step_runs(VORTON_DRAW_VORTONS), (VORTON_ERR_BUSY, usize::MAX));
            assert_eq!(while_a_step_runs(field | VORTON_DRAW_VORTONS), (VORTON_ERR_BUSY, usize::MAX));
            Ok(())
        })
    });
    assert_eq!(result, VORTON_OK);
    assert_eq!(draw(VORTON_DRAW_VORTONS), (VORTON_OK, 0));
    assert_eq!(vorton_world_destroy(id), VORTON_OK);
}
