//! Finds where the sources of cuts are in their texts, and which passages were cut most.

use std::{collections::BTreeMap, ops::Range, sync::Arc};

use lookalike::{
    cut::{CutConfig, TextUnits},
    text::{CharCount, Span},
};
use lookalike_io::{
    error::Result,
    read::{Blocks, Scratch as ReadScratch},
    spill::{Budget, Sorter},
};
use serde_json::value::RawValue;

use super::{
    outcomes::{Cut, Outcomes},
    sorted::Rows,
    summary::LargestSource,
};
use crate::{
    config::{Progress, Stage},
    matching::sets::Pass,
    pass::parallel::{Weigh, in_order},
    reporting::texts::beginning,
    sketching::ids::raw,
    state::{Taken, put, put_text},
};

/// The numbers of passages that the summary and the report list.
const LISTED: usize = 10;
const REPORTED: usize = 100;

/// The number of characters of a passage that the summary shows, and of bytes that the report shows.
const SHOWN: usize = 80;
const LONGEST: usize = 16 << 10;

/// The number of documents that the report shows for each passage.
const EXAMPLES: usize = 3;

/// A place in a text, in bytes and in characters.
#[derive(Debug, Clone, Copy)]
pub(super) struct Located {
    pub(super) bytes: Span,
    pub(super) characters: Span,
}

impl Located {
    pub(super) fn new(bytes: Span, count: &mut CharCount) -> Self {
        Self {
            bytes,
            characters: count.span(bytes),
        }
    }

    fn packed(&self, piece: u64) -> [u64; 5] {
        let numbers = [
            self.bytes.start,
            self.bytes.end,
            self.characters.start,
            self.characters.end,
        ];
        let [a, b, c, d] = numbers.map(|number| number as u64);
        [piece, a, b, c, d]
    }

    fn unpacked([piece, a, b, c, d]: [u64; 5]) -> (u64, Self) {
        let span = |start, end| Span {
            start: start as usize,
            end: end as usize,
        };
        (
            piece,
            Self {
                bytes: span(a, b),
                characters: span(c, d),
            },
        )
    }
}

/// A piece of a document, of which another document is the source.
#[derive(Debug, Clone, Copy)]
struct Wanted {
    cut: Cut,
    piece: u64,
    document: u64,
}

impl Wanted {
    /// Packs the piece, so that rows are in the order of the sources.
    fn packed(self) -> [u64; 5] {
        let Cut {
            source,
            source_start,
            start,
            end,
            tokens,
        } = self.cut;
        let place = u64::from(source_start) << 32 | u64::from(end - start);
        [source, place, self.piece, self.document, u64::from(tokens)]
    }

    /// Returns the piece, with the units of its source instead of its own.
    fn unpacked([source, place, piece, document, tokens]: [u64; 5]) -> Self {
        let (start, length) = ((place >> 32) as u32, place as u32);
        Self {
            cut: Cut {
                source,
                source_start: start,
                start,
                end: start + length,
                tokens: tokens as u32,
            },
            piece,
            document,
        }
    }
}

/// A passage of a source, of which several documents lost parts.
#[derive(Debug, Clone)]
pub(super) struct Passage {
    pub(super) source: u64,
    pub(super) units: Range<usize>,
    pub(super) documents: u64,
    pub(super) tokens: u64,
    /// The first of these documents.
    pub(super) examples: Vec<u64>,
    /// The beginning of the passage, on one line.
    line: String,
    /// The passage or, if it is long, its beginning; empty without a report.
    pub(super) beginning: String,
    /// The length of the whole passage in characters, if only its beginning is known.
    pub(super) whole: Option<u64>,
}

impl Passage {
    fn new(source: u64, units: Range<usize>, tokens: u64) -> Self {
        let (examples, line, beginning) = Default::default();
        Self {
            source,
            units,
            documents: 0,
            tokens,
            examples,
            line,
            beginning,
            whole: None,
        }
    }
}

/// What is needed about the sources.
#[derive(Debug, Clone, Copy)]
pub(super) struct Needed {
    /// The places of all sources.
    pub(super) places: bool,
    /// The passages of the report.
    pub(super) report: bool,
}

/// The places of the sources of all pieces.
pub(super) struct Locations {
    /// For each piece whose source is another document, its number and the place; none if no places are needed.
    places: Option<Rows<5>>,
    /// The passages that were cut most.
    pub(super) largest: Vec<LargestSource>,
    /// The passages of the report: these and more, in the same order.
    pub(super) passages: Vec<Passage>,
    /// The number of passages that are not among them.
    pub(super) other_passages: u64,
    /// The numbers of these passages, by their sources and first units.
    by_place: BTreeMap<(u64, usize), usize>,
}

#[derive(Default)]
struct Found {
    places: Vec<[u64; 5]>,
    texts: Vec<(usize, Beginning)>,
}

impl Weigh for Found {
    fn weight(&self) -> usize {
        let texts: usize = self
            .texts
            .iter()
            .map(|(_, Beginning { text, .. })| SHOWN + text.capacity())
            .sum();
        self.places.weight() + texts
    }
}

