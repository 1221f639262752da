//! Particles of a view, one chunk at a time: attributes as columns, read and written element by element.

use super::{DEAD, Format, ParticleView, Semantic, Stream};
use glam::{Quat, Vec3};
use std::marker::PhantomData;

/// Exclusive access to some particles of a view, for one call of a loop's body. Particles are numbered from
/// 0.
#[derive(Debug)]
pub struct Chunk<'v> {
    view: &'v ParticleView<'v>,
    rows: ChunkRows<'v>,
    // Columns of one chunk write without `&mut`, so a chunk must not be shared between threads.
    not_sync: PhantomData<*mut u8>,
}

impl<'v> Chunk<'v> {
    /// Visits entries `first..first + len` of `indices`, or of all rows.
    ///
    /// # Safety
    /// The rows are below the view's capacity, and in no other living chunk.
    pub(super) unsafe fn new(
        view: &'v ParticleView<'_>,
        indices: Option<&'v [u32]>,
        first: usize,
        len: usize,
    ) -> Self {
        let rows = ChunkRows { table: view.table(), indices, first, len };
        Self { view, rows, not_sync: PhantomData }
    }

    /// Returns the number of particles.
    pub fn len(&self) -> usize {
        self.rows.len
    }

    /// Returns true if there are no particles.
    pub fn is_empty(&self) -> bool {
        self.rows.len == 0
    }

    /// Returns the row of particle `k` in the host's arrays.
    ///
    /// # Panics
    /// If there is no such particle.
    pub fn row(&self, k: usize) -> usize {
        self.rows.row(k)
    }

    /// Returns an attribute of three numbers per particle, stored whole or by components; None if the host
    /// lacks it or it is not a vector.
    pub fn vec3(&self, semantic: Semantic) -> Option<Vec3Column<'_>> {
        let component = |semantic| Some(ComponentAddress::new(self.view.stream(semantic)?, &self.rows));
        let (places, wide) = if let Some(stream) = self.view.stream(semantic) {
            if !semantic.is_vector() {
                return None;
            }
            let place = ComponentAddress::new(stream, &self.rows);
            let size = stream.format.component_size();
            ([place, place.shifted(size), place.shifted(2 * size)], stream.format == Format::F64X3)
        } else {
            let [x, y, z] = semantic.components()?;
            ([component(x)?, component(y)?, component(z)?], false)
        };
        Some(Vec3Column { places, wide, rows: self.rows })
    }

    /// Returns the orientations; None if the host has none.
    pub fn quat(&self, semantic: Semantic) -> Option<QuatColumn<'_>> {
        let stream = self.view.stream(semantic)?;
        (stream.format == Format::QuatF32)
            .then_some(QuatColumn { place: ComponentAddress::new(stream, &self.rows), rows: self.rows })
    }

    /// Returns an attribute of one number per particle; None if the host lacks it or does not store it as
    /// `T`.
    pub fn scalar<T: Scalar>(&self, semantic: Semantic) -> Option<ScalarColumn<'_, T>> {
        let stream = self.view.stream(semantic)?;
        (stream.format == T::FORMAT).then_some(ScalarColumn {
            place: ComponentAddress::new(stream, &self.rows),
            rows: self.rows,
            element: PhantomData,
        })
    }

    /// Returns the numbers of the particles that are not dead, ascending. A particle marked dead before the
    /// iterator reaches it is skipped.
    ///
    /// With `for_each` this is one plain loop; a `for` loop around the filter's own takes up to 1.5 times as
    /// long.
    #[inline]
    pub fn living(&self) -> impl Iterator<Item = usize> {
        let vital = self.vital_signs();
        (0..self.len()).filter(move |&k| !vital.is_dead(k))
    }

    /// Returns the dead flags of the chunk.
    pub fn vital_signs(&self) -> VitalSigns<'_> {
        let first = Semantic::VITAL.into_iter().find_map(|semantic| self.view.stream(semantic));
        VitalSigns(first.map(|stream| {
            let place = ComponentAddress::new(stream, &self.rows);
            let (place, bits, dead) = match stream.semantic {
                Semantic::Alive => (place, u8::MAX, Signs { is_dead: false, kept: 0, set: 0 }),
                Semantic::Dead => (place, u8::MAX, Signs { is_dead: true, kept: 0, set: 1 }),
                // The byte of the flags that contains the bit.
                _ => (place.shifted(LEAST_BYTE), DEAD as u8, Signs { is_dead: true, kept: u8::MAX, set: 1 }),
            };
            let bytes = ScalarColumn { place, rows: self.rows, element: PhantomData };
            VitalSign { bytes, bits, dead }
        }))
    }
}

/// Offset of the least significant byte of a `u32`.
const LEAST_BYTE: usize = if cfg!(target_endian = "big") { 3 } else { 0 };
const _: () = assert!(DEAD == 1);

