//! Writes the decisions, as lines or as rows of a table, to one output or to several.

use std::ops::Range;

use lookalike_io::{
    error::{Error, Result},
    pool::{install, try_par_map},
    read::Source,
    write::{Filled, Output, Series, Span, line_ends},
};
#[cfg(feature = "tables")]
use lookalike_io::{
    read::RecordBatch,
    write::{DecisionRows, RowsShape, row_ends, sliced},
};

use super::emit::Emitting;

/// How decisions are written.
#[derive(Clone, Copy)]
pub(super) struct Form {
    /// Whether they are rows of a table.
    pub(super) rows: bool,
    /// The number of row groups of a table that may be in memory, and of windows of an output that may wait for the disk.
    pub(super) ahead: (usize, usize),
}

/// An output of decisions.
enum Writer {
    Lines(Output),
    #[cfg(feature = "tables")]
    Rows(Box<DecisionRows>),
}

/// The decisions about some documents, ready to be written.
enum Made {
    Lines(Vec<u8>),
    #[cfg(feature = "tables")]
    Rows(RecordBatch),
}

/// The shape of rows, which has no value in a build without tables.
#[cfg(not(feature = "tables"))]
type RowsShape = std::convert::Infallible;

impl Made {
    /// Returns where each decision ends, as in [`Filled`].
    fn ends(&self) -> Vec<usize> {
        match self {
            Self::Lines(lines) => line_ends(lines),
            #[cfg(feature = "tables")]
            Self::Rows(rows) => row_ends(rows),
        }
    }
}

impl Writer {
    /// Writes decisions: all of them, or a part.
    fn write(&mut self, made: &Made, part: Option<Span>) -> Result<()> {
        match (self, made, part) {
            (Self::Lines(output), Made::Lines(lines), None) => output.write(lines),
            (Self::Lines(output), Made::Lines(lines), Some(Span { bytes, .. })) => {
                output.write(&lines[bytes])
            }
            #[cfg(feature = "tables")]
            (Self::Rows(output), Made::Rows(rows), None) => output.push(rows.clone()),
            #[cfg(feature = "tables")]
            (Self::Rows(output), Made::Rows(rows), Some(Span { records, .. })) => {
                output.push(sliced(rows, records))
            }
            #[cfg(feature = "tables")]
            _ => Ok(()),
        }
    }

    fn end(self) -> Result<Output> {
        match self {
            Self::Lines(output) => Ok(output),
            #[cfg(feature = "tables")]
            Self::Rows(rows) => rows.end(),
        }
    }
}

