//! The second pass over the input, if the decisions have cuts.

use lookalike::{
    cut::{Edit, edited},
    text::Span,
};
use lookalike_io::{
    error::{Error, Result},
    read::{Block, BlockInfo, Scratch, Source},
    spill::places::Places,
    write::{Change, Kept, Labelling},
};
use rayon::ThreadPool;

use super::edits::Edits;
use crate::{config::Observer, pass::copy::write_blocks};

/// Makes cuts in the texts of a second pass.
pub(super) struct Cutting<'a> {
    pub(super) source: &'a Source,
    /// The documents that are kept, and the row of the decision about each document.
    pub(super) kept: &'a Places,
    pub(super) rows: &'a [u32],
    pub(super) edits: &'a Edits,
}

#[derive(Default)]
struct Worker {
    labelling: Labelling,
    scratch: Scratch,
    plain: String,
}

impl Cutting<'_> {
    /// Writes the kept records, and makes the cuts in their texts. Returns the number of records.
    pub(super) fn write(
        &self,
        pool: &ThreadPool,
        info: impl Fn(&Block) -> Result<BlockInfo> + Sync,
        output: &mut Kept,
        observer: Observer,
    ) -> Result<u64> {
        let (shapes, source) = (output.shapes(), self.source);
        write_blocks(
            pool,
            source,
            output,
            observer,
            |block, worker: &mut Worker, piece| {
                let Worker {
                    labelling,
                    scratch,
                    plain,
                } = worker;
                let info = info(block)?;
                let change = |document, at| {
                    let change = self.change((block, at), document, (scratch, plain));
                    change.map_err(|why| {
                        why.at_place(source.place(block.part, info.first_line + at as u64))
                    })
                };
                shapes
                    .of(source, block)
                    .changed((block, &info), source, change, labelling, piece)
            },
        )
    }

    fn change(
        &self,
        (block, at): (&Block, usize),
        document: u64,
        (scratch, plain): (&mut Scratch, &mut String),
    ) -> Result<Change> {
        if !self.kept.contains(document) {
            return Ok(Change::Dropped);
        }
        let edits = self.edits.of(self.rows[document as usize]);
        if edits.is_empty() {
            return Ok(Change::None);
        }
        let record = self.source.same_record(block, at, scratch)?;
        let text = record.text.decode(plain);
        let mut before = 0;
        let fits = edits.iter().all(
            |Edit {
                 span: Span { start, end },
                 ..
             }| {
                let fits = before <= *start && start <= end && text.get(*start..*end).is_some();
                before = *end;
                fits
            },
        );
        if !fits {
            let wrong = Error::record("the cuts do not fit the text");
            return Err(wrong.advise("apply cuts to the input of the run that made them, and read it with the same options"));
        }
        Ok(Change::Text(edited(text, &edits)))
    }
}
