//! Clouds return the sources that they were made of.

use super::SourceCloud;
use crate::lanes::{InstructionSet, Precision};
use crate::math::{Random, Vec3Columns};
use crate::velocity::{DirectSettings, GroupedRows, Kernel, Sources};
use glam::Vec3;

/// A mesh for samples is made from the sources of a cloud, and must equal that of the vortons.
#[test]
fn a_cloud_gives_back_its_sources_to_the_bit() {
    for (core_radius, size) in [(0.1, 1.0), (3e-9, 1e-6), (7e8, 1e12)] {
        let (kernel, precision) = (Kernel::default(), Precision::Exact);
        let settings =
            DirectSettings { kernel, core_radius, instruction_set: InstructionSet::Auto, precision };
        let random = Random::new(3);
        let (mut cloud, mut given, mut got) =
            (SourceCloud::new(settings), Sources::default(), Sources::default());
        for i in 0..100 {
            given.push(random.centred_vec3(i) * size, random.centred_vec3(i + 100) * size * 1e-3);
        }
        cloud.set(&given.positions, &given.strengths);
        cloud.write_to(&mut got);
        assert_eq!((&got.positions, &got.strengths), (&given.positions, &given.strengths));
        // A source without strength in a sum has none on a mesh either.
        given.push(Vec3::splat(f32::MAX), Vec3::ONE);
        given.push(Vec3::ZERO, Vec3::NAN);
        cloud.set(&given.positions, &given.strengths);
        cloud.write_to(&mut got);
        assert_eq!(got.strengths.iter().skip(100).collect::<Vec<_>>(), [Vec3::ZERO; 2]);
    }
}

/// So must groups that are summed apart, which follow with their ids; pseudo-vortons do not.
#[test]
fn groups_are_given_back_behind_the_others() {
    let settings = DirectSettings {
        kernel: Kernel::default(),
        core_radius: 0.1,
        instruction_set: InstructionSet::Auto,
        precision: Precision::Exact,
    };
    let random = Random::new(4);
    let (mut given, mut got) = (Sources::default(), Sources::default());
    let (mut cloud, mut grouped) = (SourceCloud::new(settings), SourceCloud::new(settings));
    let fill = |given: &mut Sources, count: u64| {
        let first = given.len() as u64;
        (first..first + count)
            .for_each(|i| given.push(random.centred_vec3(i), random.centred_vec3(i + 9000)));
    };
    fill(&mut given, 10);
    given.group_from(10, 0.0);
    fill(&mut given, 300);
    given.group_from(10, 1.5);
    fill(&mut given, 5);
    cloud.set_together(&given, &given.strengths);
    grouped.set_apart(&given);
    assert!(cloud.len() == 15 && grouped.len() == 300 && grouped.positions.len() > 300);
    cloud.write_to(&mut got);
    grouped.append_groups_to(&mut got);
    let rows: Vec<usize> = (0..10).chain(310..315).chain(10..310).collect();
    let expected = |columns: &Vec3Columns| rows.iter().map(|&row| columns.get(row)).collect::<Vec<_>>();
    assert_eq!(got.positions.iter().collect::<Vec<_>>(), expected(&given.positions));
    assert_eq!(got.strengths.iter().collect::<Vec<_>>(), expected(&given.strengths));
    assert_eq!(got.groups(), [GroupedRows { rows: [15, 315], energy: 1.5, is_apart: true, id: 1 }]);
}
