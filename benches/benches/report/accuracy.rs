//! Velocities against the direct sum in double precision.

use fluid_core::boundary::NoBodies;
use fluid_core::math::Random;
use fluid_core::params::Params;
use fluid_core::particles::Vorton;
use fluid_core::sim::VortexSim;
use fluid_core::velocity::{DirectOracle, FieldSampling, FlowSample, Precision, SolverKind, VelocityField};
use fluid_scenes::by_name;
use fluid_threads::{Executor, for_each_chunk_mut};
use glam::{DMat3, DVec3, Vec3};

/// Number of tracers at random positions in the vortons' box; number of vortons of the incoherent cloud.
const COUNT: usize = 2000;
/// Nodes per core of the finer mesh, as recommended by `Params::nodes_per_core` for rough clouds.
const FINER: f32 = 2.5;

/// Root-mean-square error relative to the exact values \[1\].
pub(crate) struct Errors {
    pub(crate) cloud: &'static str,
    pub(crate) settings: String,
    pub(crate) at_vortons: f64,
    pub(crate) gradient_at_vortons: f64,
    pub(crate) at_tracers: f64,
}

struct Cloud {
    name: &'static str,
    core_radius: f32,
    vortons: Vec<Vorton>,
}

/// The exact flow at vortons and tracers.
struct Truth {
    places: Vec<Vec3>,
    tracers: Vec<Vec3>,
    velocities: Vec<DVec3>,
    gradients: Vec<DMat3>,
    at_tracers: Vec<DVec3>,
}

/// Measures all clouds with all settings.
pub(crate) fn measure(exec: &dyn Executor) -> Vec<Errors> {
    let clouds = [of_scene("ring, coherent", "ring"), of_scene("sheet, coherent", "sheet"), incoherent()];
    let mut errors = Vec::new();
    for cloud in &clouds {
        let truth = truth(exec, cloud);
        for (settings, params) in settings(cloud.core_radius) {
            errors.push(errors_of(exec, cloud, settings, params, &truth));
        }
    }
    errors
}

fn of_scene(name: &'static str, scene: &str) -> Cloud {
    let scene = by_name(scene).expect("a scene of the table");
    Cloud { name, core_radius: scene.core_radius, vortons: (scene.vortons)() }
}

/// Returns random strengths at random positions in a cube.
fn incoherent() -> Cloud {
    let random = Random::new(1);
    let vorton = |i: u64| Vorton {
        position: 2.0 * random.centred_vec3(2 * i),
        strength: random.centred_vec3(2 * i + 1),
        ..Vorton::default()
    };
    let core_radius = 1.25 * 2.0 / (COUNT as f32).cbrt();
    Cloud { name: "incoherent", core_radius, vortons: (0..COUNT as u64).map(vorton).collect() }
}

fn settings(core_radius: f32) -> Vec<(String, Params)> {
    // The solvers alone: no other process may change the strengths.
    let plain = Params {
        core_radius,
        relaxation_rate: 0.0,
        energy_budget: false,
        solver: SolverKind::Mesh,
        max_grid_nodes: 1 << 22,
        ..Params::default()
    };
    let of_mesh = |nodes_per_core: f32, field_sampling: FieldSampling| {
        let sampling = match field_sampling {
            FieldSampling::Trilinear => "trilinear",
            FieldSampling::QuadraticSpline => "spline",
        };
        let default = Params::default();
        let is_default = (nodes_per_core, field_sampling) == (default.nodes_per_core, default.field_sampling);
        let name = format!(
            "mesh, {nodes_per_core} nodes per core, {sampling}{}",
            if is_default { " (default)" } else { "" }
        );
        (name, Params { nodes_per_core, field_sampling, ..plain })
    };
    let direct =
        |name: &str, precision| (name.to_owned(), Params { solver: SolverKind::Direct, precision, ..plain });
    vec![
        of_mesh(plain.nodes_per_core, FieldSampling::Trilinear),
        of_mesh(plain.nodes_per_core, FieldSampling::QuadraticSpline),
        of_mesh(FINER, FieldSampling::Trilinear),
        of_mesh(FINER, FieldSampling::QuadraticSpline),
        direct("direct sum, exact", Precision::Exact),
        direct("direct sum, fast", Precision::Fast),
    ]
}

