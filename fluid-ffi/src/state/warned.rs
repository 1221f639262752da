//! Warnings of a world in the log.

use crate::log;
use fluid_core::stats::Stats;

/// The warnings logged for this world: each is logged once.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Warned {
    mesh: bool,
    density: bool,
    diffusion: bool,
}

impl Warned {
    /// Logs everything that the last step could not do in full.
    pub(crate) fn look_at(&mut self, stats: &Stats, diffuses: bool) {
        let once = |said: &mut bool, happened: bool, text: std::fmt::Arguments<'_>| {
            if happened && !*said {
                *said = true;
                log::line(log::VORTON_LOG_WARNING, &text.to_string());
            }
        };
        let outside = stats.mesh_outside;
        once(
            &mut self.mesh,
            outside > 0,
            format_args!(
                "{outside} vortons are outside of the mesh, summed one by one or by a tree: max_grid_nodes is too small"
            ),
        );
        let outside = stats.density_outside;
        once(
            &mut self.density,
            outside > 0,
            format_args!(
                "{outside} vortons are outside of the density's box, without gravity: max_grid_nodes is too small"
            ),
        );
        let percent = 100.0 * stats.diffused_share;
        once(
            &mut self.diffusion,
            diffuses && stats.diffusion_stages > 0 && stats.diffused_share < 1.0,
            format_args!(
                "only {percent:.0} % of the diffusion was done: viscosity or diffusivity is too large for the step"
            ),
        );
    }
}
