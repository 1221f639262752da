//! Serialization of all bodies with their shapes: data that depends on the shapes alone is computed only if
//! no body has equal shapes. And removal of all bodies.

use super::Bodies;
use crate::body::{Body, BodyDef, Former};
use crate::hole::Holes;
use crate::obstacle::{Obstacle, Room};
use crate::shapes::{Shape, find_levels};
use fluid_core::boundary::Inside;
use fluid_core::params::Params;
use fluid_core::saved::{Insides, LoadError, Reader, Saved, Writer, check};
use std::any::Any;
use std::sync::Arc;

impl Bodies {
    /// Writes the kind of body `index`: its shapes, and whether fluid may pass through it.
    fn save_kind(&self, index: usize, out: &mut Writer<'_>) {
        self.list[index].has_no_through().save(out);
        let shapes = self.obstacles.list()[index].shapes();
        shapes.len().save(out);
        shapes.iter().for_each(|shape| shape.save(out));
    }

    /// Makes body `index` one of the kind that is read: a later body of the same kind, or else a new one.
    fn load_kind(&mut self, index: usize, from: &mut Reader<'_>) -> Result<(), LoadError> {
        let mut kind = std::mem::take(&mut self.kind);
        let is_same = |other: &usize| {
            let mut out = Writer::new(&mut kind, self);
            self.save_kind(*other, &mut out);
            let len = out.len();
            kind.resize(kind.len().max(len), 0);
            let mut out = Writer::new(&mut kind, self);
            self.save_kind(*other, &mut out);
            from.skip_if_next(&kind[..len])
        };
        let found = (index..self.list.len()).find(is_same);
        self.kind = kind;
        if let Some(found) = found {
            self.list.swap(index, found);
            self.obstacles.swap(index, found);
            return Ok(());
        }
        let (no_through, mut shapes): (bool, Vec<Shape>) = (from.value()?, from.value()?);
        let here = self.obstacles.list().iter().flat_map(|obstacle| obstacle.shapes());
        find_levels(&mut shapes, here.chain(self.gone_levels.iter().flat_map(|shapes| &**shapes)))?;
        from.check_memory(
            self.memory_of_tables() + self.memory_of_body() + self.memory_of(no_through, &shapes),
        )?;
        let def = BodyDef { no_through, shapes, mass: f32::INFINITY, ..BodyDef::default() };
        let known = self.known_shapes(&def.shapes);
        let body = Body::new(&def, &self.fluid, known).map_err(|_| LoadError::Damaged)?;
        self.list.insert(index, body);
        self.obstacles.insert(index, Obstacle::new(Arc::from(def.shapes), def.state.pose()));
        self.reserve();
        Ok(())
    }
}

/// Writes a body as it was before its shapes have changed, if they have.
fn save_former(former: Option<&Former>, out: &mut Writer<'_>) {
    former.is_some().save(out);
    if let Some(former) = former {
        former.shapes().len().save(out);
        former.shapes().iter().for_each(|shape| shape.save(out));
        former.goes_on().save(out);
        former.body().save(out);
    }
}

impl Bodies {
    /// Reads what `save_former` has written, for body `index`.
    fn load_former(&mut self, index: usize, from: &mut Reader<'_>) -> Result<(), LoadError> {
        self.list[index].set_former(None);
        if !from.value::<bool>()? {
            return Ok(());
        }
        let (shapes, goes_on): (Vec<Shape>, bool) = (from.value()?, from.value()?);
        check(!shapes.iter().any(|shape| shape.is_level() || shape.is_half_space()))?;
        let no_through = self.list[index].has_no_through();
        from.check_memory(self.memory_of_body() + self.memory_of(no_through, &shapes))?;
        let known = self.known_shapes(&shapes);
        let def = BodyDef { no_through, shapes, mass: f32::INFINITY, ..BodyDef::default() };
        let mut body = Body::new(&def, &self.fluid, known).map_err(|_| LoadError::Damaged)?;
        body.load(from)?;
        self.list[index].set_former(Some(Former::new(Arc::from(def.shapes), body, goes_on)));
        Ok(())
    }
}

