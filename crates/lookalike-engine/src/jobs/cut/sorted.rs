//! Rows that are looked up by their first numbers.

use std::{ops::Range, sync::Arc};

use lookalike_io::{
    error::Result,
    spill::{Budget, Sortable, Sorter, Spill},
};

/// Rows of N numbers, in order, which may be in a temporary file.
pub(super) struct Rows<const N: usize>(Spill<[u64; N]>);

impl<const N: usize> Rows<N>
where
    [u64; N]: Sortable,
{
    /// Sorts rows.
    pub(super) fn sorted(rows: Sorter<[u64; N]>, budget: &Arc<Budget>) -> Result<Self> {
        let mut sorted = Spill::new(budget);
        for row in rows.sorted()? {
            sorted.append(&[row?])?;
        }
        Ok(Self(sorted))
    }

    /// Creates a list without rows.
    pub(super) fn new(budget: &Arc<Budget>) -> Self {
        Self(Spill::new(budget))
    }

    /// Adds rows, which must come after all others.
    pub(super) fn append(&mut self, rows: &[[u64; N]]) -> Result<()> {
        self.0.append(rows)
    }

    /// Returns the rows whose first number is in a range.
    pub(super) fn within(&self, first: Range<u64>) -> Result<Vec<[u64; N]>> {
        let (start, end) = (self.place(first.start)?, self.place(first.end)?);
        let mut scratch = Vec::new();
        Ok(self.0.get(start..end.max(start), &mut scratch)?.to_vec())
    }

    /// Returns the number of rows whose first number is less.
    fn place(&self, first: u64) -> Result<u64> {
        let (mut start, mut end, mut scratch) = (0, self.0.len(), Vec::new());
        while start < end {
            let middle = start.midpoint(end);
            if self.0.get(middle..middle + 1, &mut scratch)?[0][0] < first {
                start = middle + 1
            } else {
                end = middle
            }
        }
        Ok(start)
    }

    /// Passes all rows to `give`, in order.
    pub(super) fn each(&self, mut give: impl FnMut(&[u64; N]) -> Result<()>) -> Result<()> {
        self.each_piece(|rows| rows.iter().try_for_each(&mut give))
    }

    /// Passes all rows to `give`, many at a time, in order.
    pub(super) fn each_piece(&self, mut give: impl FnMut(&[[u64; N]]) -> Result<()>) -> Result<()> {
        self.0.each_piece(1, |_, rows| give(rows))
    }
}
