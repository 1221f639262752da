//! Damaged recordings with valid checksums: records are cut, changed, exchanged and called by other names.

use super::{Draw, EXECUTIONS_PER_WORLD, Watch, check_result, damage, executions, step_three_times};
use crate::recording::tests;
use crate::status::*;
use crate::world::*;

/// Code of vorton_world_advance.
const ADVANCE: u8 = 2;

/// A recording in parts.
struct Corpus {
    header: Vec<u8>,
    /// Code and values of each record, the beginning first.
    records: Vec<(u8, Vec<u8>)>,
}

impl Corpus {
    fn new() -> Self {
        let tape = tests::tape();
        let offsets = tests::records(&tape);
        let part =
            |ends: &[usize]| (tape[ends[0]], tape[ends[0] + tests::RECORD_HEADER_SIZE..ends[1]].to_vec());
        Self { header: tape[..offsets[0]].to_vec(), records: offsets.windows(2).map(part).collect() }
    }

    /// Returns the beginning and a few other records, most of them damaged.
    fn forge(&self, draw: &mut Draw) -> Vec<u8> {
        let mut bytes = self.header.clone();
        let (begin, mut values) = self.records[0].clone();
        if draw.one_in(8) {
            damage(&mut values, draw);
        }
        tests::put_values(begin, &values, &mut bytes);
        for _ in 0..1 + draw.below(6) {
            let (mut code, mut values) = self.records[1 + draw.below(self.records.len() - 1)].clone();
            if draw.one_in(8) {
                code = draw.below(64) as u8;
            }
            if !draw.one_in(4) {
                damage(&mut values, draw);
            }
            if code == ADVANCE && values.len() == 12 {
                // As many substeps as asked for: any number is valid.
                values[9..12].fill(0);
            }
            tests::put_values(code, &values, &mut bytes);
        }
        if draw.one_in(16) {
            bytes.truncate(draw.below(bytes.len()));
        }
        bytes
    }
}

#[test]
fn damaged_recordings_are_refused_or_diverge() {
    let corpus = Corpus::new();
    let mut watch = Watch::new("recordings");
    let (mut world, mut refused, mut diverged) = (tests::world(), 0, 0);
    for seed in executions(0.2, 2000) {
        let mut draw = Draw::new(seed);
        let tape = corpus.forge(&mut draw);
        let (result, progress) = watch.execute(seed, || tests::replay(world, &tape));
        check_result(result, seed, "replay");
        let known = [VORTON_ERR_RECORDING, VORTON_ERR_SNAPSHOT, VORTON_NOTE_DIVERGED, VORTON_OK];
        assert!(known.contains(&result), "seed {seed}: {result}");
        refused += u64::from(result < 0);
        diverged += u64::from(progress.diverged_call != u64::MAX);
        if step_three_times(world, seed) < 0 || seed % EXECUTIONS_PER_WORLD == EXECUTIONS_PER_WORLD - 1 {
            assert_eq!(vorton_world_destroy(world), VORTON_OK);
            world = tests::world();
        }
    }
    watch.report(&format!("{refused} refused, {diverged} diverged"));
    assert!(refused > watch.count / 10 && diverged > watch.count / 10);
    assert_eq!(vorton_world_destroy(world), VORTON_OK);
}
