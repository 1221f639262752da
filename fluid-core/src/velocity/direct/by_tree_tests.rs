use super::*;
use crate::lanes::{InstructionSet, Precision};
use crate::math::Random;
use crate::velocity::{DirectSettings, Kernel, VelocityField};
use fluid_threads::{Serial, Shuffled};

const CORE_RADIUS: f32 = 0.1;

/// A cloud of sources of noise at these places.
fn cloud(
    kernel: Kernel,
    instruction_set: InstructionSet,
    places: impl Iterator<Item = Vec3>,
) -> (SourceCloud, Sources) {
    let precision = Precision::Exact;
    let settings = DirectSettings { kernel, core_radius: CORE_RADIUS, instruction_set, precision };
    let (mut cloud, mut sources) = (SourceCloud::new(settings), Sources::default());
    for (n, place) in places.enumerate() {
        sources.push(place, Random::new(9).centred_vec3(n as u64));
    }
    cloud.set(&sources.positions, &sources.strengths);
    (cloud, sources)
}

fn noise(count: u64, size: f32) -> impl Iterator<Item = Vec3> {
    (0..count).map(move |n| Random::new(7).centred_vec3(n) * size)
}

/// Rings far apart, of vortons in no order.
fn rings(count: u64) -> impl Iterator<Item = Vec3> {
    (0..count * 60).map(move |n| {
        let (ring, angle) = ((n % count) as f32, n as f32 * 0.1);
        Vec3::new(angle.cos(), angle.sin(), 0.0) + Vec3::new(ring % 3.0, 0.3, (ring / 3.0).floor()) * 8.0
    })
}

/// Flow and potentials at all sources: pair by pair, then by a tree.
fn by_both(
    exec: &dyn Executor,
    cloud: &mut SourceCloud,
    sources: &Sources,
) -> [(Vec<FlowSample>, Vec<Vec3>); 2] {
    let count = sources.len();
    let (mut flow, mut potentials) = (vec![FlowSample::default(); count], vec![Vec3::ZERO; count]);
    cloud.flow_and_potential_in_parallel(exec, &sources.positions, &mut flow, &mut potentials);
    let pairs = (flow.clone(), potentials.clone());
    let mut sums = TreeSums::default();
    assert!(sums.make_room(exec, count) && cloud.plant(exec));
    cloud.flow_by_tree(exec, &mut sums);
    sums.copy_flow(exec, (cloud, sources), &mut flow);
    sums.copy_potentials(exec, (cloud, sources), &mut potentials);
    let mut alone = vec![Vec3::ZERO; count];
    cloud.potentials_by_tree(exec, &mut sums);
    sums.copy_potentials(exec, (cloud, sources), &mut alone);
    let bits = |all: &[Vec3]| all.iter().map(|one| one.to_array().map(f32::to_bits)).collect::<Vec<_>>();
    assert!(bits(&alone) == bits(&potentials));
    [pairs, (flow, potentials)]
}

/// Root mean square of the differences, over that of the values.
fn error(pairs: &[FlowSample], tree: &[FlowSample]) -> [f64; 2] {
    let mut sums = [[0.0; 2]; 2];
    for (a, b) in pairs.iter().zip(tree) {
        let gradient = FlowSample { gradient: a.gradient - b.gradient, ..*a };
        sums[0][0] += f64::from(a.velocity.distance_squared(b.velocity));
        sums[0][1] += f64::from(a.velocity.length_squared());
        sums[1][0] += f64::from(gradient.gradient_norm2());
        sums[1][1] += f64::from(a.gradient_norm2());
    }
    sums.map(|[difference, value]| (difference / value).sqrt())
}

#[test]
fn the_flow_is_that_of_all_pairs() {
    let line = || (0..2000).map(|n| Vec3::X * (0.05 * n as f32));
    let clumps = || noise(600, 0.5).chain(noise(600, 40.0)).chain(noise(600, 1.0).map(|p| p + Vec3::Y * 1e4));
    for (kernel, most) in [
        (Kernel::WinckelmansLeonard, 6e-3),
        (Kernel::RigidCore, 6e-3),
        // Its cores act at a distance: 2 % of a source do at that of far ones.
        (Kernel::RosenheadMoore, 6e-3),
    ] {
        let places: [(&str, Vec<Vec3>); 4] = [
            ("noise", noise(3000, 6.0).collect()),
            ("rings", rings(12).collect()),
            ("line", line().collect()),
            ("clumps", clumps().collect()),
        ];
        for (name, places) in places {
            let (mut cloud, sources) = cloud(kernel, InstructionSet::Auto, places.into_iter());
            let [pairs, tree] = by_both(&Serial, &mut cloud, &sources);
            let [near, _] = cloud.count_by_tree().map(|all| all / sources.len());
            let [velocity, gradient] = error(&pairs.0, &tree.0);
            let energy = |potentials: &[Vec3]| -> f64 {
                let each = sources.strengths.iter().zip(potentials);
                each.map(|(strength, potential)| f64::from(strength.dot(*potential))).sum()
            };
            let excess = energy(&tree.1) / energy(&pairs.1) - 1.0;
            println!("{kernel:?} {name}: {near} near, {velocity:.1e}, {gradient:.1e}, energy {excess:.1e}");
            assert!(velocity < most && gradient < 2e-3, "{kernel:?} {name}: {velocity:e}, {gradient:e}");
            assert!(excess.abs() < 2e-4, "{kernel:?} {name}: {excess:e}");
            assert!(near < sources.len() / 2, "{near} of {} are summed", sources.len());
        }
    }
}

