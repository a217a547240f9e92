//! Lines about the documents of inputs, in one output or in several.

use super::{
    output::Output,
    series::{Filled, Series, Span, line_ends},
};
use crate::{error::Result, read::Source};

/// A series of outputs of lines, with a line for each document. If each input has an output, it gets the lines about the input's
/// documents.
pub struct LineSeries {
    series: Series,
    current: Output,
    filled: Filled,
    windows: usize,
}

impl LineSeries {
    /// Begins to write lines. Up to `windows` windows of an output may wait for the disk.
    ///
    /// # Errors
    /// Fails if an output cannot be created.
    pub fn new(mut series: Series, windows: usize) -> Result<Self> {
        let mut current = series.open_next()?;
        current.run_ahead(windows);
        Ok(Self {
            series,
            current,
            filled: Filled::default(),
            windows,
        })
    }

    /// Ends the current output, and begins the next one.
    fn advance(&mut self) -> Result<()> {
        let mut next = self.series.open_next()?;
        next.run_ahead(self.windows);
        self.series.end(std::mem::replace(&mut self.current, next))
    }

    /// Writes the lines about the documents of a part. Parts must be in order.
    ///
    /// # Errors
    /// Fails if the lines cannot be written.
    pub fn write(&mut self, source: &Source, part: usize, lines: &[u8]) -> Result<()> {
        while self.series.is_by_input() && self.series.input(source) < source.parts()[part].input()
        {
            self.advance()?;
        }
        let Some(limit) = self.series.limit() else {
            return self.current.write(lines);
        };
        let mut filled = std::mem::take(&mut self.filled);
        filled.divide(limit, &line_ends(lines), |part| match part {
            Some(Span { bytes, .. }) => self.current.write(&lines[bytes]),
            None => self.advance(),
        })?;
        self.filled = filled;
        Ok(())
    }

    /// Ends all outputs, which can then be [finished](super::finish).
    ///
    /// # Errors
    /// Fails if an output cannot be written.
    pub fn end(mut self) -> Result<Vec<Output>> {
        while self.series.is_by_input() && self.series.has_next() {
            self.advance()?;
        }
        self.series.end(self.current)?;
        Ok(self.series.ended())
    }
}
