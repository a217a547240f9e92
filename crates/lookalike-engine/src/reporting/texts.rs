//! Reads the texts that a report shows, and counts documents by input and by label, in one pass.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use lookalike::shown::escaped;
use lookalike_io::{
    error::Result,
    read::{Blocks, Scratch, Source, each_block},
    spill::places::Places,
    store::shown_name,
    write::plain,
};
use lookalike_report::Counts;

use crate::{config::RunConfig, numbers::Document};

/// The maximum number of bytes of a text. The page says which texts are cut.
pub(crate) const LONGEST: usize = 64 << 10;

/// The maximum number of bytes of all texts that are in memory before they are compressed.
const HELD: usize = 64 << 20;

/// The maximum number of values of a property that are counted separately in the page.
const VALUES: usize = 40;

/// The maximum number of different labels that are counted, and the maximum number of bytes of a label.
const LABELS: usize = 1 << 17;
const LABEL: usize = 256;

/// A text in the report.
pub(super) struct Shown {
    pub(super) text: String,
    /// The length of the whole text in characters, if only its beginning is in the report.
    pub(super) whole: Option<u64>,
}

/// Returns a text, or its beginning if it has more than `most` bytes, and then also the length of the whole text in characters.
pub(crate) fn beginning(text: &str, most: usize) -> (String, Option<u64>) {
    let end = text.floor_char_boundary(most);
    (
        text[..end].into(),
        (end < text.len()).then(|| text.chars().count() as u64),
    )
}

/// What the pass over the inputs found.
pub(super) struct Found {
    /// The wanted texts; those that came last in the order of importance are missing if there are too many.
    pub(super) texts: HashMap<Document, Shown>,
    /// Counts by input and by label.
    pub(super) counts: Vec<Counts>,
    /// The labels of the listed documents.
    pub(super) labels: HashMap<Document, String>,
}

/// Kept and dropped documents by the value of a property, with the order in which values were found.
#[derive(Default)]
struct Counting {
    numbers: HashMap<String, usize>,
    rows: Vec<(String, [u64; 2])>,
    others: [u64; 2],
}

impl Counting {
    fn add(&mut self, value: &str, dropped: bool) {
        let number = match self.numbers.get(value) {
            Some(&number) => number,
            None if self.rows.len() >= LABELS => {
                self.others[usize::from(dropped)] += 1;
                return;
            }
            None => {
                self.numbers.insert(value.into(), self.rows.len());
                self.rows.push((value.into(), [0; 2]));
                self.rows.len() - 1
            }
        };
        self.rows[number].1[usize::from(dropped)] += 1;
    }

    fn finish(mut self, field: Option<String>) -> Counts {
        self.rows
            .sort_by_key(|(_, [kept, dropped])| std::cmp::Reverse(kept + dropped));
        for (_, [kept, dropped]) in self.rows.drain(VALUES.min(self.rows.len())..) {
            self.others[0] += kept;
            self.others[1] += dropped;
        }
        let (mut values, mut kept, mut dropped) = (Vec::new(), Vec::new(), Vec::new());
        for (value, [of_kept, of_dropped]) in self.rows {
            values.push(value);
            kept.push(of_kept);
            dropped.push(of_dropped);
        }
        Counts {
            field,
            values,
            kept,
            dropped,
            others: self.others,
        }
    }
}

/// Texts in memory. If they are too many, those that are less important are removed.
struct Held<'a> {
    wanted: &'a HashMap<Document, u32>,
    by_importance: BTreeMap<u32, Document>,
    texts: HashMap<Document, Shown>,
    bytes: usize,
}

impl Held<'_> {
    fn add(&mut self, document: Document, text: &str) {
        let Some(&importance) = self.wanted.get(&document) else {
            return;
        };
        if self.bytes >= HELD
            && self
                .by_importance
                .last_key_value()
                .is_some_and(|(&last, _)| importance > last)
        {
            return;
        }
        let (text, whole) = beginning(text, LONGEST);
        self.bytes += text.len();
        self.texts.insert(document, Shown { text, whole });
        self.by_importance.insert(importance, document);
        while self.bytes > HELD {
            let Some((_, last)) = self.by_importance.pop_last() else {
                break;
            };
            self.bytes -= self.texts.remove(&last).map_or(0, |shown| shown.text.len());
        }
    }
}

/// Reads the inputs. `wanted` has the importance of each wanted text; the smallest number is the most important.
pub(super) fn read(
    config: &RunConfig,
    source: &Source,
    wanted: &HashMap<Document, u32>,
    listed: &BTreeSet<Document>,
    (references, is_dropped): (u64, Option<&Places>),
) -> Result<Found> {
    let mut held = Held {
        wanted,
        by_importance: BTreeMap::new(),
        texts: HashMap::new(),
        bytes: 0,
    };
    let (mut inputs, mut values, mut labels) =
        (Counting::default(), Counting::default(), HashMap::new());
    let (mut scratch, mut plain_text) = (Scratch::default(), String::new());
    let mut document = Document(0);
    let names: Vec<String> = source
        .inputs()
        .iter()
        .map(|input| shown_name(&input.name()))
        .collect();
    each_block(Blocks::new(source), |block, first_line| {
        for at in 0..block.len() {
            let record = match block.record(at, source.reading_of(block.part), &mut scratch) {
                Ok(Some(record)) => record,
                Ok(None) => continue,
                Err(_) if config.skip_bad.is_some() => continue,
                Err(fault) => {
                    return Err(fault.at_place(source.place(block.part, first_line + at as u64)));
                }
            };
            if document.0 >= references {
                let dropped = is_dropped.is_some_and(|dropped| dropped.contains(document.0));
                inputs.add(&names[source.parts()[block.part].input()], dropped);
                if config.label_field.is_some() {
                    let (label, _) = beginning(&plain(record.label), LABEL);
                    values.add(&escaped(&label), dropped);
                    if !label.is_empty() && listed.contains(&document) {
                        labels.insert(document, label);
                    }
                }
            }
            if wanted.contains_key(&document) {
                held.add(document, record.text.decode(&mut plain_text));
            }
            document.0 += 1;
        }
        Ok(true)
    })?;
    let mut counts = vec![inputs.finish(None)];
    counts.extend(
        config
            .label_field
            .clone()
            .map(|field| values.finish(Some(field))),
    );
    Ok(Found {
        texts: held.texts,
        counts,
        labels,
    })
}
