//! The ground truth: which pairs are labelled as matches or as no matches.

use std::{collections::BTreeMap, path::Path};

use lookalike::{cluster::UnionFind, fingerprint::finish, shown::cut};
use lookalike_io::{
    error::{Error, Result},
    read::Reading,
    store::shown_path,
};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::records::Gathered;
use crate::pass::lines::{each_line, parse};

/// What is known about pairs. A pair can be labelled as a match or as no match, or have no label.
#[derive(Debug)]
pub(in crate::jobs::link) enum Truth {
    /// A pair of two records with labels is a match if the labels are equal. Other pairs have no label. 0 means that a record has no
    /// label.
    Labels(Vec<u128>),
    /// Pairs that were listed, sorted, with a < b.
    Pairs {
        /// The matches.
        matches: Vec<(u32, u32)>,
        /// The pairs that are no matches; `None` if no such pair was listed, so that all pairs that are not listed are no matches.
        others: Option<Vec<(u32, u32)>>,
    },
}

#[derive(Deserialize)]
struct LabelledPair<'a> {
    #[serde(borrow)]
    a: &'a RawValue,
    #[serde(borrow)]
    b: &'a RawValue,
    #[serde(rename = "match", default = "yes")]
    is_match: bool,
}

fn yes() -> bool {
    true
}

impl Truth {
    /// Reads labelled pairs from JSON Lines. Each line has two ids, `a` and `b`; 7 and "7" match each other. If there are two
    /// collections, a line has one id of each collection, in either order. A line with `"match": false` is no match.
    ///
    /// # Errors
    /// Fails if a file cannot be read, if a line is not such a pair, if an id belongs to no record, or if a pair is listed as a match and
    /// as no match.
    pub(in crate::jobs::link) fn read(
        path: &Path,
        gathered: &Gathered,
        temp_dir: &Path,
    ) -> Result<Self> {
        let (mut matches, mut others) = (Vec::new(), Vec::new());
        each_line(path, Reading::lines(), temp_dir, |line, _| {
            let LabelledPair { a, b, is_match } =
                parse(line, "{\"a\": \"one id\", \"b\": \"another\"}")?;
            let find = |id: &RawValue, collection| gathered.find_of_any_type(id.get(), collection);
            let across = |a: &RawValue, b: &RawValue| Some((find(a, 0)?, find(b, 1)?));
            let within = |id: &RawValue| {
                find(id, 0).ok_or_else(|| {
                    let wrong = Error::record(format!("no record has the id {}", cut(id.get())));
                    wrong.advise("ids must be written as in the records")
                })
            };
            let (a, b) = match gathered.are_two() {
                true => across(a, b).or_else(|| across(b, a)).ok_or_else(|| {
                    Error::record(format!(
                        "one of the ids {} and {} must belong to the first collection, and the other to the second",
                        cut(a.get()),
                        cut(b.get())
                    ))
                })?,
                false => match (within(a)?, within(b)?) {
                    (one, other) if one == other => {
                        let what = format!("the pair has {} twice", cut(a.get()));
                        return Err(Error::record(what).advise("give two different records"));
                    }
                    pair => pair,
                },
            };
            (if is_match { &mut matches } else { &mut others }).push((a.min(b), a.max(b)));
            Ok(())
        })?;
        for pairs in [&mut matches, &mut others] {
            pairs.sort_unstable();
            pairs.dedup();
        }
        if let Some((a, b)) = others
            .iter()
            .find(|pair| matches.binary_search(pair).is_ok())
        {
            let what = format!(
                "the pair of {} and {} is a match and no match",
                cut(gathered.id(*a)),
                cut(gathered.id(*b))
            );
            return Err(Error::record(what)
                .at(shown_path(path))
                .advise("remove one of the two lines"));
        }
        Ok(Self::Pairs {
            matches,
            others: (!others.is_empty()).then_some(others),
        })
    }

