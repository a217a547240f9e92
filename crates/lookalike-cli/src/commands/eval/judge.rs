//! Judges a run: compares its outcome with the truth.

use lookalike::{
    eval::{BCubed, Contingency, Drops, PairCounts, Partners, Step, sampled_share},
    sketch::Estimate,
};
use serde::Serialize;

use super::{
    runs::{Outcome, Plan},
    truth::Truth,
};

/// All results of judging a run.
#[derive(Serialize)]
pub struct Judged {
    pub label: String,
    flags: Vec<String>,
    pub pairs: Pairs,
    pub partners: Documents,
    /// How well the clusters agree with those of the truth, if the truth has clusters.
    pub clusters: Option<Clusters>,
    pub drops: Dropped,
    /// The number of dropped documents, evaluated or not.
    pub dropped: u64,
    /// The number of candidate pairs, before the comparison of fixed-size sketches rejects any.
    pub pairs_met: u64,
    /// The median time of the repetitions, in seconds.
    pub seconds: f64,
    seconds_of_each: Vec<f64>,
    /// The highest peak memory of the repetitions, in bytes.
    pub peak_memory: Option<u64>,
    /// The share of the pairs that was found at each similarity, if the truth has similarities.
    pub by_similarity: Option<Vec<Step>>,
}

/// The counts, precision, recall and F1 of the pairs that include an evaluated document.
#[derive(Serialize)]
pub struct Pairs {
    #[serde(flatten)]
    pub counts: PairCounts,
    pub precision: Option<Estimate>,
    pub recall: Option<Estimate>,
    pub f1: Option<f64>,
}

/// The evaluated documents with a partner (a similar document), and the share of these documents whose partners were all found.
#[derive(Serialize)]
pub struct Documents {
    #[serde(flatten)]
    counts: Partners,
    pub complete_share: Option<Estimate>,
}

#[derive(Serialize)]
pub struct Clusters {
    pub b_cubed: Option<BCubed>,
    pub adjusted_rand_index: f64,
}

/// How many of the evaluated documents were dropped and how many were kept, the share of wrong drops among the dropped ones, and
/// the share of remaining near-duplicates among the kept ones.
#[derive(Serialize)]
pub struct Dropped {
    #[serde(flatten)]
    pub counts: Drops,
    wrong_share: Option<Estimate>,
    doubled_share: Option<Estimate>,
}

/// Compares a run with the truth.
pub fn judge(plan: &Plan, outcome: Outcome, truth: &Truth) -> Judged {
    let found: Vec<(u32, u32)> = outcome
        .pairs
        .iter()
        .copied()
        .filter(|&pair| truth.judges(pair))
        .collect();
    let found_true: Vec<(u32, u32)> = found
        .iter()
        .copied()
        .filter(|&pair| truth.is_true(pair))
        .collect();
    let counts = PairCounts {
        found_true: found_true.len() as u64,
        found: found.len() as u64,
        truth: truth.count(),
    };
    let partners = Partners::judge(&truth.judged, &truth.partners(), &found_true);
    let kept: Vec<bool> = outcome
        .representatives
        .iter()
        .zip(0..)
        .map(|(&representative, d)| representative == d)
        .collect();
    let drops = match (truth.pairs(), &truth.groups) {
        (None, Some(groups)) => Drops::judge_groups(&kept, groups),
        (pairs, _) => Drops::judge(&kept, &truth.judged, pairs.unwrap_or_default()),
    };
    let clusters = truth.groups.as_ref().map(|groups| {
        let table = Contingency::of(&outcome.representatives, groups);
        Clusters {
            b_cubed: table.b_cubed(),
            adjusted_rand_index: table.adjusted_rand_index(),
        }
    });
    let precision = sampled_share(
        found.iter().map(|&pair| (pair, truth.is_true(pair))),
        &truth.judged,
        truth.documents(),
    );
    let recall = match truth.pairs() {
        Some(pairs) => {
            let pairs = pairs
                .iter()
                .map(|&pair| (pair, found.binary_search(&pair).is_ok()));
            sampled_share(pairs, &truth.judged, truth.documents())
        }
        // All documents of labelled groups are evaluated, so the recall is exact.
        None => counts.recall().map(|share| Estimate::exact(share.value)),
    };
    // If all documents were evaluated, a share such as that of wrong drops is exact. If the evaluated documents are a random
    // sample, each document is an independent trial, so the share is an estimate with a confidence interval.
    let of_documents = |share: Option<Estimate>| {
        if truth.judged.len() == truth.documents() as usize {
            share.map(|share| Estimate::exact(share.value))
        } else {
            share
        }
    };
    let by_similarity = truth.known().map(|(known, shown_from)| {
        let was_found = |a, b| found.binary_search(&(a, b)).is_ok();
        let known = known
            .iter()
            .filter_map(|pair| Some((pair.similarity?, was_found(pair.a, pair.b))));
        Step::count(shown_from, known)
    });
    Judged {
        label: plan.label.clone(),
        flags: plan.flags.clone(),
        pairs: Pairs {
            precision,
            recall,
            f1: counts.f1(),
            counts,
        },
        partners: Documents {
            counts: partners,
            complete_share: of_documents(partners.complete_share()),
        },
        clusters,
        drops: Dropped {
            counts: drops,
            wrong_share: of_documents(drops.wrong_share()),
            doubled_share: of_documents(drops.doubled_share()),
        },
        dropped: outcome.summary.dropped,
        pairs_met: outcome.summary.pairs_met,
        seconds: median(&outcome.seconds),
        seconds_of_each: outcome.seconds,
        peak_memory: outcome.summary.peak_memory,
        by_similarity,
    }
}

/// Returns the middle value, or the mean of the two middle values.
fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let (low, high) = ((sorted.len() - 1) / 2, sorted.len() / 2);
    (sorted[low] + sorted[high]) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        assert_eq!(
            [
                median(&[3.0]),
                median(&[3.0, 1.0]),
                median(&[9.0, 1.0, 2.0])
            ],
            [3.0, 2.0, 2.0]
        );
    }
}
