//! Judges the removed documents: is there a kept document that is similar?

use lookalike::{eval::choose_sample, sketch::Estimate};
use serde::Serialize;

use super::{
    bars::{Bars, SimilarityBar},
    comparing::Probed,
    matching::{Found, Nearest},
    result::{NONE, Outcome},
};

/// Why a removal is justified or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// A kept document reaches the threshold: the removal is justified.
    Similar,
    /// Only documents that were removed, too, reach the threshold.
    Chained,
    /// No document reaches the threshold.
    NotSimilar,
    /// The document has no text. Documents without text are not compared, so such a removal is neither justified nor wrong.
    Empty,
    /// The candidate search found no similar kept document, and the document is not in the sample that was compared exactly.
    Unchecked,
}

impl Cause {
    /// Returns whether the removal is justified, if this is known.
    pub(super) fn is_justified(self) -> Option<bool> {
        match self {
            Self::Similar => Some(true),
            Self::Chained | Self::NotSimilar => Some(false),
            Self::Empty | Self::Unchecked => None,
        }
    }
}

/// A removed document.
#[derive(Debug, Clone, Copy)]
pub(super) struct Removal {
    pub(super) document: u32,
    pub(super) cause: Cause,
    /// The most similar kept document. For a removal that is not checked, the similarity is unknown.
    pub(super) nearest: Nearest,
    /// The similarity to the document that the result keeps instead, if it names one.
    pub(super) to_named: Option<f64>,
}

/// The removed documents, and which of them are compared with all documents.
pub(super) struct Removed {
    documents: Vec<u32>,
    /// For each of these documents, what the candidate search found.
    nearest: Vec<Nearest>,
    /// The numbers of the documents for which it found nothing.
    unmatched: Vec<u32>,
    /// The documents of these that are compared with all documents, sorted.
    pub(super) checked: Vec<u32>,
}

impl Removed {
    pub(super) fn new(
        outcome: &Outcome,
        found: &mut Found,
        threshold: f64,
        most: u32,
        seed: u64,
    ) -> Self {
        let is_removed = |document: &u32| outcome.removed[*document as usize];
        let documents: Vec<u32> = (0..outcome.removed.len() as u32)
            .filter(is_removed)
            .collect();
        let nearest = std::mem::take(&mut found.nearest);
        let lacks = |(&document, nearest): (&u32, &Nearest)| {
            !found.empty[document as usize] && nearest.similarity < threshold
        };
        let unmatched: Vec<u32> = (0u32..)
            .zip(documents.iter().zip(&nearest))
            .filter(|(_, row)| lacks(*row))
            .map(|(number, _)| number)
            .collect();
        let sample = choose_sample(unmatched.len() as u32, most, seed);
        let checked = sample
            .into_iter()
            .map(|at| documents[unmatched[at as usize] as usize])
            .collect();
        Self {
            documents,
            nearest,
            unmatched,
            checked,
        }
    }

    /// Returns the removed documents with text for which the result names another document, with that document.
    pub(super) fn named<'a>(
        &'a self,
        outcome: &'a Outcome,
        found: &'a Found,
    ) -> impl Iterator<Item = (u32, u32)> + 'a {
        let named = |document: u32| {
            outcome
                .named
                .get(document as usize)
                .copied()
                .filter(|&other| other != NONE)
        };
        let with_text = self
            .documents
            .iter()
            .copied()
            .filter(|&document| !found.empty[document as usize]);
        with_text.filter_map(move |document| Some((document, named(document)?)))
    }

    /// Judges all removals, in input order. `probed` has what was found for a checked document, and `to_named` the similarities of
    /// [`named`](Self::named) documents, in the same order.
    pub(super) fn judge(
        &self,
        (outcome, found): (&Outcome, &Found),
        threshold: f64,
        probed: impl Fn(u32) -> Option<Probed>,
        to_named: &[f64],
    ) -> Vec<Removal> {
        let mut named = self.named(outcome, found).zip(to_named).peekable();
        let judge = |(&document, &nearest): (&u32, &Nearest)| {
            let (mut nearest, mut is_chained, mut is_checked) =
                (nearest, false, nearest.similarity >= threshold);
            if let Some(probed) = probed(document) {
                (is_chained, is_checked) = (probed.is_chained, true);
                nearest.improve(probed.nearest);
            }
            let to_named =
                named
                    .next_if(|((of, _), _)| *of == document)
                    .map(|((_, other), &similarity)| {
                        // The document that the result names may have been removed itself.
                        if !outcome.removed[other as usize] {
                            nearest.improve(Nearest {
                                similarity,
                                document: if similarity > 0.0 { other } else { NONE },
                            });
                        }
                        similarity
                    });
            let cause = match (
                found.empty[document as usize],
                nearest.similarity >= threshold,
            ) {
                (true, _) => Cause::Empty,
                (_, true) => Cause::Similar,
                _ if !is_checked => Cause::Unchecked,
                _ if is_chained => Cause::Chained,
                _ => Cause::NotSimilar,
            };
            Removal {
                document,
                cause,
                nearest,
                to_named,
            }
        };
        self.documents
            .iter()
            .zip(&self.nearest)
            .map(judge)
            .collect()
    }
}