impl Saved for Bodies {
    fn save(&self, out: &mut Writer<'_>) {
        let Self {
            core_radius: _,
            max_vortons: _,
            vortons: _,
            nearby: _,
            no_slip: _,
            energy: _,
            friction: _,
            kind: _,
            clusters: _,
            held_before: _,
            gone_levels: _,
            without_images: _,
            merging: _,
            departed: _,
            tanks: _,
            settings,
            fluid,
            list,
            obstacles,
            contacts,
            wall_hits,
            energy_gone,
            sheets_gone,
            fastest,
        } = self;
        settings.save(out);
        fluid.save(out);
        list.len().save(out);
        for (index, (body, obstacle)) in list.iter().zip(obstacles.list()).enumerate() {
            self.save_kind(index, out);
            body.save(out);
            obstacle.save(out);
            save_former(body.former(), out);
        }
        contacts.save(out);
        wall_hits.save(out);
        energy_gone.save(out);
        sheets_gone.save(out);
        fastest.save(out);
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LoadError> {
        let mut settings = self.settings;
        settings.load(from)?;
        self.set_settings(settings).map_err(|_| LoadError::Damaged)?;
        self.fluid.load(from)?;
        let count = from.count(1)?;
        for index in 0..count {
            self.load_kind(index, from)?;
            self.list[index].load(from)?;
            self.obstacles.load_one(index, from)?;
            self.load_former(index, from)?;
        }
        while self.list.len() > count {
            self.take_out(count);
        }
        let former = self.list.iter().filter_map(|body| body.former()).map(Former::body);
        check(self.list.iter().chain(former).all(|body| body.in_tank().is_among(count)))?;
        self.obstacles.refresh();
        self.contacts.load(from)?;
        self.no_slip.keep_assigned(|_| false);
        check(self.contacts.contacts.iter().all(|contact| (contact.body as usize) < count))?;
        self.wall_hits.load(from)?;
        self.energy_gone.load(from)?;
        self.sheets_gone.load(from)?;
        self.fastest.load(from)
    }
}

impl Insides for Bodies {
    fn save_inside(&self, inside: &Arc<dyn Inside>, out: &mut Writer<'_>) {
        let is_it = |room: &Room| Arc::as_ptr(&room.holes).addr() == Arc::as_ptr(inside).addr();
        let rooms = self.obstacles.list().iter().map(|obstacle| obstacle.rooms().iter().position(is_it));
        let known = rooms.enumerate().find_map(|(body, room)| Some([body, room?]));
        known.save(out);
        if known.is_none() {
            let inside: &dyn Any = &**inside;
            let shapes = inside.downcast_ref::<Holes>().into_iter().flat_map(Holes::shapes);
            shapes.clone().count().save(out);
            shapes.for_each(|shape| shape.save(out));
        }
    }