/// Places among the sources, between them and far away, in groups and each by itself.
#[test]
fn samples_are_those_of_all_pairs() {
    let (mut cloud, _) = cloud(Kernel::default(), InstructionSet::Auto, rings(12).chain(noise(800, 3.0)));
    let near = |n: u64| Random::new(2).centred_vec3(n);
    for (most, places) in [
        (5e-3, (0..500).map(|n| near(n) * 0.2 + Vec3::new(1.0, 2.4, 0.0)).collect::<Vec<_>>()),
        (5e-3, (0..500).map(|n| near(n) * 40.0).collect()),
        (5e-3, (0..100).map(|n| near(n) * 1e3 + Vec3::X * 1e4).collect()),
        // Of noise around it, most of which cancels there.
        (6e-2, vec![Vec3::ZERO]),
        (6e-2, vec![Vec3::splat(1e30), Vec3::ZERO]),
    ] {
        let sample = |cloud: &SourceCloud| {
            let (mut flow, mut velocities) =
                (vec![FlowSample::default(); places.len()], vec![Vec3::ZERO; places.len()]);
            cloud.flow(&places, &mut flow);
            cloud.velocities(&places, &mut velocities);
            let alike = flow.iter().zip(&velocities).map(|(a, b)| a.velocity.distance(*b));
            let largest = velocities.iter().fold(0.0_f32, |most, one| most.max(one.length()));
            assert!(alike.fold(0.0, f32::max) <= 1e-4 * largest, "{largest}");
            flow
        };
        cloud.forget_tree();
        let pairs = sample(&cloud);
        assert!(cloud.plant(&Serial));
        let [velocity, gradient] = error(&pairs, &sample(&cloud));
        println!("{:?}: {velocity:.1e}, {gradient:.1e}", places[0]);
        assert!(velocity < most && gradient < most, "{:?}: {velocity:e}, {gradient:e}", places[0]);
    }
}

#[test]
fn bits_do_not_depend_on_lanes_and_workers() {
    let bits = |set: InstructionSet, exec: &dyn Executor| {
        let (mut cloud, sources) = cloud(Kernel::default(), set, rings(8).chain(noise(500, 9.0)));
        let [_, (flow, potentials)] = by_both(exec, &mut cloud, &sources);
        let of = |sample: &FlowSample| {
            let gradient = sample.gradient.to_cols_array().map(f32::to_bits);
            (sample.velocity.to_array().map(f32::to_bits), gradient)
        };
        let potentials = potentials.iter().map(|one| one.to_array().map(f32::to_bits)).collect::<Vec<_>>();
        (flow.iter().map(of).collect::<Vec<_>>(), potentials)
    };
    let portable = bits(InstructionSet::Portable, &Serial);
    for set in InstructionSet::ALL.into_iter().filter(|set| set.is_available()) {
        assert!(bits(set, &Shuffled::new(3)) == portable, "{set:?}");
    }
}

/// Sources at one place, at ever smaller distances, fewer than a cell has, and at no place.
#[test]
fn any_positions_have_a_tree() {
    let halves = || (0..500).map(|n| Vec3::X * 0.5_f32.powi(n % 140));
    let broken = || noise(300, 3.0).enumerate().map(|(n, p)| if n % 50 == 7 { p * f32::NAN } else { p });
    let distant = || noise(300, 3.0).enumerate().map(|(n, p)| if n % 50 == 7 { p * 1e30 } else { p });
    let places: [(&str, Vec<Vec3>); 8] = [
        ("one place", vec![Vec3::ONE; 900]),
        ("two places", (0..900).map(|n| Vec3::ONE * (n % 2) as f32).collect()),
        ("halves", halves().collect()),
        ("broken", broken().collect()),
        ("distant", distant().collect()),
        ("as far as may be", (0..400).map(|n| Vec3::splat([3e38, -3e38, 1.0, 1e-45][n % 4])).collect()),
        ("one", vec![Vec3::ONE]),
        ("none", vec![]),
    ];
    for (name, places) in places {
        let (mut cloud, sources) = cloud(Kernel::default(), InstructionSet::Auto, places.into_iter());
        let [pairs, tree] = by_both(&Serial, &mut cloud, &sources);
        let mut rows: Vec<_> = cloud.tree.blocks().flatten().collect();
        rows.sort_unstable();
        assert!(rows.into_iter().eq(0..sources.len()), "{name}: each source is in one block");
        let mut order = cloud.tree.rows().to_vec();
        order.sort_unstable();
        assert!(order.into_iter().eq(0..sources.len() as u32), "{name}: each source is in the tree");
        let places = (0..sources.len()).filter(|&row| sources.positions.get(row).is_finite());
        let largest = places.map(|row| pairs.0[row].velocity.length()).fold(0.0, f32::max);
        let mut near: Vec<u32> = (0..sources.len() as u32).rev().collect();
        SourceTree::default().sort_near_each_other(&Serial, &sources.positions, &mut near);
        near.sort_unstable();
        assert!(near.into_iter().eq(0..sources.len() as u32), "{name}: each source is sorted");
        for (row, (pairs, tree)) in pairs.0.iter().zip(&tree.0).enumerate() {
            let is_place = sources.positions.get(row).is_finite();
            let near = pairs.velocity.distance(tree.velocity) <= 1e-2 * largest;
            let is_broken = pairs.velocity.is_nan() && tree.velocity.is_nan();
            assert!(if is_place { near } else { is_broken }, "{name} {row}: {pairs:?} {tree:?}");
        }
    }
}
