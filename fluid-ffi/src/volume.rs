//! The field as a volume of texels, for GPU particles.

use crate::guard;
use crate::memory::{check_array, read_def, write_sized};
use crate::sample::{VectorQuantity, scalar_quantity, vector_quantity};
use crate::state::with_world;
use crate::status::{unknown, *};
use crate::types::volume::{VORTON_TEXEL_F16, VORTON_TEXEL_F32, VortonVolumeDef};
use crate::types::world::VortonWorldId;
use fluid_core::particles::ScalarQuantity;
use fluid_core::velocity::{PublishedField, VelocityField};
use fluid_threads::{Executor, for_each_chunk_mut};
use glam::{UVec3, Vec3};
use libc::c_void;
use std::sync::atomic::{AtomicBool, Ordering};

/// Texels that are sampled together; their scratch is on the stack.
const TOGETHER: usize = 128;
/// Texels of a chunk of rows, at least.
const TEXEL_CHUNK: usize = 1024;

/// A number of a texel.
#[derive(Debug, Clone, Copy)]
enum Number {
    F32,
    F16,
}

impl Number {
    fn size(self) -> usize {
        match self {
            Self::F32 => 4,
            Self::F16 => 2,
        }
    }
}

/// A definition that has been checked.
#[derive(Clone, Copy)]
struct Volume {
    number: Number,
    components: usize,
    vector: Option<VectorQuantity>,
    scalar: Option<ScalarQuantity>,
    dims: [usize; 3],
    low: Vec3,
    texel: Vec3,
    row_pitch: usize,
    slice_pitch: usize,
}

impl VortonVolumeDef {
    fn checked(&self) -> Outcome<Volume> {
        let number = match self.format {
            VORTON_TEXEL_F32 => Number::F32,
            VORTON_TEXEL_F16 => Number::F16,
            other => return Err(unknown("format", other)),
        };
        let none = |quantity: u32| quantity == 0;
        let vector = vector_quantity(self.vector);
        if vector.is_none() && !none(self.vector) {
            return Err(unknown("vector", self.vector));
        }
        let scalar = scalar_quantity(self.scalar);
        if scalar.is_none() && !none(self.scalar) {
            return Err(unknown("scalar", self.scalar));
        }
        let shown = if vector.is_some() { 3 } else { 0 } + u32::from(scalar.is_some());
        if shown == 0 {
            return Err(Error::bad_value("vector and scalar are both 0: there is nothing to show"));
        }
        if !(shown..=4).contains(&self.components) {
            let text = format_args!("components is {}, but must be {shown} to 4", self.components);
            return Err(Error::bad_value(text));
        }
        let dims = [self.width, self.height, self.depth];
        let texels = dims.iter().try_fold(1_u32, |product, &n| product.checked_mul(n));
        if texels.is_none_or(|texels| texels == 0 || texels > 1 << 31) {
            let [x, y, z] = dims;
            let text = format_args!(
                "{x} x {y} x {z} texels: must be at least 1 along each axis, at most 2^31 in all"
            );
            return Err(Error::bad_value(text));
        }
        let (low, high) = (self.low.checked("low")?, self.high.checked("high")?);
        let size = high - low;
        if !(size.cmpgt(Vec3::ZERO).all() && size.is_finite()) {
            return Err(Error::bad_value("high must be above low along each axis"));
        }
        let [width, height, _] = dims.map(|n| n as usize);
        let Some(row) = width.checked_mul(self.components as usize * number.size()) else {
            return Err(Error::bad_value("a row of the volume is larger than memory can be"));
        };
        let row_pitch = pitch("row_pitch", self.row_pitch, row, number)?;
        let slice_pitch = pitch(
            "slice_pitch",
            self.slice_pitch,
            row_pitch.saturating_mul(height - 1).saturating_add(row),
            number,
        )?;
        Ok(Volume {
            number,
            components: self.components as usize,
            vector,
            scalar,
            dims: dims.map(|n| n as usize),
            low,
            texel: size / UVec3::from_array(dims).as_vec3(),
            row_pitch,
            slice_pitch: if self.slice_pitch == 0 { row_pitch.saturating_mul(height) } else { slice_pitch },
        })
    }
}

/// Returns the given pitch, or the packed one for 0.
fn pitch(name: &str, given: usize, packed: usize, number: Number) -> Outcome<usize> {
    let fits = given >= packed && given.is_multiple_of(number.size());
    if given != 0 && !fits {
        let size = number.size();
        let text =
            format_args!("{name} is {given}, but must be 0, or at least {packed} and a multiple of {size}");
        return Err(Error::bad_value(text));
    }
    Ok(if given == 0 { packed } else { given })
}

