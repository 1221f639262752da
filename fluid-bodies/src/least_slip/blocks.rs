//! Loops over the contacts of a cluster, in blocks of eight.

use super::eight::{BlockSum, BlockVectorSum, Eight, EightVectors, WIDTH};
use super::give::Give;
use crate::ledger::CentredMoments;
use fluid_core::{InstructionSet, VectorJob, run_in_vectors};
use glam::{DVec3, Vec3};

/// Eight contacts. Those of the last block beyond the cluster's are zeros, and add nothing to sums.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ContactBlock {
    /// 1 for a contact.
    pub(super) is_one: Eight,
    /// Contact point, from the body's centre of mass \[m\].
    pub(super) arm: EightVectors,
    /// Place of the vorton, from the middle of the body's solids \[m\].
    pub(super) place: EightVectors,
    pub(super) normal: EightVectors,
    /// Neighbours as a fraction of those in a layer \[1\].
    pub(super) crowd: Eight,
    /// Factor on directions among many contacts \[1\].
    pub(super) ease: Eight,
    /// Weight of the change against the slip \[1/m⁴\].
    pub(super) weight: Eight,
    /// Change of strength to be found \[m³/s\].
    pub(super) change: EightVectors,
    /// Velocity still missing at the contact point \[m/s\].
    pub(super) residual: EightVectors,
    /// Direction of the pass.
    pub(super) direction: EightVectors,
    descent: EightVectors,
    /// Velocity of a cloud at the target of the contact.
    pub(super) flow: EightVectors,
}

/// A column of strengths.
#[derive(Clone, Copy)]
pub(super) enum Strengths {
    Change,
    Direction,
}

impl ContactBlock {
    #[inline(always)]
    fn strengths(&self, which: Strengths) -> EightVectors {
        match which {
            Strengths::Change => self.change,
            Strengths::Direction => self.direction,
        }
    }

    /// Returns the part of strengths at the surface that belongs to a layer: along the surface, and across it
    /// the fraction `turning`, times the crowd. A sheet that moves with a spinning body is only one half of
    /// the vorticity; the other half, the opposite of this part's sum, is inside. Where nothing turns,
    /// strength across the surface, together with its opposite below, would hardly move the fluid at the
    /// surface, and both would grow without bound ([`super::turning`]).
    #[inline(always)]
    fn of_layer(&self, strengths: EightVectors, turning: Eight) -> EightVectors {
        let across = self.normal.dot(strengths) * (Eight::splat(1.0) - turning);
        (strengths - self.normal.times(across)).times(self.crowd)
    }
}

/// Copies velocities, one for each contact, to the blocks.
pub(super) fn take_flow(blocks: &mut [ContactBlock], velocities: &[Vec3]) {
    for (block, velocities) in blocks.iter_mut().zip(velocities.chunks(WIDTH)) {
        for (lane, &velocity) in velocities.iter().enumerate() {
            block.flow.set(lane, velocity);
        }
    }
}

/// SumMoments of strengths at the vortons' places about the middle, and the sum of what belongs to the layer.
pub(super) fn moments(blocks: &[ContactBlock], which: Strengths, turning: f32) -> (CentredMoments, DVec3) {
    struct SumMoments<'a> {
        blocks: &'a [ContactBlock],
        which: Strengths,
        turning: f32,
        found: &'a mut (CentredMoments, DVec3),
    }
    impl VectorJob for SumMoments<'_> {
        #[inline(always)]
        fn run(self) {
            let turning = Eight::splat(self.turning);
            let [mut strength, mut linear, mut angular, mut layer] = [BlockVectorSum::default(); 4];
            for block in self.blocks {
                let strengths = block.strengths(self.which);
                let moment = block.place.cross(strengths);
                strength.add(strengths);
                linear.add(moment);
                angular.add(block.place.cross(moment));
                layer.add(block.of_layer(strengths, turning));
            }
            let (linear, angular) = (linear.total() * 0.5, angular.total() / 3.0);
            *self.found = (CentredMoments { strength: strength.total(), linear, angular }, layer.total());
        }
    }
    let mut found = Default::default();
    run_in_vectors(InstructionSet::Auto, SumMoments { blocks, which, turning, found: &mut found });
    found
}

/// Sums of squares: the effect of the direction at the contact points, and the weighted direction.
pub(super) struct SquaresOfPass {
    pub(super) acted: f64,
    pub(super) size: f64,
}

