//! The baroclinic term as bytes: the next step may depend on it.

use super::Baroclinic;
use crate::saved::{LoadError, Reader, Saved, Writer, load_list, save_list};

impl Saved for Baroclinic {
    fn save(&self, out: &mut Writer<'_>) {
        let Self {
            active,
            walled,
            dimensionality,
            filled,
            sources,
            gives,
            donor_counts: _,
            scratch: _,
            rates,
            dimension_sums: _,
            totals: _,
            others,
        } = self;
        [*active, *walled].save(out);
        dimensionality.save(out);
        rates.save(out);
        if *active {
            filled.save(out);
            sources.save(out);
            gives.save(out);
        }
        save_list(others, out);
    }

    fn load(&mut self, from: &mut Reader<'_>) -> Result<(), LoadError> {
        [self.active, self.walled] = from.value()?;
        self.dimensionality.load(from)?;
        self.rates.load(from)?;
        if self.active {
            self.filled.load(from)?;
            self.sources.load(from)?;
            self.gives.load(from)?;
        }
        load_list(&mut self.others, from, Self::default)
    }
}
