use super::*;
use crate::math::Random;
use fluid_threads::{Serial, Shuffled};
use glam::{IVec3, UVec3, Vec3Swizzles};

/// Marks of the nodes that distribute their source, and the nodes' values.
struct Nodes {
    gives: Vec<bool>,
    complete: Vec<Vec3>,
    missing: Vec<Vec3>,
}

/// Reference implementation: nodes pass on their sources one after the other.
fn hand_over_one_by_one(source: &mut Nodes, shape: &GridShape) {
    let around = neighbours(shape);
    for from in 0..source.complete.len() {
        let takers: Vec<_> = around
            .iter()
            .map(|(offset, step)| (from.wrapping_add_signed(*offset), *step))
            .filter(|(to, _)| source.gives.get(*to) == Some(&true))
            .collect();
        if source.complete[from] == Vec3::ZERO || source.gives[from] || takers.is_empty() {
            continue;
        }
        let share = source.complete[from] / takers.len() as f32;
        source.complete[from] = Vec3::ZERO;
        for (to, step) in takers {
            source.complete[to] += share;
            source.missing[to] -= 0.5 * step.cross(share);
        }
    }
}

fn all_of(shape: &GridShape) -> FilledRows {
    let mut all = FilledRows::default();
    all.fill(shape);
    all
}

/// Sources on two thirds of the inner nodes; `giving` is the fraction of inner nodes that distribute to
/// vortons.
fn scattered(shape: &GridShape, giving: f32, seed: u64) -> Nodes {
    let (random, zeros) = (Random::new(seed), vec![Vec3::ZERO; shape.len()]);
    let mut source = Nodes { gives: vec![false; shape.len()], complete: zeros.clone(), missing: zeros };
    let all = all_of(shape);
    for k in 0..shape.dims_usize()[2] {
        for i in all.inside_of_plane(k).flatten() {
            let node = k * shape.plane_len() + i;
            let [a, b] = [0, 1].map(|part| random.centred_vec3(2 * node as u64 + part));
            source.gives[node] = a.x + 0.5 < giving;
            if a.y + 0.5 < 0.67 {
                source.complete[node] = b;
            }
            source.missing[node] = b.zxy() * a.z;
        }
    }
    source
}

#[test]
fn nodes_hand_over_as_one_by_one() {
    let shape = GridShape::new(0.3, IVec3::new(-4, 2, 7), UVec3::new(16, 8, 24));
    let bits = |values: &[Vec3]| values.iter().map(|v| v.to_array().map(f32::to_bits)).collect::<Vec<_>>();
    for (giving, seed) in [(0.0, 1), (0.05, 2), (0.5, 3), (0.95, 4), (1.0, 5)] {
        let mut expected = scattered(&shape, giving, seed);
        hand_over_one_by_one(&mut expected, &shape);
        for exec in [&Serial as &dyn Executor, &Shuffled::new(seed)] {
            let mut nodes = scattered(&shape, giving, seed);
            let (gives, filled) = (nodes.gives.clone(), all_of(&shape));
            let mut source = Baroclinic { gives, filled, ..Baroclinic::default() };
            let (mut arms, mut donors) = (vec![Vec4::NAN; shape.len()], vec![u32::MAX; shape.len()]);
            let Nodes { complete, missing, .. } = &mut nodes;
            let mut work = DistributionScratch { arms: &mut arms, missing, complete, donors: &mut donors };
            source.hand_to_neighbours(exec, &shape, &WallNodes::default(), &mut work);
            assert_eq!(bits(&nodes.complete), bits(&expected.complete), "{giving} give");
            assert_eq!(bits(&nodes.missing), bits(&expected.missing), "{giving} give");
        }
    }
}