/// Takes the velocity of the surface, `velocity` + `spin` × arm, off the flow, and what a wall without
/// friction does not feel.
pub(super) fn act(
    blocks: &mut [ContactBlock],
    (velocity, spin): (Vec3, Vec3),
    is_frictionless: bool,
) -> SquaresOfPass {
    struct TakeRecoil<'a> {
        blocks: &'a mut [ContactBlock],
        velocity: Vec3,
        spin: Vec3,
        is_frictionless: bool,
        found: &'a mut SquaresOfPass,
    }
    impl VectorJob for TakeRecoil<'_> {
        #[inline(always)]
        fn run(self) {
            let (velocity, spin) = (EightVectors::splat(self.velocity), EightVectors::splat(self.spin));
            let [mut acted, mut size] = [BlockSum::default(); 2];
            for block in self.blocks {
                let mut flow = block.flow - (velocity + spin.cross(block.arm)).times(block.is_one);
                if self.is_frictionless {
                    flow = block.normal.times(block.normal.dot(flow));
                }
                block.flow = flow;
                acted.add(flow.dot(flow));
                size.add(block.weight * block.direction.dot(block.direction));
            }
            *self.found = SquaresOfPass { acted: acted.total(), size: size.total() };
        }
    }
    let mut found = SquaresOfPass { acted: 0.0, size: 0.0 };
    run_in_vectors(
        InstructionSet::Auto,
        TakeRecoil { blocks, velocity, spin, is_frictionless, found: &mut found },
    );
    found
}

/// What is left after a pass.
#[derive(Default)]
pub(super) struct LeftByPass {
    /// Σ of the squares of the residuals, and of the weighted changes.
    pub(super) residual2: f64,
    pub(super) change2: f64,
    /// Σ of the residuals, and of their moments about the centre of mass.
    pub(super) force: DVec3,
    pub(super) torque: DVec3,
}

/// Goes `step` along the direction.
pub(super) fn advance(blocks: &mut [ContactBlock], step: f32) -> LeftByPass {
    struct GoAlong<'a> {
        blocks: &'a mut [ContactBlock],
        step: f32,
        found: &'a mut LeftByPass,
    }
    impl VectorJob for GoAlong<'_> {
        #[inline(always)]
        fn run(self) {
            let step = Eight::splat(self.step);
            let [mut residual2, mut change2] = [BlockSum::default(); 2];
            let [mut force, mut torque] = [BlockVectorSum::default(); 2];
            for block in self.blocks {
                block.change = block.change + block.direction.times(step);
                block.residual = block.residual - block.flow.times(step);
                residual2.add(block.residual.dot(block.residual));
                change2.add(block.weight * block.change.dot(block.change));
                force.add(block.residual);
                torque.add(block.arm.cross(block.residual));
            }
            *self.found = LeftByPass {
                residual2: residual2.total(),
                change2: change2.total(),
                force: force.total(),
                torque: torque.total(),
            };
        }
    }
    let mut found = LeftByPass::default();
    run_in_vectors(InstructionSet::Auto, GoAlong { blocks, step, found: &mut found });
    found
}

/// Computes the steepest descent of slip² + weight · change² from the velocity of the residuals at the
/// vortons, with the recoil `give` and the bound strength's share `bound`; returns its squared slope.
pub(super) fn descend(
    blocks: &mut [ContactBlock],
    give: &Give,
    left: &LeftByPass,
    (bound, turning): (Vec3, f32),
) -> f64 {
    struct FindDescent<'a> {
        blocks: &'a mut [ContactBlock],
        /// Recoil per place y: `lever` × y + (`turned` × y) × y.
        lever: Vec3,
        turned: Vec3,
        bound: Vec3,
        turning: f32,
        slope: &'a mut f64,
    }
    impl VectorJob for FindDescent<'_> {
        #[inline(always)]
        fn run(self) {
            let [lever, turned, bound] = [self.lever, self.turned, self.bound].map(EightVectors::splat);
            let turning = Eight::splat(self.turning);
            let mut slope = BlockSum::default();
            for block in self.blocks {
                let place = block.place;
                let moved = lever.cross(place) + turned.cross(place).cross(place);
                let held = block.of_layer(bound, turning);
                let steepest = block.flow - moved - held - block.change.times(block.weight);
                let across = block.normal.times(block.normal.dot(steepest) * block.crowd);
                let along = (steepest - across).times(block.ease);
                slope.add(steepest.dot(along));
                block.descent = along;
            }
            *self.slope = slope.total();
        }
    }
    let (mut slope, (lever, turned)) = (0.0, give.levers(left.force, left.torque));
    let (lever, turned) = (lever.as_vec3(), turned.as_vec3());
    run_in_vectors(
        InstructionSet::Auto,
        FindDescent { blocks, lever, turned, bound, turning, slope: &mut slope },
    );
    slope
}

