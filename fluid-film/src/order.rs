//! Splats of each band of rows, front to back.

use crate::splat::Splat;

/// Rows of a band, which one task composites.
pub(crate) const BAND: usize = 16;

/// Indices of splats by band, each band from front to back.
#[derive(Debug)]
pub(crate) struct Bands {
    starts: Vec<u32>,
    splats: Vec<u32>,
}

impl Bands {
    /// Sorts splats into the bands of a picture with this many rows.
    pub(crate) fn new(splats: &[Splat], height: usize) -> Self {
        let order = front_to_back(splats);
        let bands = |n: u32| {
            let [first, last] = splats[n as usize].rows.map(|row| usize::from(row) / BAND);
            first..=last
        };
        let mut starts = vec![0; height.div_ceil(BAND) + 1];
        for &n in &order {
            bands(n).for_each(|band| starts[band + 1] += 1);
        }
        for band in 1..starts.len() {
            starts[band] += starts[band - 1];
        }
        let mut next = starts.clone();
        let mut sorted = vec![0; starts[starts.len() - 1] as usize];
        for &n in &order {
            for band in bands(n) {
                sorted[next[band] as usize] = n;
                next[band] += 1;
            }
        }
        Self { starts, splats: sorted }
    }

    /// Returns the splats of a band.
    pub(crate) fn of(&self, band: usize) -> &[u32] {
        &self.splats[self.starts[band] as usize..self.starts[band + 1] as usize]
    }
}

/// Returns the indices of visible splats by depth: a stable counting sort by 16 bits of it.
fn front_to_back(splats: &[Splat]) -> Vec<u32> {
    const LEVELS: f32 = 65_535.0;
    let visible = || (0..).zip(splats).filter(|(_, splat)| splat.stamps > 0);
    let (near, far) = visible().fold((f32::INFINITY, 0.0_f32), |(near, far), (_, splat)| {
        (near.min(splat.depth), far.max(splat.depth))
    });
    let scale = LEVELS / (far - near).max(1e-6);
    let level = |splat: &Splat| ((splat.depth - near) * scale) as usize;
    let mut next = vec![0; LEVELS as usize + 2];
    visible().for_each(|(_, splat)| next[level(splat) + 1] += 1);
    for level in 1..next.len() {
        next[level] += next[level - 1];
    }
    let mut order = vec![0; next[next.len() - 1]];
    for (n, splat) in visible() {
        let place = &mut next[level(splat)];
        order[*place] = n;
        *place += 1;
    }
    order
}