/// Numbers that a stream can hold.
pub trait Scalar: Copy + sealed::Sealed {
    /// Storage format.
    const FORMAT: Format;
}
impl Scalar for f32 {
    const FORMAT: Format = Format::F32;
}
impl Scalar for u32 {
    const FORMAT: Format = Format::U32;
}
impl Scalar for i32 {
    const FORMAT: Format = Format::I32;
}
impl Scalar for u8 {
    const FORMAT: Format = Format::U8;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for u32 {}
    impl Sealed for i32 {}
    impl Sealed for u8 {}
}

/// One number per particle of a chunk.
#[derive(Debug, Clone, Copy)]
pub struct ScalarColumn<'c, T> {
    place: ComponentAddress,
    rows: ChunkRows<'c>,
    element: PhantomData<T>,
}

impl<T: Scalar> ScalarColumn<'_, T> {
    /// Returns the value of particle `k`.
    ///
    /// # Panics
    /// If there is no such particle.
    #[inline]
    pub fn get(&self, k: usize) -> T {
        // SAFETY: `at` asks `rows` whether there is a particle `k`; the stream has format T
        // (`Chunk::scalar`), or this is a byte of it (`Chunk::vital_signs`), and is aligned (check.rs:
        // `check_place`, `check_table`).
        unsafe { self.place.at(&self.rows, k).cast::<T>().read() }
    }

    /// Overwrites the value of particle `k`.
    ///
    /// # Panics
    /// If there is no such particle.
    #[inline]
    pub fn set(&self, k: usize, value: T) {
        // SAFETY: as in `get`; the chunk has this row alone, streams do not overlap, and columns stay on the
        // chunk's thread.
        unsafe { self.place.at(&self.rows, k).cast::<T>().write(value) }
    }
}

/// One vector per particle of a chunk.
#[derive(Debug, Clone, Copy)]
pub struct Vec3Column<'c> {
    places: [ComponentAddress; 3],
    wide: bool,
    rows: ChunkRows<'c>,
}

impl Vec3Column<'_> {
    /// Returns the vector of particle `k`, rounded to `f32`; components out of range become infinite.
    ///
    /// # Panics
    /// If there is no such particle.
    #[inline]
    pub fn get(&self, k: usize) -> Vec3 {
        // SAFETY: `at` asks `rows` whether there is a particle `k`; `wide` says which of f32 and f64 the
        // stream holds (`Chunk::vec3`); addresses are aligned to it (check.rs: `check_place`, `check_table`).
        unsafe {
            let [x, y, z] = self.places.map(|place| place.at(&self.rows, k));
            if self.wide {
                let [x, y, z] = [x, y, z].map(|address| address.cast::<f64>().read() as f32);
                Vec3::new(x, y, z)
            } else {
                Vec3::new(x.cast::<f32>().read(), y.cast::<f32>().read(), z.cast::<f32>().read())
            }
        }
    }

    /// Overwrites the vector of particle `k`.
    ///
    /// # Panics
    /// If there is no such particle.
    #[inline]
    pub fn set(&self, k: usize, value: Vec3) {
        if self.wide {
            return self.set_wide(k, value.as_dvec3().into());
        }
        for (place, value) in self.places.iter().zip(<[f32; 3]>::from(value)) {
            // SAFETY: as in `get`; the chunk has this row alone, streams do not overlap, and columns stay on
            // the chunk's thread.
            unsafe { place.at(&self.rows, k).cast::<f32>().write(value) }
        }
    }

    /// Overwrites the vector of particle `k` in the stream's precision.
    ///
    /// # Panics
    /// If there is no such particle.
    #[inline]
    pub fn set_wide(&self, k: usize, value: [f64; 3]) {
        for (place, value) in self.places.iter().zip(value) {
            // SAFETY: as in `set`.
            unsafe {
                let address = place.at(&self.rows, k);
                if self.wide {
                    address.cast::<f64>().write(value);
                } else {
                    address.cast::<f32>().write(value as f32);
                }
            }
        }
    }

    /// Adds `delta` to the vector of particle `k` in the stream's precision: far from the origin an `f64`
    /// position keeps its digits.
    ///
    /// # Panics
    /// If there is no such particle.
    #[inline]
    pub fn add(&self, k: usize, delta: Vec3) {
        if !self.wide {
            return self.set(k, self.get(k) + delta);
        }
        for (place, delta) in self.places.iter().zip(<[f32; 3]>::from(delta)) {
            // SAFETY: as in `set`.
            unsafe {
                let address = place.at(&self.rows, k).cast::<f64>();
                address.write(address.read() + f64::from(delta));
            }
        }
    }
}

/// One quaternion per particle of a chunk.
#[derive(Debug, Clone, Copy)]
pub struct QuatColumn<'c> {
    place: ComponentAddress,
    rows: ChunkRows<'c>,
}

