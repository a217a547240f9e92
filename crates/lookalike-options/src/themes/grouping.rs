//! Everything that determines which documents are kept.

use std::num::NonZeroU32;

use lookalike::{
    Cluster, Config, GreedyBy, Verify, choices,
    cluster::{Keep, Representative},
};
use lookalike_io::error::Result;

use super::{finding::Finding, shingling::Shingling};
use crate::{choice, options, refuse, values::Parsed};

options! {
/// What determines the result of a run: how documents are compared, how candidates are found, what counts as similar, and which
/// documents are kept.
pub struct Law {
    /// Minimum similarity of duplicates, above 0 and at most 1 [default: 0.8]
    ///
    /// A --preset may set another default.
    #[arg(long, short, value_name = "T", allow_negative_numbers = true, help_heading = "Comparison")]
    pub threshold: Option<f64>,
    #[command(flatten)]
    pub shingling: Shingling,
    #[command(flatten)]
    pub finding: Finding,
    /// How candidate pairs are verified [default: exact; with simhash, sketch]
    #[arg(long, value_parser = choice::<Verify>(), help_heading = "Comparison")]
    pub verify: Option<Verify>,
    /// Document of a group to keep: first, longest, newest:FIELD, max:FIELD or min:FIELD [default: first; with containment, longest]
    ///
    /// RULE is first, longest (the most characters in the original text), newest:FIELD (the latest time in this field), max:FIELD
    /// or min:FIELD (the largest or smallest number in this field). If several documents are equal by this rule, the first of
    /// them is kept. RULE thus determines keep order, the order in which documents are considered.
    #[arg(long, value_name = "RULE", help_heading = "Grouping")]
    pub keep: Option<Parsed<Keep>>,
    /// How groups are formed [default: law]
    #[arg(long, value_parser = choice::<ClusterBy>(), help_heading = "Grouping")]
    pub cluster: Option<ClusterBy>,
    /// For --cluster greedy: what represents a cluster [default: first]
    #[arg(long, value_parser = choice::<Representative>(), help_heading = "Grouping")]
    pub representative: Option<Representative>,
    /// For --cluster greedy: sampled shingles per sketch [default: 200]
    #[arg(long, value_name = "S", help_heading = "Grouping")]
    pub sample: Option<usize>,
}

/// How many documents of each group are kept.
pub struct GroupSize {
    /// Documents to drop from a group: duplicates, or all
    ///
    /// With all, every document that has a duplicate is dropped, and so is its duplicate: no document of a group is kept. Only the
    /// verdict of a decision changes. The reason is still the place in the group, such as representative or near.
    #[arg(long, value_parser = choice::<Dropped>(), value_name = "WHICH", help_heading = "Grouping")]
    pub drop: Option<Dropped>,
    /// Keep up to N documents of each group
    ///
    /// Only the verdict of a decision changes, so a kept document can have the reason near or exact.
    /// The groups are formed as without the flag. The first N documents of each group are kept, in the order of --keep. The representative
    /// of a group is the first of them, and can be a reference.
    #[arg(long, value_name = "N", help_heading = "Grouping")]
    pub keep_per_group: Option<NonZeroU32>,
}
}

choices! {
    /// Kinds of groups.
    pub enum ClusterBy {
        /// a kept document and the dropped documents similar to it
        Law = "law",
        /// all documents connected by chains of similar pairs
        Components = "components",
        /// Broder's greedy clusters of sketches, formed in one pass from estimated similarities
        Greedy = "greedy",
    }
}

choices! {
    /// Which documents of a group are dropped.
    pub enum Dropped {
        /// all documents of a group except one
        Duplicates = "duplicates",
        /// all documents of a group
        All = "all",
    }
}

impl Law {
    /// Returns the configuration, which is not yet checked as a whole.
    ///
    /// # Errors
    /// Fails if settings are given that do not work together.
    pub fn config(&self) -> Result<Config> {
        let greedy = self.cluster == Some(ClusterBy::Greedy);
        if !greedy && (self.representative.is_some() || self.sample.is_some()) {
            let what = "$representative and $sample only work with $cluster=greedy";
            return Err(refuse(what, "leave them out"));
        }
        let base = self.finding.config(&self.shingling)?;
        Ok(Config {
            threshold: self.threshold.unwrap_or(base.threshold),
            verify: self.verify,
            cluster: match self.cluster {
                None | Some(ClusterBy::Law) => Cluster::Law,
                Some(ClusterBy::Components) => Cluster::Components,
                Some(ClusterBy::Greedy) => {
                    let usual = GreedyBy::default();
                    Cluster::Greedy(GreedyBy {
                        representative: self.representative.unwrap_or(usual.representative),
                        sample: self.sample.unwrap_or(usual.sample),
                    })
                }
            },
            ..base
        })
    }

    /// Returns the keep order that is given.
    pub fn keep(&self) -> Option<Keep> {
        self.keep.clone().map(|Parsed(keep)| keep)
    }
}

impl GroupSize {
    /// Returns the greatest number of documents that are kept of a group.
    pub fn most(&self) -> u32 {
        match self.drop {
            Some(Dropped::All) => 0,
            _ => self.keep_per_group.map_or(1, u32::from),
        }
    }
}
