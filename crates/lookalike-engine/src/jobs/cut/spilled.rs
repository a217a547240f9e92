//! A store of kept texts that may go to a temporary file.

use std::ops::Range;

use lookalike::cut::{MOST_UNITS, Store};
use lookalike_io::{
    error::{Error, ErrorKind, Result},
    spill::Spill,
};

/// The kept texts, in memory or in a temporary file.
#[derive(Debug)]
pub(super) struct Spilled(pub(super) Spill<u64>);

impl Store for Spilled {
    type Error = Error;

    fn append(&mut self, numbers: &[u64]) -> Result<()> {
        if self.0.len() + numbers.len() as u64 > MOST_UNITS {
            let what = format!(
                "the passages that are kept have more than {MOST_UNITS} words, lines or sentences"
            );
            return Err(Error::new(ErrorKind::Config, what).advise("divide the collection"));
        }
        self.0.append(numbers)
    }

    fn count(&self) -> u64 {
        self.0.len()
    }

    fn read<'a>(&'a self, range: Range<u64>, scratch: &'a mut Vec<u64>) -> Result<&'a [u64]> {
        self.0.get(range, scratch)
    }

    fn load(&self, position: u64) -> u64 {
        self.0.peek(position).copied().unwrap_or_default()
    }

    fn memory(&self) -> usize {
        0
    }
}