    fn load_inside(&self, from: &mut Reader<'_>) -> Result<Arc<dyn Inside>, LoadError> {
        match from.value::<Option<[usize; 2]>>()? {
            Some([body, room]) => {
                let obstacle = self.obstacles.list().get(body).ok_or(LoadError::Damaged)?;
                let room = obstacle.rooms().get(room).ok_or(LoadError::Damaged)?;
                Ok(room.holes.clone())
            }
            None => Ok(Arc::new(Holes::of(&from.value::<Vec<Shape>>()?))),
        }
    }
}

impl Bodies {
    /// Removes all bodies and sets the parameters of the fluid. The result is that of [`new`](Self::new) with
    /// the present settings, but keeps its memory.
    ///
    /// # Panics
    /// Panics if the core radius or the maximum number of vortons differs from before.
    pub fn reset(&mut self, params: &Params) {
        assert!(params.core_radius == self.core_radius && params.max_vortons == self.max_vortons);
        while let Some(last) = self.list.len().checked_sub(1) {
            self.take_out(last);
        }
        self.obstacles.refresh();
        self.fluid = *params;
        self.contacts.clear();
        self.no_slip.keep_assigned(|_| false);
        self.wall_hits.clear();
        (self.energy_gone, self.sheets_gone, self.fastest) = (0.0, 0.0, 0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bodies::BodySettings;
    use crate::shapes::{Capsule, Cuboid, Geometry, HeightField, Parity, Polytope, Sphere, TriangleMesh};
    use fluid_core::params::Params;
    use fluid_core::saved::NoInsides;
    use fluid_threads::Serial;
    use glam::{UVec2, UVec3, Vec2, Vec3};

    fn bodies() -> Bodies {
        Bodies::new(BodySettings::default(), &Params { core_radius: 0.3, ..Params::default() })
            .expect("valid")
    }

    fn ball(radius: f32) -> BodyDef {
        let shapes = vec![Shape::solid(Geometry::Sphere(Sphere { radius }))];
        BodyDef { shapes, no_through: true, ..BodyDef::default() }
    }

    fn tank() -> BodyDef {
        let cuboid = Geometry::Cuboid(Cuboid { half_extents: Vec3::ONE });
        BodyDef { shapes: vec![Shape { parity: Parity::Hole, ..Shape::solid(cuboid) }], ..BodyDef::default() }
    }

    fn save(bodies: &Bodies) -> Vec<u8> {
        let mut bytes = vec![0; 1 << 20];
        let mut out = Writer::new(&mut bytes, bodies);
        bodies.save(&mut out);
        let len = out.len();
        bytes.truncate(len);
        bytes
    }

    fn load(bodies: &mut Bodies, bytes: &[u8]) -> Result<(), LoadError> {
        bodies.load(&mut Reader::new(bytes, &NoInsides, &Serial))
    }

    #[test]
    fn what_takes_long_to_find_is_found_once_for_bodies_that_come_and_go() {
        let mut bodies = bodies();
        for def in [ball(0.4), tank()] {
            bodies.add(def.clone()).expect("valid");
            let first = bodies.list()[0].known_shapes();
            assert!(first.is_any());
            bodies.remove(0);
            bodies.add(def).expect("valid");
            assert!(bodies.list()[0].known_shapes().is_shared_with(&first));
            bodies.remove(0);
        }
        // The number of removed bodies for which data is kept is limited.
        for n in 1..20 {
            bodies.add(ball(0.4 + 0.01 * n as f32)).expect("valid");
            bodies.remove(0);
        }
        assert_eq!(bodies.departed.len(), super::super::departed::MOST_KINDS);
    }

    #[test]
    fn bodies_that_have_gone_come_back_with_what_they_had_and_the_others_stay() {
        let mut bodies = bodies();
        let points: Vec<Vec3> =
            (0..12).map(|n| Vec3::new((n % 3) as f32, (n / 3 % 2) as f32, (n / 6) as f32)).collect();
        let hull = Geometry::Polytope(Polytope::from_points(&points).expect("a hull"));
        let capsule = Geometry::Capsule(Capsule { half_height: 0.3, radius: 0.2 });
        let compound =
            BodyDef { shapes: vec![Shape::solid(hull), Shape::solid(capsule)], ..BodyDef::default() };
        for def in [ball(0.4), tank(), compound, ball(0.5)] {
            bodies.add(def).expect("valid");
        }
        let known: Vec<_> = bodies.list().iter().map(Body::known_shapes).collect();
        let saved = save(&bodies);
        bodies.remove(2);
        bodies.remove(0);
        bodies.add(ball(0.7)).expect("valid");
        bodies.body_mut(1).set_temperature(400.0).expect("valid");
        load(&mut bodies, &saved).expect("what was saved");
        assert_eq!(save(&bodies), saved);
        for index in [0, 1, 3] {
            assert!(bodies.list()[index].known_shapes().is_shared_with(&known[index]), "body {index}");
        }
        let mut elsewhere = self::bodies();
        load(&mut elsewhere, &saved).expect("what was saved");
        assert_eq!(save(&elsewhere), saved);
    }

    /// A body with a mesh and a height field of this height.
    fn level(height: f32) -> BodyDef {
        let corners = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z * height];
        let triangles = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]].map(UVec3::from_array).to_vec();
        let mesh = TriangleMesh::new(corners, triangles).expect("a mesh").saved_by_hash();
        let field = HeightField::new(vec![height; 6], UVec2::new(3, 2), Vec2::ONE).expect("a height field");
        let field = Geometry::HeightField(Arc::new(field.saved_by_hash()));
        let shapes = vec![Shape::solid(Geometry::Mesh(Arc::new(mesh))), Shape::solid(field)];
        BodyDef { shapes, mass: f32::INFINITY, ..BodyDef::default() }
    }

