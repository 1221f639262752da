//! Views of particles with random streams, indices and tables, and runs of random operations on them.

use super::snapshots::small_world;
use super::{Draw, Watch, check_result, executions, forged};
use crate::ops::{vorton_op_create, vorton_ops_run};
use crate::status::*;
use crate::types::op_result::VortonOpResult;
use crate::types::ops::{VortonEmitValue, VortonOpDef, VortonOpId};
use crate::types::view::*;
use crate::types::world::*;
use crate::view::*;
use crate::world::*;
use fluid_particles::view::{Format, Semantic};
use libc::c_void;
use std::ops::Range;
use std::ptr::{null, null_mut};

const WORDS: usize = 512;
const BYTES: usize = 8 * WORDS;
const MOST_ROWS: usize = 24;

/// The host's memory and its description.
struct HostView {
    memory: Vec<u64>,
    streams: Vec<VortonStream>,
    table: Vec<*mut c_void>,
    indices: Vec<u32>,
    view: VortonParticleView,
}

impl HostView {
    fn start(&self) -> usize {
        self.memory.as_ptr().addr()
    }

    /// Returns the address of a byte, or NULL.
    fn at(&mut self, byte: usize) -> *mut c_void {
        self.memory.as_mut_ptr().cast::<u8>().wrapping_add(byte).cast()
    }

    /// Describes random particles; most descriptions are valid.
    fn new(draw: &mut Draw) -> Self {
        let memory = (0..WORDS).map(|_| if draw.one_in(4) { draw.next() } else { one_pair(draw) }).collect();
        let (streams, table, indices) = (Vec::new(), Vec::new(), Vec::new());
        let mut host = Self { memory, streams, table, indices, view: VortonParticleView::EMPTY };
        let count = draw.below(MOST_ROWS + 1);
        let capacity = (count + draw.below(3)).min(MOST_ROWS);
        let has_table = draw.one_in(4);
        let is_array_of_structures = has_table || draw.one_in(2);
        let (mut offset, mut base) = (0, 0);
        // Attributes that most operations need, without those that exclude each other, then any.
        let usual = [
            Semantic::Position,
            Semantic::Velocity,
            Semantic::Age,
            draw.of(&[Semantic::Flags, Semantic::Alive, Semantic::Dead]),
            Semantic::Lifetime,
            Semantic::BirthFrame,
            Semantic::Size,
            Semantic::AngularVelocity,
            Semantic::Orientation,
            Semantic::Hit,
            Semantic::Normal,
            Semantic::User0,
        ];
        let any = if draw.one_in(8) { 1 + draw.below(3) } else { 0 };
        let most = 1 + draw.below(usual.len());
        let any = (0..any).map(|_| draw.of(&Semantic::ALL)).collect::<Vec<_>>();
        for semantic in usual.into_iter().take(most).chain(any) {
            let formats = semantic.formats();
            let format = formats[draw.below(formats.len())];
            if is_array_of_structures {
                offset = usize::next_multiple_of(offset, format.component_size());
            } else {
                base = usize::next_multiple_of(base, 8);
            }
            let (semantic, format_code) = (semantic.code(), format.code());
            let stride = if is_array_of_structures { 0 } else { format.size() as u32 };
            let place = host.at(base);
            host.streams.push(VortonStream {
                semantic,
                format: format_code,
                stride,
                offset: offset as u32,
                base: place,
            });
            if is_array_of_structures {
                offset += format.size();
            } else {
                base += format.size() * capacity;
            }
        }
        let element = usize::next_multiple_of(offset, 8);
        if is_array_of_structures {
            host.streams.iter_mut().for_each(|stream| stream.stride = element as u32);
            host.view.element_size = if draw.one_in(4) { 0 } else { element };
        }
        if has_table {
            host.table = (0..capacity).map(|i| host.at((i * 7 + 3) % MOST_ROWS * element)).collect();
            host.view.table = host.table.as_ptr();
        }
        if draw.one_in(4) {
            host.indices = (0..count as u32).filter(|_| draw.one_in(2)).collect();
            host.view.index_count = host.indices.len();
        }
        (host.view.count, host.view.capacity) = (count, capacity);
        host.view.struct_size = size_of::<VortonParticleView>() as u32;
        host.view.stream_count = host.streams.len() as u32;
        host.damage(draw);
        host.view.streams = host.streams.as_ptr();
        host.view.indices = if host.indices.is_empty() { null() } else { host.indices.as_ptr() };
        host
    }

