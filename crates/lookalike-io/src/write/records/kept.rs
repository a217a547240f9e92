//! Writes the kept records to their destination: one output, an output for each input, or numbered outputs of limited size.

use std::ops::Range;

use super::{
    added::AddedNames,
    converted::{Looking, Seen},
    divided::ends,
    file::KeptFile,
    rows::{RowLabels, RowMarks},
    shape::{Piece, Shape},
    shapes::Shapes,
};
use crate::{
    error::{Error, Result},
    read::{Block, BlockInfo, Source},
    write::{
        copies::Copies,
        output::{LEAST_AHEAD, Output},
        series::{Filled, Series, Span},
    },
};

/// The outputs of the kept records.
pub struct Kept {
    series: Series,
    shapes: Shapes,
    /// The folder to which documents are copied.
    copies: Option<Copies>,
    added: Option<AddedNames>,
    /// The number of row groups of a table that may be in memory, and of windows of an output that may wait for the disk.
    ahead: (usize, usize),
    current: Option<Current>,
    /// What is in the current output, if outputs are limited.
    filled: Filled,
}

/// The output that is being written.
struct Current {
    file: KeptFile,
    /// The inputs whose records go to it.
    inputs: Range<usize>,
    has_blocks: bool,
}

impl Kept {
    /// Begins to write records to a series of outputs. `added` has the names of the fields that are added to records. `ahead` is the number
    /// of row groups of a table that may be in memory, and the number of windows of an output that may wait for the disk.
    ///
    /// # Errors
    /// Fails if a table cannot be written.
    pub fn new(
        mut series: Series,
        shapes: Shapes,
        source: &Source,
        added: Option<&AddedNames>,
        ahead: (usize, usize),
    ) -> Result<Self> {
        let (added, filled, copies) = (added.cloned(), Filled::default(), series.take_copies());
        let mut kept = Self {
            series,
            shapes,
            copies,
            added,
            ahead,
            current: None,
            filled,
        };
        if kept.copies.is_none() && !kept.shapes.need_headings() {
            kept.enter(source)?;
        }
        Ok(kept)
    }

    /// Returns what finds the columns of converted records. Nothing can be written before they are [set](Self::set_columns). Returns
    /// none if no records need them.
    ///
    /// # Errors
    /// Fails if the columns of an input cannot be read, or cannot be written as CSV.
    pub fn looking(&self, source: &Source) -> Result<Option<Looking>> {
        self.shapes.looking(source)
    }

    /// Sets the columns of converted records, and begins the first output.
    ///
    /// # Errors
    /// Fails if the values of a field cannot be in one column, if a field has the name of an added one, or if a table cannot be written.
    pub fn set_columns(&mut self, looking: &Looking, seen: Seen, source: &Source) -> Result<()> {
        self.shapes
            .set_headings(seen.headings(looking, self.added.as_ref(), source)?);
        self.enter(source)
    }

    /// Returns an output that exists already and gets all records.
    ///
    /// # Errors
    /// Fails if a table cannot be written.
    pub fn one(output: Output, shape: Shape, source: &Source, ahead: usize) -> Result<Self> {
        Self::new(
            Series::one(output),
            Shapes::one(shape),
            source,
            None,
            (ahead, LEAST_AHEAD),
        )
    }

    /// Returns the shapes in which the records are written.
    pub fn shapes(&self) -> Shapes {
        self.shapes.clone()
    }

    /// Returns whether outputs are limited, so that pieces must state where their records end.
    pub fn is_limited(&self) -> bool {
        self.series.limit().is_some()
    }

    /// Writes the header of the inputs, for an output that gets no block.
    ///
    /// # Errors
    /// Fails if an input cannot be read.
    pub fn write_header(&mut self, source: &Source) -> Result<()> {
        let Some(Current { file, inputs, .. }) = &mut self.current else {
            return Ok(());
        };
        file.begin(source, inputs.clone())
    }

    /// Begins the next output.
    fn enter(&mut self, source: &Source) -> Result<()> {
        let (groups, windows) = self.ahead;
        let mut output = self.series.open_next()?;
        output.run_ahead(windows);
        let inputs = if self.series.is_by_input() {
            self.series.input(source)..self.series.input(source) + 1
        } else {
            source.references()..source.inputs().len()
        };
        let (plan, heading) = self.shapes.of_input(inputs.start, source);
        let file = KeptFile::new(
            output,
            (plan, heading),
            (source, inputs.clone()),
            self.added.as_ref(),
            groups,
        )?;
        self.current = Some(Current {
            file,
            inputs,
            has_blocks: false,
        });
        Ok(())
    }

