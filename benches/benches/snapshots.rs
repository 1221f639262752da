//! `cargo bench -p benches --bench snapshots`: cost of saving a developed scene without its smoke and of
//! loading it, and of a rollback of eight frames (one load, eight saves) relative to the eight steps that
//! are repeated. Rounds are interleaved, and the fastest of each is taken.

use benches::timing::{interleaved, least, seconds};
use fluid_core::particles::Tracers;
use fluid_core::saved::{NoInsides, Reader, Saved, Writer};
use fluid_scenes::run::Run;
use fluid_threads::Serial;
use std::cell::RefCell;
use std::hint::black_box;
use twox_hash::XxHash3_64;

const SCENES: [&str; 7] =
    ["ring", "jet", "dye_drop", "two_drops", "hot_ball", "ball_through_smoke", "resting_tank"];
const FRAMES: usize = 60;
const ROUNDS: usize = 100;
/// Number of frames rolled back.
const BACK: f64 = 8.0;

fn save(run: &Run, bytes: &mut [u8]) -> usize {
    let mut out = Writer::new(bytes, &run.bodies);
    run.bodies.save(&mut out);
    run.sim.save(&mut out);
    let len = out.len();
    black_box(XxHash3_64::oneshot(&bytes[..len.min(bytes.len())]));
    len
}

/// Loads a state as in a world of the C interface, which first saves its own state, in case the bytes are
/// refused.
fn load(run: &mut Run, bytes: &[u8], before: &mut [u8]) {
    black_box(XxHash3_64::oneshot(bytes));
    save(run, before);
    let mut from = Reader::new(bytes, &NoInsides, &Serial);
    run.bodies.load(&mut from).expect("what was saved");
    let mut from = Reader::new(from.rest(), &run.bodies, &Serial);
    run.sim.load(&mut from).expect("what was saved");
}

fn main() {
    println!(
        "{:>20} {:>8} {:>8} {:>8} {:>8} {:>8} {:>12} {:>10}",
        "scene", "vortons", "KiB", "save ms", "load ms", "step ms", "rollback ms", "of steps"
    );
    for name in SCENES {
        let scene = fluid_scenes::all().iter().find(|scene| scene.name == name).expect("a scene");
        let mut run = Run::new(scene).expect("a scene of the table");
        run.tracers = Tracers::default();
        (0..FRAMES).for_each(|_| run.frame(&Serial).expect("a valid step"));
        let size = save(&run, &mut []);
        let (vortons, dt) = (run.sim.vortons().len(), scene.dt / scene.substeps as f32);
        let (bytes, before) = (RefCell::new(vec![0; size]), RefCell::new(vec![0; size]));
        save(&run, &mut bytes.borrow_mut());
        let run = RefCell::new(run);
        let mut calls: [Box<dyn FnMut()>; 2] = [
            Box::new(|| _ = save(&run.borrow(), &mut bytes.borrow_mut())),
            Box::new(|| load(&mut run.borrow_mut(), &bytes.borrow(), &mut before.borrow_mut())),
        ];
        let times = interleaved(ROUNDS, &mut calls);
        drop(calls);
        let [saving, loading] = [0, 1].map(|i| 1e3 * least(&times[i]));
        let mut run = run.into_inner();
        let steps: Vec<f64> =
            (0..20).map(|_| 1e3 * seconds(|| run.step(&Serial, dt).expect("a valid step"))).collect();
        let step = steps.iter().sum::<f64>() / steps.len() as f64;
        let rollback = BACK * saving + loading;
        println!(
            "{name:>20} {vortons:>8} {:>8} {saving:>8.3} {loading:>8.3} {step:>8.3} {rollback:>12.3} {:>10.3}",
            size / 1024,
            rollback / (BACK * step)
        );
    }
}
