//! The energy that contacts give to the vortons, or take from them (E38).
//!
//! Impulses at contacts tell how much energy bodies give to the fluid at most. They do not tell how much of
//! it becomes heat: strengths that differ from contact to contact take energy without any impulse, and those
//! of a body that stops take all that its layer held. So the energy of the changes is summed.

use crate::body::Body;
use crate::contact::{Contact, Ejection};
use crate::no_slip::{NoSlip, copies};
use crate::scratch::reserve;
use fluid_core::boundary::Motion;
use fluid_core::math::Vec3Columns;
use fluid_core::particles::Vortons;
use fluid_core::velocity::SourceCloud;
use glam::{DVec3, Vec3};

/// Error of that energy \[1\]: it is summed by pairs at the end of a step, and the budget measures energy on
/// a mesh at the middle of one. With .05 a spinning ball of two core radii loses some of its fluid's energy,
/// and spins a tenth slower after half a second at 120 Hz. The loss at contacts is rather more in the sum by
/// pairs.
const ERROR_OF_GAINED: f64 = 0.15;

/// Sums the energy, and owns the scratch memory for that.
#[derive(Debug, Clone)]
pub(crate) struct ContactEnergy {
    /// Places and strengths that contacts have put there, or taken away.
    places: Vec3Columns,
    strengths: Vec3Columns,
    /// True for those without images.
    are_alone: Vec<bool>,
    /// Half of them, those of vortons pushed out with the opposite sign, with their images.
    halves: SourceCloud,
    potentials: Vec<Vec3>,
    potentials_of_halves: Vec<Vec3>,
    /// Number of those of vortons pushed out, the first ones.
    pushed: usize,
    /// Strength of each cluster that bodies hold, before the change \[m³/s\].
    held: Vec<DVec3>,
}

impl ContactEnergy {
    /// Creates one that sums with the settings of `cloud`.
    pub(crate) fn new(cloud: SourceCloud) -> Self {
        Self {
            places: Vec3Columns::default(),
            strengths: Vec3Columns::default(),
            are_alone: Vec::new(),
            halves: cloud,
            potentials: Vec::new(),
            potentials_of_halves: Vec::new(),
            pushed: 0,
            held: Vec::new(),
        }
    }

    /// Reserves memory for this many `contacts`, and bodies that hold strength at this many `points`.
    pub(crate) fn reserve(&mut self, contacts: usize, points: usize) {
        let changes = 2 * contacts + points;
        self.places.reserve(changes.saturating_sub(self.places.len()));
        self.strengths.reserve(changes.saturating_sub(self.strengths.len()));
        reserve(&mut self.are_alone, changes);
        self.halves.reserve(changes);
        reserve(&mut self.potentials, changes);
        reserve(&mut self.potentials_of_halves, changes);
        reserve(&mut self.held, points);
    }

    /// Begins with vortons that have been pushed out, and remembers the strength held by bodies before their
    /// contacts change it.
    pub(crate) fn begin(
        &mut self,
        bodies: &[Body],
        ejections: &[Ejection],
        no_slip: &NoSlip,
        vortons: &Vortons,
    ) {
        self.held.clear();
        self.held.extend(bodies.iter().filter(|body| counts(body)).flat_map(Body::held_by_cluster));
        self.places.clear();
        self.strengths.clear();
        self.are_alone.clear();
        let (_, _, without_images) = no_slip.sources();
        for ejection in ejections.iter().filter(|ejection| counts(&bodies[ejection.body as usize])) {
            let row = ejection.row as usize;
            let strength = vortons.strengths.get(row);
            let to = vortons.positions.get(row);
            self.add((ejection.from, -strength), (to, strength), without_images.has_vorton(row));
        }
        self.pushed = self.places.len();
    }

    /// Returns the energy per density \[m⁵/s²\] that contacts with bodies that [count](counts) have given to
    /// the vortons in this step: at most their `work` per density. None if nothing touches them.
    pub(crate) fn given(
        &mut self,
        motion: Motion<'_>,
        bodies: &[Body],
        contacts: &[Contact],
        no_slip: &NoSlip,
        vortons: &Vortons,
        work: f64,
    ) -> Option<f64> {
        let changes = contacts.iter().any(|contact| counts(&bodies[contact.body as usize]));
        if !changes || motion.dt <= 0.0 || !motion.params.energy_budget {
            return None;
        }
        let gained = self.gained(motion, bodies, contacts, no_slip, vortons);
        gained.is_finite().then(|| work.min(gained + ERROR_OF_GAINED * gained.max(0.0)))
    }

