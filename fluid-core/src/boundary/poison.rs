//! Part 14's poison: directions in which nodes beside walls lose the density gradient. It is included for
//! comparison with balanced walls, and independent of bodies: a host that uses poison by hits reports the
//! hits itself ([`VortexSim::set_wall_hits`](crate::sim::VortexSim::set_wall_hits)).

use glam::Vec3;

/// A vorton that hit a wall in the last step.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct WallHit {
    /// Its position \[m\].
    pub position: Vec3,
    /// Unit normal of the wall into the fluid.
    pub normal: Vec3,
}

crate::saved::fields!(WallHit { position, normal });
impl crate::saved::Element for WallHit {}

/// Up to three orthogonal unit vectors, the rest 0.
type Directions = [Vec3; 3];

/// A hit is at a new wall if its normal, without its parts along known directions, is longer than this \[1\].
const SAME_DIRECTION: f32 = 0.5;

/// Directions without a gradient, per node.
#[derive(Debug, Clone, Default)]
pub(crate) struct Poison {
    nodes: Vec<Directions>,
}

impl Poison {
    /// Resizes to `nodes` nodes without directions.
    pub(crate) fn clear(&mut self, nodes: usize) {
        self.nodes.clear();
        self.nodes.resize(nodes, [Vec3::ZERO; 3]);
    }

    /// Adds the normal of a wall hit beside a node. A direction is stored once, however often it is hit:
    /// removing a component twice would reflect it.
    pub(crate) fn add(&mut self, node: usize, normal: Vec3) {
        let directions = &mut self.nodes[node];
        let new = directions.iter().fold(normal, |new, &known| without(new, known));
        let free = directions.iter().position(|known| *known == Vec3::ZERO);
        if let Some(free) = free.filter(|_| new.length() > SAME_DIRECTION) {
            directions[free] = new.normalize_or_zero();
        }
    }

    /// Returns a node's mass difference without the parts along its poisoned directions.
    pub(crate) fn left_of(&self, node: usize, difference: Vec3) -> Vec3 {
        self.nodes[node].iter().fold(difference, |left, &direction| without(left, direction))
    }
}

/// Removes from a vector its component along a direction.
pub(crate) fn without(vector: Vec3, direction: Vec3) -> Vec3 {
    vector - direction * direction.dot(vector)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_normal_again_removes_nothing_more() {
        let mut poison = Poison::default();
        let difference = Vec3::new(3.0, 4.0, 5.0);
        let mut left = |normals: &[Vec3]| {
            poison.clear(2);
            normals.iter().for_each(|&normal| poison.add(1, normal));
            assert_eq!(poison.left_of(0, difference), difference, "another node");
            poison.left_of(1, difference)
        };
        for times in 1..5 {
            assert_eq!(left(&vec![Vec3::X; times]), Vec3::new(0.0, 4.0, 5.0), "{times} hits");
        }
        let corner = [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::new(0.6, 0.8, 0.0)];
        assert_eq!(left(&corner), Vec3::new(0.0, 0.0, 5.0));
    }
}
