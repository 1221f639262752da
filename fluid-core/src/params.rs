//! User parameters, each with its unit, its physical meaning and the effect of changing it.

use crate::boundary::walls::WallTreatment;
use crate::combustion::Combustion;
use crate::constants::{
    CORE_RADIUS_RANGE, FOURTH_ORDER_ABOVE, LEAST_GRID_NODES, MAX_GRAVITY, MAX_SPEED, MAX_STEP, MAX_VORTONS,
    MOST_GRID_NODES,
};
use crate::density::{Ambient, EquationOfState};
use crate::lanes::InstructionSet;
use crate::saved::{LoadError, Reader, Saved, Writer, check};
use crate::velocity::{DirectSettings, FieldSampling, Kernel, Precision, SolverKind, SolverSettings};
use glam::Vec3;
use std::fmt;

/// All parameters of a world.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Params {
    /// Core radius σ \[m\] of every vorton: the smallest eddy. A smaller σ resolves sharper detail and
    /// needs more vortons: neighbours should be no further apart than σ / 1.25 along a filament, σ / 1.5 in
    /// a volume.
    pub core_radius: f32,
    /// Smoothing kernel of the core.
    pub kernel: Kernel,
    /// Method that computes the velocity.
    pub solver: SolverKind,
    /// Exact (the default: same bits on every instruction set) or fast arithmetic.
    pub precision: Precision,
    /// Instruction set to use; `Auto` selects the widest.
    pub instruction_set: InstructionSet,
    /// Rate \[1/s\] at which strengths relax towards the local vorticity (E7). 0 is exact inviscid motion,
    /// under which a coarse cloud soon becomes unstable; 1 (the default) keeps a coarse ring with a smooth
    /// profile finite for 5,000 steps at 3 % impulse drift. More is not better: above about 5/s coarse
    /// clouds become less stable again.
    pub relaxation_rate: f32,
    /// Nodes of the mesh per core radius, for [`SolverKind::Mesh`] and `Auto`, 1 to 8: the mesh's spacing
    /// is `core_radius` over this, unless [`max_grid_nodes`](Self::max_grid_nodes) requires a wider one.
    /// 1.5 is right for coherent vortices (rings, sheets: 0.6 % of the largest velocity), 2.5 for rough
    /// clouds of unrelated strengths; cost grows with its third power.
    pub nodes_per_core: f32,
    /// Maximum number of nodes of a mesh, 4,096 to 2²⁴. If a box of this size leaves so many vortons
    /// outside that their direct sum costs more than a tenth of the mesh, the spacing becomes 1.25 or 1.56
    /// times wider, up to one core radius (velocities of coherent vortices are then 2 to 5 % off), and
    /// narrow again once they fit. Vortons that still do not fit are summed directly, and counted. A node
    /// takes about 130 bytes, allocated on demand; density uses as many nodes on its own lattice, and as
    /// many again if the fluid lies in regions too far apart for one box.
    pub max_grid_nodes: usize,
    /// Interpolation of the field between the nodes of the mesh, for tracers, particle operations and
    /// queries.
    pub field_sampling: FieldSampling,
    /// Acceleration of gravity g \[m/s²\], at most [`MAX_GRAVITY`]. It acts on the fluid only where density
    /// varies.
    pub gravity: Vec3,
    /// Undisturbed fluid, from which vortons carry deviations.
    pub ambient: Ambient,
    /// Relation between density and temperature.
    pub equation_of_state: EquationOfState,
    /// Treatment of density at the walls of containers: only the default keeps fluid at rest (E42).
    pub walls: WallTreatment,
    /// Kinematic viscosity ν \[m²/s\], at least 0: the rate at which vorticity spreads.
    pub viscosity: f32,
    /// Smagorinsky's constant C \[1\], at least 0: eddies too small for the vortons to resolve act as an
    /// additional viscosity (C σ)² S, where S is the root mean square of the velocity gradient at the
    /// vortons, weighted by strength (E36). It damps coherent vortices, too. 0 (the default) leaves wakes,
    /// which break up into ever smaller eddies, to the energy budget; 0.2 makes them smoother.
    pub smagorinsky: f32,
    /// True (the default): a step may not raise the energy of the vortons by more than gravity, bodies and
    /// new vortons put in; any excess, an error of a cloud that no longer resolves its field, is removed
    /// where the cloud is rough (E46). Coherent vortices are left alone, and no cloud blows up. False is
    /// the plain inviscid equation, under which the energy of clouds that break up multiplies.
    pub energy_budget: bool,
    /// True (the default): a step about as long as the last two, in a flow that is not too fast, takes one
    /// velocity solve instead of two, at its midpoint, extrapolated from the rates of the last two steps
    /// (Adams and Bashforth). It is second order, like a midpoint step, and about as accurate. In a
    /// somewhat faster flow, a second solve at the midpoint corrects the first.
    pub multistep: bool,
    /// Stretch number \[1\] at the start of a step, at least 0, above which the step is made at fourth
    /// order (Runge and Kutta), with four velocity solves. With [`multistep`](Self::multistep), steps of
    /// one solve are taken up to 1.25 times, and corrected ones up to twice, this number or 0.4, whichever
    /// is less (up to three times if only a few vortons are in so fast a flow). In faster flow, at second
    /// order, vortices turn too far in a step, and grow until they break up. 0: every step; infinity: none.
    pub fourth_order_above: f32,
    /// Diffusivity κ \[m²/s\] of heat (mass deviation), dye and fuel, at least 0.
    pub diffusivity: f32,
    /// How the vortons' fuel burns. By default it does not.
    pub combustion: Combustion,
    /// Uniform velocity \[m/s\] of all fluid outside of enclosures, at most [`MAX_SPEED`].
    pub wind: Vec3,
    /// Age \[s\] at which a vorton is removed; infinity keeps it forever.
    pub max_age: f32,
    /// Maximum number of vortons alive at a time; vortons beyond it are not added, and counted.
    pub max_vortons: usize,
    /// Number of samples of the field per step by the host's particle operations and queries, tracers
    /// excluded. With [`SolverKind::Auto`], the field of few vortons is put on a mesh for them if that is
    /// cheaper than a direct sum per sample. Vortons and bodies do not depend on it.
    pub expected_samples: usize,
}