impl Volume {
    /// Returns the bytes from the first texel to the last.
    fn bytes(&self) -> Option<usize> {
        let [width, height, depth] = self.dims;
        let slices = self.slice_pitch.checked_mul(depth - 1)?;
        let rows = self.row_pitch.checked_mul(height - 1)?;
        let row = width.checked_mul(self.components * self.number.size())?;
        slices.checked_add(rows)?.checked_add(row)
    }

    /// Fills the volume. Returns false if a number was not finite; such numbers are 0.
    ///
    /// # Safety
    /// `out` has memory for the volume, correctly aligned and not used by other threads meanwhile.
    unsafe fn fill(&self, exec: &dyn Executor, field: &PublishedField, out: Memory) -> bool {
        let [width, height, depth] = self.dims;
        let skipped = AtomicBool::new(false);
        // No data per row; a vector of units does not allocate.
        let mut nothing = vec![(); height * depth];
        for_each_chunk_mut(exec, TEXEL_CHUNK.div_ceil(width), nothing.as_mut_slice(), &|first,
                                                                                        rows: &mut [(
        )]| {
            for row in first..first + rows.len() {
                let (j, k) = (row % height, row / height);
                for from in (0..width).step_by(TOGETHER) {
                    let count = TOGETHER.min(width - from);
                    let values = self.sample(field, [from, j, k], count);
                    let offset = k * self.slice_pitch
                        + j * self.row_pitch
                        + from * self.components * self.number.size();
                    // SAFETY: the texels of this row are within the memory and written by this call alone.
                    if !unsafe { self.write(&values[..count], out.at(offset)) } {
                        skipped.store(true, Ordering::Relaxed);
                    }
                }
            }
        });
        !skipped.into_inner()
    }

    /// Samples four numbers for each of `count` texels of a row.
    fn sample(&self, field: &PublishedField, [from, j, k]: [usize; 3], count: usize) -> [[f32; 4]; TOGETHER] {
        let mut places = [Vec3::ZERO; TOGETHER];
        for (i, place) in places[..count].iter_mut().enumerate() {
            let texel = Vec3::new((from + i) as f32, j as f32, k as f32) + 0.5;
            *place = self.low + texel * self.texel;
        }
        let places = &places[..count];
        let mut numbers = [[0.0; 4]; TOGETHER];
        if let Some(vector) = self.vector {
            let mut values = [Vec3::ZERO; TOGETHER];
            vector.sample(field, places, &mut values[..count]);
            numbers.iter_mut().zip(&values[..count]).for_each(|(numbers, v)| *numbers = [v.x, v.y, v.z, 0.0]);
        }
        if let Some(scalar) = self.scalar {
            let component = if self.vector.is_some() { 3 } else { 0 };
            let mut values = [0.0; TOGETHER];
            field.values(scalar, places, &mut values[..count]);
            numbers.iter_mut().zip(&values[..count]).for_each(|(numbers, v)| numbers[component] = *v);
        }
        numbers
    }

    /// Writes adjacent texels. Returns false if a number was not finite.
    ///
    /// # Safety
    /// `out` has memory for the texels.
    unsafe fn write(&self, texels: &[[f32; 4]], out: *mut u8) -> bool {
        let mut all_finite = true;
        for (number, value) in texels.iter().flat_map(|texel| &texel[..self.components]).enumerate() {
            all_finite &= value.is_finite();
            let value = if value.is_finite() { *value } else { 0.0 };
            // SAFETY: the caller promises the memory, and its alignment.
            unsafe {
                match self.number {
                    Number::F32 => out.cast::<f32>().add(number).write(value),
                    Number::F16 => out.cast::<u16>().add(number).write(half_of(value)),
                }
            }
        }
        all_finite
    }
}

/// The caller's memory.
#[derive(Clone, Copy)]
struct Memory(*mut u8);

// SAFETY: rows are written by one thread each.
unsafe impl Send for Memory {}
// SAFETY: as above.
unsafe impl Sync for Memory {}

impl Memory {
    /// # Safety
    /// The memory has at least `offset` bytes.
    unsafe fn at(self, offset: usize) -> *mut u8 {
        // SAFETY: as the caller promises.
        unsafe { self.0.add(offset) }
    }
}