/// The text of a passage, as in [`Passage`].
struct Beginning {
    line: String,
    text: String,
    whole: Option<u64>,
}

impl Beginning {
    fn new(text: &str, is_reported: bool) -> Self {
        let (beginning, whole) = if is_reported {
            beginning(text, LONGEST)
        } else {
            Default::default()
        };
        Self {
            line: shortened(text),
            text: beginning,
            whole,
        }
    }
}

#[derive(Default)]
struct Worker {
    read_scratch: ReadScratch,
    plain: String,
}

impl Locations {
    /// Reads the sources. Cost: a pass over the inputs, if anything was cut; 40 bytes for each piece, and 40 more for its place if it is
    /// needed, which may go to temporary files.
    pub(super) fn find(
        pass: Pass,
        config: &CutConfig,
        outcomes: &Outcomes,
        needed: Needed,
    ) -> Result<Self> {
        let Pass {
            source,
            table,
            pool,
            observer,
            ..
        } = pass;
        let wanted = wanted(pass, outcomes)?;
        let (mut passages, all) = largest(&wanted, if needed.report { REPORTED } else { LISTED })?;
        let mut places = needed.places.then(|| Sorter::new(&table.budget, 2, pool));
        if !passages.is_empty() {
            let (all, listed) = (&wanted, &passages.clone());
            in_order(
                pool,
                Blocks::again(source),
                |block, worker: &mut Worker| {
                    let mut found = Found::default();
                    let info = table.info(block, source)?;
                    let documents = info.documents();
                    let is_shown = listed
                        .iter()
                        .any(|passage| documents.contains(&passage.source));
                    let has_sources = needed.places
                        && documents
                            .clone()
                            .any(|document| outcomes.is_source(document));
                    if !is_shown && !has_sources {
                        return Ok(found);
                    }
                    let rows = if needed.places {
                        all.within(documents)?
                    } else {
                        Vec::new()
                    };
                    let mut rows = rows.into_iter().map(Wanted::unpacked).peekable();
                    info.each_document(block, source, |document, at| {
                        let shown = listed
                            .iter()
                            .enumerate()
                            .filter(|(_, passage)| passage.source == document);
                        let is_needed = rows.peek().is_some_and(|row| row.cut.source == document);
                        if !is_needed && shown.clone().next().is_none() {
                            return Ok(());
                        }
                        let Worker {
                            read_scratch,
                            plain,
                        } = worker;
                        let record = source.same_record(block, at, read_scratch)?;
                        let text = record.text.decode(plain);
                        let units = TextUnits::places(text, config);
                        let mut count = CharCount::new(text);
                        while let Some(wanted) = rows.next_if(|row| row.cut.source == document) {
                            let place =
                                Located::new(units.span(wanted.cut.source_units()), &mut count);
                            found.places.push(place.packed(wanted.piece));
                        }
                        for (number, passage) in shown {
                            let Span { start, end } = units.span(passage.units.clone());
                            found
                                .texts
                                .push((number, Beginning::new(&text[start..end], needed.report)));
                        }
                        Ok(())
                    })?;
                    Ok(found)
                },
                |found: Found| {
                    Progress::new(Stage::Locating, source.read(), source.total()).tell(observer)?;
                    if let Some(places) = &mut places {
                        found
                            .places
                            .into_iter()
                            .try_for_each(|row| places.push(row))?;
                    }
                    for (number, Beginning { line, text, whole }) in found.texts {
                        let passage = &mut passages[number];
                        (passage.line, passage.beginning, passage.whole) = (line, text, whole);
                    }
                    Ok(())
                },
            )?;
        }
        drop(wanted);
        let mut scratch = Vec::new();
        let listed = passages.iter().take(LISTED).map(
            |Passage {
                 source,
                 documents,
                 tokens,
                 line,
                 ..
             }| {
                let id = raw(table.ids.get(*source, &mut scratch)?)?.to_owned();
                Ok(LargestSource {
                    id,
                    text: line.clone(),
                    documents: *documents,
                    tokens: *tokens,
                })
            },
        );
        let largest = listed.collect::<Result<_>>()?;
        let places = places
            .map(|places| Rows::sorted(places, &table.budget))
            .transpose()?;
        let by_place = (0..)
            .zip(&passages)
            .map(|(number, passage)| ((passage.source, passage.units.start), number))
            .collect();
        Ok(Self {
            places,
            largest,
            other_passages: all - passages.len() as u64,
            by_place,
            passages,
        })
    }

    /// Returns the number of the passage that keeps a piece of a document, if the report has it.
    pub(super) fn passage(&self, document: u64, cut: &Cut) -> Option<usize> {
        let units = cut.source_units();
        let (&(source, _), &number) = self
            .by_place
            .range(..=(cut.source, units.start))
            .next_back()?;
        let is_same = source == cut.source
            && source != document
            && units.end <= self.passages[number].units.end;
        is_same.then_some(number)
    }

    /// Returns whether the places were found.
    pub(super) fn has_places(&self) -> bool {
        self.places.is_some()
    }

