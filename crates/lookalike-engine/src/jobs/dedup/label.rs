//! Adds the decision to every record. No record is dropped, so that the decisions can be reviewed first.

use lookalike_io::{
    error::{ErrorKind, Result},
    read::{Blocks, Columns, Source, Start, each_block},
    write::{Kept, Label, LabelNames, Labelling, RowLabels, refuse_table_names},
};

use super::emit::Emitting;
use crate::{
    config::Observer,
    numbers::Document,
    pass::copy::{same_number, write_blocks},
};

/// Returns an error if a label name is already a field of the records. Only the fields that are known before the work are
/// checked: the columns of CSV and tables, and the fields of the first records of the first input. A conflict in a later record
/// is reported when that record is written.
pub(crate) fn refuse_names(names: &LabelNames, source: &Source) -> Result<()> {
    refuse_table_names(names, source)?;
    let first = source.reference_parts();
    for part in first..source.parts().len() {
        let taken = |columns: &Columns| names.refuse_columns(columns).map_err(|why| why.at_place(source.place(part, 1)));
        source.columns(part)?.map_or(Ok(()), |columns| taken(&columns))?;
    }
    // An input that can be read only once is not checked.
    if !source.is_regular(first) {
        return Ok(());
    }
    let looked = each_block(Blocks::after(source, Start::at(first)), |block, first_line| {
        for at in 0..block.len() {
            let looked = block.object(at).map_or(Ok(()), |object| names.refuse_object(object));
            looked.map_err(|why| why.at_place(source.place(block.part, first_line + at as u64)))?;
        }
        Ok(false)
    });
    // Only errors about a record are returned. All other errors are ignored here, because the first pass reports unreadable
    // inputs in more detail.
    looked.or_else(|error| if error.kind() == ErrorKind::Record { Err(error) } else { Ok(()) })
}

/// A worker's buffers.
#[derive(Default)]
struct Worker {
    labelling: Labelling,
    ids: Vec<u8>,
    other: Vec<u8>,
    records: Vec<usize>,
    rows: Option<RowLabels>,
}

impl Emitting<'_> {
    /// Writes every record with the decision about it.
    pub(crate) fn labelled(&self, source: &Source, names: &LabelNames, output: &mut Kept, observer: Observer) -> Result<()> {
        let (shape, reading, row_labels) = (output.shape(), source.reading(), output.row_labels());
        let written = write_blocks(self.pool, source, output, observer, |block, worker: &mut Worker, piece| {
            let Worker { labelling, ids, other, records, rows } = worker;
            let mut rows = row_labels.as_ref().map(|labels| rows.get_or_insert_with(|| labels.clone()));
            let info = self.table.info(block, source)?;
            records.clear();
            info.each_document(block, source, |_, at| {
                records.push(at);
                Ok(())
            })?;
            let mut rest = info.documents().zip(records.iter());
            self.table.ids.each(info.documents(), ids, |id| {
                let Some((document, &at)) = rest.next() else { return Err(source.changed(block.part)) };
                let decision = self.decision(Document(document))?;
                let representative = decision.representative.map(|r| self.table.ids.get(r.0, other)).transpose()?;
                let similarity = representative.and_then(|_| self.similarity(&decision));
                let label = Label { cluster: representative.unwrap_or(id), representative, similarity };
                if let Some(rows) = &mut rows {
                    rows.push(&label);
                    return Ok(());
                }
                let labelled = shape.labelled((block, at), reading, names, &label, labelling, &mut piece.bytes);
                labelled.map_err(|why| why.of_line(at as u64))
            })?;
            (piece.records, piece.columns) = (records.len() as u64, block.columns().cloned());
            if let (Some(labels), Some(rows)) = (rows, block.rows()) {
                piece.rows = Some(labels.onto(rows, records)?);
            }
            Ok(())
        })?;
        same_number(self.table.documents - self.table.references.documents, written)
    }
}
