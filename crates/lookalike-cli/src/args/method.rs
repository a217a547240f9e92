//! Flags that determine the result of a run: how documents are compared, how candidates are found, what counts as similar, and
//! which documents are kept.

use clap::{Args, ValueEnum};
use lookalike::{
    Cluster, Config, GreedyBy, Verify,
    cluster::{Keep, Representative},
};
use lookalike_engine::{Setting, words};

use super::{FindArgs, ShingleArgs, refuse};

/// All flags of a method.
#[derive(Args)]
pub struct MethodArgs {
    /// Minimum similarity of duplicates, above 0 and at most 1 [default: 0.8]
    ///
    /// A --preset may set another default.
    #[arg(
        long,
        short,
        value_name = "T",
        allow_negative_numbers = true,
        help_heading = "Comparison"
    )]
    pub threshold: Option<f64>,
    #[command(flatten)]
    pub shingles: ShingleArgs,
    #[command(flatten)]
    pub find: FindArgs,
    /// How candidate pairs are verified [default: exact; with simhash, sketch]
    #[arg(long, value_enum, help_heading = "Comparison")]
    pub verify: Option<VerifyBy>,
    /// Document of a group to keep: first, longest, newest:FIELD, max:FIELD or min:FIELD [default: first; with containment, longest]
    ///
    /// RULE is first, longest (the most characters in the original text), newest:FIELD (the latest time in this field), max:FIELD
    /// or min:FIELD (the largest or smallest number in this field). If several documents are equal by this rule, the first of
    /// them is kept. RULE thus determines keep order, the order in which documents are considered.
    #[arg(long, value_name = "RULE", help_heading = "Grouping")]
    pub keep: Option<Keep>,
    /// How groups are formed
    #[arg(long, value_enum, default_value_t = ClusterBy::Law, help_heading = "Grouping")]
    pub cluster: ClusterBy,
    /// For --cluster greedy: what represents a cluster [default: first]
    #[arg(long, value_enum, help_heading = "Grouping")]
    pub representative: Option<RepresentativeBy>,
    /// For --cluster greedy: sampled shingles per sketch [default: 200]
    #[arg(long, value_name = "S", help_heading = "Grouping")]
    pub sample: Option<usize>,
}

/// Ways to verify a candidate pair.
#[derive(Clone, Copy, ValueEnum)]
pub enum VerifyBy {
    /// compute the exact similarity of the two shingle sets
    Exact,
    /// estimate the similarity from sketches, to within a few hundredths. With simhash, a pair is accepted if at most --distance
    /// bits differ; with sentences, it is accepted if the longest sentences are identical
    Sketch,
    /// accept every candidate: fast, but mostly wrong
    None,
}

impl From<VerifyBy> for Verify {
    fn from(verify: VerifyBy) -> Self {
        match verify {
            VerifyBy::Exact => Self::Exact,
            VerifyBy::Sketch => Self::Sketch,
            VerifyBy::None => Self::None,
        }
    }
}

/// Kinds of groups.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ClusterBy {
    /// a kept document and the dropped documents similar to it
    Law,
    /// all documents connected by chains of similar pairs
    Components,
    /// Broder's greedy clusters of sketches, formed in one pass from estimated similarities
    Greedy,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum RepresentativeBy {
    /// the first member of the cluster
    First,
    /// the sampled shingles that occur in the most members of the cluster
    Popular,
}

impl MethodArgs {
    /// Returns the configuration, which is not yet checked as a whole.
    pub fn config(&self) -> anyhow::Result<Config> {
        if self.cluster != ClusterBy::Greedy
            && (self.representative.is_some() || self.sample.is_some())
        {
            let greedy = (Setting::Cluster, "greedy");
            let what = words![
                Setting::Representative,
                " and ",
                Setting::Sample,
                " only work with ",
                greedy
            ];
            return Err(refuse(what, "leave them out"));
        }
        let base = self.find.config(&self.shingles)?;
        Ok(Config {
            threshold: self.threshold.unwrap_or(base.threshold),
            verify: self.verify.map(Verify::from),
            cluster: match self.cluster {
                ClusterBy::Law => Cluster::Law,
                ClusterBy::Components => Cluster::Components,
                ClusterBy::Greedy => Cluster::Greedy(self.greedy()),
            },
            ..base
        })
    }

    fn greedy(&self) -> GreedyBy {
        let default = GreedyBy::default();
        let representative =
            self.representative.map_or(
                default.representative,
                |representative| match representative {
                    RepresentativeBy::First => Representative::FirstMember,
                    RepresentativeBy::Popular => Representative::Popular,
                },
            );
        GreedyBy {
            representative,
            sample: self.sample.unwrap_or(default.sample),
        }
    }
}