impl Emitting<'_> {
    /// Writes every document's decision, except for references. If each input has an output, it gets the decisions about the input's
    /// documents.
    pub(super) fn decisions(
        &self,
        source: &Source,
        mut series: Series,
        form: Form,
    ) -> Result<Vec<Output>> {
        let (references, documents) = (self.table.references.documents, self.table.documents);
        let shape = self.shape(form)?;
        install(self.pool, || {
            if !series.is_by_input() {
                self.range(
                    source,
                    references..documents,
                    &mut series,
                    (form, shape.as_ref()),
                )?;
                return Ok::<_, Error>(());
            }
            for input in source.references()..source.inputs().len() {
                let first = |input| {
                    self.table
                        .blocks
                        .first_document(source.parts().partition_point(|part| part.input() < input))
                };
                self.range(
                    source,
                    first(input)..first(input + 1),
                    &mut series,
                    (form, shape.as_ref()),
                )?;
            }
            Ok(())
        })?;
        Ok(series.ended())
    }

    /// Writes the decisions about some documents to the next output, or to more if outputs are limited. Each batch is written while the
    /// next one is made.
    fn range(
        &self,
        source: &Source,
        documents: Range<u64>,
        series: &mut Series,
        (form, shape): (Form, Option<&RowsShape>),
    ) -> Result<()> {
        let at_once = 2 * self.pool.current_num_threads();
        let mut writer = writer(series.open_next()?, form, shape)?;
        let (mut filled, limit) = (Filled::default(), series.limit());
        let (mut ready, mut next): (Vec<Made>, Vec<Made>) = (Vec::new(), Vec::new());
        next.resize_with(at_once, || Made::Lines(Vec::new()));
        let stretch = self.table.ids.stretch();
        let (mut start, batch) = (documents.start, stretch * at_once as u64);
        loop {
            let starts = (start..documents.end.min(start + batch)).step_by(stretch as usize);
            let count = starts.clone().count();
            let make = |(made, start): (&mut Made, u64)| {
                self.made(
                    source,
                    start..documents.end.min(start + stretch),
                    shape,
                    made,
                )
            };
            let write = || -> Result<()> {
                for made in &ready {
                    let Some(limit) = limit else {
                        writer.write(made, None)?;
                        continue;
                    };
                    filled.divide(limit, &made.ends(), |part| match part {
                        Some(part) => writer.write(made, Some(part)),
                        None => {
                            let next = self::writer(series.open_next()?, form, shape)?;
                            series.end(std::mem::replace(&mut writer, next).end()?)
                        }
                    })?;
                }
                Ok(())
            };
            let starts: Vec<u64> = starts.collect();
            let (written, made) =
                rayon::join(write, || try_par_map(next.iter_mut().zip(starts), make));
            written?;
            made?;
            std::mem::swap(&mut ready, &mut next);
            ready.truncate(count);
            next.resize_with(at_once, || Made::Lines(Vec::new()));
            start += batch;
            if ready.is_empty() {
                return series.end(writer.end()?);
            }
        }
    }

    /// Makes the decisions about some documents.
    fn made(
        &self,
        source: &Source,
        documents: Range<u64>,
        shape: Option<&RowsShape>,
        made: &mut Made,
    ) -> Result<()> {
        #[cfg(feature = "tables")]
        if let Some(shape) = shape {
            let mut rows = shape.rows();
            self.each(source, documents, |decided| rows.push(decided))?;
            *made = Made::Rows(rows.batch()?);
            return Ok(());
        }
        #[cfg(not(feature = "tables"))]
        if let Some(never) = shape {
            match *never {}
        }
        let mut lines = match std::mem::replace(made, Made::Lines(Vec::new())) {
            Made::Lines(lines) => lines,
            #[cfg(feature = "tables")]
            Made::Rows(_) => Vec::new(),
        };
        lines.clear();
        self.each(source, documents, |decided| decided.write_line(&mut lines))?;
        *made = Made::Lines(lines);
        Ok(())
    }

    /// Returns the shape of rows, if decisions are written as rows.
    #[cfg(feature = "tables")]
    fn shape(&self, form: Form) -> Result<Option<RowsShape>> {
        form.rows
            .then(|| self.kinds_of_ids().map(RowsShape::new))
            .transpose()
    }

    #[cfg(not(feature = "tables"))]
    fn shape(&self, _: Form) -> Result<Option<RowsShape>> {
        Ok(None)
    }
}

/// Begins an output.
#[cfg(feature = "tables")]
fn writer(mut output: Output, form: Form, shape: Option<&RowsShape>) -> Result<Writer> {
    output.run_ahead(form.ahead.1);
    match shape {
        None => Ok(Writer::Lines(output)),
        Some(shape) => {
            DecisionRows::new(output, shape, form.ahead.0).map(|rows| Writer::Rows(Box::new(rows)))
        }
    }
}

/// Begins an output. This build has no tables.
#[cfg(not(feature = "tables"))]
fn writer(mut output: Output, form: Form, _: Option<&RowsShape>) -> Result<Writer> {
    output.run_ahead(form.ahead.1);
    if form.rows {
        Err(lookalike_io::write::without_tables(output.name()))
    } else {
        Ok(Writer::Lines(output))
    }
}
