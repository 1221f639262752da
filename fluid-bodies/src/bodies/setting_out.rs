//! The beginning of a step for all bodies: they share momentum with the fluid around them.

use super::Bodies;
use crate::body::Body;
use crate::cloud::CloudExtent;
use crate::mutual_energy::EnergyExchange;
use fluid_core::boundary::Inside;
use fluid_core::particles::Vortons;

/// Gap between the balls around two bodies, relative to the radius of the larger, above which the energy of
/// the flow between them is negligible \[1\]: a thousandth of their own.
const FAR: f64 = 6.0;

/// Largest speed of the vortons' flow anywhere, relative to that of the vortons themselves \[1\]: in the
/// middle of a ring it is faster than the ring.
const BETWEEN_VORTONS: f64 = 3.0;

/// Speed of the flow around a line of vortons, which does not move itself, relative to |α|/σ² of each
/// \[1\]: at most .11 at a spacing of two thirds of a core.
const AROUND_A_LINE: f64 = 0.3;

impl Bodies {
    /// Begins a step of `dt` \[s\] for each body. Returns the energy per density \[m⁵/s²\] that the flows
    /// driven by bodies have gained since the middle of the last step.
    pub(super) fn set_out_all(&mut self, dt: f32, vortons: &Vortons) -> f64 {
        let is_pushed = self.list.iter().any(|body| body.has_sheet() && !body.is_driven());
        let cloud = if is_pushed { CloudExtent::all(vortons) } else { CloudExtent::NONE };
        // Tanks first: the bodies in them move relative to the fluid that these carry along.
        let mut gained = 0.0;
        for are_tanks in [true, false] {
            for index in 0..self.list.len() {
                if self.list[index].is_container() == are_tanks {
                    gained += self.set_out_one(index, dt, cloud);
                }
            }
            if are_tanks {
                self.carry_along(dt);
            }
        }
        gained
    }

    /// Begins a step for one body, likewise.
    fn set_out_one(&mut self, index: usize, dt: f32, cloud: CloudExtent) -> f64 {
        let fastest = self.fastest_around(index, cloud);
        let mut exchange = EnergyExchange::new(self.available_around(index));
        let (body, obstacle) = (&mut self.list[index], &self.obstacles.list()[index]);
        let gained = body.set_out(dt, *obstacle.pose(), (fastest, &mut exchange));
        self.settle(index, &exchange);
        gained
    }

    /// True if the flows of two bodies have a noticeable energy between them.
    fn are_near(&self, index: usize, other: usize) -> bool {
        let [a, b] = [index, other].map(|index| &self.list[index]);
        if !(a.has_sheet() && b.has_sheet()) {
            return false;
        }
        let (one, two) = (a.radius(), b.radius());
        let distance = f64::from(a.state.position.distance(b.state.position));
        distance - one - two < FAR * one.max(two)
    }

    /// Returns what a body may take \[J\], from its own part of the energy between flows and from those of
    /// its neighbours.
    fn available_around(&self, index: usize) -> f64 {
        let all = if self.list[index].has_sheet() { 0..self.list.len() } else { 0..0 };
        all.filter(|&other| self.are_near(index, other)).map(|other| self.list[other].available()).sum()
    }

    /// Takes what a body has gained from its own part and those of its neighbours, or keeps what it has lost.
    fn settle(&mut self, index: usize, exchange: &EnergyExchange) {
        let Some(own) = exchange.own() else { return };
        let mut wanted = exchange.gained();
        if let Some(account) = self.list[index].account() {
            match wanted < 0.0 {
                true => account.deposit(-std::mem::take(&mut wanted)),
                false => wanted -= account.withdraw(wanted),
            }
        }
        let (mut has_neighbours, place) = (false, self.list[index].state.position);
        for other in (0..self.list.len()).filter(|&other| other != index) {
            let obstacle = &self.obstacles.list()[other];
            let mirror = obstacle.mirror_at(obstacle.pose());
            let is_held =
                self.list[other].has_walls() && obstacle.holes().contains(obstacle.pose().to_local(place));
            has_neighbours |= is_held
                || mirror.is_some_and(|mirror| mirror.height(place) < FAR * self.list[index].radius());
            if !self.are_near(index, other) {
                continue;
            }
            has_neighbours = true;
            if let Some(account) = self.list[other].account() {
                wanted -= account.withdraw(wanted);
            }
        }
        let has_errors = self.list[index].reads_errors();
        if let Some(account) = self.list[index].account() {
            account.close(own, has_neighbours, has_errors);
        }
    }

    /// Returns an upper bound of the speed \[m/s\] at a free body of flows that have energy without limit:
    /// those of vortons, of bodies that an engine moves by itself, and of tanks.
    fn fastest_around(&self, index: usize, cloud: CloudExtent) -> f64 {
        let body = &self.list[index];
        if !body.has_sheet() || body.is_driven() {
            return 0.0;
        }
        let (place, radius) = (body.state.position, body.radius());
        let is_driver = |other: &&Body| other.has_walls() || other.has_sheet() && other.is_driven();
        let drivers = self.list.iter().filter(is_driver);
        let of_driver = |driver: &Body| {
            // The flow of a dipole falls with the cube of the distance.
            let distance = f64::from(driver.state.position.distance(place)) - radius;
            driver.fastest_at(body) * (driver.radius() / distance.max(driver.radius())).powi(3)
        };
        let core = f64::from(self.core_radius);
        let of_line = AROUND_A_LINE * cloud.strongest / (core * core);
        let of_vortons = (BETWEEN_VORTONS * self.fastest).max(of_line) * cloud.reach(place, radius, core);
        drivers.map(of_driver).fold(of_vortons, f64::max)
    }
}
