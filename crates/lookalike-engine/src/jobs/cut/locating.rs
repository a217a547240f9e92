//! Finds where the sources of cuts are in their texts, and which passages were cut most.

use std::ops::Range;

use lookalike::{
    cut::{CutConfig, TextUnits},
    text::{CharCount, Span},
};
use lookalike_io::{
    error::Result,
    read::{Blocks, Scratch as ReadScratch},
    spill::Sorter,
};

use super::{
    outcomes::{Cut, Outcomes},
    sorted::Rows,
    summary::LargestSource,
};
use crate::{
    config::{Progress, Stage},
    matching::sets::Pass,
    pass::parallel::{Weigh, in_order},
    sketching::ids::raw,
};

/// The number of passages that the summary lists.
const LISTED: usize = 10;

/// The number of characters of a passage that the summary shows.
const SHOWN: usize = 80;

/// A place in a text, in bytes and in characters.
#[derive(Debug, Clone, Copy)]
pub(super) struct Located {
    pub(super) bytes: Span,
    pub(super) characters: Span,
}

impl Located {
    pub(super) fn new(bytes: Span, count: &mut CharCount) -> Self {
        Self { bytes, characters: count.span(bytes) }
    }

    fn packed(&self, piece: u64) -> [u64; 5] {
        let numbers = [self.bytes.start, self.bytes.end, self.characters.start, self.characters.end];
        let [a, b, c, d] = numbers.map(|number| number as u64);
        [piece, a, b, c, d]
    }

    fn unpacked([piece, a, b, c, d]: [u64; 5]) -> (u64, Self) {
        let span = |start, end| Span { start: start as usize, end: end as usize };
        (piece, Self { bytes: span(a, b), characters: span(c, d) })
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
        let Cut { source, source_start, start, end, tokens } = self.cut;
        let place = u64::from(source_start) << 32 | u64::from(end - start);
        [source, place, self.piece, self.document, u64::from(tokens)]
    }

    /// Returns the piece, with the units of its source instead of its own.
    fn unpacked([source, place, piece, document, tokens]: [u64; 5]) -> Self {
        let (start, length) = ((place >> 32) as u32, place as u32);
        Self { cut: Cut { source, source_start: start, start, end: start + length, tokens: tokens as u32 }, piece, document }
    }
}

/// A passage of a source, of which several documents lost parts.
#[derive(Debug, Clone)]
struct Passage {
    source: u64,
    units: Range<usize>,
    documents: u64,
    tokens: u64,
    text: String,
}

/// The places of the sources of all pieces.
pub(super) struct Locations {
    /// For each piece whose source is another document, its number and the place; none if no places are needed.
    places: Option<Rows<5>>,
    /// The passages that were cut most.
    pub(super) largest: Vec<LargestSource>,
}

#[derive(Default)]
struct Found {
    places: Vec<[u64; 5]>,
    texts: Vec<(usize, String)>,
}

impl Weigh for Found {
    fn weight(&self) -> usize {
        self.places.weight() + self.texts.weight()
    }
}

#[derive(Default)]
struct Worker {
    read_scratch: ReadScratch,
    plain: String,
}

