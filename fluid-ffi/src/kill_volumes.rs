//! Volumes of the world in which vortons and tracers are removed.

use crate::guard;
use crate::lists::write_list;
use crate::memory::slice;
use crate::recorder::Call;
use crate::state::{State, World, writing};
use crate::status::*;
use crate::types::kill_volumes::{
    VORTON_KILL_VOLUME_BOX, VORTON_KILL_VOLUME_OUTSIDE, VORTON_KILL_VOLUME_SPHERE, VORTON_MAX_KILL_VOLUMES,
    VortonKillVolume,
};
use crate::types::world::VortonWorldId;
use crate::types::{VortonQuat, VortonVec3};
use fluid_core::kill_volumes::{KillShape, KillSide, KillVolume, MOST_KILL_VOLUMES};
use std::borrow::Cow;

const _: () = assert!(VORTON_MAX_KILL_VOLUMES as usize == MOST_KILL_VOLUMES);

impl VortonKillVolume {
    fn checked(&self) -> Outcome<KillVolume> {
        let Self { r#type, flags, position, rotation, half_extents, radius } = *self;
        finite(&[radius], "radius")?;
        let half_extents = half_extents.checked("half_extents")?;
        let shape = match r#type {
            VORTON_KILL_VOLUME_BOX if half_extents.min_element() > 0.0 => KillShape::Cuboid(half_extents),
            VORTON_KILL_VOLUME_SPHERE if radius > 0.0 => KillShape::Ball(radius),
            VORTON_KILL_VOLUME_BOX | VORTON_KILL_VOLUME_SPHERE => {
                return Err(Error::bad_value(format_args!("a size of the volume is not positive")));
            }
            other => {
                return Err(Error::bad_value(format_args!(
                    "type is {other}, which is no VORTON_KILL_... of a shape"
                )));
            }
        };
        let side = match flags {
            0 => KillSide::Inside,
            VORTON_KILL_VOLUME_OUTSIDE => KillSide::Outside,
            other => {
                return Err(Error::bad_value(format_args!("flags is {other:#x}, which has unknown bits")));
            }
        };
        let (position, rotation) = (position.checked("position")?, rotation.checked("rotation")?);
        Ok(KillVolume { shape, position, rotation, side })
    }

    fn of(volume: &KillVolume) -> Self {
        let (r#type, half_extents, radius) = match volume.shape {
            KillShape::Cuboid(half_extents) => (VORTON_KILL_VOLUME_BOX, half_extents.into(), 0.5),
            KillShape::Ball(radius) => {
                (VORTON_KILL_VOLUME_SPHERE, VortonVec3 { x: 0.5, y: 0.5, z: 0.5 }, radius)
            }
        };
        let [x, y, z, w] = volume.rotation.to_array();
        Self {
            r#type,
            flags: if volume.side == KillSide::Outside { VORTON_KILL_VOLUME_OUTSIDE } else { 0 },
            position: volume.position.into(),
            rotation: VortonQuat { x, y, z, w },
            half_extents,
            radius,
        }
    }
}

/// Replaces the volumes in which vortons and tracers are removed: at the end of each step, those inside a
/// volume, or outside all volumes that bound the world (VORTON_KILL_VOLUME_OUTSIDE). Bodies and emitters
/// stay; vortons that an emitter sheds inside a volume are removed at once. Removals are counted in
/// VortonStats.killed and killed_tracers; removed vortons take their energy with them, as at max_age. A step
/// with dt 0 removes nothing. With volumes, a vorton or tracer costs about 5 ns more, and as much again for
/// each volume near it. Volumes are saved in snapshots and kept by vorton_world_reset. Allocates when volumes
/// are set for the first time.
///
/// @param volumes `count` volumes; may be NULL if count is 0
/// @param count   at most VORTON_MAX_KILL_VOLUMES; 0: no volumes
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_world_set_kill_volumes(
    world: VortonWorldId,
    volumes: *const VortonKillVolume,
    count: usize,
) -> VortonResult {
    guard::run(|| {
        if count > MOST_KILL_VOLUMES {
            let text = format_args!("{count} volumes, but there may be {MOST_KILL_VOLUMES}");
            return Err(Error::bad_value(text));
        }
        // SAFETY: the caller promises `count` readable volumes.
        let given = unsafe { slice(volumes, count, "volumes") }?;
        let volumes = given.iter().map(VortonKillVolume::checked).collect::<Outcome<Vec<_>>>()?;
        writing(world, |world, state| {
            let _hold = world.hold_for_terms(state, state.sim.params(), Some(!volumes.is_empty()))?;
            state.sim.set_kill_volumes(&volumes)?;
            world.record(&mut state.recorder, &Call::SetKillVolumes { volumes: Cow::Borrowed(given) });
            Ok(())
        })
    })
}

/// Reads the volumes in which vortons and tracers are removed.
///
/// @param out       room for capacity volumes; may be NULL if capacity is 0
/// @param out_count receives the number of volumes, also when they do not fit
/// @return VORTON_ERR_BUFFER_SMALL if capacity is less than that; nothing is read then. A capacity of 0 only
///     returns the count, and is VORTON_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vorton_world_kill_volumes(
    world: VortonWorldId,
    out: *mut VortonKillVolume,
    capacity: usize,
    out_count: *mut usize,
) -> VortonResult {
    let count = |_: &World, state: &State| Ok(state.sim.kill_volumes().len());
    let list = |_: &World, state: &State, put: &mut dyn FnMut(usize, VortonKillVolume)| {
        let volumes = state.sim.kill_volumes().iter().enumerate();
        volumes.for_each(|(place, volume)| put(place, VortonKillVolume::of(volume)));
        Ok(())
    };
    // SAFETY: as the caller promises.
    unsafe { write_list(world, "volumes", (out, capacity, out_count), count, list) }
}
