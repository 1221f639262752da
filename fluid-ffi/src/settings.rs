//! Settings of the simulation, the bodies and the ambient fluid from the definition of a world.

use crate::status::{unknown, *};
use crate::types::ambient::{
    VORTON_IDEAL_GAS, VORTON_LINEAR_EXPANSION, VORTON_STRATIFICATION_LAYERS, VORTON_STRATIFICATION_LINEAR,
    VORTON_STRATIFICATION_NONE,
};
use crate::types::world_def::{
    VORTON_INSTRUCTIONS_AUTO, VORTON_INSTRUCTIONS_AVX2, VORTON_INSTRUCTIONS_AVX512,
    VORTON_INSTRUCTIONS_PORTABLE, VORTON_KERNEL_RIGID_CORE, VORTON_KERNEL_ROSENHEAD_MOORE,
    VORTON_KERNEL_WINCKELMANS_LEONARD, VORTON_PRECISION_EXACT, VORTON_PRECISION_FAST,
    VORTON_SAMPLING_QUADRATIC_SPLINE, VORTON_SAMPLING_TRILINEAR, VORTON_SOLVER_AUTO, VORTON_SOLVER_DIRECT,
    VORTON_SOLVER_MESH, VORTON_WALLS_BALANCED, VORTON_WALLS_POISONED_BY_HITS, VORTON_WALLS_POISONED_BY_NODES,
    VORTON_WALLS_UNTREATED, VortonWorldDef,
};
use fluid_bodies::bodies::BodySettings;
use fluid_bodies::no_slip::NoSlipSettings;
use fluid_core::InstructionSet;
use fluid_core::boundary::WallTreatment;
use fluid_core::combustion::Combustion;
use fluid_core::constants::AMBIENT_RANGE;
use fluid_core::density::{Ambient, EquationOfState, Stratification};
use fluid_core::params::Params;
use fluid_core::velocity::{FieldSampling, Kernel, Precision, SolverKind};

/// The definition with which a world was created, kept for reading it back.
#[derive(Debug)]
pub(crate) struct KeptDef(VortonWorldDef);

// SAFETY: the pointers are only copied; the host promises that the functions and their user pointers may be
// used on any thread.
unsafe impl Send for KeptDef {}
// SAFETY: as above.
unsafe impl Sync for KeptDef {}

impl KeptDef {
    pub(crate) fn new(def: &VortonWorldDef) -> Self {
        Self(*def)
    }

    pub(crate) fn get(&self) -> &VortonWorldDef {
        &self.0
    }
}

/// Converts 0 or 1 to bool; refuses other values.
pub(crate) fn switch(name: &'static str, value: u32) -> Result<bool, Error> {
    match value {
        0 => Ok(false),
        1 => Ok(true),
        other => Err(unknown(name, other)),
    }
}

/// Converts the fluid's part of a definition.
pub(crate) fn params(def: &VortonWorldDef) -> Outcome<Params> {
    let combustion = combustion(def)?;
    finite(&[def.core_radius, def.nodes_per_core, def.relaxation_rate, def.max_age], "the world definition")?;
    finite(
        &[def.viscosity, def.diffusivity, def.smagorinsky, def.fourth_order_above],
        "the world definition",
    )?;
    if def.max_age < 0.0 {
        return Err(Error::bad_value(format_args!(
            "max_age is {}, but must be at least 0 (0: never)",
            def.max_age
        )));
    }
    let instruction_set = match def.instructions {
        VORTON_INSTRUCTIONS_AUTO => InstructionSet::Auto,
        VORTON_INSTRUCTIONS_PORTABLE => InstructionSet::Portable,
        VORTON_INSTRUCTIONS_AVX2 => InstructionSet::Avx2,
        VORTON_INSTRUCTIONS_AVX512 => InstructionSet::Avx512,
        other => return Err(unknown("instructions", other)),
    };
    if !instruction_set.is_available() {
        return Err(Error::new(
            VORTON_ERR_UNSUPPORTED,
            format_args!("this processor lacks {instruction_set:?}"),
        ));
    }
    Ok(Params {
        combustion,
        core_radius: def.core_radius,
        kernel: match def.kernel {
            VORTON_KERNEL_WINCKELMANS_LEONARD => Kernel::WinckelmansLeonard,
            VORTON_KERNEL_ROSENHEAD_MOORE => Kernel::RosenheadMoore,
            VORTON_KERNEL_RIGID_CORE => Kernel::RigidCore,
            other => return Err(unknown("kernel", other)),
        },
        precision: match def.precision {
            VORTON_PRECISION_EXACT => Precision::Exact,
            VORTON_PRECISION_FAST => Precision::Fast,
            other => return Err(unknown("precision", other)),
        },
        instruction_set,
        solver: match def.solver {
            VORTON_SOLVER_AUTO => SolverKind::Auto,
            VORTON_SOLVER_DIRECT => SolverKind::Direct,
            VORTON_SOLVER_MESH => SolverKind::Mesh,
            other => return Err(unknown("solver", other)),
        },
        nodes_per_core: def.nodes_per_core,
        max_grid_nodes: def.max_grid_nodes as usize,
        field_sampling: match def.field_sampling {
            VORTON_SAMPLING_TRILINEAR => FieldSampling::Trilinear,
            VORTON_SAMPLING_QUADRATIC_SPLINE => FieldSampling::QuadraticSpline,
            other => return Err(unknown("field_sampling", other)),
        },
        relaxation_rate: def.relaxation_rate,
        gravity: def.gravity.checked("gravity")?,
        ambient: ambient(def)?,
        equation_of_state: equation_of_state(def)?,
        energy_budget: switch("energy_budget", def.energy_budget)?,
        fourth_order_above: def.fourth_order_above,
        multistep: switch("multistep", def.multistep)?,
        walls: match def.walls {
            VORTON_WALLS_BALANCED => WallTreatment::Balanced,
            VORTON_WALLS_POISONED_BY_HITS => WallTreatment::PoisonedByHits,
            VORTON_WALLS_POISONED_BY_NODES => WallTreatment::PoisonedByNodes,
            VORTON_WALLS_UNTREATED => WallTreatment::Untreated,
            other => return Err(unknown("walls", other)),
        },
        viscosity: def.viscosity,
        smagorinsky: def.smagorinsky,
        diffusivity: def.diffusivity,
        wind: def.wind.checked("wind")?,
        max_age: if def.max_age == 0.0 { f32::INFINITY } else { def.max_age },
        max_vortons: def.max_vortons as usize,
        expected_samples: def.expected_samples as usize,
    })
}