impl Locations {
    /// Reads the sources. The places are found only if they are `needed`. Cost: a pass over the inputs, if anything was cut; 40 bytes
    /// for each piece, and 40 more for its place if it is needed, which may go to temporary files.
    pub(super) fn find(pass: Pass, config: &CutConfig, outcomes: &Outcomes, needed: bool) -> Result<Self> {
        let Pass { source, table, pool, observer, .. } = pass;
        let wanted = wanted(pass, outcomes)?;
        let mut passages = largest(&wanted)?;
        let mut places = needed.then(|| Sorter::new(&table.budget, 2, pool));
        if !passages.is_empty() {
            let (all, listed) = (&wanted, &passages.clone());
            in_order(
                pool,
                Blocks::again(source),
                |block, worker: &mut Worker| {
                    let mut found = Found::default();
                    let info = table.info(block, source)?;
                    let documents = info.documents();
                    let is_shown = listed.iter().any(|passage| documents.contains(&passage.source));
                    let has_sources = needed && documents.clone().any(|document| outcomes.is_source(document));
                    if !is_shown && !has_sources {
                        return Ok(found);
                    }
                    let rows = if needed { all.within(documents)? } else { Vec::new() };
                    let mut rows = rows.into_iter().map(Wanted::unpacked).peekable();
                    info.each_document(block, source, |document, at| {
                        let shown = listed.iter().enumerate().filter(|(_, passage)| passage.source == document);
                        let is_needed = rows.peek().is_some_and(|row| row.cut.source == document);
                        if !is_needed && shown.clone().next().is_none() {
                            return Ok(());
                        }
                        let Worker { read_scratch, plain } = worker;
                        let record = source.same_record(block, at, read_scratch)?;
                        let text = record.text.decode(plain);
                        let units = TextUnits::places(text, config);
                        let mut count = CharCount::new(text);
                        while let Some(wanted) = rows.next_if(|row| row.cut.source == document) {
                            let place = Located::new(units.span(wanted.cut.source_units()), &mut count);
                            found.places.push(place.packed(wanted.piece));
                        }
                        for (number, passage) in shown {
                            let Span { start, end } = units.span(passage.units.clone());
                            found.texts.push((number, shortened(&text[start..end])));
                        }
                        Ok(())
                    })?;
                    Ok(found)
                },
                |found: Found| {
                    Progress::new(Stage::Locating, source.read(), source.total()).tell(observer)?;
                    if let Some(places) = &mut places {
                        found.places.into_iter().try_for_each(|row| places.push(row))?;
                    }
                    found.texts.into_iter().for_each(|(number, text)| passages[number].text = text);
                    Ok(())
                },
            )?;
        }
        drop(wanted);
        let mut scratch = Vec::new();
        let listed = passages.into_iter().map(|Passage { source, documents, tokens, text, .. }| {
            Ok(LargestSource { id: raw(table.ids.get(source, &mut scratch)?)?.to_owned(), text, documents, tokens })
        });
        let largest = listed.collect::<Result<_>>()?;
        Ok(Self { places: places.map(|places| Rows::sorted(places, &table.budget)).transpose()?, largest })
    }

    /// Returns the places of those of some pieces whose source is another document, with the numbers of the pieces, in order.
    pub(super) fn of(&self, pieces: Range<u64>) -> Result<Vec<(u64, Located)>> {
        let rows = self.places.as_ref().map_or(Ok(Vec::new()), |places| places.within(pieces))?;
        Ok(rows.into_iter().map(Located::unpacked).collect())
    }
}

/// Returns the pieces of all documents whose source is another document, ordered by it.
fn wanted(pass: Pass, outcomes: &Outcomes) -> Result<Rows<5>> {
    let Pass { table, pool, .. } = pass;
    let mut wanted = Sorter::new(&table.budget, 2, pool);
    for document in table.references.documents..table.documents {
        for (cut, piece) in outcomes.of(document)?.into_iter().zip(outcomes.range(document)) {
            if cut.source != document {
                wanted.push(Wanted { cut, piece, document }.packed())?;
            }
        }
    }
    Rows::sorted(wanted, &table.budget)
}

/// Returns the passages that were cut most. Pieces of one source belong to one passage if they overlap there.
fn largest(wanted: &Rows<5>) -> Result<Vec<Passage>> {
    let mut largest: Vec<Passage> = Vec::new();
    let mut add = |passage: Option<Passage>, documents: &mut Vec<u64>| {
        let Some(mut passage) = passage else { return };
        let at = largest.partition_point(|other| other.tokens >= passage.tokens);
        if at < LISTED {
            documents.sort_unstable();
            documents.dedup();
            passage.documents = documents.len() as u64;
            largest.insert(at, passage);
            largest.truncate(LISTED);
        }
        documents.clear();
    };
    let (mut last, mut documents): (Option<Passage>, Vec<u64>) = (None, Vec::new());
    wanted.each(|row| {
        let Wanted { cut, document, .. } = Wanted::unpacked(*row);
        let (units, tokens) = (cut.source_units(), u64::from(cut.tokens));
        match last.as_mut().filter(|last| last.source == cut.source && units.start < last.units.end) {
            Some(last) => {
                last.units.end = last.units.end.max(units.end);
                last.tokens += tokens;
            }
            None => {
                add(last.take(), &mut documents);
                last = Some(Passage { source: cut.source, units, documents: 0, tokens, text: String::new() });
            }
        }
        documents.push(document);
        Ok(())
    })?;
    add(last, &mut documents);
    Ok(largest)
}

/// Returns the beginning of a passage on one line.
fn shortened(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