/// Sets the direction to the descent plus `turn` times the last direction.
pub(super) fn turn(blocks: &mut [ContactBlock], turn: f32) {
    struct TurnDirection<'a> {
        blocks: &'a mut [ContactBlock],
        turn: f32,
    }
    impl VectorJob for TurnDirection<'_> {
        #[inline(always)]
        fn run(self) {
            let turn = Eight::splat(self.turn);
            for block in self.blocks {
                block.direction = block.descent + block.direction.times(turn);
            }
        }
    }
    run_in_vectors(InstructionSet::Auto, TurnDirection { blocks, turn });
}

#[cfg(test)]
mod tests {
    use super::*;
    use fluid_core::math::Random;

    /// Blocks with random values for `count` contacts.
    fn blocks(count: usize) -> Vec<ContactBlock> {
        let random = Random::new(7);
        let mut blocks = vec![ContactBlock::default(); count.div_ceil(WIDTH)];
        for i in 0..count {
            let (block, lane) = (&mut blocks[i / WIDTH], i % WIDTH);
            let vector = |column: u64| random.centred_vec3(1000 * column + i as u64);
            block.is_one.0[lane] = 1.0;
            block.crowd.0[lane] = random.unit(i as u64);
            block.ease.0[lane] = 1.0;
            block.weight.0[lane] = random.unit(500 + i as u64);
            let columns = [
                (&mut block.arm, vector(1)),
                (&mut block.place, vector(2)),
                (&mut block.normal, vector(3).normalize()),
                (&mut block.change, vector(4)),
                (&mut block.residual, vector(5)),
                (&mut block.direction, vector(6)),
                (&mut block.flow, vector(7)),
            ];
            columns.into_iter().for_each(|(column, value)| column.set(lane, value));
        }
        blocks
    }

    fn close(a: DVec3, b: DVec3) {
        assert!((a - b).length() < 1e-5, "{a} or {b}");
    }

    /// The sums over eleven contacts in two blocks are those of the formulas, contact by contact.
    #[test]
    fn sums_are_those_over_the_contacts() {
        let (count, turning) = (11, 0.3);
        let before = blocks(count);
        let at = |i: usize, column: fn(&ContactBlock) -> &EightVectors| {
            column(&before[i / WIDTH]).get(i % WIDTH).as_dvec3()
        };
        let crowd = |i: usize| f64::from(before[i / WIDTH].crowd.0[i % WIDTH]);
        let weight = |i: usize| f64::from(before[i / WIDTH].weight.0[i % WIDTH]);
        let (mut expected, mut layer) = (CentredMoments::default(), DVec3::ZERO);
        for i in 0..count {
            let (direction, normal) = (at(i, |b| &b.direction), at(i, |b| &b.normal));
            expected.add_at(at(i, |b| &b.place), direction);
            layer += (direction - normal * normal.dot(direction) * (1.0 - f64::from(turning))) * crowd(i);
        }
        let (found, found_layer) = moments(&before, Strengths::Direction, turning);
        close(found.strength, expected.strength);
        close(found.linear, expected.linear);
        close(found.angular, expected.angular);
        close(found_layer, layer);

        let mut after = before.clone();
        let (velocity, spin) = (Vec3::new(0.1, 0.2, -0.3), Vec3::new(-0.4, 0.1, 0.2));
        let squares = act(&mut after, (velocity, spin), false);
        let (mut acted, mut size) = (0.0, 0.0);
        for i in 0..count {
            let surface = velocity.as_dvec3() + spin.as_dvec3().cross(at(i, |b| &b.arm));
            acted += (at(i, |b| &b.flow) - surface).length_squared();
            size += weight(i) * at(i, |b| &b.direction).length_squared();
        }
        assert!((squares.acted - acted).abs() < 1e-5 && (squares.size - size).abs() < 1e-5);

        let mut after = before.clone();
        let left = advance(&mut after, 0.5);
        let rest = |i: usize| at(i, |b| &b.residual) - 0.5 * at(i, |b| &b.flow);
        close(left.force, (0..count).map(rest).sum());
        close(left.torque, (0..count).map(|i| at(i, |b| &b.arm).cross(rest(i))).sum());
        let residual2: f64 = (0..count).map(|i| rest(i).length_squared()).sum();
        assert!((left.residual2 - residual2).abs() < 1e-5, "{} or {residual2}", left.residual2);
    }
}