    fn damage(&mut self, draw: &mut Draw) {
        for _ in 0..draw.below(3) {
            let index = draw.below(self.streams.len());
            let other = draw.below(BYTES);
            let place = self.at(other);
            let stream = &mut self.streams[index];
            match draw.below(16) {
                0 => stream.semantic = draw.word(),
                1 => stream.format = draw.below(11) as u32,
                2 => stream.stride = draw.word(),
                3 => stream.stride = draw.below(40) as u32,
                4 => stream.offset = draw.word(),
                5 => stream.offset = draw.below(40) as u32,
                6 => stream.base = draw.of(&[null_mut(), place]),
                7 => self.view.stream_count = draw.below(self.streams.len() + 1) as u32,
                8 if !self.indices.is_empty() => {
                    let at = draw.below(self.indices.len());
                    self.indices[at] = draw.word();
                }
                9 => self.view.count = draw.below(MOST_ROWS + 8),
                10 => self.view.element_size = draw.below(200),
                11 if self.table.is_empty() => {
                    // Refused unless every stream is empty: nothing may be touched.
                    self.view.capacity = draw.of(&[usize::MAX, 1 << 62, isize::MAX as usize]);
                    self.view.count = draw.of(&[0, 5, self.view.capacity]);
                }
                12 if !self.table.is_empty() => {
                    let at = draw.below(self.table.len());
                    self.table[at] = draw.of(&[null_mut(), self.table[0]]);
                }
                _ => {}
            }
        }
    }

    fn bytes(&self) -> &[u8] {
        bytemuck::cast_slice(&self.memory)
    }

    /// Returns the bytes of an element of a stream from the start of the memory.
    fn element(&self, stream: &VortonStream, i: usize) -> Option<Range<usize>> {
        let format = Format::from_code(stream.format)?;
        let base = match self.table.get(i) {
            Some(element) => element.addr(),
            None => stream.base.addr().checked_add(i.checked_mul(stream.stride as usize)?)?,
        };
        let from = base.checked_add(stream.offset as usize)?.checked_sub(self.start())?;
        Some(from..from + format.size())
    }

    /// True if all that the view describes is memory of the host.
    fn keeps_promises(&self) -> bool {
        let streams = &self.streams[..self.view.stream_count as usize];
        let inside = |range: Range<usize>| range.end <= BYTES;
        let table_is_long = self.table.is_empty() || self.table.len() >= self.view.capacity;
        self.view.capacity <= 2 * MOST_ROWS
            && table_is_long
            && streams
                .iter()
                .all(|stream| (0..self.view.capacity).all(|i| self.element(stream, i).is_some_and(inside)))
            && self.elements().all(inside)
    }

    /// Returns whole particles, which compaction moves.
    fn elements(&self) -> impl Iterator<Item = Range<usize>> {
        let (size, start) = (self.view.element_size, self.start());
        let base = self.streams.iter().map(|stream| stream.base.addr()).min().unwrap_or(0);
        let count = if size == 0 { 0 } else { self.view.capacity.min(2 * MOST_ROWS) };
        (0..count).map(move |i| {
            let place = self.table.get(i).map_or(base.wrapping_add(i * size), |element| element.addr());
            let from = place.wrapping_sub(start).min(BYTES + 1);
            from..from + size
        })
    }
}

/// Two numbers of a usual size.
fn one_pair(draw: &mut Draw) -> u64 {
    let mut float = || u64::from(((draw.below(2000) as f32 - 1000.0) * 0.002).to_bits());
    float() << 32 | float()
}

