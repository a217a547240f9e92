//! Adds the decision to every record. No record is dropped, so that the decisions can be reviewed
//! first. This takes a pass of its own, because the decisions are known only after all documents
//! are decided.

use lookalike_io::{
    error::Result,
    read::Source,
    write::{AddedNames, Kept, Label, Labelling, RowLabels, Shape},
};

use super::emit::Emitting;
use crate::{
    config::Observer,
    numbers::Document,
    pass::copy::{same_number, write_blocks},
};

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
    pub(crate) fn labelled(
        &self,
        source: &Source,
        names: &AddedNames,
        output: &mut Kept,
        observer: Observer,
    ) -> Result<()> {
        let (shapes, reading, row_labels) =
            (output.shapes(), source.reading(), output.row_labels(source));
        let written = write_blocks(
            self.pool,
            source,
            output,
            observer,
            |block, worker: &mut Worker, piece| {
                let Worker {
                    labelling,
                    ids,
                    other,
                    records,
                    rows,
                } = worker;
                let shape = shapes.of(source, block);
                let row_labels = row_labels.as_ref().filter(|_| shape == Shape::Table);
                let mut rows = row_labels.map(|labels| rows.get_or_insert_with(|| labels.clone()));
                let info = self.table.info(block, source)?;
                records.clear();
                info.each_document(block, source, |_, at| {
                    records.push(at);
                    Ok(())
                })?;
                let mut rest = info.documents().zip(records.iter());
                self.table.ids.each(info.documents(), ids, |id| {
                    let Some((document, &at)) = rest.next() else {
                        return Err(source.changed(block.part));
                    };
                    let decision = self.decision(Document(document))?;
                    let representative = decision
                        .representative
                        .map(|r| self.table.ids.get(r.0, other))
                        .transpose()?;
                    let similarity = representative.and_then(|_| self.similarity(&decision));
                    let overruled = decision.overruled;
                    let label = Label {
                        cluster: representative.unwrap_or(id),
                        representative,
                        similarity,
                        overruled,
                    };
                    if let Some(rows) = &mut rows {
                        rows.push(&label);
                        return Ok(());
                    }
                    let labelled = shape.labelled(
                        (block, at),
                        reading,
                        names,
                        &label,
                        labelling,
                        &mut piece.bytes,
                    );
                    piece
                        .ends
                        .iter_mut()
                        .for_each(|ends| ends.push(piece.bytes.len()));
                    labelled.map_err(|why| why.of_line(at as u64))
                })?;
                (piece.records, piece.columns) = (records.len() as u64, block.columns().cloned());
                piece.part = block.part;
                if let (Some(labels), Some(rows)) = (rows, block.rows()) {
                    piece.rows = Some(labels.onto(rows, records)?);
                }
                Ok(())
            },
        )?;
        same_number(
            self.table.documents - self.table.references.documents,
            written,
        )
    }
}