impl QuatColumn<'_> {
    /// Returns the quaternion of particle `k` unnormalised: its length need not be 1.
    ///
    /// # Panics
    /// If there is no such particle.
    #[inline]
    pub fn get(&self, k: usize) -> Quat {
        // SAFETY: `at` asks `rows` whether there is a particle `k`; the stream holds four f32
        // (`Chunk::quat`), aligned as f32 (check.rs: `check_place`, `check_table`), which is all that an
        // array of them needs.
        Quat::from_array(unsafe { self.place.at(&self.rows, k).cast::<[f32; 4]>().read() })
    }

    /// Overwrites the quaternion of particle `k`.
    ///
    /// # Panics
    /// If there is no such particle.
    #[inline]
    pub fn set(&self, k: usize, value: Quat) {
        // SAFETY: as in `get`; the chunk has this row alone, streams do not overlap, and columns stay on the
        // chunk's thread.
        unsafe { self.place.at(&self.rows, k).cast::<[f32; 4]>().write(value.to_array()) }
    }
}

/// Dead flags of a chunk. Without such a stream every particle is alive.
#[derive(Debug, Clone, Copy)]
pub struct VitalSigns<'c>(Option<VitalSign<'c>>);

/// One byte per particle, whatever the host's encoding, so that loops over particles have a single test.
#[derive(Debug, Clone, Copy)]
struct VitalSign<'c> {
    bytes: ScalarColumn<'c, u8>,
    /// Bits that are tested.
    bits: u8,
    dead: Signs,
}

/// Encoding of death in a particle's byte.
#[derive(Debug, Clone, Copy)]
struct Signs {
    /// True if a set bit means dead.
    is_dead: bool,
    /// Mask of bits kept when the particle dies ...
    kept: u8,
    /// ... and bits set then.
    set: u8,
}

impl VitalSigns<'_> {
    /// Returns true if particle `k` is dead.
    ///
    /// # Panics
    /// If there is no such particle.
    #[inline]
    pub fn is_dead(&self, k: usize) -> bool {
        self.0.is_some_and(|VitalSign { bytes, bits, dead }| (bytes.get(k) & bits != 0) == dead.is_dead)
    }

    /// Marks particle `k` as dead; does nothing without a stream for it.
    ///
    /// # Panics
    /// If there is no such particle.
    #[inline]
    pub fn mark_dead(&self, k: usize) {
        if let Some(VitalSign { bytes, dead, .. }) = self.0 {
            bytes.set(k, bytes.get(k) & dead.kept | dead.set);
        }
    }
}

/// Rows of a chunk: entries `first..first + len` of the indices, or of all rows. Made by `Chunk::new` only.
#[derive(Debug, Clone, Copy)]
struct ChunkRows<'v> {
    table: *const *mut u8,
    indices: Option<&'v [u32]>,
    first: usize,
    len: usize,
}

impl ChunkRows<'_> {
    #[inline]
    fn row(&self, k: usize) -> usize {
        assert!(k < self.len, "particle out of range");
        row_of(self.indices, self.first + k)
    }

    /// Returns true if the rows follow each other in memory at the stream's stride.
    #[inline]
    fn is_regular(&self) -> bool {
        self.table.is_null() && self.indices.is_none()
    }
}

/// Returns the row of a visit: the index at that position, or the visit itself if all rows are visited.
#[inline]
pub(super) fn row_of(indices: Option<&[u32]>, visit: usize) -> usize {
    indices.map_or(visit, |indices| indices[visit] as usize)
}

/// Memory location of one component.
#[derive(Debug, Clone, Copy)]
struct ComponentAddress {
    /// Address in row 0; for regular rows, in the first row of the chunk.
    start: *mut u8,
    stride: usize,
    offset: usize,
}

impl ComponentAddress {
    fn new(stream: &Stream, rows: &ChunkRows<'_>) -> Self {
        let Stream { base, stride, offset, .. } = *stream;
        let first = if rows.is_regular() { rows.first } else { 0 };
        Self { start: base.wrapping_add(offset).wrapping_add(first.wrapping_mul(stride)), stride, offset }
    }

    fn shifted(self, bytes: usize) -> Self {
        Self { start: self.start.wrapping_add(bytes), offset: self.offset.wrapping_add(bytes), ..self }
    }

    /// Returns the address of the component of particle `k`, within the view's memory and aligned.
    ///
    /// # Panics
    /// If the chunk has no particle `k`.
    #[inline]
    fn at(self, rows: &ChunkRows<'_>, k: usize) -> *mut u8 {
        if rows.is_regular() {
            assert!(k < rows.len, "particle out of range");
            return self.start.wrapping_add(k * self.stride);
        }
        let row = rows.row(k);
        if rows.table.is_null() {
            return self.start.wrapping_add(row * self.stride);
        }
        // SAFETY: `row` is below the capacity (`Chunk::new`), the table has that many entries (contract of
        // `ParticleView::new`), and it is aligned (check.rs: `check_table`).
        unsafe { rows.table.add(row).read() }.wrapping_add(self.offset)
    }
}