impl Saved for Params {
    fn save(&self, out: &mut Writer<'_>) {
        let Self {
            core_radius,
            kernel,
            solver,
            precision,
            instruction_set: _,
            nodes_per_core,
            max_grid_nodes,
            field_sampling,
            ambient,
            equation_of_state,
            walls,
            energy_budget,
            multistep,
            fourth_order_above,
            max_age,
            max_vortons,
            expected_samples,
            relaxation_rate,
            viscosity,
            smagorinsky,
            diffusivity,
            combustion,
            gravity,
            wind,
        } = self;
        core_radius.save(out);
        kernel.save(out);
        solver.save(out);
        precision.save(out);
        nodes_per_core.save(out);
        max_grid_nodes.save(out);
        field_sampling.save(out);
        ambient.save(out);
        equation_of_state.save(out);
        walls.save(out);
        [*energy_budget, *multistep].save(out);
        fourth_order_above.save(out);
        max_vortons.save(out);
        expected_samples.save(out);
        [*relaxation_rate, *viscosity, *smagorinsky, *diffusivity, *max_age].save(out);
        [*gravity, *wind].save(out);
        combustion.save(out);
    }

    /// Loads the parameters that can change after construction; the others must be equal, except the
    /// instruction set, which changes no bit of exact arithmetic.
    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LoadError> {
        from.same(&self.core_radius, "core_radius")?;
        from.same(&self.kernel, "kernel")?;
        from.same(&self.solver, "solver")?;
        from.same(&self.precision, "precision")?;
        from.same(&self.nodes_per_core, "nodes_per_core")?;
        from.same(&self.max_grid_nodes, "max_grid_nodes")?;
        from.same(&self.field_sampling, "field_sampling")?;
        let ambient: Ambient = from.value()?;
        if (Ambient { origin: self.ambient.origin, ..ambient }) != self.ambient {
            return Err(LoadError::OtherWorld("ambient fluid"));
        }
        from.same(&self.equation_of_state, "equation_of_state")?;
        from.same(&self.walls, "treatment of walls")?;
        from.same(&[self.energy_budget, self.multistep], "energy_budget or multistep")?;
        from.same(&self.fourth_order_above, "fourth_order_above")?;
        from.same(&self.max_vortons, "max_vortons")?;
        let expected_samples = from.value()?;
        let [relaxation_rate, viscosity, smagorinsky, diffusivity, max_age] = from.value()?;
        let [gravity, wind] = from.value()?;
        let combustion = from.value()?;
        let rates = Self { relaxation_rate, viscosity, smagorinsky, diffusivity, ..*self };
        let loaded = Self { ambient, max_age, expected_samples, gravity, wind, combustion, ..rates };
        check(loaded.validate().is_ok())?;
        *self = loaded;
        Ok(())
    }
}

