//! Chooses the documents of the page.

use std::{
    cmp::Reverse,
    collections::{BTreeSet, HashMap},
    ops::Range,
};

use lookalike::fingerprint::finish;
use lookalike_io::error::Result;

use super::super::{locating::Passage, outcomes::Outcomes};

/// The number of documents that lost most, and of documents that are chosen at random.
const MOST: usize = 50;
const SPREAD: usize = 300;

/// Returns the chosen documents with their importance; the smallest number is the most important. They are examples of each passage,
/// documents that lost most, and others in the order of a hash, so that the choice does not depend on the place in the input.
pub(super) fn chosen(
    outcomes: &Outcomes,
    documents: Range<u64>,
    passages: &[Passage],
) -> Result<HashMap<u64, u32>> {
    let (mut most, mut spread) = (BTreeSet::new(), BTreeSet::new());
    for document in documents.filter(|&document| outcomes.is_changed(document)) {
        let tokens: u64 = outcomes
            .of(document)?
            .iter()
            .map(|cut| u64::from(cut.tokens))
            .sum();
        most.insert((tokens, Reverse(document)));
        if most.len() > MOST {
            most.pop_first();
        }
        spread.insert((finish(document), document));
        if spread.len() > SPREAD {
            spread.pop_last();
        }
    }
    let examples = passages
        .iter()
        .flat_map(|passage| passage.examples.iter().copied());
    let most = most.into_iter().rev().map(|(_, document)| document.0);
    let mut chosen = HashMap::new();
    for document in examples
        .chain(most)
        .chain(spread.into_iter().map(|(_, document)| document))
    {
        let next = chosen.len() as u32;
        chosen.entry(document).or_insert(next);
    }
    Ok(chosen)
}
