//! The flags of `lookalike eval`.

use std::path::PathBuf;

use clap::Args;
use lookalike_options::{Execution, Fields, Page, Similarity};

/// Evaluate methods on your data against ground truth
///
/// Runs each method with `lookalike dedup` and `lookalike pairs`, and compares its dropped documents and its pairs with the
/// truth. The truth is one of these: pairs that are known to be similar (--truth), documents that are known to belong together
/// (--labels), or the exact similarities of random documents with all others (--sample). --sample needs no prior knowledge.
///
/// The pairs of a method are those that the method itself considers similar: by exact count or, as with simhash, according to the
/// sketches. With --cluster greedy, they are the pairs within its clusters.
///
/// Columns: precision, recall and F1 refer to pairs. The column named whole refers to the documents that have a similar document:
/// it is the share of them whose similar documents were all found. B³ P, R and F are B-cubed precision, recall and F of the
/// groups that dedup makes (each dropped document with its representative), and ARI is the adjusted Rand index of these groups.
/// These four columns compare the groups with those of the labels, or with the groups of documents connected by chains of true
/// pairs. With --sample, the four columns are computed only if all documents are sampled. The next five columns are counts.
/// dropped: dropped documents; wrong: documents that were dropped although no similar document was kept; missed: true pairs of
/// which both documents were kept; doubled: documents that were kept although a similar document was also kept; candidates:
/// candidate pairs, before sketches rule out some of them. s and MB are the seconds and the peak memory that dedup alone took.
///
/// With --sample, only pairs with a sampled document are counted, and the columns wrong, missed and doubled are counted among the
/// sampled documents. Brackets contain 95 % intervals. For the intervals of precision and recall, all pairs of a sampled document
/// count as one random draw, because pairs of one group are found or missed together. The intervals do not account for groups
/// without a sampled document: sample more documents if a few large groups have most of the pairs.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  lookalike eval crawl.jsonl --sample 1000\n  \
    lookalike eval news.jsonl --truth pairs.jsonl --threshold 0.7\n  \
    lookalike eval pages.jsonl --labels page --run '' --run '--method simhash --bits 128'\n  \
    lookalike eval news.jsonl --sample 500 --run '--verify none' --run '--bands 20 --rows 5 --recall 0.1 --verify none' --json"
)]
#[command(group = clap::ArgGroup::new("what").required(true).args(["truth", "labels", "sample"]))]
pub struct Eval {
    /// JSON Lines files, folders, quoted globs or URLs
    ///
    /// Files can be plain or compressed. The inputs are read several times.
    #[arg(required = true, value_name = "INPUT")]
    pub(super) inputs: Vec<String>,
    /// File of all pairs that are truly similar
    ///
    /// The file is JSON Lines with the two ids, a and b, and optionally resemblance (or jaccard), containment or similarity.
    /// Pairs below the threshold are left out. Pairs without a similarity all count as similar.
    #[arg(long, value_name = "PAIRS", help_heading = "Ground truth")]
    pub(super) truth: Option<PathBuf>,
    /// Field that is equal in documents that belong together
    ///
    /// The value is a string or a number. A document without the field, or with null, is in a group of its own.
    #[arg(long, value_name = "FIELD", help_heading = "Ground truth")]
    pub(super) labels: Option<String>,
    /// Compare N random documents with all others, exactly
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Ground truth")]
    pub(super) sample: Option<u32>,
    /// Method to evaluate: dedup flags in one pair of quotes
    ///
    /// Give '' for dedup with its defaults. The flag can be repeated. Flags that eval shares with dedup, such as --threshold,
    /// apply to all runs; a run's own flags override these shared flags. [default: every --method with its main options]
    #[arg(
        long,
        value_name = "FLAGS",
        allow_hyphen_values = true,
        help_heading = "Methods"
    )]
    pub(super) run: Vec<String>,
    /// Run each method R times and report the median time
    #[arg(long, value_name = "R", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000), help_heading = "Methods")]
    pub(super) repeat: u32,
    /// Print the results as JSON
    #[arg(long)]
    pub(super) json: bool,
    /// Read all splits of a dataset folder, such as train and test, together
    ///
    /// Without this flag, a folder with several splits is an error.
    #[arg(long, help_heading = "Input")]
    pub(super) all_splits: bool,
    /// Encoding of inputs that are not UTF-8, such as windows-1252 or gbk
    ///
    /// The flag applies to JSON Lines, and to CSV that is neither UTF-8 nor UTF-16. The encoding of text and HTML documents is
    /// detected unless this flag is given.
    #[arg(long, value_name = "LABEL", help_heading = "Input")]
    pub(super) encoding: Option<String>,
    #[command(flatten)]
    pub(super) fields: Fields,
    /// Skip bad lines and write them to FILE
    ///
    /// Without this flag, the first bad line ends the run.
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub(super) skip_bad: Option<PathBuf>,
    #[command(flatten)]
    pub(super) common: Similarity,
    #[command(flatten)]
    pub(super) page: Page,
    #[command(flatten)]
    pub(super) running: Execution,
}