impl Default for Params {
    fn default() -> Self {
        Self {
            core_radius: 0.1,
            kernel: Kernel::default(),
            solver: SolverKind::default(),
            precision: Precision::default(),
            instruction_set: InstructionSet::default(),
            relaxation_rate: 1.0,
            nodes_per_core: 1.5,
            max_grid_nodes: 1 << 18,
            field_sampling: FieldSampling::default(),
            gravity: Vec3::ZERO,
            ambient: Ambient::default(),
            equation_of_state: EquationOfState::default(),
            walls: WallTreatment::default(),
            viscosity: 0.0,
            smagorinsky: 0.0,
            energy_budget: true,
            multistep: true,
            fourth_order_above: FOURTH_ORDER_ABOVE,
            diffusivity: 0.0,
            combustion: Combustion::default(),
            wind: Vec3::ZERO,
            max_age: f32::INFINITY,
            max_vortons: 16_384,
            expected_samples: 0,
        }
    }
}

/// A parameter out of range: its name, its value and the allowed range.
#[derive(Debug, Clone, PartialEq)]
pub struct ParamError {
    /// Name of the field.
    pub field: &'static str,
    /// Its value, as text.
    pub value: String,
    /// Allowed values.
    pub allowed: &'static str,
}

impl ParamError {
    /// Returns Ok if `valid`; otherwise an error with the field's name, its value and the `allowed` range.
    ///
    /// # Errors
    /// `valid` is false.
    pub fn check(
        valid: bool,
        field: &'static str,
        value: impl fmt::Debug,
        allowed: &'static str,
    ) -> Result<(), Self> {
        if valid { Ok(()) } else { Err(Self { field, value: format!("{value:?}"), allowed }) }
    }
}

/// Returns true if a vector is finite and no longer than `most`. Computed in f64: the square of an f32's
/// length may overflow f32.
pub fn is_within(vector: Vec3, most: f32) -> bool {
    vector.as_dvec3().length() <= f64::from(most)
}

/// Checks a time step \[s\]: finite, and at most [`MAX_STEP`] in either direction.
///
/// # Errors
/// `dt` is not finite or out of this range.
pub fn check_step(dt: f32) -> Result<(), ParamError> {
    // NaN fails the comparison.
    ParamError::check(dt.abs() <= MAX_STEP, "dt", dt, "finite and from -1e7 to 1e7 s")
}

impl fmt::Display for ParamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is {}, but must be {}", self.field, self.value, self.allowed)
    }
}

impl std::error::Error for ParamError {}

