//! Lines about the documents of inputs, in one output or in several.

use super::{
    output::Output,
    series::{Filled, Series, line_ends},
};
use crate::{error::Result, read::Source};

/// A series of outputs of lines, with a line for each document. If each input has an output, it gets the lines about the input's
/// documents.
pub struct LineSeries {
    series: Series,
    current: Output,
    filled: Filled,
    /// The number of the input whose lines go to the current output.
    input: usize,
    windows: usize,
}

impl LineSeries {
    /// Begins to write lines. Up to `windows` windows of an output may wait for the disk.
    ///
    /// # Errors
    /// Fails if an output cannot be created.
    pub fn new(mut series: Series, source: &Source, windows: usize) -> Result<Self> {
        let mut current = series.open_next()?;
        current.run_ahead(windows);
        Ok(Self { series, current, filled: Filled::default(), input: source.references(), windows })
    }

    /// Ends the current output, and begins the next one.
    fn advance(&mut self) -> Result<()> {
        let mut next = self.series.open_next()?;
        next.run_ahead(self.windows);
        self.filled = Filled::default();
        self.input += 1;
        self.series.end(std::mem::replace(&mut self.current, next))
    }

    /// Writes the lines about the documents of a part. Parts must be in order.
    ///
    /// # Errors
    /// Fails if the lines cannot be written.
    pub fn write(&mut self, source: &Source, part: usize, lines: &[u8]) -> Result<()> {
        while self.series.is_by_input() && self.input < source.parts()[part].input() {
            self.advance()?;
        }
        let Some(limit) = self.series.limit() else { return self.current.write(lines) };
        let (ends, mut done, mut start) = (line_ends(lines), 0, 0);
        while done < ends.len() {
            let count = self.filled.fit(limit, &ends, done);
            if count == 0 {
                self.advance()?;
                continue;
            }
            done += count;
            self.current.write(&lines[start..ends[done - 1]])?;
            start = ends[done - 1];
        }
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
