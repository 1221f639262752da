//! With indices, all other particles are ignored.

use crate::particle_operations::*;

use fluid_particles::ops::*;

#[test]
fn and_those_as_if_they_were_alone() {
    let start = particles(2 * CHUNK + 9);
    let indices: Vec<u32> = (0..start.len() as u32).filter(|row| row % 3 != 0).collect();
    let listed: Vec<_> = indices.iter().map(|&row| start[row as usize]).collect();
    for layout in Layout::F32 {
        for operation in every_operation_for(layout, true) {
            if operation.name() == "Emit" {
                continue;
            }
            let mut host = Host::new(&start, start.len(), layout);
            let inputs = RunInputs { field: &Waves, surfaces: &Scenery, dt: DT, frame: 100 };
            let outcome = run_with(&fluid_threads::Serial, &mut host, Some(&indices), &inputs, &[operation])
                .expect("a right list");
            host.assert_gaps_untouched();
            let mut alone = Host::new(&listed, listed.len(), Layout::Soa);
            let expected = run(&mut alone, &[operation]);

            let (after, alone) = (host.read(), alone.read());
            let mut visited = indices.iter().zip(&alone).peekable();
            for (row, particle) in after.iter().enumerate() {
                match visited.next_if(|(index, _)| **index as usize == row) {
                    Some((_, expected)) => {
                        assert_eq!(particle.bits(), expected.bits(), "{operation:?} row {row}")
                    }
                    None => assert_eq!(particle.bits(), start[row].bits(), "{operation:?} row {row}"),
                }
            }
            let rows: Vec<u32> = expected.killed.iter().map(|&number| indices[number as usize]).collect();
            assert_eq!(outcome.killed, rows);
            assert_eq!(outcome.report.bounds, expected.report.bounds);
        }
    }
}
