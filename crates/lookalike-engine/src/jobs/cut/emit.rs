//! The last pass: writes the records with the remaining texts or with marks, and the places of all cuts, or reports them.

use lookalike::{
    cut::{CutConfig, Edit, TextUnits, edited, edits},
    text::{CharCount, Span},
};
use lookalike_io::{
    error::{Error, Result},
    read::{Block, Blocks, Scratch as ReadScratch},
    write::{
        AddedNames, Change, Kept, Labelling, LineSeries, Mark, MarkedSpan, Piece, RowMarks, Shapes,
    },
};
use serde::Serialize;
use serde_json::value::RawValue;

use super::{
    locating::{Located, Locations},
    outcomes::{Cut, Outcomes},
    reported::{CutDocument, CutPlace, TellCut, Told},
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
    cuts: &'a [CutPlace],
}

/// A line of a file of attributes. [Dolma](https://github.com/allenai/dolma) reads them beside the documents.
#[derive(Serialize)]
struct Attributed<'a> {
    id: &'a RawValue,
    attributes: Attributes,
}

/// Spans in characters, each with a score of 1.
#[derive(Serialize)]
#[expect(non_snake_case, reason = "names of Dolma's attributes have two parts")]
struct Attributes {
    lookalike__cut: Vec<(usize, usize, f64)>,
    lookalike__dropped: Vec<(usize, usize, f64)>,
}

/// The destinations of the results.
pub(super) struct Outputs<'a, 'b> {
    /// The records with the remaining texts.
    pub(super) texts: Option<&'a mut Kept>,
    /// The names of marks, if the records get marks instead.
    pub(super) names: Option<&'a AddedNames>,
    /// The lines of the cuts file.
    pub(super) cuts: Option<&'a mut LineSeries>,
    /// The lines of attributes.
    pub(super) attributes: Option<&'a mut LineSeries>,
    pub(super) tell: Option<&'a mut TellCut<'b>>,
    /// For a report, the number of bytes that were cut for each of its passages.
    pub(super) bytes: Option<&'a mut [u64]>,
}

/// Which results are wanted.
#[derive(Clone, Copy)]
struct Wanted<'a> {
    /// The shapes of the records, if they are written.
    shapes: Option<&'a Shapes>,
    /// Whether pieces state where their records end.
    ends: bool,
    names: Option<&'a AddedNames>,
    lines: bool,
    attributes: bool,
    told: bool,
    bytes: bool,
}

/// What is needed to write the results.
pub(super) struct Emitting<'a> {
    pub(super) pass: Pass<'a>,
    pub(super) config: &'a CutConfig,
    pub(super) outcomes: &'a Outcomes,
    pub(super) locations: &'a Locations,
}

/// The output of a block.
struct Made {
    part: usize,
    piece: Piece,
    others: Others,
}

/// The output of a block, apart from its records.
#[derive(Default)]
struct Others {
    lines: Vec<u8>,
    attributes: Vec<u8>,
    told: Vec<Told>,
    /// Passages of the report, and bytes that were cut for them.
    bytes: Vec<(usize, u64)>,
}

impl Weigh for Made {
    fn weight(&self) -> usize {
        let Others {
            lines,
            attributes,
            told,
            bytes,
        } = &self.others;
        self.piece.weight()
            + lines.weight()
            + attributes.weight()
            + bytes.weight()
            + told.iter().map(Told::size).sum::<usize>()
    }
}

#[derive(Default)]
struct Worker {
    labelling: Labelling,
    row_marks: Option<RowMarks>,
    scratch: Scratch,
}

#[derive(Default)]
struct Scratch {
    read_scratch: ReadScratch,
    plain: String,
    id: Vec<u8>,
}