fn truth(exec: &dyn Executor, cloud: &Cloud) -> Truth {
    let places: Vec<Vec3> = cloud.vortons.iter().map(|vorton| vorton.position).collect();
    let (low, high) = places.iter().fold((Vec3::MAX, Vec3::MIN), |(l, h), &x| (l.min(x), h.max(x)));
    let random = Random::new(6);
    let tracers: Vec<Vec3> =
        (0..COUNT as u64).map(|i| 0.5 * (low + high) + random.centred_vec3(i) * (high - low)).collect();
    let oracle = DirectOracle {
        kernel: Params::default().kernel,
        core_radius: f64::from(cloud.core_radius),
        vortons: cloud.vortons.iter().map(|v| (v.position.as_dvec3(), v.strength.as_dvec3())).collect(),
    };
    Truth {
        velocities: each(exec, &places, |x| oracle.velocity(x)),
        gradients: each(exec, &places, |x| oracle.gradient(x)),
        at_tracers: each(exec, &tracers, |x| oracle.velocity(x)),
        places,
        tracers,
    }
}

fn each<T: Copy + Default + Send + Sync + 'static>(
    exec: &dyn Executor,
    places: &[Vec3],
    of: impl Fn(DVec3) -> T + Sync,
) -> Vec<T> {
    let mut out = vec![T::default(); places.len()];
    for_each_chunk_mut(exec, 64, out.as_mut_slice(), &|first, out: &mut [T]| {
        for (out, place) in out.iter_mut().zip(&places[first..]) {
            *out = of(place.as_dvec3());
        }
    });
    out
}

fn errors_of(exec: &dyn Executor, cloud: &Cloud, settings: String, params: Params, truth: &Truth) -> Errors {
    let params = Params { max_vortons: cloud.vortons.len(), ..params };
    let mut sim = VortexSim::new(params).expect("valid");
    sim.add_vortons(&cloud.vortons).expect("there is room");
    // A step of length 0 publishes the field of the current state.
    sim.step(exec, &mut NoBodies, 0.0).expect("dt is finite");
    let mut flow = vec![FlowSample::default(); truth.places.len()];
    sim.field().flow(&truth.places, &mut flow);
    let mut at_tracers = vec![Vec3::ZERO; truth.tracers.len()];
    sim.field().velocities(&truth.tracers, &mut at_tracers);
    let norm2 = |m: DMat3| m.to_cols_array().iter().map(|v| v * v).sum::<f64>();
    let velocity = |found: Vec3, exact: DVec3| (found.as_dvec3() - exact).length_squared();
    let velocities =
        flow.iter().zip(&truth.velocities).map(|(f, e)| (velocity(f.velocity, *e), e.length_squared()));
    let gradients =
        flow.iter().zip(&truth.gradients).map(|(f, e)| (norm2(f.gradient.as_dmat3() - *e), norm2(*e)));
    let tracers =
        at_tracers.iter().zip(&truth.at_tracers).map(|(f, e)| (velocity(*f, *e), e.length_squared()));
    Errors {
        cloud: cloud.name,
        settings,
        at_vortons: ratio_of_sums(velocities),
        gradient_at_vortons: ratio_of_sums(gradients),
        at_tracers: ratio_of_sums(tracers),
    }
}

/// Returns √(Σ a / Σ b).
fn ratio_of_sums(squares: impl Iterator<Item = (f64, f64)>) -> f64 {
    let (a, b) = squares.fold((0.0, 0.0), |(a, b), (x, y)| (a + x, b + y));
    (a / b).sqrt()
}