/// How many removals are justified, and why the others are not.
#[derive(Debug, Clone, Serialize)]
pub struct RemovalFigures {
    /// Removed documents that have text. The other counts add up to this number.
    pub removed: u64,
    /// Removed documents without text.
    pub empty: u64,
    /// Removed documents with a similar kept document.
    pub justified: u64,
    /// Removed documents that are similar only to documents that were removed, too.
    pub chained: u64,
    /// Removed documents that are not similar to any document.
    pub not_similar: u64,
    /// Removed documents of which only a sample was compared exactly, without the sample.
    pub unchecked: u64,
    /// Removed documents for which the candidate search found no similar kept document.
    pub unmatched: u64,
    /// The number of these that were compared with all documents, exactly.
    pub checked: u64,
    /// The share of the removed documents that is justified. `None` if no document with text was removed.
    pub justified_share: Option<Estimate>,
    /// The share of the removed documents that is chained.
    pub chained_share: Option<Estimate>,
    /// The share of the removed documents that is not similar to any document.
    pub not_similar_share: Option<Estimate>,
    /// Removed documents by their similarity to the most similar kept document. Unchecked documents are not counted.
    pub by_similarity: Vec<SimilarityBar>,
    /// The documents that the result keeps instead; `None` if it names none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub named: Option<NamedFigures>,
}

/// The documents that a result keeps instead of the removed ones.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct NamedFigures {
    /// Removed documents for which the result names another document.
    pub removed: u64,
    /// The number of these for which the other document is similar.
    pub similar: u64,
    /// The number of these for which the other document was removed itself.
    pub removed_too: u64,
}

impl RemovalFigures {
    pub(super) fn new(
        removals: &[Removal],
        removed: &Removed,
        outcome: &Outcome,
        threshold: f64,
    ) -> Self {
        let count = |cause: Cause| {
            removals
                .iter()
                .filter(|removal| removal.cause == cause)
                .count() as u64
        };
        let [justified, chained, not_similar, empty, unchecked] = [
            Cause::Similar,
            Cause::Chained,
            Cause::NotSimilar,
            Cause::Empty,
            Cause::Unchecked,
        ]
        .map(count);
        let with_text = removals.len() as u64 - empty;
        let (unmatched, checked) = (removed.unmatched.len() as u64, removed.checked.len() as u64);
        // The documents in the sample represent those that were not checked, except documents that are similar to the kept document that
        // the result names: for these, no check is needed.
        let needs_check = |removal: &&Removal| {
            let named = outcome
                .named
                .get(removal.document as usize)
                .copied()
                .filter(|&named| named != NONE);
            let is_similar = removal
                .to_named
                .is_some_and(|similarity| similarity >= threshold);
            !(is_similar && named.is_some_and(|named| !outcome.removed[named as usize]))
        };
        let is_sampled =
            |removal: &&Removal| removed.checked.binary_search(&removal.document).is_ok();
        let sampled: Vec<Cause> = removals
            .iter()
            .filter(is_sampled)
            .filter(needs_check)
            .map(|removal| removal.cause)
            .collect();
        let share = |cause: Cause, count: u64| {
            if with_text == 0 {
                return None;
            }
            let whole = with_text as f64;
            if unchecked == 0 {
                return Some(Estimate::exact(count as f64 / whole));
            }
            let hits = sampled.iter().filter(|of| **of == cause).count() as u64;
            let share = Estimate::of_share(hits, sampled.len() as u64);
            Some(share.map(|share| (count as f64 + share * unchecked as f64) / whole))
        };
        let mut bars = Bars::default();
        let is_known =
            |removal: &&Removal| !matches!(removal.cause, Cause::Empty | Cause::Unchecked);
        removals
            .iter()
            .filter(is_known)
            .for_each(|removal| bars.add(removal.nearest.similarity));
        let named = (!outcome.named.is_empty()).then(|| {
            let mut figures = NamedFigures::default();
            for (removal, similarity) in removals
                .iter()
                .filter_map(|removal| Some((removal, removal.to_named?)))
            {
                let other = outcome.named[removal.document as usize];
                figures.removed += 1;
                figures.similar += u64::from(similarity >= threshold);
                figures.removed_too += u64::from(outcome.removed[other as usize]);
            }
            figures
        });
        Self {
            removed: with_text,
            empty,
            justified,
            chained,
            not_similar,
            unchecked,
            unmatched,
            checked,
            justified_share: share(Cause::Similar, justified),
            chained_share: share(Cause::Chained, chained),
            not_similar_share: share(Cause::NotSimilar, not_similar),
            by_similarity: bars.from(0.0),
            named,
        }
    }
}