    /// Ends the current output. `is_json` states whether an output without records must be valid JSON if its name is one of JSON.
    fn leave(&mut self, source: &Source, is_json: bool) -> Result<()> {
        let Some(mut current) = self.current.take() else {
            return Ok(());
        };
        if !current.has_blocks {
            current.file.begin(source, current.inputs.clone())?;
        }
        self.series.end(current.file.end(is_json)?)
    }

    /// Ends the current output, and begins the next one.
    fn advance(&mut self, source: &Source) -> Result<()> {
        self.leave(source, true)?;
        self.enter(source)
    }

    /// Returns the output for the records of a block.
    fn reach(&mut self, source: &Source, part: usize) -> Result<&mut Current> {
        let input = source.parts()[part].input();
        while self
            .current
            .as_ref()
            .is_some_and(|current| current.inputs.end <= input)
        {
            self.advance(source)?;
        }
        let current = self
            .current
            .as_mut()
            .ok_or_else(|| Error::failure("records without an output"))?;
        current.has_blocks = true;
        Ok(current)
    }

    /// Writes a piece: the kept records of a block, as built by [`Shape::make`]. Call this method on the thread pool, which
    /// shares the work.
    ///
    /// # Errors
    /// Fails if the records cannot be written.
    pub fn write(&mut self, source: &Source, piece: &mut Piece) -> Result<()> {
        if let Some(copies) = &self.copies {
            let input = source.parts()[piece.part].input() - source.references();
            let ends = piece.ends.iter().flatten().copied();
            let starts = std::iter::once(0).chain(ends.clone());
            let documents: Vec<_> = piece
                .files
                .iter()
                .copied()
                .zip(starts.zip(ends).map(|(start, end)| start..end))
                .collect();
            return copies.write(input, &documents, &piece.bytes);
        }
        let (rows, limit) = (piece.rows.take(), self.series.limit());
        let current = self.reach(source, piece.part)?;
        let Some(limit) = limit else {
            return match rows {
                Some(rows) => current.file.write_rows(rows),
                None => current
                    .file
                    .write_bytes(&piece.bytes, piece.columns.as_ref()),
            };
        };
        if piece.records == 0 {
            // This block may be the only one with a header.
            return current.file.write_bytes(&[], piece.columns.as_ref());
        }
        let (plan, _) = self
            .shapes
            .of_input(source.parts()[piece.part].input(), source);
        let ends = ends(piece, rows.as_ref(), plan.written);
        let mut filled = std::mem::take(&mut self.filled);
        filled.divide(limit, &ends, |part| match (part, &rows) {
            (None, _) => self.advance(source),
            (Some(Span { records, .. }), Some(rows)) => self
                .reach(source, piece.part)?
                .file
                .write_some_rows(rows, records),
            (Some(Span { bytes, .. }), None) => self
                .reach(source, piece.part)?
                .file
                .write_bytes(&piece.bytes[bytes], piece.columns.as_ref()),
        })?;
        self.filled = filled;
        Ok(())
    }

    /// Writes a block's kept records unchanged, and returns their number. The outputs are not [limited](Self::is_limited).
    ///
    /// # Errors
    /// Fails if the records cannot be written.
    pub fn write_slices(
        &mut self,
        block: &Block,
        info: &BlockInfo,
        source: &Source,
        is_kept: impl Fn(u64) -> bool,
    ) -> Result<u64> {
        let shape = self.shapes.of(source, block);
        let current = self.reach(source, block.part)?;
        shape.slices(block, info, source, is_kept, |slice| {
            current.file.write_bytes(slice, block.columns())
        })
    }

    /// Returns empty labels for rows, if an output is a table and labels were requested.
    pub fn row_labels(&self, source: &Source) -> Option<RowLabels> {
        RowLabels::wanted(self.added.as_ref().filter(|_| self.has_tables())?, source)
    }

    /// Returns empty marks for rows, if an output is a table and marks were requested.
    pub fn row_marks(&self, source: &Source) -> Option<RowMarks> {
        RowMarks::wanted(self.added.as_ref().filter(|_| self.has_tables())?, source)
    }

    /// Returns whether rows of tables are written as they are.
    fn has_tables(&self) -> bool {
        self.shapes.make(Shape::Table)
    }

    /// Ends all outputs. `documents` is the number of documents that were read. Call this method on the thread pool, which shares
    /// the work.
    ///
    /// # Errors
    /// Fails if an output cannot be written.
    pub fn end(mut self, source: &Source, documents: u64) -> Result<Vec<Output>> {
        if let Some(copies) = self.copies {
            return Ok(vec![copies.end()?]);
        }
        while self.series.is_by_input() && self.series.has_next() {
            self.advance(source)?;
        }
        let is_one = !self.series.is_by_input() && !self.is_limited();
        self.leave(source, !is_one || documents == 0)?;
        Ok(self.series.ended())
    }
}
