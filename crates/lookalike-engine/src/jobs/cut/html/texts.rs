//! Reads the documents of the page, and quotes the places where what was cut out of them is kept.

use std::collections::{BTreeMap, HashMap, HashSet};

use lookalike::{
    cut::{TextUnits, edits},
    text::Span,
};
use lookalike_io::{
    error::Result,
    read::{Blocks, Scratch as ReadScratch},
};

use super::super::{emit::Emitting, outcomes::Cut, reported::CutPlace};
use crate::{
    config::{Progress, Stage},
    pass::parallel::{Weigh, in_order},
    reporting::texts::{LONGEST, beginning},
};

/// The maximum number of cuts of a document. The text ends before the next one.
const CUTS: usize = 100;

/// The maximum number of bytes of all texts and quotes before they are compressed.
const HELD: usize = 16 << 20;

/// The numbers of characters of a quote, and of what is before and after it.
const QUOTED: usize = 300;
const AROUND: usize = 60;

/// A document of the page.
pub(super) struct Shown {
    pub(super) document: u64,
    /// The text, or its beginning.
    pub(super) text: String,
    /// The length of the whole text in characters, if only its beginning is shown.
    pub(super) whole: Option<u64>,
    /// The cuts in this text, with the numbers of their pieces and the pieces themselves.
    pub(super) cuts: Vec<(u64, Cut, CutPlace)>,
    /// The number of tokens that are cut out of the whole text.
    pub(super) tokens: u64,
}

impl Shown {
    fn size(&self) -> usize {
        self.text.len()
            + self.cuts.len() * (size_of::<(u64, Cut, CutPlace)>() + QUOTED + 2 * AROUND)
    }
}

/// A quote: what is before the kept words, these words, and what is after them.
pub(super) type Quote = [String; 3];

/// The documents in input order, and the quotes by the numbers of pieces.
pub(super) type Texts = (Vec<Shown>, HashMap<u64, Quote>);

#[derive(Default)]
struct Found {
    shown: Vec<Shown>,
    quotes: Vec<(u64, Quote)>,
}

impl Weigh for Found {
    fn weight(&self) -> usize {
        let quotes = self
            .quotes
            .iter()
            .flat_map(|(_, quote)| quote)
            .map(String::capacity)
            .sum::<usize>();
        self.shown.iter().map(Shown::size).sum::<usize>() + quotes
    }
}

#[derive(Default)]
struct Worker {
    read_scratch: ReadScratch,
    plain: String,
    id: Vec<u8>,
}

/// Reads the chosen documents; those that are less important are left out if they are too large together. Cost: a pass over the inputs.
pub(super) fn read(emitting: &Emitting, chosen: &HashMap<u64, u32>) -> Result<Texts> {
    let outcomes = emitting.outcomes;
    // For each source, the pieces that it keeps.
    let mut kept: BTreeMap<u64, Vec<(u64, Cut)>> = BTreeMap::new();
    for &document in chosen.keys() {
        for (piece, cut) in outcomes
            .range(document)
            .zip(outcomes.of(document)?)
            .take(CUTS)
        {
            kept.entry(cut.source).or_default().push((piece, cut));
        }
    }
    let pass = emitting.pass;
    let mut quotes = HashMap::new();
    // Pieces of documents that are left out.
    let mut left_out: HashSet<u64> = HashSet::new();
    let (mut by_importance, mut held): (BTreeMap<u32, Shown>, usize) = (BTreeMap::new(), 0);
    in_order(
        pass.pool,
        Blocks::again(pass.source),
        |block, worker: &mut Worker| {
            let mut found = Found::default();
            let info = pass.table.info(block, pass.source)?;
            let is_needed =
                |document: &u64| chosen.contains_key(document) || kept.contains_key(document);
            if !info.documents().any(|document| is_needed(&document)) {
                return Ok(found);
            }
            let Worker {
                read_scratch,
                plain,
                id,
            } = worker;
            info.each_document(block, pass.source, |document, at| {
                if !is_needed(&document) {
                    return Ok(());
                }
                let record = pass.source.same_record(block, at, read_scratch)?;
                let text = record.text.decode(plain);
                let units = TextUnits::places(text, emitting.config);
                for (piece, cut) in kept.get(&document).into_iter().flatten() {
                    found
                        .quotes
                        .push((*piece, quote(text, units.span(cut.source_units()))));
                }
                if chosen.contains_key(&document) {
                    let own = outcomes.of(document)?;
                    let edits = edits(text, &units, own.iter().map(Cut::units), emitting.config);
                    let places =
                        emitting.cuts(document, &own, (text, &units, &edits), (true, id))?;
                    found.shown.push(shown(
                        (document, text),
                        outcomes.range(document).start,
                        &own,
                        places,
                    ));
                }
                Ok(())
            })?;
            Ok(found)
        },
        |found: Found| {
            Progress::new(Stage::Locating, pass.source.read(), pass.source.total())
                .tell(pass.observer)?;
            quotes.extend(
                found
                    .quotes
                    .into_iter()
                    .filter(|(piece, _)| !left_out.contains(piece)),
            );
            for shown in found.shown {
                held += shown.size();
                by_importance.insert(
                    chosen.get(&shown.document).copied().unwrap_or_default(),
                    shown,
                );
                while held > HELD && by_importance.len() > 1 {
                    let Some((_, last)) = by_importance.pop_last() else {
                        break;
                    };
                    held -= last.size();
                    for piece in outcomes.range(last.document).take(CUTS) {
                        quotes.remove(&piece);
                        left_out.insert(piece);
                    }
                }
            }
            Ok(())
        },
    )?;
    let mut documents: Vec<Shown> = by_importance.into_values().collect();
    documents.sort_unstable_by_key(|shown| shown.document);
    Ok((documents, quotes))
}