    /// Creates locations whose places are added by [`restore`](Self::restore).
    pub(super) fn new(budget: &Arc<Budget>) -> Self {
        let (largest, passages) = (Vec::new(), Vec::new());
        Self {
            places: Some(Rows::new(budget)),
            largest,
            passages,
            other_passages: 0,
            by_place: BTreeMap::new(),
        }
    }

    /// Passes functions to `give` that write all locations, each of which appends a part to a record. The last part is the only one
    /// with passages.
    pub(super) fn save(
        &self,
        mut give: impl FnMut(&dyn Fn(&mut Vec<u8>)) -> Result<()>,
    ) -> Result<()> {
        if let Some(places) = &self.places {
            places.each_piece(|rows| {
                give(&|record| {
                    put(record, rows);
                    put::<u64>(record, &[]);
                })
            })?;
        }
        give(&|record| {
            put::<[u64; 5]>(record, &[]);
            put(
                record,
                &[self.largest.len() as u64, self.has_places().into()],
            );
            for LargestSource {
                id,
                text,
                documents,
                tokens,
            } in &self.largest
            {
                put_text(record, id.get());
                put_text(record, text);
                put(record, &[*documents, *tokens]);
            }
        })
    }

    /// Adds a part. Returns whether it was the last one, or `None` if the record does not contain a part.
    pub(super) fn restore(&mut self, record: &mut Taken) -> Result<Option<bool>> {
        let (Some(rows), Some(last)) = (record.many::<[u64; 5]>(), record.many::<u64>()) else {
            return Ok(None);
        };
        self.places
            .as_mut()
            .map_or(Ok(()), |places| places.append(&rows))?;
        let [listed, has_places] = match *last {
            [] => return Ok(Some(false)),
            [listed, has_places] => [listed, has_places],
            _ => return Ok(None),
        };
        let source = |_| {
            let (id, text) = (RawValue::from_string(record.text()?).ok()?, record.text()?);
            let [documents, tokens] = record.some()?;
            Some(LargestSource {
                id,
                text,
                documents,
                tokens,
            })
        };
        let Some(largest) = (0..listed).map(source).collect() else {
            return Ok(None);
        };
        self.largest = largest;
        if has_places == 0 {
            self.places = None;
        }
        Ok(Some(true))
    }

    /// Returns the places of those of some pieces whose source is another document, with the numbers of the pieces, in order.
    pub(super) fn of(&self, pieces: Range<u64>) -> Result<Vec<(u64, Located)>> {
        let rows = self
            .places
            .as_ref()
            .map_or(Ok(Vec::new()), |places| places.within(pieces))?;
        Ok(rows.into_iter().map(Located::unpacked).collect())
    }
}

/// Returns the pieces of all documents whose source is another document, ordered by it.
fn wanted(pass: Pass, outcomes: &Outcomes) -> Result<Rows<5>> {
    let Pass { table, pool, .. } = pass;
    let mut wanted = Sorter::new(&table.budget, 2, pool);
    for document in table.references.documents..table.documents {
        for (cut, piece) in outcomes
            .of(document)?
            .into_iter()
            .zip(outcomes.range(document))
        {
            if cut.source != document {
                wanted.push(
                    Wanted {
                        cut,
                        piece,
                        document,
                    }
                    .packed(),
                )?;
            }
        }
    }
    Rows::sorted(wanted, &table.budget)
}

/// Returns the passages that were cut most, and the number of all passages. Pieces of one source belong to one passage if they overlap
/// there.
fn largest(wanted: &Rows<5>, most: usize) -> Result<(Vec<Passage>, u64)> {
    let (mut largest, mut all): (Vec<Passage>, u64) = (Vec::new(), 0);
    let mut add = |passage: Option<Passage>, documents: &mut Vec<u64>| {
        let Some(mut passage) = passage else { return };
        all += 1;
        let at = largest.partition_point(|other| other.tokens >= passage.tokens);
        if at < most {
            documents.sort_unstable();
            documents.dedup();
            passage.documents = documents.len() as u64;
            passage.examples = documents[..documents.len().min(EXAMPLES)].to_vec();
            largest.insert(at, passage);
            largest.truncate(most);
        }
        documents.clear();
    };
    let (mut last, mut documents): (Option<Passage>, Vec<u64>) = (None, Vec::new());
    wanted.each(|row| {
        let Wanted { cut, document, .. } = Wanted::unpacked(*row);
        let (units, tokens) = (cut.source_units(), u64::from(cut.tokens));
        match last
            .as_mut()
            .filter(|last| last.source == cut.source && units.start < last.units.end)
        {
            Some(last) => {
                last.units.end = last.units.end.max(units.end);
                last.tokens += tokens;
            }
            None => {
                add(last.take(), &mut documents);
                last = Some(Passage::new(cut.source, units, tokens));
            }
        }
        documents.push(document);
        Ok(())
    })?;
    add(last, &mut documents);
    Ok((largest, all))
}

/// Returns the beginning of a passage on one line.
fn shortened(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