    /// Level geometry saved by hash is resolved to that of a body with the same geometry; different geometry
    /// is not mistaken for it, and a failed load does not lose it.
    #[test]
    fn level_geometry_that_is_saved_by_hash_is_found_again() {
        let mut bodies = bodies();
        for def in [level(1.0), ball(0.4), level(2.0)] {
            bodies.add(def).expect("valid");
        }
        let saved = save(&bodies);
        let shapes = |bodies: &Bodies| {
            let each = bodies.obstacles.list().iter().map(|obstacle| obstacle.shared_shapes());
            each.collect::<Vec<_>>()
        };
        let before = shapes(&bodies);
        let mut others = self::bodies();
        assert_eq!(load(&mut others, &saved), Err(LoadError::UnknownLevel));
        for def in [ball(0.4), level(2.0), level(3.0), level(1.0)] {
            others.add(def).expect("valid");
        }
        load(&mut others, &saved).expect("both levels are there");
        assert_eq!((save(&others), shapes(&others)), (saved.clone(), before.clone()));
        // A snapshot of a world without levels, damaged after its bodies.
        let mut empty = save(&self::bodies());
        empty.truncate(empty.len() - 1);
        assert_eq!(load(&mut bodies, &empty), Err(LoadError::Damaged));
        assert!(bodies.list().is_empty());
        load(&mut bodies, &saved).expect("what it was before");
        assert_eq!(shapes(&bodies), before);
        // A hole saved only by hash.
        let mut bytes = [0; 256];
        let mut out = Writer::new(&mut bytes, &NoInsides);
        let Shape { geometry, pose, .. } = &level(1.0).shapes[0];
        geometry.save(&mut out);
        pose.save(&mut out);
        true.save(&mut out);
        let mut from = Reader::new(&bytes, &NoInsides, &Serial);
        assert_eq!(Shape::default().load(&mut from), Err(LoadError::Damaged));
    }

    /// A world that is saved while a body lacks its shapes.
    #[test]
    fn a_body_gets_its_shapes_back_after_a_load() {
        let mut bodies = bodies();
        for def in [ball(0.4), tank()] {
            bodies.add(def).expect("valid");
        }
        let unchanged = save(&bodies);
        let shapes = [0, 1].map(|index| bodies.obstacles.list()[index].shapes().to_vec());
        bodies.set_shapes(0, ball(0.41).shapes).expect("valid");
        bodies.set_shapes(1, Vec::new()).expect("valid");
        let saved = save(&bodies);
        assert_ne!(saved, unchanged);
        let mut others = self::bodies();
        load(&mut others, &saved).expect("what was saved");
        assert_eq!(save(&others), saved);
        for world in [&mut bodies, &mut others] {
            for (index, shapes) in shapes.iter().enumerate() {
                world.set_shapes(index, shapes.clone()).expect("valid");
            }
            assert!(save(world) == unchanged);
        }
    }

    #[test]
    fn a_world_with_other_settings_is_told() {
        let mut bodies = bodies();
        bodies.add(ball(0.4)).expect("valid");
        let params = Params { core_radius: 0.2, ..Params::default() };
        let mut others = Bodies::new(BodySettings::default(), &params).expect("valid");
        assert_eq!(load(&mut others, &save(&bodies)), Err(LoadError::OtherWorld("core_radius")));
        let saved = save(&bodies);
        assert_eq!(load(&mut bodies, &saved[..saved.len() - 1]), Err(LoadError::Damaged));
    }
}
