//! What a run will take, from what its first seconds took.

use std::time::{Duration, Instant};

use super::table::Table;
use crate::config::Estimate;

/// When the speed of the first pass has settled.
const AFTER: Duration = Duration::from_secs(2);

/// The whole run by its first pass: on collections of pages and posts it took 2.2 to 2.6 times as long.
const WHOLE: f64 = 2.4;

/// Bytes of the sets that are held for later, by bytes of the input: 6 to 20 in a hundred where a quarter to a third is alike.
const SETS: f64 = 0.15;

/// Tells once, when it can.
pub(crate) struct Estimating {
    started: Instant,
    told: bool,
}

impl Estimating {
    pub(crate) fn new() -> Self {
        Self { started: Instant::now(), told: false }
    }

    /// What the run will take when `done` of `total` bytes are in the table; none where it is too early to say, or was said.
    pub(crate) fn estimate(&mut self, table: &Table, done: u64, total: u64) -> Option<Estimate> {
        if self.told || total == 0 || done == 0 || self.started.elapsed() < AFTER {
            return None;
        }
        self.told = true;
        let whole = total as f64 / done as f64;
        let held = whole * table.bytes() as f64 + SETS * whole * table.counts.line_bytes as f64;
        let limit = table.budget.limit() as f64;
        Some(Estimate {
            seconds: (self.started.elapsed().as_secs_f64() * whole * WHOLE) as u64,
            documents: (table.documents as f64 * whole) as u64,
            memory: held.min(limit) as u64 + table.budget.besides(),
            disk: (held - limit).max(0.0) as u64,
        })
    }
}

#[cfg(test)]
mod tests {
    use lookalike::{Config, Method};

    use super::*;
    use crate::spill::Budget;

    #[test]
    fn what_is_told_grows_with_the_input_and_is_told_once() {
        let method = Method::new(Config::default()).unwrap();
        let mut table = Table::new(&method, &Budget::of(1 << 20, 5, &std::env::temp_dir()));
        table.documents = 1000;
        table.counts.line_bytes = 1_000_000;
        let mut estimating = Estimating::new();
        assert_eq!(estimating.estimate(&table, 10, 100), None, "too early");
        estimating.started = Instant::now().checked_sub(Duration::from_secs(100)).unwrap();
        assert_eq!(estimating.estimate(&table, 10, 0), None, "of a pipe nobody knows");
        let estimate = estimating.estimate(&table, 10, 100).unwrap();
        let held = 10 * (1000 * (16 + 128 + 84 + 8) + 150_000);
        let limit = table.budget.limit();
        assert_eq!((estimate.documents, estimate.memory, estimate.disk), (10_000, limit + 5, held - limit));
        assert!((2400..2500).contains(&estimate.seconds), "{}", estimate.seconds);
        assert_eq!(estimating.estimate(&table, 20, 100), None, "once");
    }
}
