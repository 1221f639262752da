//! Vortons that flow along a surface leads to one place become one (E58).
//!
//! Flow along a surface comes together where it leaves the surface. Vortons at the surface do not leave it
//! there, and gather in points: what has one place and one flow has one strength, and its parts would grow
//! against each other without being seen in the flow.

use crate::contact::Contact;
use fluid_core::math::Vec3Columns;
use fluid_core::particles::Vortons;
use glam::Vec3;

/// Distance \[core radii\] below which vortons at a surface are one: a twenty-fifth of the closest spacings
/// that are in use.
const REACH: f32 = 0.02;

/// Least cosine of the angle between the surfaces that they touch \[1\]: in a corner they are one, on both
/// sides of a thin wall they are two.
const SAME_SIDE: f32 = -0.5;

/// Directions in which places of a lattice along the world's axes hardly ever coincide. A surface may be
/// across one of them, but not all.
const DIRECTIONS: [Vec3; 3] = [
    Vec3::new(0.536_12, 0.328_74, 0.777_49),
    Vec3::new(-0.813_87, 0.413_27, 0.408_44),
    Vec3::new(0.223_71, 0.851_94, -0.473_47),
];

/// In place of the number of the contact of a vorton that has become part of another.
const GONE: u32 = u32::MAX;

/// Scratch, and the rows that are to be removed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Merging {
    /// Places along a direction \[m\], and numbers of the contacts at one body.
    order: Vec<(f32, u32)>,
    absorbed: Vec<u32>,
}

/// Vortons as a step has moved them.
struct Moved<'a> {
    contacts: &'a [Contact],
    /// Where they were before.
    before: &'a Vec3Columns,
    vortons: &'a mut Vortons,
    reach: f32,
}

impl Moved<'_> {
    /// True if the step has led the vortons of two contacts to one place. What has been put there before,
    /// such as by an emitter, stays what it is.
    fn have_met(&self, a: u32, b: u32) -> bool {
        let (a, b) = (&self.contacts[a as usize], &self.contacts[b as usize]);
        let apart = |places: &Vec3Columns| places.get(a.row as usize).distance(places.get(b.row as usize));
        apart(&self.vortons.positions) <= self.reach
            && apart(self.before) > self.reach
            && a.normal.dot(b.normal) > SAME_SIDE
    }
}

impl Merging {
    /// Makes room for so many contacts.
    pub(crate) fn reserve(&mut self, contacts: usize) {
        self.order.reserve(contacts.saturating_sub(self.order.len()));
        self.absorbed.reserve(contacts.saturating_sub(self.absorbed.len()));
    }

    /// Rows of vortons that have become part of others in this step, ascending.
    pub(crate) fn absorbed(&self) -> &[u32] {
        &self.absorbed
    }

    /// No vorton has become part of another.
    pub(crate) fn clear(&mut self) {
        self.absorbed.clear();
    }

    /// Makes vortons one that touch the same body and that a step has led to one place from where they were
    /// `before`. `contacts` are by body.
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
            let mut moved = Moved { contacts, before, vortons, reach: REACH * core_radius };
            for index in 0..self.order.len() {
                self.gather(index, &mut moved);
            }
        }
        self.absorbed.sort_unstable();
    }

    /// Sorts contacts along the direction in which they are spread most.
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
        // Keys are different, so the order is one; a stable sort would allocate.
        self.order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    }

    /// Makes one of the vorton at this place of the order and those behind it that it has met.
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
                let stays = moved.vortons.make_one(own as usize, others as usize) as u32;
                self.absorbed.push(if stays == own { others } else { own });
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

    /// Vortons at these places, and a contact of body 0 with this normal for each.
    fn all(places: &[Vec3], normal: impl Fn(usize) -> Vec3) -> (Vortons, Vec<Contact>) {
        let (mut vortons, mut contacts) = (Vortons::default(), Vec::new());
        for (row, &position) in places.iter().enumerate() {
            vortons.push(Vorton { position, strength: position, dye: 1.0, ..Vorton::default() });
            contacts.push(Contact { row: row as u32, normal: normal(row), ..Contact::default() });
        }
        (vortons, contacts)
    }

    /// What is left of those at `places` that were at `before`.
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
        // A chain of them is not one, but the first and those around it.
        let chain: Vec<Vec3> = (0..9).map(|i| Vec3::X * (1.5e-3 * i as f32)).collect();
        let wide: Vec<Vec3> = chain.iter().map(|place| *place * 10.0).collect();
        assert!((4..6).contains(&left(&wide, &chain, up)), "{}", left(&wide, &chain, up));
    }

    /// Of many pairs on surfaces that lie anyhow, also across one of the directions in which pairs are looked
    /// for, all are found.
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
