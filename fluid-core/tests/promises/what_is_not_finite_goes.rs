//! A vorton with a position, strength, mass or dye that is no longer finite is removed at the end of the
//! step, and counted; the others stay.

use crate::common::{inviscid, leapfrog, world};
use fluid_core::boundary::{BodyCoupling, ContactWork, Motion};
use fluid_core::math::Vec3Columns;
use fluid_core::particles::Vortons;
use fluid_threads::Serial;
use glam::Vec3;

/// Writes a number into a row.
type Way = fn(&mut Vortons, usize, f32);

/// Bodies that invalidate one vorton.
struct Ruin(Way, f32);

const ROW: usize = 7;

impl BodyCoupling for Ruin {
    fn vorton_contacts(&mut self, _: Motion<'_>, _: &Vec3Columns, vortons: &mut Vortons) -> ContactWork {
        self.0(vortons, ROW, self.1);
        ContactWork::default()
    }
}

#[test]
fn whatever_it_is() {
    let ways: [(&str, Way); 4] = [
        ("position", |vortons, row, bad| vortons.positions.set(row, Vec3::new(0.0, bad, 0.0))),
        ("strength", |vortons, row, bad| vortons.strengths.set(row, Vec3::new(0.0, 0.0, bad))),
        ("mass", |vortons, row, bad| vortons.mass_deviations[row] = bad),
        ("dye", |vortons, row, bad| vortons.dyes[row] = bad),
    ];
    for (name, way) in ways {
        for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let rings = leapfrog(1.0, 24);
            let mut sim = world(inviscid(0.2), &rings);
            let gone = sim.vortons().ids[ROW];
            sim.step(&Serial, &mut Ruin(way, bad), 0.01).expect("finite");
            assert_eq!(sim.stats().non_finite, 1, "{name} {bad}");
            assert_eq!(sim.vortons().len(), rings.len() - 1, "{name} {bad}");
            assert_eq!(sim.vortons().row_of(gone), None, "{name} {bad}");
        }
    }
}
