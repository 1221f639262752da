//! Sampling the published field at points of the host's choice.

use crate::guard;
use crate::status::*;
use crate::view::{
    VORTON_DENSITY, VORTON_F32, VORTON_F32X3, VORTON_POSITION, VORTON_VELOCITY, VortonParticleView,
    VortonStream, with_view,
};
use crate::world::{VortonWorldId, with_world};
use fluid_core::density::ScalarSample;
use fluid_core::particles::ScalarQuantity;
use fluid_core::particles::view::{Chunk, Semantic};
use fluid_core::velocity::{FlowSample, PublishedField, VelocityField};
use glam::Vec3;
use libc::c_void;
use std::sync::atomic::{AtomicBool, Ordering};

/// Velocity [m/s], wind included.
pub const VORTON_SAMPLE_VELOCITY: u32 = 1;
/// Vorticity [1/s], the curl of the velocity.
pub const VORTON_SAMPLE_VORTICITY: u32 = 2;
/// Density [kg/m^3]: the ambient's and the vortons' deviation.
pub const VORTON_SAMPLE_DENSITY: u32 = 3;
/// Density minus that of the ambient at the same place [kg/m^3]: what sinks is positive, what rises negative.
pub const VORTON_SAMPLE_DENSITY_DEVIATION: u32 = 4;
/// Temperature [K], from density by the world's equation of state.
pub const VORTON_SAMPLE_TEMPERATURE: u32 = 5;
/// Concentration of dye: 1 inside a dyed body of fluid, 0 outside.
pub const VORTON_SAMPLE_DYE: u32 = 6;

/// Points per chunk; their scratch is on the stack.
const CHUNK: usize = 128;

/// What is sampled, and with it the kind of the result.
#[derive(Clone, Copy)]
enum Quantity {
    Vector(VectorQuantity),
    Scalar(ScalarQuantity),
}

#[derive(Clone, Copy)]
enum VectorQuantity {
    Velocity,
    Vorticity,
}

impl VectorQuantity {
    fn sample(self, field: &PublishedField, points: &[Vec3], out: &mut [Vec3]) {
        match self {
            Self::Velocity => field.velocities(points, out),
            Self::Vorticity => {
                let mut flow = [FlowSample::default(); CHUNK];
                let flow = &mut flow[..points.len()];
                field.flow(points, flow);
                for (out, sample) in out.iter_mut().zip(flow) {
                    *out = sample.vorticity();
                }
            }
        }
    }
}

/// The scalar of a VORTON_SAMPLE_... constant.
pub(crate) fn scalar_quantity(quantity: u32) -> Option<ScalarQuantity> {
    match quantity {
        VORTON_SAMPLE_DENSITY => Some(ScalarQuantity::Density),
        VORTON_SAMPLE_DENSITY_DEVIATION => Some(ScalarQuantity::DensityDeviation),
        VORTON_SAMPLE_TEMPERATURE => Some(ScalarQuantity::Temperature),
        VORTON_SAMPLE_DYE => Some(ScalarQuantity::Dye),
        _ => None,
    }
}

/// Samples one chunk; returns whether all points and results were finite (the results of others are left
/// untouched).
fn sample_chunk(chunk: &Chunk<'_>, quantity: Quantity, field: &PublishedField) -> bool {
    let Some(points) = chunk.vec3(Semantic::Position) else { return true };
    let mut positions = [Vec3::ZERO; CHUNK];
    for (k, position) in positions[..chunk.len()].iter_mut().enumerate() {
        *position = points.get(k);
    }
    let finite = positions.map(Vec3::is_finite);
    let positions = positions.map(|p| if p.is_finite() { p } else { Vec3::ZERO });
    let positions = &positions[..chunk.len()];
    let mut all = true;
    let mut wanted = |k: usize, fits: bool| {
        all &= finite[k] && fits;
        finite[k] && fits
    };
    match quantity {
        Quantity::Vector(quantity) => {
            let Some(out) = chunk.vec3(Semantic::Velocity) else { return true };
            let mut values = [Vec3::ZERO; CHUNK];
            quantity.sample(field, positions, &mut values[..chunk.len()]);
            for (k, value) in values[..chunk.len()].iter().enumerate() {
                if wanted(k, value.is_finite()) {
                    out.set(k, *value);
                }
            }
        }
        Quantity::Scalar(quantity) => {
            let Some(out) = chunk.scalar::<f32>(Semantic::Density) else { return true };
            let mut values = [ScalarSample::default(); CHUNK];
            field.scalars(positions, &mut values[..chunk.len()]);
            for (k, sample) in values[..chunk.len()].iter().enumerate() {
                let value = quantity.of(sample);
                if wanted(k, value.is_finite()) {
                    out.set(k, value);
                }
            }
        }
    }
    all
}