/// Creates operations of all types, with usual and extreme values.
fn operations(world: VortonWorldId) -> Vec<VortonOpId> {
    let mut ops = Vec::new();
    let values = [Semantic::Position, Semantic::Velocity, Semantic::Age].map(|semantic| VortonEmitValue {
        semantic: semantic.code(),
        reserved: 0,
        value: [0.1, 0.2, 0.3],
        spread: [0.5, 0.5, 1e30],
        reserved2: 0,
    });
    for seed in 0..2000 {
        let mut draw = Draw::new(seed);
        let usual = VortonOpDef::default_of(1 + (seed % 13) as u32);
        let mut def = if seed < 26 { usual } else { forged(&usual, &mut draw) };
        def.struct_size = usual.struct_size;
        (def.values, def.value_count) = (values.as_ptr(), if def.r#type == 8 { 3 } else { 0 });
        if def.r#type == 8 {
            def.rate = def.rate.abs().max(60.0);
        }
        let mut op = VortonOpId::NULL;
        // SAFETY: both point to locals, and there are as many values.
        if unsafe { vorton_op_create(world, &raw const def, &raw mut op) } == VORTON_OK {
            ops.push(op);
        }
    }
    ops
}

#[test]
fn damaged_views_are_refused_or_used_as_described() {
    let world = small_world();
    let ops = operations(world);
    assert!(ops.len() > 200);
    let mut watch = Watch::new("views");
    let (mut refused, mut run, mut changed) = (0, 0, 0);
    for seed in executions(0.4, 20_000) {
        let mut draw = Draw::new(seed);
        let host = HostView::new(&mut draw);
        let before = host.bytes().to_vec();
        // SAFETY: streams, table and indices are as described, or too large to be accepted.
        let checked = unsafe { vorton_view_check(&raw const host.view) };
        check_result(checked, seed, "check");
        assert!(host.bytes() == before, "seed {seed}: a check has changed particles");
        if checked < 0 {
            refused += 1;
        }
        if !host.keeps_promises() {
            watch.count += 1;
            continue;
        }
        let list: Vec<_> = (0..1 + draw.below(5)).map(|_| draw.of(&ops)).collect();
        let dt = if draw.one_in(4) { draw.float() } else { 0.02 };
        let (mut killed, frame) = ([0_u32; 8], draw.below(100) as u32);
        let mut result = VortonOpResult { kill_list: killed.as_mut_ptr(), ..VortonOpResult::EMPTY };
        result.struct_size = size_of::<VortonOpResult>() as u32;
        result.kill_capacity = draw.below(killed.len() + 1);
        let count = list.len() as u32;
        let code = watch.execute(seed, || {
            // SAFETY: the particles are as described, as `keeps_promises` has found; the rest are locals.
            unsafe {
                vorton_ops_run(world, list.as_ptr(), count, &raw const host.view, dt, frame, &raw mut result)
            }
        });
        check_result(code, seed, "run");
        let after = host.bytes();
        if code < 0 {
            assert!(after == before, "seed {seed}: a refused run has changed particles");
            continue;
        }
        assert!(checked >= 0, "seed {seed}: the run accepts a view that the check refuses");
        run += 1;
        assert!(result.count <= host.view.capacity, "seed {seed}: {} particles", result.count);
        if after == before {
            continue;
        }
        changed += 1;
        let mut allowed = [false; BYTES];
        let streams = &host.streams[..host.view.stream_count as usize];
        let attributes =
            streams.iter().flat_map(|stream| (0..host.view.capacity).filter_map(|i| host.element(stream, i)));
        attributes.chain(host.elements()).for_each(|range| allowed[range].fill(true));
        let wrong = (0..BYTES).find(|&byte| after[byte] != before[byte] && !allowed[byte]);
        assert!(wrong.is_none(), "seed {seed}: byte {wrong:?} belongs to no particle");
    }
    watch.report(&format!("{refused} refused, {run} run, {changed} changed"));
    assert!(refused > watch.count / 20 && changed > watch.count / 20);
    assert_eq!(vorton_world_destroy(world), VORTON_OK);
}
