//! The last pass: writes the records with the remaining texts, and the places of all cuts.

use lookalike::{
    cut::{CutConfig, Edit, TextUnits, edited, edits},
    text::{CharCount, Span},
};
use lookalike_io::{
    error::{Error, Result},
    read::{Block, Blocks, Scratch as ReadScratch},
    write::{Change, Kept, Labelling, Output, Piece, Shape},
};
use serde::Serialize;
use serde_json::value::RawValue;

use super::{
    locating::{Located, Locations},
    outcomes::{Cut, Outcomes},
};
use crate::{
    config::{Progress, Stage},
    matching::sets::Pass,
    pass::parallel::{Weigh, in_order},
    sketching::ids::raw,
};

/// A line of the cuts file.
#[derive(Serialize)]
struct Line<'a> {
    id: &'a RawValue,
    verdict: &'a str,
    cuts: &'a [Place<'a>],
}

/// A cut: the bytes that are removed, what is inserted in their place, if anything, and the place where the words are kept.
#[derive(Serialize)]
struct Place<'a> {
    start: usize,
    end: usize,
    start_byte: usize,
    end_byte: usize,
    #[serde(skip_serializing_if = "str::is_empty")]
    insert: &'a str,
    tokens: u32,
    source: Box<RawValue>,
    source_start: usize,
    source_end: usize,
    source_start_byte: usize,
    source_end_byte: usize,
}

/// What is needed to write the results.
pub(super) struct Emitting<'a> {
    pub(super) pass: Pass<'a>,
    pub(super) config: &'a CutConfig,
    pub(super) outcomes: &'a Outcomes,
    pub(super) locations: &'a Locations,
}

/// The output of a block.
#[derive(Default)]
struct Made {
    piece: Piece,
    lines: Vec<u8>,
}

impl Weigh for Made {
    fn weight(&self) -> usize {
        self.piece.weight() + self.lines.weight()
    }
}

#[derive(Default)]
struct Worker {
    read_scratch: ReadScratch,
    labelling: Labelling,
    plain: String,
    id: Vec<u8>,
}

impl Emitting<'_> {
    /// Writes all outputs. Returns the number of records that were written.
    pub(super) fn all(&self, texts: Option<&mut Kept>, cuts: Option<&mut Output>) -> Result<u64> {
        let Pass { source, pool, observer, .. } = self.pass;
        let (shape, has_cuts) = (texts.as_ref().map(|texts| texts.shape()), cuts.is_some());
        let (mut texts, mut cuts, mut written) = (texts, cuts, 0);
        in_order(
            pool,
            Blocks::after_references(source).whole(shape.is_some()),
            |block, worker: &mut Worker| self.block(block, (shape, has_cuts), worker),
            |Made { mut piece, lines }| {
                Progress::new(Stage::Writing, source.read(), source.total()).tell(observer)?;
                written += piece.records;
                if let Some(texts) = &mut texts {
                    texts.write(&mut piece)?;
                }
                cuts.as_mut().map_or(Ok(()), |cuts| cuts.write(&lines))
            },
        )?;
        Ok(written)
    }

    fn block(&self, block: &Block, (shape, has_cuts): (Option<Shape>, bool), worker: &mut Worker) -> Result<Made> {
        let Pass { source, table, .. } = self.pass;
        let Self { outcomes, config, .. } = *self;
        let info = table.info(block, source)?;
        let mut made = Made::default();
        let Worker { read_scratch, labelling, plain, id } = worker;
        let mut each = |document: u64, at: usize| {
            if !outcomes.is_changed(document) {
                if has_cuts {
                    self.line(document, &[], id, &mut made.lines)?;
                }
                // If texts are parts of pages, they are written instead of the pages.
                return match source.reading().html {
                    Some(_) => {
                        let record = source.same_record(block, at, read_scratch)?;
                        Ok(Change::Text(record.text.decode(plain).to_owned()))
                    }
                    None => Ok(Change::None),
                };
            }
            let own = outcomes.of(document)?;
            let record = source.same_record(block, at, read_scratch)?;
            let text = record.text.decode(plain);
            let units = TextUnits::places(text, config);
            let edits = edits(text, &units, own.iter().map(Cut::units), config);
            if has_cuts {
                self.lines(document, &own, (text, &units, &edits), id, &mut made.lines)?;
            }
            if outcomes.is_dropped(document) {
                return Ok(Change::Dropped);
            }
            Ok(Change::Text(edited(text, &edits)))
        };
        match shape {
            Some(shape) => shape.changed(block, &info, source, each, labelling, &mut made.piece)?,
            None => info.each_document(block, source, |document, at| each(document, at).map(drop))?,
        }
        Ok(made)
    }

    /// Appends the line of a document with cuts.
    fn lines(
        &self,
        document: u64,
        cuts: &[Cut],
        (text, units, edits): (&str, &TextUnits, &[Edit]),
        id: &mut Vec<u8>,
        into: &mut Vec<u8>,
    ) -> Result<()> {
        let mut count = CharCount::new(text);
        let mut places = Vec::with_capacity(cuts.len());
        let mut others = self.locations.of(self.outcomes.range(document))?.into_iter();
        let mut edits = edits.iter();
        // The edit that the current piece is a part of, and where the piece before it ended.
        let (mut edit, mut before) = (None, 0);
        for (at, cut) in cuts.iter().enumerate() {
            let is_first = at == 0 || cuts[at - 1].end != cut.start;
            let is_last = cuts.get(at + 1).is_none_or(|next| next.start != cut.end);
            if is_first {
                edit = edits.next();
            }
            let Some(edit) = edit else { return Err(Error::failure("a cut has no edit")) };
            let start = if is_first { edit.span.start } else { before };
            // One character may be several tokens, of which several are cut.
            let next = || units.spans[cut.end as usize].start.max(start);
            let end = if is_last { edit.span.end } else { next().min(edit.span.end) };
            before = end;
            let own = Located::new(Span { start, end }, &mut count);
            let source = match cut.source == document {
                true => Some(Located::new(units.span(cut.source_units()), &mut count)),
                false => others.next().map(|(_, place)| place),
            };
            let source = source.ok_or_else(|| Error::failure("the source of a cut was not found"))?;
            places.push(Place {
                start: own.characters.start,
                end: own.characters.end,
                start_byte: own.bytes.start,
                end_byte: own.bytes.end,
                insert: if is_last { &edit.insert } else { "" },
                tokens: cut.tokens,
                source: raw(self.pass.table.ids.get(cut.source, id)?)?.to_owned(),
                source_start: source.characters.start,
                source_end: source.characters.end,
                source_start_byte: source.bytes.start,
                source_end_byte: source.bytes.end,
            });
        }
        self.line(document, &places, id, into)
    }

    fn line(&self, document: u64, cuts: &[Place], id: &mut Vec<u8>, into: &mut Vec<u8>) -> Result<()> {
        let verdict = match (self.outcomes.is_dropped(document), cuts.is_empty()) {
            (true, _) => "dropped",
            (false, true) => "kept",
            (false, false) => "cut",
        };
        let line = Line { id: raw(self.pass.table.ids.get(document, id)?)?, verdict, cuts };
        serde_json::to_writer(&mut *into, &line).map_err(|error| Error::failure(error.to_string()))?;
        into.push(b'\n');
        Ok(())
    }
}
