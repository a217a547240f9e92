//! Writes records with other texts, or with marks. All their other fields are unchanged.

use super::{
    added::{Added, AddedNames},
    marks::Mark,
    rows::RowMarks,
    shape::{Piece, Shape},
    written::Labelling,
};
use crate::{
    error::{Error, Result},
    read::{Block, BlockInfo, Source},
};

/// What happens to a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// It is written unchanged.
    None,
    /// It is not written.
    Dropped,
    /// It is written with this text.
    Text(String),
}

/// A record that is written: its other text, if it gets one, and its mark, if records get marks.
type Written = (Option<String>, Option<Mark>);

/// The names of marks, and the marks of the rows so far if the output is a table.
type Marking<'a> = (&'a AddedNames, Option<&'a mut RowMarks>);

impl Shape {
    /// Builds a piece from a block's records, of which some are changed; `self` is the format in which they are written. The piece must
    /// be empty, apart from its scratch buffers.
    ///
    /// # Errors
    /// Fails if `change` fails, if a new text cannot be stored in the column of a table, or if JSON cannot represent a value.
    pub fn changed(
        self,
        block: (&Block, &BlockInfo),
        source: &Source,
        mut change: impl FnMut(u64, usize) -> Result<Change>,
        scratch: &mut Labelling,
        piece: &mut Piece,
    ) -> Result<()> {
        let written = |document, at| {
            Ok(match change(document, at)? {
                Change::Dropped => None,
                Change::None => Some((None, None)),
                Change::Text(text) => Some((Some(text), None)),
            })
        };
        self.built(block, source, None, written, scratch, piece)
    }

    /// Builds a piece from a block's records, all of them with the marks that `mark` returns. If it also returns a text, the record is
    /// written with this text. The piece must be empty, apart from its scratch buffers.
    ///
    /// # Errors
    /// Fails for the same reasons as [`changed`](Self::changed), and if a record already has a field with the name of a mark's field.
    pub fn marked(
        self,
        block: (&Block, &BlockInfo),
        source: &Source,
        marking: (&AddedNames, Option<&mut RowMarks>),
        mut mark: impl FnMut(u64, usize) -> Result<(Option<String>, Mark)>,
        scratch: &mut Labelling,
        piece: &mut Piece,
    ) -> Result<()> {
        let written =
            |document, at| mark(document, at).map(|(text, mark)| Some((text, Some(mark))));
        self.built(block, source, Some(marking), written, scratch, piece)
    }

    fn built(
        self,
        (block, info): (&Block, &BlockInfo),
        source: &Source,
        marking: Option<Marking>,
        mut each: impl FnMut(u64, usize) -> Result<Option<Written>>,
        scratch: &mut Labelling,
        piece: &mut Piece,
    ) -> Result<()> {
        if self == Self::Documents {
            piece.part = block.part;
            return info.each_document(block, source, |document, at| {
                if let Some((text, _)) = each(document, at)? {
                    piece.push_document((block, at), text.as_deref());
                }
                Ok(())
            });
        }
        let Piece {
            bytes,
            rows,
            columns,
            records,
            part,
            ends,
            ..
        } = piece;
        (*columns, *part) = (block.columns().cloned(), block.part);
        let (names, mut row_marks) = marking.unzip();
        // Rows of a table are written together, unless they become lines with marks.
        let table = block
            .rows()
            .filter(|_| self == Self::Table || names.is_none());
        let mut mask = vec![false; table.map_or(0, |_| block.len())];
        let mut texts = vec![None; mask.len()];
        info.each_document(block, source, |document, at| {
            let Some((text, mark)) = each(document, at)? else {
                return Ok(());
            };
            *records += 1;
            if table.is_some() {
                (mask[at], texts[at]) = (true, text);
                if let (Some(Some(marks)), Some(mark)) = (&mut row_marks, mark) {
                    marks.push(mark);
                }
                return Ok(());
            }
            let added = names.zip(mark.as_ref().map(|mark| mark as &dyn Added));
            let written = self.record(
                (block, at),
                source.reading(),
                (text.as_deref(), added),
                scratch,
                bytes,
            );
            ends.iter_mut().for_each(|ends| ends.push(bytes.len()));
            written.map_err(|error| {
                error.at_place(source.place(block.part, info.first_line + at as u64))
            })
        })?;
        let Some(table) = table.filter(|_| *records > 0) else {
            return Ok(());
        };
        let placed =
            |error: Error| error.placed(|row| source.place(block.part, info.first_line + row));
        if self != Self::Table {
            return table.lines_with_texts(&texts, &mask, bytes).map_err(placed);
        }
        let written = if texts.iter().all(Option::is_none) {
            table.masked(&mask)?
        } else {
            let lines = "write JSON Lines: give a name that ends with .jsonl";
            table
                .with_texts(&texts, &mask)
                .map_err(|error| placed(error.advise(lines)))?
        };
        *rows = Some(match row_marks.flatten() {
            Some(marks) => marks.onto(&written)?,
            None => written,
        });
        Ok(())
    }
}
