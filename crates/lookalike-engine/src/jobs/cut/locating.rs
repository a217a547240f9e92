//! Finds where the sources of cuts are in their texts, and which passages were cut most.

use std::ops::Range;

use lookalike::{
    cut::{CutConfig, TextUnits},
    text::{CharCount, Span},
};
use lookalike_io::{
    error::Result,
    read::{Blocks, Scratch as ReadScratch},
};
use rayon::slice::ParallelSliceMut;

use super::{
    outcomes::{Cut, Outcomes},
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
}

/// A piece of a document, of which another document is the source.
#[derive(Debug, Clone, Copy)]
struct Wanted {
    piece: u64,
    document: u64,
    cut: Cut,
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
    /// For each piece whose source is another document; empty if no places are needed.
    places: Vec<Option<Located>>,
    /// The passages that were cut most.
    pub(super) largest: Vec<LargestSource>,
}

#[derive(Default)]
struct Found {
    places: Vec<(u64, Located)>,
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
    /// Reads the sources. The places are found only if they are `needed`. Cost: a pass over the inputs, if anything was cut; 80 bytes
    /// of memory for each piece.
    pub(super) fn find(pass: Pass, config: &CutConfig, outcomes: &Outcomes, needed: bool) -> Result<Self> {
        let Pass { source, table, pool, observer, .. } = pass;
        let wanted = wanted(pass, outcomes)?;
        let mut passages = largest(&wanted);
        let mut places: Vec<Option<Located>> = Vec::new();
        if needed {
            table.budget.hold(outcomes.len() as usize * size_of::<Option<Located>>());
            places.resize(outcomes.len() as usize, None);
        }
        if !passages.is_empty() {
            let (all, listed) = (&wanted, &passages.clone());
            in_order(
                pool,
                Blocks::again(source),
                |block, worker: &mut Worker| {
                    let mut found = Found::default();
                    table.info(block, source)?.each_document(block, source, |document, at| {
                        let shown = listed.iter().enumerate().filter(|(_, passage)| passage.source == document);
                        let is_needed = needed && outcomes.is_source(document);
                        if !is_needed && shown.clone().next().is_none() {
                            return Ok(());
                        }
                        let Worker { read_scratch, plain } = worker;
                        let record = source.same_record(block, at, read_scratch)?;
                        let text = record.text.decode(plain);
                        let units = TextUnits::places(text, config);
                        let mut count = CharCount::new(text);
                        if is_needed {
                            let first = all.partition_point(|wanted| wanted.cut.source < document);
                            for wanted in all[first..].iter().take_while(|wanted| wanted.cut.source == document) {
                                let span = units.span(wanted.cut.source_units());
                                found.places.push((wanted.piece, Located::new(span, &mut count)));
                            }
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
                    found.places.into_iter().for_each(|(piece, place)| places[piece as usize] = Some(place));
                    found.texts.into_iter().for_each(|(number, text)| passages[number].text = text);
                    Ok(())
                },
            )?;
        }
        table.budget.release(size_of_val(&*wanted));
        let mut scratch = Vec::new();
        let listed = passages.into_iter().map(|Passage { source, documents, tokens, text, .. }| {
            Ok(LargestSource { id: raw(table.ids.get(source, &mut scratch)?)?.to_owned(), text, documents, tokens })
        });
        Ok(Self { places, largest: listed.collect::<Result<_>>()? })
    }

    /// Returns the place of a piece in another document that is its source.
    pub(super) fn of(&self, piece: u64) -> Option<Located> {
        self.places.get(piece as usize).copied().flatten()
    }
}

/// Returns the pieces of all documents whose source is another document, ordered by it.
fn wanted(pass: Pass, outcomes: &Outcomes) -> Result<Vec<Wanted>> {
    let Pass { table, pool, .. } = pass;
    let mut wanted = Vec::new();
    for document in table.references.documents..table.documents {
        let cuts = outcomes.of(document)?.into_iter().zip(outcomes.range(document));
        let others = cuts.filter(|(cut, _)| cut.source != document);
        wanted.extend(others.map(|(cut, piece)| Wanted { piece, document, cut }));
    }
    table.budget.hold(size_of_val(&*wanted));
    pool.install(|| wanted.par_sort_unstable_by_key(|wanted| (wanted.cut.source, wanted.cut.source_start, wanted.piece)));
    Ok(wanted)
}

/// Returns the passages that were cut most. Pieces of one source belong to one passage if they overlap there.
fn largest(wanted: &[Wanted]) -> Vec<Passage> {
    let mut largest: Vec<Passage> = Vec::new();
    let mut documents: Vec<u64> = Vec::new();
    let mut add = |passage: Passage| {
        let at = largest.partition_point(|other| other.tokens >= passage.tokens);
        if at < LISTED {
            largest.insert(at, passage);
            largest.truncate(LISTED);
        }
    };
    let mut rest = wanted;
    while let Some(first) = rest.first() {
        let mut units = first.cut.source_units();
        let mut count = 0;
        for other in rest.iter().take_while(|other| other.cut.source == first.cut.source) {
            let own = other.cut.source_units();
            if own.start >= units.end {
                break;
            }
            units.end = units.end.max(own.end);
            count += 1;
        }
        let (parts, others) = rest.split_at(count);
        rest = others;
        documents.clear();
        documents.extend(parts.iter().map(|part| part.document));
        documents.sort_unstable();
        documents.dedup();
        let tokens = parts.iter().map(|part| u64::from(part.cut.tokens)).sum();
        add(Passage { source: first.cut.source, units, documents: documents.len() as u64, tokens, text: String::new() });
    }
    largest
}

/// Returns the beginning of a passage on one line.
fn shortened(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