/// Samples the field of the last step (its midpoint, dt/2 ago) at `count` points, anywhere in space. May run
/// while another thread steps the world: it then sees the field of the step before. Before the first step
/// there is only undisturbed ambient. The two arrays must not overlap. Does not allocate.
///
/// @param quantity     VORTON_SAMPLE_...
/// @param points       positions [m], three floats each
/// @param point_stride bytes from one position to the next
/// @param out          results: three floats each for velocity and vorticity, one for the others
/// @param out_stride   bytes from one result to the next
/// @return VORTON_NOTE_SKIPPED_NONFINITE if some points, or what is there, were not finite; their results are
///     untouched
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_sample(
    world: VortonWorldId,
    quantity: u32,
    points: *const f32,
    point_stride: u32,
    out: *mut f32,
    out_stride: u32,
    count: usize,
) -> VortonResult {
    guard::call(|| {
        let quantity = match quantity {
            VORTON_SAMPLE_VELOCITY => Quantity::Vector(VectorQuantity::Velocity),
            VORTON_SAMPLE_VORTICITY => Quantity::Vector(VectorQuantity::Vorticity),
            other => Quantity::Scalar(scalar_quantity(other).ok_or_else(|| {
                let text = format_args!("quantity is {other}, which is no VORTON_SAMPLE_... constant");
                Error::bad_value(text)
            })?),
        };
        let null = |what: &str| Err(Error::new(VORTON_ERR_NULL, format_args!("{what} is NULL")));
        match (points.is_null(), out.is_null()) {
            (true, _) if count > 0 => return null("points"),
            (_, true) if count > 0 => return null("out"),
            _ => {}
        }
        let stream = |semantic, format, base: *mut c_void, stride| VortonStream {
            semantic,
            format,
            stride,
            offset: 0,
            base,
        };
        let (result, format) = match quantity {
            Quantity::Vector(_) => (VORTON_VELOCITY, VORTON_F32X3),
            Quantity::Scalar(_) => (VORTON_DENSITY, VORTON_F32),
        };
        // Points are only read; the view's type does not say so.
        let streams = [
            stream(VORTON_POSITION, VORTON_F32X3, points.cast_mut().cast(), point_stride),
            stream(result, format, out.cast(), out_stride),
        ];
        let view = VortonParticleView {
            struct_size: size_of::<VortonParticleView>() as u32,
            stream_count: 2,
            count,
            capacity: count,
            streams: streams.as_ptr(),
            ..VortonParticleView::EMPTY
        };
        with_world(world, |world| {
            let field = world.field();
            // SAFETY: the caller promises the two arrays; `with_view` checks what can be checked.
            unsafe {
                with_view(&raw const view, |view| {
                    let skipped = AtomicBool::new(false);
                    // Nothing per chunk, and a vector of nothing does not allocate.
                    let mut nothing = vec![(); count.div_ceil(CHUNK)];
                    view.for_each_chunk(&*world.exec, CHUNK, &mut nothing, &|chunk, ()| {
                        if !sample_chunk(&chunk, quantity, &field) {
                            skipped.store(true, Ordering::Relaxed);
                        }
                    });
                    Ok(if skipped.into_inner() { VORTON_NOTE_SKIPPED_NONFINITE } else { VORTON_OK })
                })
            }
        })
    })
}
