//! Scalar quantities of a flow that can be sampled besides its velocity.

/// A scalar of the flow that particles can sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ScalarQuantity {
    /// Density ρ \[kg/m³\]: ambient density plus the vortons' deviation.
    #[default]
    Density,
    /// Density deviation δρ \[kg/m³\] from the ambient: positive for sinking fluid, negative for rising
    /// fluid.
    DensityDeviation,
    /// Temperature T \[K\].
    Temperature,
    /// Concentration of dye \[1\].
    Dye,
}

crate::saved::variants!(ScalarQuantity { Density, DensityDeviation, Temperature, Dye });

impl ScalarQuantity {
    /// All quantities.
    pub const ALL: [Self; 4] = [Self::Density, Self::DensityDeviation, Self::Temperature, Self::Dye];
}
