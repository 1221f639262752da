//! Small clusters of contacts, solved by several threads at the same time: none of them sees the others'
//! changes in this step.

use super::{Rates, Solved, cluster_of, is_at_solid, solve_cluster};
use crate::body::Body;
use crate::contact::Contact;
use crate::least_slip::{Assigned, LeastSlip};
use crate::scratch::reserve;
use fluid_core::boundary::Motion;
use fluid_core::velocity::SourceCloud;
use fluid_threads::{Executor, Parts, Serial, for_each_chunk_mut};
use std::ops::Range;

/// Most contacts of a small cluster \[1\]. Threads share the loops of larger ones.
const MOST_CONTACTS: usize = 128;
/// Most solvers \[1\], each with memory of its own (.3 MiB) and clusters that follow one another: enough for
/// sixteen threads.
const SOLVERS: usize = 16;
/// Upper bound on the memory of a solver \[bytes\].
const BYTES_OF_SOLVER: usize = 384 << 10;
/// Contacts of a cluster for which sums over pairs take as long as all else \[1\].
const CHEAP_CONTACTS: usize = 64;

/// The solver of a part of the list, and the results there.
type PartOfSolvers<'a> = (&'a mut [LeastSlip], &'a mut [Solved]);

/// Solvers of small clusters.
#[derive(Debug, Clone)]
pub(super) struct SideBySide {
    /// An empty cloud with the settings of sums.
    cloud: SourceCloud,
    solvers: Vec<LeastSlip>,
    /// First contact of each solver's part of the list, and the end of the last part.
    starts: Vec<u32>,
    /// Results, contact by contact; those of other clusters are not used.
    solved: Vec<Solved>,
}

impl SideBySide {
    pub(super) fn new(cloud: SourceCloud) -> Self {
        Self { cloud, solvers: Vec::new(), starts: Vec::new(), solved: Vec::new() }
    }

    /// Solves for all small clusters of contacts with solids, if there are several. Contacts are sorted by
    /// cluster.
    pub(super) fn solve(
        &mut self,
        motion: Motion<'_>,
        (bodies, rates): (&[Body], Rates),
        contacts: &[Contact],
        assigned: &[Assigned],
    ) {
        self.solved.clear();
        let is_solid = |contacts: &&[Contact]| is_small(&bodies[contacts[0].body as usize], contacts);
        let clusters = contacts.chunk_by(Contact::is_with).filter(is_solid).count();
        if clusters < 2 || !self.has_room(motion.exec, bodies, contacts.len()) {
            return;
        }
        self.divide(bodies, contacts, clusters);
        self.solved.resize(contacts.len(), Solved::default());
        let parts = self.starts.len() - 1;
        let columns = (&mut self.solvers[..parts], Parts::new(&mut self.solved, &self.starts));
        let starts = &self.starts;
        for_each_chunk_mut(motion.exec, 1, columns, &|part, (solvers, solved): PartOfSolvers<'_>| {
            let mut offset = starts[part] as usize;
            let own = &contacts[offset..starts[part + 1] as usize];
            let motion = Motion { exec: &Serial, ..motion };
            let mut left = solved;
            for contacts in own.chunk_by(Contact::is_with) {
                let (found, rest) = std::mem::take(&mut left).split_at_mut(contacts.len());
                left = rest;
                let assigned = &assigned[offset..offset + contacts.len()];
                offset += contacts.len();
                let body = &bodies[contacts[0].body as usize];
                if is_small(body, contacts) {
                    let cluster = cluster_of(motion, (body, rates), contacts, assigned);
                    solve_cluster(motion, &cluster, rates.passes, &mut solvers[0], found);
                }
            }
        });
    }

    /// Returns what was found for the contacts of a cluster with a solid; `None` if it was not solved.
    pub(super) fn found(&self, contacts: Range<usize>) -> Option<&[Solved]> {
        (contacts.len() <= MOST_CONTACTS && !self.solved.is_empty()).then(|| &self.solved[contacts])
    }

    /// Makes solvers for these bodies, unless there are enough. Returns false if there is no memory for them.
    fn has_room(&mut self, exec: &dyn Executor, bodies: &[Body], contacts: usize) -> bool {
        let wanted = bodies.iter().filter(|body| !body.has_sheet()).count().min(SOLVERS);
        let has_solved = self.solved.capacity() >= contacts;
        let missing = wanted.saturating_sub(self.solvers.len());
        if has_solved && missing == 0 {
            return true;
        }
        // A fourth more than needed: the number of contacts varies.
        let room = if has_solved { self.solved.capacity() } else { contacts + contacts / 4 };
        let lists = room * size_of::<Solved>() + SOLVERS * size_of::<LeastSlip>();
        if !exec.has_memory(missing * BYTES_OF_SOLVER + lists) {
            return false;
        }
        self.solved.reserve_exact(room);
        reserve(&mut self.starts, SOLVERS + 1);
        reserve(&mut self.solvers, SOLVERS);
        for _ in 0..missing {
            let mut solver = LeastSlip::new(self.cloud.clone());
            solver.reserve(MOST_CONTACTS);
            self.solvers.push(solver);
        }
        !self.solvers.is_empty()
    }

    /// Divides the list into parts that take about the same time, for so many small clusters.
    fn divide(&mut self, bodies: &[Body], contacts: &[Contact], clusters: usize) {
        let cost = |contacts: &[Contact]| {
            let is_small = is_small(&bodies[contacts[0].body as usize], contacts);
            if is_small { contacts.len() * (contacts.len() + CHEAP_CONTACTS) } else { 0 }
        };
        let total: usize = contacts.chunk_by(Contact::is_with).map(cost).sum();
        let parts = self.solvers.len().min(clusters);
        let (mut end, mut spent) = (0, 0);
        self.starts.clear();
        self.starts.push(0);
        for contacts in contacts.chunk_by(Contact::is_with) {
            end += contacts.len();
            spent += cost(contacts);
            // The last part ends with the list.
            if self.starts.len() < parts && spent * parts >= total * self.starts.len() {
                self.starts.push(end as u32);
            }
        }
        self.starts.push(contacts.len() as u32);
    }
}

/// True if a cluster is one of a solid, and small.
fn is_small(body: &Body, contacts: &[Contact]) -> bool {
    contacts.len() <= MOST_CONTACTS && is_at_solid(body, &contacts[0])
}