/// Returns a document with its cuts, of which the first is the piece with this number.
fn shown((document, text): (u64, &str), first: u64, own: &[Cut], places: Vec<CutPlace>) -> Shown {
    let (shown, whole) = beginning(
        text,
        LONGEST.min(places.get(CUTS).map_or(text.len(), |next| next.start_byte)),
    );
    let end = shown.len();
    let cuts = (first..)
        .zip(own)
        .zip(places)
        .map(|((piece, cut), place)| (piece, *cut, place));
    Shown {
        document,
        text: shown,
        whole,
        cuts: cuts
            .take(CUTS)
            .filter(|(_, _, place)| place.start_byte < end)
            .collect(),
        tokens: own.iter().map(|cut| u64::from(cut.tokens)).sum(),
    }
}

/// Returns a part of a text with its surroundings, which begin and end between words.
fn quote(text: &str, Span { start, end }: Span) -> Quote {
    let words = &text[start..end];
    match words.char_indices().nth(QUOTED) {
        Some((shown, _)) => [
            last_words(&text[..start]),
            format!("{}…", &words[..shown]),
            String::new(),
        ],
        None => [
            last_words(&text[..start]),
            words.into(),
            first_words(&text[end..]),
        ],
    }
}

fn last_words(text: &str) -> String {
    let Some((start, _)) = text.char_indices().rev().nth(AROUND - 1) else {
        return text.into();
    };
    text[start..]
        .split_once(char::is_whitespace)
        .map_or(&text[start..], |(_, words)| words)
        .into()
}

fn first_words(text: &str) -> String {
    let Some((end, _)) = text.char_indices().nth(AROUND) else {
        return text.into();
    };
    text[..end]
        .rsplit_once(char::is_whitespace)
        .map_or(&text[..end], |(words, _)| words)
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_end_between_characters() {
        let text = format!("{}漢字é{}", "é".repeat(70), "😀".repeat(400));
        let start = text.find('漢').unwrap();
        let [before, words, after] = quote(
            &text,
            Span {
                start,
                end: start + 6,
            },
        );
        assert_eq!(
            (before.chars().count(), &*words, after.chars().count()),
            (AROUND, "漢字", AROUND)
        );
        let [before, words, after] = quote(
            &text,
            Span {
                start: 0,
                end: text.len(),
            },
        );
        assert_eq!(
            (&*before, words.chars().count(), &*after),
            ("", QUOTED + 1, "")
        );
        let text = format!("{} and b c d {}", "a".repeat(60), "e".repeat(60));
        let start = text.find('c').unwrap();
        assert_eq!(
            quote(
                &text,
                Span {
                    start,
                    end: start + 1
                }
            ),
            ["and b ", "c", " d"]
        );
    }
}
