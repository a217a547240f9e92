//! Estimates the time and space that a run will take, from the beginning of a pass.

use std::time::{Duration, Instant};

use lookalike_io::memory::peak_memory;

use super::table::Table;
use crate::config::Estimate;

/// After this time, the speed of the first pass is stable.
const AFTER: Duration = Duration::from_secs(2);

/// The duration of the whole run relative to its first pass: on collections of pages and posts the run took 2.2 to 2.6 times as
/// long as the pass.
const WHOLE: f64 = 2.4;

/// Bytes of the sets that are held for later documents, per byte of input. We measured 6 to 20 per cent where a quarter to a
/// third of the documents are similar to others.
const SETS: f64 = 0.15;

/// Makes one estimate, as soon as possible.
pub(crate) struct Estimating {
    started: Instant,
    /// The peak memory of the run when the pass began.
    peak: u64,
    reported: bool,
}

impl Estimating {
    pub(crate) fn new() -> Self {
        Self {
            started: Instant::now(),
            peak: peak_memory().unwrap_or(0),
            reported: false,
        }
    }

    /// Returns an estimate for the whole run, when the table has the results for `done` of the input's `total` bytes. Returns
    /// `None` if it is too early, or if an estimate was already returned.
    pub(crate) fn whole(&mut self, table: &Table, done: u64, total: u64) -> Option<Estimate> {
        let elapsed = self.elapsed(done, total)?;
        let whole = total as f64 / done as f64;
        Some(estimate(table, whole, elapsed * whole * WHOLE))
    }

    /// Returns an estimate for the rest of the streaming pass, when `done` of `total` bytes have been read. If many documents are
    /// alike but not similar enough to match, this pass takes most of the run's time and memory.
    pub(crate) fn rest(&mut self, table: &Table, done: u64, total: u64) -> Option<Estimate> {
        let elapsed = self.elapsed(done, total)?;
        let (rest, peak) = (
            total.saturating_sub(done) as f64 / done as f64,
            peak_memory().unwrap_or(0),
        );
        let grown = peak.saturating_add((rest * peak.saturating_sub(self.peak) as f64) as u64);
        let memory = grown.min(table.budget.memory()).max(peak);
        Some(Estimate {
            memory,
            ..estimate(table, 1.0, elapsed * rest)
        })
    }

    /// Returns the number of seconds since the pass began, if enough time has passed and no number was returned before.
    fn elapsed(&mut self, done: u64, total: u64) -> Option<f64> {
        if self.reported || total == 0 || done == 0 || self.started.elapsed() < AFTER {
            return None;
        }
        self.reported = true;
        Some(self.started.elapsed().as_secs_f64())
    }
}

/// Returns the estimate for a run whose table will be larger than it is now by the factor `times`.
fn estimate(table: &Table, times: f64, seconds: f64) -> Estimate {
    let held = times * table.bytes() as f64 + SETS * times * table.counts.line_bytes as f64;
    let limit = table.budget.limit() as f64;
    Estimate {
        seconds: seconds as u64,
        documents: (table.documents as f64 * times) as u64,
        memory: held.min(limit) as u64 + table.budget.extra(),
        disk: (held - limit).max(0.0) as u64,
    }
}

#[cfg(test)]
mod tests {
    use lookalike::{Config, Method};

    use super::*;
    use lookalike_io::spill::Budget;

    #[test]
    fn reported_estimates_grow_with_the_input_and_are_reported_once() {
        let method = Method::new(Config::default()).unwrap();
        let mut table = Table::new(&method, &Budget::of(1 << 20, 5, &std::env::temp_dir()));
        table.documents = 1000;
        table.counts.line_bytes = 1_000_000;
        let mut estimating = Estimating::new();
        assert_eq!(estimating.whole(&table, 10, 100), None, "too early");
        estimating.started = Instant::now()
            .checked_sub(Duration::from_secs(100))
            .unwrap();
        assert_eq!(
            estimating.whole(&table, 10, 0),
            None,
            "of a pipe nobody knows"
        );
        let estimate = estimating.whole(&table, 10, 100).unwrap();
        let held = 10 * (1000 * (16 + 128 + 84 + 8) + 150_000);
        let limit = table.budget.limit();
        assert_eq!(
            (estimate.documents, estimate.memory, estimate.disk),
            (10_000, limit + 5, held - limit)
        );
        assert!(
            (2400..2500).contains(&estimate.seconds),
            "{}",
            estimate.seconds
        );
        assert_eq!(estimating.whole(&table, 20, 100), None, "once");
        let hundred_seconds_ago = estimating.started;
        let mut estimating = Estimating {
            started: hundred_seconds_ago,
            peak: 0,
            reported: false,
        };
        let rest = estimating.rest(&table, 20, 100).unwrap();
        assert_eq!(
            (rest.documents, estimating.rest(&table, 30, 100)),
            (1000, None)
        );
        assert!((400..410).contains(&rest.seconds), "{}", rest.seconds);
    }
}