    /// Returns whether a pair is a match; `None` if it has no label.
    pub(in crate::jobs::link) fn label(&self, a: u32, b: u32) -> Option<bool> {
        match self {
            Self::Labels(labels) => {
                let (a, b) = (labels[a as usize], labels[b as usize]);
                (a != 0 && b != 0).then_some(a == b)
            }
            Self::Pairs { matches, .. } if matches.binary_search(&(a, b)).is_ok() => Some(true),
            Self::Pairs { others: None, .. } => Some(false),
            Self::Pairs {
                others: Some(others),
                ..
            } => others.binary_search(&(a, b)).is_ok().then_some(false),
        }
    }

    /// Divides the records into `folds` parts, so that the records of a cluster of labelled matches are in one part. Returns the part of
    /// each record. It depends only on a hash of the cluster's label, or of the number of its first record.
    pub(in crate::jobs::link) fn folds(&self, records: usize, folds: u64) -> Vec<u8> {
        let fold = |cluster: u64| (finish(cluster.wrapping_add(1)) % folds) as u8;
        match self {
            Self::Labels(labels) => labels.iter().map(|label| fold(*label as u64)).collect(),
            Self::Pairs { matches, .. } => {
                let mut clusters = UnionFind::new(records);
                matches.iter().for_each(|&(a, b)| clusters.join(a, b));
                (0..records as u32)
                    .map(|record| fold(clusters.find(record).into()))
                    .collect()
            }
        }
    }

    /// Returns how many pairs are labelled as matches.
    pub(in crate::jobs::link) fn matches(&self, gathered: &Gathered) -> u64 {
        match self {
            Self::Pairs { matches, .. } => matches.len() as u64,
            Self::Labels(labels) => {
                let labelled = (0u32..).zip(labels).filter(|(_, label)| **label != 0);
                pairs_within(labelled.map(|(record, &label)| (record, label)), gathered)
            }
        }
    }

    /// Returns the number of labelled pairs whose records are in one of the given groups, and how many of these are matches.
    pub(in crate::jobs::link) fn within(&self, groups: &[u32], gathered: &Gathered) -> (u64, u64) {
        let together = |pairs: &[(u32, u32)]| {
            pairs
                .iter()
                .filter(|(a, b)| groups[*a as usize] == groups[*b as usize])
                .count() as u64
        };
        match self {
            Self::Pairs {
                matches,
                others: None,
            } => (
                pairs_within((0..).zip(groups.iter().copied()), gathered),
                together(matches),
            ),
            Self::Pairs {
                matches,
                others: Some(others),
            } => {
                let of_matches = together(matches);
                (of_matches + together(others), of_matches)
            }
            Self::Labels(labels) => {
                let labelled = || (0u32..).zip(labels).filter(|(_, label)| **label != 0);
                let all = pairs_within(
                    labelled().map(|(record, _)| (record, groups[record as usize])),
                    gathered,
                );
                let equal =
                    labelled().map(|(record, &label)| (record, (label, groups[record as usize])));
                (all, pairs_within(equal, gathered))
            }
        }
    }
}

/// Returns the number of a kind of pairs: those that are labelled as matches, those that are labelled as no matches, and those without a
/// label.
pub(in crate::jobs::link) fn kind_of(label: Option<bool>) -> usize {
    match label {
        Some(true) => 0,
        Some(false) => 1,
        None => 2,
    }
}

/// Returns the number of pairs of records within one group. With two collections, only pairs of records from different
/// collections count.
fn pairs_within<G: Ord>(grouped: impl Iterator<Item = (u32, G)>, gathered: &Gathered) -> u64 {
    let mut groups: BTreeMap<G, [u64; 2]> = BTreeMap::new();
    for (record, group) in grouped {
        groups.entry(group).or_default()[usize::from(record >= gathered.split)] += 1;
    }
    let pairs = |[first, second]: &[u64; 2]| gathered.pairs_of(*first, first + second);
    groups.values().map(pairs).sum()
}
