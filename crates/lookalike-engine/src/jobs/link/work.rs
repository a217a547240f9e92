//! Scores candidates, decides which pairs match, and joins their records into clusters.

use std::sync::Arc;

use lookalike_applications::records::{ClusterBy, Clusters, Linker, Verdict};
use lookalike_io::{
    error::Result,
    spill::{Budget, Sorter},
    write::Output,
};
use rayon::ThreadPool;

use super::{
    asked::Link,
    distances::Distances,
    html::Picked,
    judging::Counts,
    lines::{AT_A_TIME, write_pairs},
    looking::scores::Scores,
    pairing::{
        candidates::{BlockFigures, SORTERS, Wanted, candidates},
        matched::FoundPairs,
        rows::{Row, scored},
    },
    reading::{records::Gathered, truth::Truth},
};
use crate::config::{Observer, Stage};

/// The records, and what is needed to link them.
pub(super) struct Work<'a> {
    pub(super) asked: &'a Link,
    pub(super) linker: &'a Linker,
    pub(super) gathered: &'a Gathered,
    pub(super) truth: Option<&'a Truth>,
    pub(super) budget: &'a Arc<Budget>,
    pub(super) pool: &'a ThreadPool,
}

/// The clusters: which records belong together.
pub(super) struct Decided<'a> {
    pub(super) counts: Counts,
    /// The first record of each record's cluster.
    pub(super) representatives: Vec<u32>,
    pub(super) distances: Option<Distances<'a>>,
    /// The matches, the highest score first: the first number of a row is `u32::MAX` minus the rank.
    pub(super) links: Sorter<'a, Row>,
}

/// A candidate with its score and its label.
struct Outcome {
    a: u32,
    b: u32,
    score: Option<f64>,
    label: Option<bool>,
}

/// What was found.
pub(super) struct Candidates<'a> {
    /// The pairs that match or may match. The rows are sorted by their first number, then by the second, then by the third.
    pub(super) pairs: Sorter<'a, Row>,
    pub(super) blocks: Vec<BlockFigures>,
    /// Candidates that are labelled as matches.
    pub(super) right: u64,
}

/// With a model, scores are computed down to these bits, to show how they are distributed.
const SHOWN_FROM: f64 = -7.0;

impl<'a> Work<'a> {
    /// Scores candidates, and counts their scores. Without a one-to-one matching, all pairs with a label have a score, however low.
    pub(super) fn find(&self, scores: &mut Scores, observer: Observer) -> Result<Candidates<'a>> {
        let (linker, one_to_one, means) = (
            self.linker,
            self.linker.is_one_to_one(),
            (self.budget, self.pool),
        );
        let mut pairs = Sorter::<Row>::new(self.budget, SORTERS, self.pool);
        let mut to_match = one_to_one.then(|| FoundPairs::new(self.gathered, means));
        let least = linker.least();
        let looked_at = if linker.model().is_some() && !one_to_one {
            least.min(SHOWN_FROM)
        } else {
            least
        };
        let score = |a: u32, b: u32| {
            let label = self.truth.and_then(|truth| truth.label(a, b));
            let least = if label.is_some() && !one_to_one {
                f64::NEG_INFINITY
            } else {
                looked_at
            };
            let score = linker.score_from(&self.gathered.records, a, b, least);
            (score.is_some() || label == Some(true)).then_some(Outcome { a, b, score, label })
        };
        let mut right = 0;
        let give = |Outcome { a, b, score, label }: Outcome| {
            right += u64::from(label == Some(true));
            let Some(score) = score else { return Ok(()) };
            if !one_to_one {
                scores.add(score, label, 1);
            }
            if score < least || linker.verdict(score) == Verdict::Not {
                return Ok(());
            }
            let row = [a, b, linker.rank(score)];
            match &mut to_match {
                None => pairs.push(row),
                Some(found) => found.push(row),
            }
        };
        let blocks = candidates(
            (self.gathered, linker),
            Wanted::All,
            means,
            (observer, Stage::Scoring),
            score,
            give,
        )?;
        if let Some(to_match) = to_match {
            pairs = to_match.matched(linker)?;
        }
        Ok(Candidates {
            pairs,
            blocks,
            right,
        })
    }

    /// Processes the pairs in their order: writes the pairs, counts them, chooses those of the page, and joins the records of
    /// matching pairs.
    pub(super) fn decide(
        &self,
        pairs: Sorter<'a, Row>,
        scores: &mut Scores,
        output: &mut Output,
        mut picked: Option<&mut Picked>,
    ) -> Result<Decided<'a>> {
        let Self {
            asked,
            linker,
            gathered,
            truth,
            budget,
            pool,
        } = *self;
        let by = linker.config().clusters;
        let (mut counts, mut clusters) =
            (Counts::default(), Clusters::new(by, gathered.records.len()));
        let mut links = Sorter::<Row>::new(budget, 2 * SORTERS, pool);
        let mut by_second =
            (by == ClusterBy::Greedy).then(|| Sorter::<Row>::new(budget, 2 * SORTERS, pool));
        let mut distances = asked
            .right_by
            .as_deref()
            .map(|field| Distances::new(field, &gathered.values));
        let mut some = Vec::new();
        let mut sorted = pairs.sorted()?.peekable();
        while let Some(found) = sorted.next() {
            let pair = scored(linker, found?);
            let is_match = linker.verdict(pair.score) == Verdict::Match;
            let label = truth.and_then(|truth| truth.label(pair.a, pair.b));
            counts.count(is_match, label);
            if linker.is_one_to_one() {
                scores.add(pair.score, label, 1);
            }
            if let Some(picked) = &mut picked {
                picked.take(linker, &pair);
            }
            distances
                .iter_mut()
                .for_each(|distances| distances.count(&pair, linker.share(pair.score), is_match));
            if is_match {
                let rank = linker.rank(pair.score);
                links.push([u32::MAX - rank, pair.a, pair.b])?;
                match &mut by_second {
                    None => clusters.join(&pair),
                    Some(rows) => rows.push([pair.b, pair.a, rank])?,
                }
            }
            some.push(pair);
            if some.len() == AT_A_TIME || sorted.peek().is_none() {
                write_pairs(&some, asked.matches_only, gathered, linker, pool, output)?;
                some.clear();
            }
        }
        drop(sorted);
        if let Some(rows) = by_second {
            for found in rows.sorted()? {
                let [b, a, rank] = found?;
                clusters.join(&scored(linker, [a, b, rank]));
            }
        }
        Ok(Decided {
            counts,
            representatives: clusters.representatives(),
            distances,
            links,
        })
    }
}
