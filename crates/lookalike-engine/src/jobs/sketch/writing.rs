//! Writes files of sketches.

use std::ops::Range;

use lookalike::{Method, fingerprint, lsh::Sample, text::Tokens};
use lookalike_io::{
    error::Result,
    write::{IdKind, Output, SketchOutput, SketchRow},
};

use crate::{
    config::{Observer, Progress, Stage},
    numbers::Document,
    sketching::table::Table,
};

/// Everything that is needed to write the sketches of a table.
pub(super) struct Writing<'a> {
    pub(super) table: &'a Table,
    /// The method that made the sketches.
    pub(super) method: &'a Method,
    pub(super) header: &'a str,
    pub(super) is_table: bool,
    /// The number of row groups of a table that may be encoded in parallel.
    pub(super) ahead: usize,
}

/// What was written.
#[derive(Debug, Default)]
pub(super) struct Written {
    pub(super) bytes: u64,
    pub(super) empty: u64,
}

impl Writing<'_> {
    /// Writes all documents, in input order.
    pub(super) fn all(&self, output: Output, observer: Observer) -> Result<(Output, Written)> {
        let (table, mut written) = (self.table, Written::default());
        let kind = if self.is_table {
            Some(kind_of_ids(table)?)
        } else {
            None
        };
        let output = write(output, (self.header, kind, self.ahead), |give| {
            let stretch = table.ids.stretch();
            (0..table.documents)
                .step_by(stretch as usize)
                .try_for_each(|start| {
                    Progress::new(Stage::Writing, start, table.documents).tell(observer)?;
                    let end = table.documents.min(start + stretch);
                    self.stretch(start..end, &mut written, give)
                })
        })?;
        Ok((output, written))
    }

    fn stretch(
        &self,
        Range { start, end }: Range<u64>,
        written: &mut Written,
        give: &mut dyn FnMut(&SketchRow) -> Result<()>,
    ) -> Result<()> {
        let table = self.table;
        let (mut ids, mut id_text) = (Vec::new(), String::new());
        table.ids.each(start..end, &mut Vec::new(), |id| {
            id_text.push_str(id);
            ids.push(id_text.len());
            Ok(())
        })?;
        let (mut of_digests, mut of_bits, mut of_samples, mut sketch) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let digests = table.digests.get(start..end, &mut of_digests)?;
        let stride = table.stride as u64;
        let bits = table.bits.get(start * stride..end * stride, &mut of_bits)?;
        let nothing = fingerprint::digest(&Tokens::new());
        let mut id_start = 0;
        for (at, (&digest, bits)) in digests
            .iter()
            .zip(bits.chunks_exact(table.stride))
            .enumerate()
        {
            let id = &id_text[id_start..ids[at]];
            id_start = ids[at];
            let sample = if self.method.keeps_samples() {
                table
                    .samples
                    .sample(Document(start + at as u64), &mut of_samples)?
            } else {
                Sample {
                    level: 0,
                    elements: &[],
                }
            };
            sketch.clear();
            self.method.put_stored(bits, sample, &mut sketch);
            written.bytes += sketch.len() as u64;
            written.empty += u64::from(digest == nothing);
            give(&SketchRow {
                id,
                shingles: self.method.shingles_of(bits),
                digest: Some(digest),
                sketch: &sketch,
            })?;
        }
        Ok(())
    }
}

/// Writes the rows that `rows` passes to its argument. `kind` is the type of the ids if the output is a table.
pub(super) fn write(
    output: Output,
    (header, kind, ahead): (&str, Option<IdKind>, usize),
    rows: impl FnOnce(&mut dyn FnMut(&SketchRow) -> Result<()>) -> Result<()>,
) -> Result<Output> {
    let mut output = SketchOutput::new(output, header, kind, ahead)?;
    rows(&mut |row| output.push(row))?;
    output.end()
}

/// Returns the type of all ids.
fn kind_of_ids(table: &Table) -> Result<IdKind> {
    let (mut kind, mut scratch) = (None::<IdKind>, Vec::new());
    table.ids.each(0..table.documents, &mut scratch, |id| {
        let own = IdKind::of(id);
        kind = Some(kind.map_or(own, |kind| kind.with(own)));
        Ok(())
    })?;
    Ok(kind.unwrap_or(IdKind::Strings))
}
