//! The ground truth of a collection: which pairs are similar, or which documents belong together.

use anyhow::bail;
use lookalike::{Config, cluster::UnionFind, shown::cut, verify::Measure};
use lookalike_engine::{Roll, RunConfig, SimilarPair, enrol, read_pairs, sample_truth, shown_path};
use serde::Serialize;

use super::asked::Eval;
use crate::output::Bars;

/// The lowest similarity that the chart of found pairs shows, unless the threshold is lower.
const SHOWN_FROM: f64 = 0.5;

/// The truth that all runs are compared with.
pub struct Truth {
    roll: Roll,
    measure: Measure,
    threshold: f64,
    kind: Kind,
    /// The documents that are evaluated: all, or the sample.
    pub judged: Vec<u32>,
    /// The group of each document, if all pairs or labels are known.
    pub groups: Option<Vec<u32>>,
}

/// The source of the true pairs.
enum Kind {
    /// All true pairs, and pairs below the threshold whose similarity is known.
    Listed {
        pairs: Vec<(u32, u32)>,
        known: Vec<SimilarPair>,
        shown_from: f64,
    },
    /// All pairs within a group.
    Grouped,
}

/// A description of the truth, for the report.
#[derive(Serialize)]
pub struct About {
    /// "pairs", "labels" or "sample".
    pub kind: &'static str,
    /// The file or the field.
    from: Option<String>,
    pub documents: u64,
    /// The number of evaluated documents.
    pub judged: u64,
    /// The number of evaluated documents that are similar to another document.
    pub with_partner: u64,
    /// The number of true pairs with an evaluated document.
    pub pairs: u64,
    /// How the true clusters are defined. The groups that a run finds are compared with these clusters.
    clusters: Option<&'static str>,
    pub threshold: f64,
    pub measure: Measure,
}

impl Truth {
    pub fn read(eval: &Eval, method: &Config, bars: &Bars) -> anyhow::Result<Self> {
        let config = RunConfig {
            inputs: eval.inputs.clone(),
            all_splits: eval.all_splits,
            encoding: eval.encoding.clone(),
            method: method.clone(),
            text_field: eval.fields.text().into(),
            id_field: eval.fields.id().into(),
            label_field: eval.labels.clone(),
            skip_bad: eval.skip_bad.clone(),
            summary: eval.running.summary.clone(),
            threads: eval.running.threads.unwrap_or(0),
            temp_dir: eval.temp_dir(),
            ..RunConfig::default()
        };
        let observer = |progress| bars.observe(progress);
        let Config {
            threshold, measure, ..
        } = *method;
        match (eval.sample, &eval.truth) {
            (Some(size), _) => {
                let least = threshold.min(SHOWN_FROM);
                let truth = sample_truth(&config, size, least, &observer)?;
                Ok(Self::listed(
                    truth.roll,
                    measure,
                    truth.pairs,
                    threshold,
                    least,
                    truth.sample,
                ))
            }
            (None, Some(file)) => {
                let roll = enrol(&config, &observer)?;
                let pairs = read_pairs(file, &roll, measure, &config.temp_dir)?;
                let lowest = pairs
                    .iter()
                    .filter_map(|pair| pair.similarity)
                    .fold(1.0, f64::min);
                let judged = (0..roll.documents()).collect();
                Ok(Self::listed(
                    roll,
                    measure,
                    pairs,
                    threshold,
                    lowest.max(SHOWN_FROM.min(threshold)),
                    judged,
                ))
            }
            (None, None) => {
                let roll = enrol(&config, &observer)?;
                let Some(groups) = roll.groups().map(<[u32]>::to_vec) else {
                    bail!("no ground truth; give --truth, --labels or --sample")
                };
                if groups
                    .iter()
                    .zip(0..)
                    .all(|(&group, document)| group == document)
                {
                    let field = eval.labels.as_deref().unwrap_or_default();
                    let field = cut(field);
                    bail!(
                        "--labels {field}: no two documents have the same value of this field; name a field that groups share"
                    );
                }
                let judged = (0..roll.documents()).collect();
                Ok(Self {
                    roll,
                    measure,
                    threshold,
                    kind: Kind::Grouped,
                    judged,
                    groups: Some(groups),
                })
            }
        }
    }

