//! Merges vortons that the flow along a surface has brought to one position (E58).
//!
//! Flow along a surface converges where it leaves the surface. Vortons at the surface do not leave it there,
//! and collect in points. At one position, only the sum of their strengths acts on the flow, and the separate
//! strengths would grow against each other without effect on the flow.

use crate::contact::Contact;
use fluid_core::math::Vec3Columns;
use fluid_core::particles::Vortons;
use glam::{DVec3, Vec3};

/// Distance \[core radii\] below which vortons at a surface are merged: a twenty-fifth of the closest
/// spacings in use.
const MERGING_DISTANCE: f32 = 0.02;

/// Least cosine of the angle between the surfaces that they touch \[1\]: vortons in a corner are merged,
/// vortons on opposite sides of a thin wall are not.
const SAME_SIDE: f32 = -0.5;

/// Directions along which points of a lattice along the world's axes hardly ever coincide. A surface may be
/// perpendicular to one of them, but not to all.
const DIRECTIONS: [Vec3; 3] = [
    Vec3::new(0.536_12, 0.328_74, 0.777_49),
    Vec3::new(-0.813_87, 0.413_27, 0.408_44),
    Vec3::new(0.223_71, 0.851_94, -0.473_47),
];

/// Replaces the contact index of a vorton that has been merged into another.
const GONE: u32 = u32::MAX;

/// Scratch memory, and the rows to be removed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Merging {
    /// Coordinates along a direction \[m\], and indices of the contacts at one body.
    order: Vec<(f32, u32)>,
    absorbed: Vec<u32>,
    moves: Vec<Move>,
}

/// A strength that went from one vorton to another.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Move {
    /// The row that it left, and the body at which both vortons are.
    row: u32,
    body: u32,
    /// Middle of its way, and the way \[m\].
    pub(crate) middle: Vec3,
    pub(crate) way: Vec3,
    /// The strength \[m³/s\].
    pub(crate) strength: DVec3,
}

/// Vortons after their motion in a step.
struct Moved<'a> {
    contacts: &'a [Contact],
    /// Positions before the step.
    before: &'a Vec3Columns,
    vortons: &'a mut Vortons,
    reach: f32,
}

impl Moved<'_> {
    /// True if the step has brought the vortons of two contacts together. Vortons that were together before,
    /// such as from an emitter, stay separate.
    fn have_met(&self, a: u32, b: u32) -> bool {
        let (a, b) = (&self.contacts[a as usize], &self.contacts[b as usize]);
        let apart = |places: &Vec3Columns| places.get(a.row as usize).distance(places.get(b.row as usize));
        apart(&self.vortons.positions) <= self.reach
            && apart(self.before) > self.reach
            && a.normal.dot(b.normal) > SAME_SIDE
    }
}

impl Merging {
    /// Reserves memory for `contacts`.
    pub(crate) fn reserve(&mut self, contacts: usize) {
        self.order.reserve(contacts.saturating_sub(self.order.len()));
        self.absorbed.reserve(contacts.saturating_sub(self.absorbed.len()));
        self.moves.reserve(contacts.saturating_sub(self.moves.len()));
    }

    /// Returns the rows of vortons that were merged into others in this step, ascending.
    pub(crate) fn absorbed(&self) -> &[u32] {
        &self.absorbed
    }

    /// Returns how the strength of the vorton of this contact has moved, if it was merged into another one.
    pub(crate) fn move_of(&self, contact: &Contact) -> Option<&Move> {
        let found = self.moves.binary_search_by_key(&(contact.row, contact.body), |one| (one.row, one.body));
        found.ok().map(|index| &self.moves[index])
    }

    /// Clears the list of merged vortons.
    pub(crate) fn clear(&mut self) {
        self.absorbed.clear();
        self.moves.clear();
    }

    /// Merges vortons that touch the same body and that a step has brought together from their positions
    /// `before`. `contacts` are sorted by body.
    pub(crate) fn merge(
        &mut self,
        contacts: &[Contact],
        core_radius: f32,
        before: &Vec3Columns,
        vortons: &mut Vortons,
    ) {
        self.clear();
        for contacts in contacts.chunk_by(|a, b| a.body == b.body) {
            self.sort(contacts, vortons);
            let mut moved = Moved { contacts, before, vortons, reach: MERGING_DISTANCE * core_radius };
            for index in 0..self.order.len() {
                self.gather(index, &mut moved);
            }
        }
        self.absorbed.sort_unstable();
        self.moves.sort_unstable_by_key(|one| (one.row, one.body));
    }

    /// Sorts contacts along the direction of their largest extent.
    fn sort(&mut self, contacts: &[Contact], vortons: &Vortons) {
        let place = |contact: &Contact| vortons.positions.get(contact.row as usize);
        let is_finite = |contact: &Contact| vortons.is_finite(contact.row as usize);
        let spread = |direction: Vec3| {
            let each = contacts.iter().filter(|contact| is_finite(contact));
            let along = each.map(|contact| place(contact).dot(direction));
            let (low, high) = along.fold((f32::INFINITY, f32::NEG_INFINITY), |(low, high), along| {
                (low.min(along), high.max(along))
            });
            high - low
        };
        let [a, b, c] = DIRECTIONS.map(|direction| (spread(direction), direction));
        let wider = |a: (f32, Vec3), b: (f32, Vec3)| if b.0 > a.0 { b } else { a };
        let (_, direction) = wider(wider(a, b), c);
        self.order.clear();
        let each = (0..).zip(contacts).filter(|(_, contact)| is_finite(contact));
        self.order.extend(each.map(|(number, contact)| (place(contact).dot(direction), number)));
        // Keys are unique, so the order is; a stable sort would allocate.
        self.order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    }

