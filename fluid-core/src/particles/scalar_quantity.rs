//! What can be read off a flow besides its velocity.

/// Which number of a flow a particle takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ScalarQuantity {
    /// Density ρ \[kg/m³\]: the ambient's and what the vortons add to it.
    #[default]
    Density,
    /// Density deviation δρ \[kg/m³\] from the ambient: what sinks is positive, what rises negative.
    DensityDeviation,
    /// Temperature T \[K\].
    Temperature,
    /// Concentration of dye \[1\].
    Dye,
}

crate::saved::variants!(ScalarQuantity { Density, DensityDeviation, Temperature, Dye });

impl ScalarQuantity {
    /// Every quantity.
    pub const ALL: [Self; 4] = [Self::Density, Self::DensityDeviation, Self::Temperature, Self::Dye];
}