    fn listed(
        roll: Roll,
        measure: Measure,
        known: Vec<SimilarPair>,
        threshold: f64,
        shown_from: f64,
        judged: Vec<u32>,
    ) -> Self {
        let is_true = |pair: &&SimilarPair| {
            pair.similarity
                .is_none_or(|similarity| similarity >= threshold)
        };
        let pairs: Vec<(u32, u32)> = known
            .iter()
            .filter(is_true)
            .map(|pair| (pair.a, pair.b))
            .collect();
        let groups = (judged.len() == roll.documents() as usize).then(|| {
            let mut groups = UnionFind::new(judged.len());
            pairs.iter().for_each(|&(a, b)| groups.join(a, b));
            judged
                .iter()
                .map(|&document| groups.find(document))
                .collect()
        });
        Self {
            roll,
            measure,
            threshold,
            kind: Kind::Listed {
                pairs,
                known,
                shown_from,
            },
            judged,
            groups,
        }
    }

    pub fn roll(&self) -> &Roll {
        &self.roll
    }

    pub fn documents(&self) -> u32 {
        self.roll.documents()
    }

    pub fn measure(&self) -> Measure {
        self.measure
    }

    /// Returns the sorted true pairs, or `None` if the truth consists of groups.
    pub fn pairs(&self) -> Option<&[(u32, u32)]> {
        match &self.kind {
            Kind::Listed { pairs, .. } => Some(pairs),
            Kind::Grouped => None,
        }
    }

    /// Returns the pairs with a known similarity, including those that are not true pairs, and the lowest similarity that the
    /// chart shows.
    pub fn known(&self) -> Option<(&[SimilarPair], f64)> {
        match &self.kind {
            Kind::Listed {
                known, shown_from, ..
            } if known.iter().any(|pair| pair.similarity.is_some()) => Some((known, *shown_from)),
            _ => None,
        }
    }

    pub fn is_true(&self, pair: (u32, u32)) -> bool {
        match (&self.kind, &self.groups) {
            (Kind::Listed { pairs, .. }, _) => pairs.binary_search(&pair).is_ok(),
            (Kind::Grouped, groups) => groups
                .as_ref()
                .is_some_and(|groups| groups[pair.0 as usize] == groups[pair.1 as usize]),
        }
    }

    /// Returns whether a pair contains an evaluated document.
    pub fn judges(&self, (a, b): (u32, u32)) -> bool {
        self.judged.len() == self.documents() as usize
            || [a, b]
                .iter()
                .any(|document| self.judged.binary_search(document).is_ok())
    }

    /// Returns how many partners each document has. For documents that are not evaluated, only evaluated partners count.
    pub fn partners(&self) -> Vec<u32> {
        let mut partners = vec![0; self.documents() as usize];
        match (&self.kind, &self.groups) {
            (Kind::Listed { pairs, .. }, _) => pairs
                .iter()
                .flat_map(|&(a, b)| [a, b])
                .for_each(|d| partners[d as usize] += 1),
            (Kind::Grouped, None) => {}
            (Kind::Grouped, Some(groups)) => {
                let mut sizes = vec![0u32; groups.len()];
                groups.iter().for_each(|&group| sizes[group as usize] += 1);
                partners
                    .iter_mut()
                    .zip(groups)
                    .for_each(|(partners, &group)| *partners = sizes[group as usize] - 1);
            }
        }
        partners
    }

    /// Returns the number of true pairs with an evaluated document.
    pub fn count(&self) -> u64 {
        match &self.kind {
            Kind::Listed { pairs, .. } => pairs.len() as u64,
            Kind::Grouped => {
                self.partners()
                    .iter()
                    .map(|&partners| u64::from(partners))
                    .sum::<u64>()
                    / 2
            }
        }
    }

    pub fn about(&self, eval: &Eval) -> About {
        let partners = self.partners();
        About {
            kind: match (eval.sample, &eval.truth) {
                (Some(_), _) => "sample",
                (None, Some(_)) => "pairs",
                (None, None) => "labels",
            },
            from: eval
                .truth
                .as_deref()
                .map(shown_path)
                .or(eval.labels.clone()),
            documents: self.documents().into(),
            judged: self.judged.len() as u64,
            with_partner: self
                .judged
                .iter()
                .filter(|&&document| partners[document as usize] > 0)
                .count() as u64,
            pairs: self.count(),
            clusters: self.groups.as_ref().map(|_| match self.kind {
                Kind::Listed { .. } => "connected components of the true pairs",
                Kind::Grouped => "documents with the same label",
            }),
            threshold: self.threshold,
            measure: self.measure,
        }
    }
}