    /// Merges the vorton at this index of the order with later ones that it has met.
    fn gather(&mut self, index: usize, moved: &mut Moved<'_>) {
        let (along, mut number) = self.order[index];
        for other in index + 1..self.order.len() {
            let (place, other_number) = self.order[other];
            if number == GONE || place - along > moved.reach {
                break;
            }
            if other_number != GONE && moved.have_met(number, other_number) {
                let row = |number: u32| moved.contacts[number as usize].row;
                let (own, others) = (row(number), row(other_number));
                let strengths = [own, others].map(|row| moved.vortons.strengths.get(row as usize));
                let stays = moved.vortons.make_one(own as usize, others as usize) as u32;
                let (row, strength) = if stays == own { (others, strengths[1]) } else { (own, strengths[0]) };
                let [from, to] = [row, stays].map(|row| moved.vortons.positions.get(row as usize));
                let (middle, way, body) = (from.midpoint(to), to - from, moved.contacts[0].body);
                self.absorbed.push(row);
                self.moves.push(Move { row, body, middle, way, strength: strength.as_dvec3() });
                number = if stays == own { number } else { other_number };
                self.order[other].1 = GONE;
            }
        }
        self.order[index].1 = number;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fluid_core::math::Random;
    use fluid_core::particles::Vorton;

    const CORE: f32 = 0.1;

    /// Returns vortons at these positions, each with a contact of body 0 with this normal.
    fn all(places: &[Vec3], normal: impl Fn(usize) -> Vec3) -> (Vortons, Vec<Contact>) {
        let (mut vortons, mut contacts) = (Vortons::default(), Vec::new());
        for (row, &position) in places.iter().enumerate() {
            vortons.push(Vorton { position, strength: position, dye: 1.0, ..Vorton::default() });
            contacts.push(Contact { row: row as u32, normal: normal(row), ..Contact::default() });
        }
        (vortons, contacts)
    }

    /// Returns the number of vortons remaining after a step from `before` to `places`.
    fn left(before: &[Vec3], places: &[Vec3], normal: impl Fn(usize) -> Vec3) -> usize {
        let (mut vortons, contacts) = all(places, normal);
        let before = all(before, |_| Vec3::Z).0.positions;
        let mut merging = Merging::default();
        merging.merge(&contacts, CORE, &before, &mut vortons);
        let absorbed = merging.absorbed();
        assert!(absorbed.windows(2).all(|two| two[0] < two[1]), "{absorbed:?}");
        let sum: Vec3 = vortons.strengths.iter().sum();
        assert!((sum - places.iter().sum::<Vec3>()).length() < 1e-3, "strength is lost");
        assert_eq!(vortons.dyes.iter().sum::<f32>(), places.len() as f32, "dye is lost");
        absorbed.iter().for_each(|&row| assert_eq!(vortons.strengths.get(row as usize), Vec3::ZERO));
        places.len() - absorbed.len()
    }

    #[test]
    fn those_that_meet_are_one() {
        let near = [Vec3::ONE, Vec3::ONE + Vec3::X * 1e-3];
        let apart = [Vec3::ONE, Vec3::ONE + Vec3::X * 0.01];
        let up = |_: usize| Vec3::Z;
        assert_eq!(left(&apart, &near, up), 1);
        assert_eq!(left(&near, &near, up), 2, "nothing has led them there");
        assert_eq!(left(&near, &apart, up), 2, "they are apart");
        assert_eq!(left(&apart, &near, |row| if row == 0 { Vec3::Z } else { Vec3::X }), 1, "a corner");
        assert_eq!(left(&apart, &near, |row| if row == 0 { Vec3::Z } else { Vec3::NEG_Z }), 2, "a thin wall");
        // A chain does not merge into one vorton: each merge includes only vortons near its first one.
        let chain: Vec<Vec3> = (0..9).map(|i| Vec3::X * (1.5e-3 * i as f32)).collect();
        let wide: Vec<Vec3> = chain.iter().map(|place| *place * 10.0).collect();
        assert!((4..6).contains(&left(&wide, &chain, up)), "{}", left(&wide, &chain, up));
    }

    /// All pairs are found on surfaces of any orientation, including those perpendicular to one of the search
    /// directions.
    #[test]
    fn all_pairs_are_found_on_any_surface() {
        let random = Random::new(2);
        let normals = DIRECTIONS.into_iter().chain((0..20).map(|n| random.centred_vec3(n)));
        for normal in normals.map(Vec3::normalize) {
            let (u, v) = normal.any_orthonormal_pair();
            let middle = |n: usize| u * (0.05 * (n % 20) as f32) + v * (0.05 * (n / 20) as f32);
            let near = (0..800).map(|n| middle(n / 2) + random.centred_vec3(n as u64) * 0.5e-3);
            let apart = (0..800).map(|n| middle(n / 2) + u * if n % 2 == 0 { 0.01 } else { -0.01 });
            let (near, apart): (Vec<Vec3>, Vec<Vec3>) = (near.collect(), apart.collect());
            assert_eq!(left(&apart, &near, |_| normal), 400, "{normal}");
        }
    }
}
