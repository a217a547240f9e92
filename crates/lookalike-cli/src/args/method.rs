//! Flags that say what becomes of a collection: how documents are compared and found, what counts as similar, who stays.

use clap::{Args, ValueEnum};
use lookalike::{
    Cluster, Config, GreedyBy, Verify,
    cluster::{Keep, Representative},
};
use lookalike_engine::{Setting, words};

use super::{FindArgs, ShingleArgs, refuse};

/// All of a method.
#[derive(Args)]
pub struct MethodArgs {
    /// Similarity from which two documents are roughly the same, above 0 up to 1 [default: 0.8, unless --preset sets it]
    #[arg(long, short, value_name = "T", allow_negative_numbers = true, help_heading = "Comparing")]
    pub threshold: Option<f64>,
    #[command(flatten)]
    pub shingles: ShingleArgs,
    #[command(flatten)]
    pub find: FindArgs,
    /// What counts as similar [default: exact; of simhash, sketch]
    #[arg(long, value_enum, help_heading = "Comparing")]
    pub verify: Option<VerifyBy>,
    /// Which document stays: first, longest (most characters of the text as it is), newest:FIELD, max:FIELD or min:FIELD; ties go to
    /// the first [default: first; for containment, longest]
    #[arg(long, value_name = "WHO", help_heading = "Choosing")]
    pub keep: Option<Keep>,
    /// What a group is
    #[arg(long, value_enum, default_value_t = ClusterBy::Law, help_heading = "Choosing")]
    pub cluster: ClusterBy,
    /// Of --cluster greedy: what stands for a cluster [default: first]
    #[arg(long, value_enum, help_heading = "Choosing")]
    pub representative: Option<RepresentativeBy>,
    /// Of --cluster greedy: fingerprints in a sketch [default: 200]
    #[arg(long, value_name = "S", help_heading = "Choosing")]
    pub sample: Option<usize>,
}

/// What counts as similar.
#[derive(Clone, Copy, ValueEnum)]
pub enum VerifyBy {
    /// the exact measure of the two sets
    Exact,
    /// what the sketches say: an estimate some hundredths off; of simhash that few bits differ, of sentences that they are the same
    Sketch,
    /// being a candidate at all: fast and mostly wrong
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

/// What a group is.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ClusterBy {
    /// a kept document and those similar to it
    Law,
    /// all that chains of similar pairs connect
    Components,
    /// Broder's greedy clusters of sketches: one pass, by estimates alone
    Greedy,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum RepresentativeBy {
    /// its first member
    First,
    /// the fingerprints that most of its members have
    Popular,
}

impl MethodArgs {
    /// The configuration, not yet checked as a whole.
    pub fn config(&self) -> anyhow::Result<Config> {
        if self.cluster != ClusterBy::Greedy && (self.representative.is_some() || self.sample.is_some()) {
            let greedy = (Setting::Cluster, "greedy");
            let what = words![Setting::Representative, " and ", Setting::Sample, " go with ", greedy];
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
        let representative = self.representative.map_or(default.representative, |representative| match representative {
            RepresentativeBy::First => Representative::FirstMember,
            RepresentativeBy::Popular => Representative::Popular,
        });
        GreedyBy { representative, sample: self.sample.unwrap_or(default.sample) }
    }
}
