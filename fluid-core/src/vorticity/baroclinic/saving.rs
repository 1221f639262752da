//! The baroclinic term as bytes: the next step may depend on it.

use super::Baroclinic;
use crate::saved::{LoadError, Reader, Saved, Writer, load_list, save_list};

impl Saved for Baroclinic {
    fn save(&self, out: &mut Writer<'_>) {
        let Self {
            active,
            walled,
            span,
            filled,
            sources,
            gives,
            donor_counts: _,
            scratch: _,
            rates,
            spans: _,
            totals: _,
            others,
        } = self;
        [*active, *walled].save(out);
        span.save(out);
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
        self.span.load(from)?;
        self.rates.load(from)?;
        if self.active {
            self.filled.load(from)?;
            self.sources.load(from)?;
            self.gives.load(from)?;
        }
        load_list(&mut self.others, from, Self::default)
    }
}