/// Returns the bits of the half nearest to a finite value, ties to even; the largest half for values beyond
/// it.
fn half_of(value: f32) -> u16 {
    const LARGEST: f32 = 65504.0;
    const LEAST_NORMAL: f32 = 6.103_515_6e-5;
    const PER_SUBNORMAL: f32 = 16_777_216.0;
    const TO_WHOLE: f32 = 8_388_608.0;
    let sign = (value.to_bits() >> 16 & 0x8000) as u16;
    let size = value.abs().min(LARGEST);
    if size < LEAST_NORMAL {
        // The sum is rounded to a whole number, which is in its lowest bits. Functions of the C library for
        // that may read a rounding mode that the library does not set (mingw's use the x87).
        return sign | (size * PER_SUBNORMAL + TO_WHOLE).to_bits() as u16;
    }
    let bits = size.to_bits();
    let rounded = bits + 0xfff + (bits >> 13 & 1);
    sign | ((rounded - (112 << 23)) >> 13) as u16
}

/// Fills a definition with the defaults: velocity as halves, in 32 texels along each axis of a box of 2 m
/// around the origin.
///
/// @param struct_size sizeof(VortonVolumeDef)
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_volume_def_init(out: *mut VortonVolumeDef, struct_size: u32) -> VortonResult {
    // SAFETY: the caller passes null or a struct of struct_size bytes.
    guard::run(|| unsafe { write_sized(out, struct_size, VortonVolumeDef::default(), "out") })
}

/// Fills a volume of texels with the field that vorton_world_sample reads, in the caller's memory: an upload
/// buffer or a mapped texture, from which GPU particles read the flow. x runs fastest, then y, then z.
/// Padding between rows and slices stays untouched. May run while another thread steps the world. Does not
/// allocate.
///
/// @param out  aligned to one number of a texel
/// @param size size of `out` [bytes]
/// @return VORTON_ERR_BUFFER_SMALL if the volume is larger than that; nothing is written then.
///     VORTON_NOTE_SKIPPED_NONFINITE if a number was not finite; such numbers are 0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_world_sample_volume(
    world: VortonWorldId,
    def: *const VortonVolumeDef,
    out: *mut c_void,
    size: usize,
) -> VortonResult {
    guard::call(|| {
        // SAFETY: the caller passes null or a definition of struct_size bytes.
        let def = unsafe { read_def(def, VortonVolumeDef::default(), "def") }?;
        let volume = def.checked()?;
        match volume.number {
            Number::F32 => check_array(out.cast::<f32>(), 1, "out")?,
            Number::F16 => check_array(out.cast::<u16>(), 1, "out")?,
        }
        let bytes = volume.bytes().filter(|&bytes| bytes <= isize::MAX as usize);
        if bytes.is_none_or(|bytes| bytes > size) {
            let needed = bytes.unwrap_or(usize::MAX);
            let text = format_args!("room for {size} bytes, but the volume has {needed}");
            return Err(Error::new(VORTON_ERR_BUFFER_SMALL, text));
        }
        with_world(world, |world| {
            let field = world.field();
            // SAFETY: checked above; the caller promises `size` bytes.
            let all_finite = unsafe { volume.fill(&*world.exec, &field, Memory(out.cast())) };
            Ok(if all_finite { VORTON_OK } else { VORTON_NOTE_SKIPPED_NONFINITE })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the value of a half, by its definition.
    fn value_of(half: u16) -> f64 {
        let (exponent, fraction) = (i32::from(half >> 10 & 31), f64::from(half & 1023));
        let size = match exponent {
            0 => fraction * 2_f64.powi(-24),
            _ => (1.0 + fraction / 1024.0) * 2_f64.powi(exponent - 15),
        };
        if half >> 15 == 1 { -size } else { size }
    }

    #[test]
    fn halves_are_the_nearest_ones() {
        for half in (0..0x7c00).chain(0x8000..0xfc00) {
            assert_eq!(half_of(value_of(half) as f32), half);
        }
        for half in 0..0x7bff_u16 {
            let (low, high) = (value_of(half), value_of(half + 1));
            let middle = 0.5 * (low + high);
            let even = if half % 2 == 0 { half } else { half + 1 };
            assert_eq!(half_of(middle as f32), even, "halfway above {low}");
            let step = (high - low) * 1e-3;
            assert_eq!(half_of((middle - step) as f32), half);
            assert_eq!(half_of((middle + step) as f32), half + 1);
        }
        assert_eq!(
            [half_of(1e9), half_of(-1e9), half_of(65519.0), half_of(f32::MAX)].map(value_of),
            [65504.0, -65504.0, 65504.0, 65504.0]
        );
    }
}
