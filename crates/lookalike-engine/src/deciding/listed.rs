//! Applies the law to a list of matches.

use lookalike::cluster::Best;
use lookalike_io::{error::Result, write::Likeness};

use crate::{
    numbers::Contender,
    pairing::verdicts::{Verdict, Verdicts},
};

/// Two documents that match. The later one in keep order is dropped if the earlier one is kept.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Match {
    pub(crate) later: Contender,
    pub(crate) earlier: Contender,
    /// The figures of the later document and the earlier one. Their resemblance is known.
    pub(crate) likeness: Likeness,
}

/// The verdicts, and for each contender its likeness to its representative.
pub(crate) struct Decided {
    pub(crate) verdicts: Verdicts,
    pub(crate) likenesses: Vec<Likeness>,
}

impl Decided {
    pub(crate) fn all_kept(numbers: u32) -> Self {
        Self {
            verdicts: Verdicts::all_kept(numbers),
            likenesses: vec![Likeness::Same; numbers as usize],
        }
    }

    /// Drops a document for a kept one.
    pub(crate) fn drop(&mut self, document: Contender, kept: Contender, likeness: Likeness) {
        self.verdicts.set(document, Verdict::dropped(kept, None));
        self.likenesses[document.index()] = likeness;
    }

    pub(crate) fn is_kept(&self, document: Contender) -> bool {
        self.verdicts.of(document).representative().is_none()
    }
}

/// Decides about all contenders in keep order. The matches are sorted by the later document. If a pair is listed several times, its
/// greatest similarity counts.
pub(crate) fn decide_listed(
    numbers: u32,
    matches: impl Iterator<Item = Result<Match>>,
) -> Result<Decided> {
    let mut decided = Decided::all_kept(numbers);
    let mut best: Option<(Contender, Best)> = None;
    for found in matches {
        let Match {
            later,
            earlier,
            likeness,
        } = found?;
        if !decided.is_kept(earlier) {
            continue;
        }
        let own = Best {
            document: earlier.0,
            rank: earlier.0,
            similarity: likeness.figures()[0].unwrap_or(0.0),
        };
        let other = best.filter(|best| best.0 == later);
        if own.beats(other.map(|best| best.1)) {
            best = Some((later, own));
            decided.drop(later, earlier, likeness);
        }
    }
    Ok(decided)
}

#[cfg(test)]
mod tests {
    use lookalike::verify::Measure;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Compares the decisions with those of a loop over all pairs of documents.
        #[test]
        fn the_law_over_a_list(pairs in prop::collection::vec((0u32..12, 0u32..12, 1u8..6), 0..40)) {
            let of = |&(a, b, tenth): &(u32, u32, u8)| Match {
                later: Contender(a.max(b)),
                earlier: Contender(a.min(b)),
                likeness: Likeness::Estimated(Measure::Resemblance, f64::from(tenth) / 10.0),
            };
            let mut matches: Vec<Match> = pairs.iter().filter(|(a, b, _)| a != b).map(of).collect();
            matches.sort_by_key(|found| found.later);
            let decided = decide_listed(12, matches.iter().copied().map(Ok)).unwrap();
            let mut kept: Vec<u32> = Vec::new();
            for document in 0..12 {
                let similarity = |other: u32| {
                    let own = matches.iter().filter(|found| (found.later.0, found.earlier.0) == (document, other));
                    own.map(|found| (found.likeness.figures()[0].unwrap() * 10.0).round() as u32).max()
                };
                // The last of equal maxima is returned, so the kept documents are searched from the last to the first.
                let best = kept.iter().rev().filter_map(|&other| Some((similarity(other)?, other))).max_by_key(|found| found.0);
                let own = decided.verdicts.of(Contender(document)).representative().map(|kept| kept.0);
                prop_assert_eq!(own, best.map(|best| best.1));
                if best.is_none() {
                    kept.push(document);
                }
            }
        }
    }
}