/// Checks the specific heat of a definition.
fn specific_heat(def: &VortonWorldDef) -> Outcome<f32> {
    let specific_heat = def.specific_heat;
    finite(&[specific_heat], "specific_heat")?;
    if specific_heat <= 0.0 {
        return Err(Error::bad_value(format_args!("specific_heat is {specific_heat}, but must be positive")));
    }
    Ok(specific_heat)
}

/// Converts the definition of how fuel burns.
fn combustion(def: &VortonWorldDef) -> Outcome<Combustion> {
    let &VortonWorldDef { ignition_temperature, burn_time, burn_expansion, .. } = def;
    let specific_heat = specific_heat(def)?;
    let values = [ignition_temperature, burn_time, burn_expansion];
    finite(&values, "ignition_temperature, burn_time or burn_expansion")?;
    if ignition_temperature < 0.0 {
        let text = format_args!("ignition_temperature is {ignition_temperature}, but must be at least 0");
        return Err(Error::bad_value(text));
    }
    if burn_time <= 0.0 {
        return Err(Error::bad_value(format_args!("burn_time is {burn_time}, but must be positive")));
    }
    if !(0.0..=1.0).contains(&burn_expansion) {
        let text = format_args!("burn_expansion is {burn_expansion}, but must be from 0 to 1");
        return Err(Error::bad_value(text));
    }
    Ok(Combustion { ignition_temperature, burn_time, specific_heat, expansion: burn_expansion })
}

/// Converts the bodies' part of a definition.
pub(crate) fn body_settings(def: &VortonWorldDef) -> Outcome<BodySettings> {
    let &VortonWorldDef { no_slip_rate: rate, shedding_depth: depth, .. } = def;
    let specific_heat = specific_heat(def)?;
    finite(&[rate, depth], "no_slip_rate or shedding_depth")?;
    for (name, value) in [("no_slip_rate", rate), ("shedding_depth", depth)] {
        if value < 0.0 {
            return Err(Error::bad_value(format_args!("{name} is {value}, but must be at least 0")));
        }
    }
    let defaults = BodySettings::default();
    Ok(BodySettings { no_slip: NoSlipSettings { depth, rate, ..defaults.no_slip }, specific_heat })
}

/// Returns the ambient of a world definition.
pub(crate) fn ambient(def: &VortonWorldDef) -> Outcome<Ambient> {
    finite(&[def.ambient_density, def.ambient_temperature], "the ambient")?;
    finite(&[def.layer_height, def.layer_jump, def.layer_thickness], "the layers")?;
    let gradient = def.density_gradient.checked("density_gradient")?;
    let normal = def.layer_normal.checked("layer_normal")?;
    let (least, most) = AMBIENT_RANGE;
    for (name, value) in
        [("ambient_density", def.ambient_density), ("ambient_temperature", def.ambient_temperature)]
    {
        if !(least..=most).contains(&value) {
            return Err(Error::bad_value(format_args!("{name} is {value}, but must be from 1e-9 to 1e9")));
        }
    }
    let stratification = match def.stratification {
        VORTON_STRATIFICATION_NONE => Stratification::None,
        VORTON_STRATIFICATION_LINEAR => Stratification::Linear { gradient },
        VORTON_STRATIFICATION_LAYERS => {
            positive("layer_thickness", def.layer_thickness)?;
            // In f64, because the squared length may overflow f32.
            let normal = normal.as_dvec3().try_normalize().ok_or_else(|| {
                Error::bad_value(format_args!("layer_normal is {normal}, but must not be zero"))
            })?;
            Stratification::Layers {
                normal: normal.as_vec3(),
                height: def.layer_height,
                jump: def.layer_jump,
                thickness: def.layer_thickness,
            }
        }
        other => return Err(unknown("stratification", other)),
    };
    let (density, temperature) = (def.ambient_density, def.ambient_temperature);
    Ok(Ambient { density, temperature, stratification, ..Ambient::default() })
}

/// Returns the equation of state of a world definition.
pub(crate) fn equation_of_state(def: &VortonWorldDef) -> Outcome<EquationOfState> {
    finite(&[def.expansion], "expansion")?;
    match def.equation_of_state {
        VORTON_IDEAL_GAS => Ok(EquationOfState::IdealGas),
        VORTON_LINEAR_EXPANSION => {
            positive("expansion", def.expansion)?;
            Ok(EquationOfState::Linear { expansion: def.expansion })
        }
        other => Err(unknown("equation_of_state", other)),
    }
}

pub(crate) fn positive(what: &str, value: f32) -> Outcome {
    if value > 0.0 {
        return Ok(());
    }
    Err(Error::bad_value(format_args!("{what} is {value}, but must be positive")))
}
