//! Timing of alternatives in turns, so that a slow moment of the machine affects all of them.

use rustix::time::{ClockId, clock_gettime};
use std::time::Instant;

/// Returns the smallest time: other activity of the machine only adds time.
pub fn least(times: &[f64]) -> f64 {
    times.iter().copied().fold(f64::INFINITY, f64::min)
}

/// Returns the largest time; 0 for an empty slice.
pub fn largest(times: &[f64]) -> f64 {
    times.iter().copied().fold(0.0, f64::max)
}

/// Returns the median; NaN for an empty sequence.
pub fn median(times: impl IntoIterator<Item = f64>) -> f64 {
    let mut sorted: Vec<f64> = times.into_iter().collect();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Returns the time \[s\] of `call`.
pub fn seconds(call: impl FnOnce()) -> f64 {
    let start = Instant::now();
    call();
    start.elapsed().as_secs_f64()
}

/// Returns the CPU time \[s\] of this thread, without the time in which other programs had the core.
pub fn thread_seconds() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// Runs every call once unmeasured and then once per round. Returns the times \[s\] of each call.
pub fn interleaved(rounds: usize, calls: &mut [Box<dyn FnMut() + '_>]) -> Vec<Vec<f64>> {
    calls.iter_mut().for_each(|call| call());
    let mut times = vec![Vec::with_capacity(rounds); calls.len()];
    for _ in 0..rounds {
        for (call, times) in calls.iter_mut().zip(&mut times) {
            times.push(seconds(call));
        }
    }
    times
}