impl Emitting<'_> {
    /// Writes and reports all results. Returns the number of records that were written.
    pub(super) fn all(&self, outputs: Outputs) -> Result<u64> {
        let Pass {
            source,
            pool,
            observer,
            table,
            ..
        } = self.pass;
        let Outputs {
            mut texts,
            names,
            mut cuts,
            mut attributes,
            mut tell,
            bytes: mut sums,
        } = outputs;
        let shapes = texts.as_ref().map(|texts| texts.shapes());
        let wanted = Wanted {
            shapes: shapes.as_ref(),
            ends: texts.as_ref().is_some_and(|texts| texts.is_limited()),
            names,
            lines: cuts.is_some(),
            attributes: attributes.is_some(),
            told: tell.is_some(),
            bytes: sums.is_some(),
        };
        let row_marks = texts.as_ref().and_then(|texts| texts.row_marks(source));
        let (mut written, mut id) = (0, Vec::new());
        in_order(
            pool,
            Blocks::after_references(source).whole(wanted.shapes.is_some()),
            |block, worker: &mut Worker| {
                if worker.row_marks.is_none() {
                    worker.row_marks.clone_from(&row_marks);
                }
                self.block(block, wanted, worker)
            },
            |Made {
                 part,
                 mut piece,
                 others:
                     Others {
                         lines,
                         attributes: attributed,
                         told,
                         bytes,
                     },
             }| {
                Progress::new(Stage::Writing, source.read(), source.total()).tell(observer)?;
                written += piece.records;
                if let Some(texts) = &mut texts {
                    texts.write(source, &mut piece)?;
                }
                if let Some(tell) = &mut tell {
                    for Told {
                        document,
                        is_dropped,
                        cuts,
                        text,
                    } in &told
                    {
                        let (id, row) = (
                            table.ids.get(*document, &mut id)?,
                            document - table.references.documents,
                        );
                        tell(&CutDocument {
                            row,
                            id,
                            is_dropped: *is_dropped,
                            cuts,
                            text: text.as_deref(),
                        })?;
                    }
                }
                if let Some(sums) = &mut sums {
                    bytes
                        .into_iter()
                        .for_each(|(passage, bytes)| sums[passage] += bytes);
                }
                attributes.as_mut().map_or(Ok(()), |attributes| {
                    attributes.write(source, part, &attributed)
                })?;
                cuts.as_mut()
                    .map_or(Ok(()), |cuts| cuts.write(source, part, &lines))
            },
        )?;
        Ok(written)
    }

    fn block(&self, block: &Block, wanted: Wanted, worker: &mut Worker) -> Result<Made> {
        let Pass { source, table, .. } = self.pass;
        let info = table.info(block, source)?;
        let (mut piece, mut others) = (Piece::new(wanted.ends), Others::default());
        let Worker {
            labelling,
            row_marks,
            scratch,
        } = worker;
        let mut each =
            |document, at| self.document((block, at), document, wanted, scratch, &mut others);
        match (
            wanted.shapes.map(|shapes| shapes.of(source, block)),
            wanted.names,
        ) {
            (Some(shape), Some(names)) => {
                let mark = |document, at| {
                    let (change, cuts) = each(document, at)?;
                    let text = if let Change::Text(text) = change {
                        Some(text)
                    } else {
                        None
                    };
                    let verdict = self.verdict(document, &cuts);
                    Ok((
                        text,
                        Mark {
                            verdict,
                            spans: cuts.into_iter().map(marked).collect(),
                        },
                    ))
                };
                shape.marked(
                    (block, &info),
                    source,
                    (names, row_marks.as_mut()),
                    mark,
                    labelling,
                    &mut piece,
                )?;
            }
            (Some(shape), None) => {
                let change = |document, at| Ok(each(document, at)?.0);
                shape.changed((block, &info), source, change, labelling, &mut piece)?;
            }
            (None, _) => {
                info.each_document(block, source, |document, at| each(document, at).map(drop))?
            }
        }
        wanted
            .shapes
            .map_or(Ok(()), |shapes| shapes.convert(source, block, &mut piece))?;
        Ok(Made {
            part: block.part,
            piece,
            others,
        })
    }

    /// Adds a document to the other outputs. Returns what happens to its record, and, if they are wanted, its cuts.
    fn document(
        &self,
        (block, at): (&Block, usize),
        document: u64,
        wanted: Wanted,
        scratch: &mut Scratch,
        into: &mut Others,
    ) -> Result<(Change, Vec<CutPlace>)> {
        let Pass { source, .. } = self.pass;
        let Self {
            outcomes, config, ..
        } = *self;
        let Wanted {
            shapes,
            names,
            lines,
            attributes,
            told,
            bytes,
            ..
        } = wanted;
        let Scratch {
            read_scratch,
            plain,
            id,
        } = scratch;
        let (mut cuts, is_dropped) = (Vec::new(), outcomes.is_dropped(document));
        // Copied documents are not HTML.
        let is_html = source.reading().html.is_some() && !shapes.is_some_and(Shapes::are_copies);
        let is_changed = outcomes.is_changed(document);
        let mut change = Change::None;
        if is_changed {
            let own = outcomes.of(document)?;
            let record = source.same_record(block, at, read_scratch)?;
            let text = record.text.decode(plain);
            let units = TextUnits::places(text, config);
            let edits = edits(text, &units, own.iter().map(Cut::units), config);
            if lines || told || bytes || names.is_some() {
                cuts = self.cuts(document, &own, (text, &units, &edits), (told, id))?;
            }
            if bytes {
                let passages = own
                    .iter()
                    .zip(&cuts)
                    .filter_map(|(cut, at)| Some((self.locations.passage(document, cut)?, at)));
                into.bytes.extend(
                    passages.map(|(passage, at)| (passage, (at.end_byte - at.start_byte) as u64)),
                );
            }
            if attributes {
                self.attributes(document, (text, &edits), id, &mut into.attributes)?;
            }
            change = match names {
                // The spans of marks are places in this text.
                Some(_) if is_html => Change::Text(text.to_owned()),
                Some(_) => Change::None,
                None if is_dropped => Change::Dropped,
                None => Change::Text(edited(text, &edits)),
            };
        } else if is_html {
            // If texts are parts of pages, they are written instead of the pages.
            let record = source.same_record(block, at, read_scratch)?;
            change = Change::Text(record.text.decode(plain).to_owned());
        }
        if attributes && !is_changed {
            self.attributes(document, ("", &[]), id, &mut into.attributes)?;
        }
        if lines {
            self.line(document, &cuts, id, &mut into.lines)?;
        }
        if told && (is_changed || is_html) {
            let text = match &change {
                Change::Text(text) if shapes.is_none() => Some(text.clone()),
                _ => None,
            };
            // Only marks need the cuts afterwards.
            let cuts = if names.is_some() {
                cuts.clone()
            } else {
                std::mem::take(&mut cuts)
            };
            into.told.push(Told {
                document,
                is_dropped,
                cuts,
                text,
            });
        }
        Ok((change, cuts))
    }

    /// Returns the cuts of a document with the places of their sources; if they are reported, also with the places of references.
    pub(super) fn cuts(
        &self,
        document: u64,
        cuts: &[Cut],
        (text, units, edits): (&str, &TextUnits, &[Edit]),
        (told, id): (bool, &mut Vec<u8>),
    ) -> Result<Vec<CutPlace>> {
        let Pass { table, .. } = self.pass;
        let mut count = CharCount::new(text);
        let mut places = Vec::with_capacity(cuts.len());
        let mut others = self
            .locations
            .of(self.outcomes.range(document))?
            .into_iter();
        let mut edits = edits.iter();
        // The edit that the current piece is a part of, and where the piece before it ended.
        let (mut edit, mut before) = (None, 0);
        for (at, cut) in cuts.iter().enumerate() {
            let is_first = at == 0 || cuts[at - 1].end != cut.start;
            let is_last = cuts.get(at + 1).is_none_or(|next| next.start != cut.end);
            if is_first {
                edit = edits.next();
            }
            let Some(edit) = edit else {
                return Err(Error::failure("a cut has no edit"));
            };
            let start = if is_first { edit.span.start } else { before };
            // One character may be several tokens, of which several are cut.
            let next = || units.spans[cut.end as usize].start.max(start);
            let end = if is_last {
                edit.span.end
            } else {
                next().min(edit.span.end)
            };
            before = end;
            let own = Located::new(Span { start, end }, &mut count);
            let source = if cut.source == document {
                Some(Located::new(units.span(cut.source_units()), &mut count))
            } else {
                others.next().map(|(_, place)| place)
            };
            let source =
                source.ok_or_else(|| Error::failure("the source of a cut was not found"))?;
            let source_row = cut.source.checked_sub(table.references.documents);
            let reference = if told {
                self.reference(cut.source)?.map(String::into_boxed_str)
            } else {
                None
            };
            places.push(CutPlace {
                start: own.characters.start,
                end: own.characters.end,
                start_byte: own.bytes.start,
                end_byte: own.bytes.end,
                insert: if is_last {
                    edit.insert.as_str().into()
                } else {
                    Box::default()
                },
                tokens: cut.tokens,
                source: raw(table.ids.get(cut.source, id)?)?.to_owned(),
                source_row: source_row.unwrap_or(cut.source),
                reference,
                source_start: source.characters.start,
                source_end: source.characters.end,
                source_start_byte: source.bytes.start,
                source_end_byte: source.bytes.end,
            });
        }
        Ok(places)
    }

    /// Returns the place of a document if it is a reference.
    pub(super) fn reference(&self, document: u64) -> Result<Option<String>> {
        let Pass { source, table, .. } = self.pass;
        let is_reference = document < table.references.documents;
        is_reference
            .then(|| Ok(table.place(document, source)?.to_string()))
            .transpose()
    }

    /// Appends the line of a document's attributes.
    fn attributes(
        &self,
        document: u64,
        (text, edits): (&str, &[Edit]),
        id: &mut Vec<u8>,
        into: &mut Vec<u8>,
    ) -> Result<()> {
        let mut count = CharCount::new(text);
        let mut scored = |bytes: Span| {
            let Span { start, end } = count.span(bytes);
            (start, end, 1.0)
        };
        let attributes = if self.outcomes.is_dropped(document) {
            let whole = scored(Span {
                start: 0,
                end: text.len(),
            });
            Attributes {
                lookalike__cut: vec![whole],
                lookalike__dropped: vec![whole],
            }
        } else {
            Attributes {
                lookalike__cut: edits.iter().map(|edit| scored(edit.span)).collect(),
                lookalike__dropped: Vec::new(),
            }
        };
        write_line(
            &Attributed {
                id: raw(self.pass.table.ids.get(document, id)?)?,
                attributes,
            },
            into,
        )
    }

    fn line(
        &self,
        document: u64,
        cuts: &[CutPlace],
        id: &mut Vec<u8>,
        into: &mut Vec<u8>,
    ) -> Result<()> {
        let verdict = self.verdict(document, cuts);
        write_line(
            &Line {
                id: raw(self.pass.table.ids.get(document, id)?)?,
                verdict,
                cuts,
            },
            into,
        )
    }

    /// Returns the verdict of a document with these cuts.
    fn verdict(&self, document: u64, cuts: &[CutPlace]) -> &'static str {
        match (self.outcomes.is_dropped(document), cuts.is_empty()) {
            (true, _) => "dropped",
            (false, true) => "kept",
            (false, false) => "cut",
        }
    }
}

/// Returns the span of a mark.
fn marked(cut: CutPlace) -> MarkedSpan {
    let CutPlace {
        start,
        end,
        insert,
        tokens,
        source,
        source_start,
        source_end,
        ..
    } = cut;
    MarkedSpan {
        start,
        end,
        insert,
        tokens,
        source,
        source_start,
        source_end,
    }
}

fn write_line(line: &impl Serialize, into: &mut Vec<u8>) -> Result<()> {
    serde_json::to_writer(&mut *into, line).map_err(|error| Error::failure(error.to_string()))?;
    into.push(b'\n');
    Ok(())
}