    /// Returns the energy \[m⁵/s²\] that vortons and the strength held by bodies have gained by pushing
    /// vortons out, and at contacts with bodies that [count](counts): these have changed places and
    /// strengths from those that `no_slip` has seen to those in `vortons`.
    fn gained(
        &mut self,
        motion: Motion<'_>,
        bodies: &[Body],
        contacts: &[Contact],
        no_slip: &NoSlip,
        vortons: &Vortons,
    ) -> f64 {
        let pushed = self.pushed;
        self.add_contacts(bodies, contacts, no_slip, vortons);
        self.add_held(bodies, no_slip);
        let each = self.places.iter().zip(self.strengths.iter()).zip(&self.are_alone).enumerate();
        let (fluid, mirrors, _) = no_slip.sources();
        self.halves.set_from(each.flat_map(|(change, ((place, strength), &is_alone))| {
            let half = if change < pushed { -0.5 } else { 0.5 };
            copies((place, strength * half), if is_alone { &[] } else { mirrors })
        }));
        if fluid.has_tree() {
            let _ = self.halves.plant(motion.exec);
        }
        let count = self.places.len();
        let sums = [(fluid, &mut self.potentials), (&self.halves, &mut self.potentials_of_halves)];
        for (cloud, potentials) in sums {
            potentials.clear();
            potentials.resize(count, Vec3::ZERO);
            cloud.potential_in_parallel(motion.exec, &self.places, 0, potentials);
        }
        let potentials = self.potentials.iter().zip(&self.potentials_of_halves);
        let each = self.strengths.iter().zip(potentials);
        each.map(|(strength, (all, halves))| strength.as_dvec3().dot(all.as_dvec3() + halves.as_dvec3()))
            .sum()
    }

    /// Adds the changes of vortons that touch bodies.
    fn add_contacts(&mut self, bodies: &[Body], contacts: &[Contact], no_slip: &NoSlip, vortons: &Vortons) {
        let (_, _, without_images) = no_slip.sources();
        let pairs = contacts.iter().zip(no_slip.assigned());
        for (contact, old) in pairs.filter(|(contact, _)| counts(&bodies[contact.body as usize])) {
            let row = contact.row as usize;
            let new = (vortons.positions.get(row), vortons.strengths.get(row));
            self.add((old.position, -old.strength), new, without_images.has_vorton(row));
        }
    }

    /// Adds the changes of strength that bodies hold.
    fn add_held(&mut self, bodies: &[Body], no_slip: &NoSlip) {
        let (_, _, without_images) = no_slip.sources();
        let mut first = 0;
        for (index, body) in bodies.iter().enumerate().filter(|(_, body)| counts(body)) {
            for (cluster, now) in body.held_by_cluster().enumerate() {
                let change = now - self.held.get(first + cluster).copied().unwrap_or(now);
                let points = body.inside(cluster, body.state.pose());
                let count = body.points_of_cluster(cluster) as f64;
                let each = (change / count).as_vec3();
                if change != DVec3::ZERO && each.is_finite() {
                    for point in points {
                        self.places.push(point);
                        self.strengths.push(each);
                        self.are_alone.push(without_images.has_body(index));
                    }
                }
            }
            first += body.held_by_cluster().count();
        }
    }

    /// Adds two places with strengths, if all are finite: the step removes vortons that are not.
    fn add(&mut self, (from, taken): (Vec3, Vec3), (to, put): (Vec3, Vec3), is_alone: bool) {
        if !(from.is_finite() && taken.is_finite() && to.is_finite() && put.is_finite()) {
            return;
        }
        for (place, strength) in [(from, taken), (to, put)] {
            self.places.push(place);
            self.strengths.push(strength);
            self.are_alone.push(is_alone);
        }
    }
}

/// True for bodies with contacts that are summed: not those with a sheet or a cavity, which answer the
/// changes, nor free ones, which return some of the energy in later steps.
pub(crate) fn counts(body: &Body) -> bool {
    !(body.has_sheet() || body.is_container() || body.turns_freely())
}
