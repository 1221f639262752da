use super::*;
use crate::math::Random;
use fluid_threads::{Serial, Shuffled};
use glam::{IVec3, UVec3, Vec3Swizzles};

/// One node after the other hands its source over: the definition.
fn hand_over_one_by_one(source: &mut Baroclinic, shape: &GridShape) {
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

/// Sources on two thirds of the inner nodes; a few of these, some, or most give to vortons.
fn scattered(shape: &GridShape, giving: f32, seed: u64) -> Baroclinic {
    let (random, mut source) = (Random::new(seed), Baroclinic::default());
    source.complete = vec![Vec3::ZERO; shape.len()];
    source.missing = vec![Vec3::ZERO; shape.len()];
    source.gives = vec![false; shape.len()];
    for k in 0..shape.dims_usize()[2] {
        for_each_inner(shape, k, |i, _| {
            let node = k * shape.plane_len() + i;
            let [a, b] = [0, 1].map(|part| random.centred_vec3(2 * node as u64 + part));
            source.gives[node] = a.x + 0.5 < giving;
            if a.y + 0.5 < 0.67 {
                source.complete[node] = b;
            }
            source.missing[node] = b.zxy() * a.z;
        });
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
            let mut source = scattered(&shape, giving, seed);
            source.hand_to_neighbours(exec, &shape, &WallNodes::default());
            assert_eq!(bits(&source.complete), bits(&expected.complete), "{giving} give");
            assert_eq!(bits(&source.missing), bits(&expected.missing), "{giving} give");
        }
    }
}