impl Params {
    /// Checks every field.
    ///
    /// # Errors
    /// The first field out of its range.
    pub fn validate(&self) -> Result<(), ParamError> {
        let (least, most) = CORE_RADIUS_RANGE;
        let core = self.core_radius;
        ParamError::check((least..=most).contains(&core), "core_radius", core, "from 1e-9 to 1e9 m")?;
        let rate = self.relaxation_rate;
        ParamError::check(
            rate.is_finite() && rate >= 0.0,
            "relaxation_rate",
            rate,
            "finite and at least 0 per second",
        )?;
        let nodes = self.nodes_per_core;
        ParamError::check((1.0..=8.0).contains(&nodes), "nodes_per_core", nodes, "from 1 to 8")?;
        let grid = self.max_grid_nodes;
        let in_range = (LEAST_GRID_NODES..=MOST_GRID_NODES).contains(&grid);
        ParamError::check(in_range, "max_grid_nodes", grid, "from 4096 to 16777216")?;
        let slow = is_within(self.gravity, MAX_GRAVITY);
        ParamError::check(slow, "gravity", self.gravity, "finite and at most 1e12 m/s²")?;
        let allowed = "of a density and a temperature from 1e-9 to 1e9, its other values finite, a normal of length 1, a thickness positive";
        ParamError::check(self.ambient.is_valid(), "ambient", self.ambient, allowed)?;
        let state = self.equation_of_state;
        ParamError::check(state.is_valid(), "equation_of_state", state, "of positive, finite expansion")?;
        for (field, value) in [("viscosity", self.viscosity), ("diffusivity", self.diffusivity)] {
            ParamError::check(value.is_finite() && value >= 0.0, field, value, "finite and at least 0 m²/s")?;
        }
        let combustion = self.combustion;
        let allowed = "of an ignition temperature of at least 0 K, burn time and specific heat positive, expansion from 0 to 1";
        ParamError::check(combustion.is_valid(), "combustion", combustion, allowed)?;
        let constant = self.smagorinsky;
        let valid = constant.is_finite() && constant >= 0.0;
        ParamError::check(valid, "smagorinsky", constant, "finite and at least 0")?;
        let above = self.fourth_order_above;
        ParamError::check(above >= 0.0, "fourth_order_above", above, "at least 0, or infinity")?;
        let slow = is_within(self.wind, MAX_SPEED);
        ParamError::check(slow, "wind", self.wind, "finite and at most 1e10 m/s")?;
        ParamError::check(self.max_age > 0.0, "max_age", self.max_age, "positive (infinity: never removed)")?;
        let max = self.max_vortons;
        ParamError::check((1..=MAX_VORTONS).contains(&max), "max_vortons", max, "from 1 to 16777216")?;
        let set = self.instruction_set;
        ParamError::check(set.is_available(), "instruction_set", set, "one that this processor has")
    }

    /// Returns the settings of the velocity solver.
    pub fn solver_settings(&self) -> SolverSettings {
        SolverSettings {
            kind: self.solver,
            direct: self.direct_settings(),
            nodes_per_core: self.nodes_per_core,
            max_grid_nodes: self.max_grid_nodes,
            field_sampling: self.field_sampling,
        }
    }

    /// Returns how far vorticity along the walls of containers is smooth, not noise of the free slip there
    /// \[1\]: 1 from a viscosity of .07 σ²/s on, with which it is that of a boundary layer.
    pub fn smoothing_at_walls(&self) -> f32 {
        (self.viscosity / (0.07 * self.core_radius * self.core_radius)).clamp(0.0, 1.0)
    }

    /// Returns true if vorticity, heat or dye diffuse.
    pub fn diffuses(&self) -> bool {
        self.viscosity > 0.0 || self.diffusivity > 0.0 || self.smagorinsky > 0.0
    }

    /// Returns the settings of the direct sum.
    pub fn direct_settings(&self) -> DirectSettings {
        DirectSettings {
            kernel: self.kernel,
            core_radius: self.core_radius,
            instruction_set: self.instruction_set,
            precision: self.precision,
        }
    }
}
