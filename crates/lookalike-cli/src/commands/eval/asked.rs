//! The flags.

use std::path::PathBuf;

use clap::Args;
use lookalike::{Config, verify::Measure};

use crate::args::{FieldArgs, MeasureBy, RunArgs, ShingleArgs};

/// Judge methods on a collection of yours against a truth
///
/// Each method is run as `lookalike dedup` and `lookalike pairs` would run it, and what it finds and drops is held against the
/// truth: pairs that are known to be similar (--truth), documents that are known to belong together (--labels), or the exact
/// similarities of some random documents with all others (--sample), for which nothing needs to be known.
///
/// The pairs that a method finds are those that it takes for similar itself: by exact count, or, as of simhash, by what the
/// sketches say; of --cluster greedy, the pairs within its clusters.
///
/// precision, recall, F1: of pairs. whole: of the documents with a similar one, those of which none was missed. B³ P, R, F:
/// B-cubed precision, recall and F of the groups that dedup makes (each dropped document with its representative), and ARI, their
/// adjusted Rand index, against the labels, or against all that chains of true pairs connect; with --sample only when all are
/// sampled. dropped: documents; wrong: dropped though no similar one was kept; missed: true pairs of which both were kept;
/// doubled: documents kept beside a similar one. looked at: pairs that met, candidates or not. s, MB: of dedup alone.
///
/// With --sample, pairs are those with a sampled document, and wrong, missed and doubled are of sampled documents. The brackets are
/// 95 % intervals. Those of precision and recall take all pairs of a document as one draw, since pairs of one group are found or
/// missed together. A group that the sample has no document of is unknown to them: sample more documents where a few large groups have
/// most of the pairs.
#[derive(Args)]
#[command(after_help = "Examples:\n  lookalike eval crawl.jsonl --sample 1000\n  \
    lookalike eval news.jsonl --truth pairs.jsonl --threshold 0.7\n  \
    lookalike eval pages.jsonl --labels page --run '' --run '--method simhash --bits 128'\n  \
    lookalike eval news.jsonl --sample 500 --run '--verify none' --run '--bands 20 --rows 5 --recall 0.1 --verify none' --json")]
#[command(group = clap::ArgGroup::new("what").required(true).args(["truth", "labels", "sample"]))]
pub struct Eval {
    /// JSON Lines files (plain or compressed), folders, quoted globs or URLs; they are read several times
    #[arg(required = true, value_name = "INPUT")]
    pub(super) inputs: Vec<String>,
    /// A file of all pairs that are truly similar: JSON Lines with the two ids as a and b and, where it is known, resemblance (or
    /// jaccard), containment or similarity. Pairs below the threshold are left out, pairs without a number are all true
    #[arg(long, value_name = "PAIRS", help_heading = "Truth")]
    pub(super) truth: Option<PathBuf>,
    /// A field with a string or a number that is the same in documents that belong together; without it, or with null, a
    /// document is alone
    #[arg(long, value_name = "FIELD", help_heading = "Truth")]
    pub(super) labels: Option<String>,
    /// Compare N random documents with all, exactly
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Truth")]
    pub(super) sample: Option<u32>,
    /// A method to judge: flags of dedup in one pair of quotes, '' for dedup as it is; may be given several times. Flags that eval
    /// has in common with dedup, such as --threshold, hold for all runs; a run's own go before them [default: every --method, and
    /// the main choices of each]
    #[arg(long, value_name = "FLAGS", allow_hyphen_values = true, help_heading = "Methods")]
    pub(super) run: Vec<String>,
    /// Run each method R times; seconds are the median
    #[arg(long, value_name = "R", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000), help_heading = "Methods")]
    pub(super) repeat: u32,
    /// Print all as JSON
    #[arg(long)]
    pub(super) json: bool,
    /// Read all splits of a data set that a folder holds, such as train and test, as one collection. Else such a folder is refused
    #[arg(long, help_heading = "Input")]
    pub(super) all_splits: bool,
    /// The encoding of CSV that is neither UTF-8 nor UTF-16, such as windows-1252 or gbk, and of JSON Lines that are not UTF-8; of documents
    /// and pages, where it is not to be guessed
    #[arg(long, value_name = "LABEL", help_heading = "Input")]
    pub(super) encoding: Option<String>,
    #[command(flatten)]
    pub(super) fields: FieldArgs,
    /// Set bad lines aside in FILE and go on, instead of stopping at the first
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub(super) skip_bad: Option<PathBuf>,
    #[command(flatten)]
    pub(super) common: Common,
    #[command(flatten)]
    pub(super) running: RunArgs,
}

/// What the truth and all methods have in common.
#[derive(Args)]
pub(super) struct Common {
    /// Similarity from which two documents are roughly the same, above 0 up to 1 [default: 0.8, unless --preset sets it]
    #[arg(long, short, value_name = "T", allow_negative_numbers = true, help_heading = "Comparing")]
    pub(super) threshold: Option<f64>,
    /// What is measured of two texts
    #[arg(long, value_enum, default_value_t = MeasureBy::Resemblance, help_heading = "Comparing")]
    pub(super) measure: MeasureBy,
    #[command(flatten)]
    pub(super) shingles: ShingleArgs,
}

impl Common {
    pub(super) fn config(&self) -> anyhow::Result<Config> {
        Ok(Config { threshold: self.threshold(), measure: Measure::from(self.measure), ..self.shingles.config()? })
    }

    pub(super) fn threshold(&self) -> f64 {
        self.threshold.unwrap_or_else(|| self.shingles.base().threshold)
    }
}
