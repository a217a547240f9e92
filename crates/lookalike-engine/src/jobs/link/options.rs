//! The options of `link`, and its plan.

use std::path::PathBuf;

use lookalike_applications::records::{LinkConfig, OneToOne};
use lookalike_io::{error::Result, format::Format};
use lookalike_options::{
    Execution, Given, Page, RecordFiles, choice, choice_of, options, refuse_other,
};

use super::asked::Link;
use crate::config::{ReportConfig, RunConfig};

/// The formats of records with fields.
const OF_RECORDS: &[Format] = &[
    Format::Lines,
    Format::Array,
    Format::Delimited,
    Format::Parquet,
    Format::Arrow,
];

options! {
/// The options of `link`.
pub struct LinkOptions {
    /// Suggest a configuration for the records, and link nothing
    ///
    /// Writes TOML with comments, by default to standard output: the fields to compare as what, placeholders for missing values,
    /// columns that cannot be compared and why, and blocks with the number of pairs that each makes. The weights are learned from the
    /// records when they are linked. The fields of --id-field and --label are not compared.
    #[arg(long)]
    pub suggest: bool,
    /// Write the pairs to FILE instead of standard output
    ///
    /// FILE can be a URL. Output is compressed if the name ends with .gz, .zst, .bz2, .xz, .lz4 or .br.
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write the cluster of each record to FILE
    ///
    /// The fields are the record's id, the id of the first record of its cluster, and the number of records in that cluster.
    #[arg(long, value_name = "FILE")]
    pub clusters: Option<PathBuf>,
    /// Allow each record in at most one pair: auto, yes or no [default: the configuration's, else auto]
    ///
    /// The pairs with the greatest total score are chosen; in very large groups of connected records, the best scores win. auto means
    /// yes if there are two collections and neither seems to contain duplicates. --one-to-one without a value means yes; A
    /// and B must then come before it.
    #[arg(long, value_parser = choice::<OneToOne>(), value_name = "WHEN", num_args = 0..=1, default_missing_value = "yes")]
    pub one_to_one: Option<OneToOne>,
    /// Leave out possible matches
    #[arg(long)]
    pub matches_only: bool,
    /// File of labelled pairs, for evaluation or labelled weights
    ///
    /// The file is JSON Lines with the two ids of each pair, a and b. A line with "match": false is a pair that does not match. If there are
    /// such lines, pairs that are not in the file have no label and do not count. Otherwise, they do not match.
    #[arg(long, value_name = "FILE")]
    pub truth: Option<PathBuf>,
    /// Field that labels records, for evaluation or labelled weights
    ///
    /// The field is equal in records of the same thing. Pairs with a record that lacks it have no label, and do not count.
    #[arg(long, value_name = "FIELD")]
    pub label: Option<String>,
    /// Estimate how many pairs are right, from a field that is not compared
    ///
    /// FIELD is a date or a number. The estimate requires that the two values of FIELD in a right pair are closer to each other,
    /// on average, than those in a random pair. It assumes that all pairs with the maximum number of points are right.
    #[arg(long, value_name = "FIELD")]
    pub right_by: Option<String>,
    /// Explain why two records match or not, and link nothing
    ///
    /// With two collections, give an id of A, then an id of B. The exit code is 1 if the records are not even a possible match.
    #[arg(long, num_args = 2, value_names = ["ID", "ID"], allow_hyphen_values = true)]
    pub explain: Option<Vec<String>>,
    /// Also print how scores are distributed, and the largest clusters
    ///
    /// The summary then also shows records that cannot match, because they have too few values. With --json, all of it is in the
    /// summary in any case, and the page of --report draws it.
    #[arg(long)]
    pub details: bool,
    /// Show the pairs, the time and the memory of a run, and link nothing
    ///
    /// Counts the pairs of each block, and scores a sample of them to measure the time. Weights are learned as in a run, so that errors
    /// show. Nothing is written. The time differs from one dry run to the next; the other figures depend only on the records.
    #[arg(long)]
    pub dry_run: bool,
    /// Format of all inputs [default: detected by extension and first bytes]
    #[arg(long, value_parser = choice_of(OF_RECORDS), value_name = "FORMAT", help_heading = "Input")]
    pub format: Option<Format>,
    #[command(flatten)]
    pub files: RecordFiles,
    /// Field or column with the id [default: id]
    ///
    /// An id is a string or a number. A record without this field gets an id of the form file:line.
    #[arg(long, value_name = "FIELD", help_heading = "Input")]
    pub id_field: Option<String>,
    #[command(flatten)]
    pub page: Page,
    #[command(flatten)]
    pub execution: Execution,
}
}

/// What does not work with what.
const EXCLUSIVE: &[(&str, &[&str])] = &[
    (
        "suggest",
        &[
            "config",
            "clusters",
            "one_to_one",
            "matches_only",
            "truth",
            "right_by",
            "explain",
            "json",
            "summary",
            "report",
        ],
    ),
    ("truth", &["label"]),
    (
        "explain",
        &[
            "output",
            "clusters",
            "one_to_one",
            "matches_only",
            "right_by",
            "summary",
        ],
    ),
    ("details", &["suggest", "explain"]),
    (
        "dry_run",
        &[
            "suggest", "explain", "output", "clusters", "summary", "report", "details",
        ],
    ),
];

impl LinkOptions {
    /// Returns the run that these options describe, without its inputs, and the request for a linkage with this configuration.
    /// `config` and `json` say whether a file of the configuration, and a summary as JSON, are given.
    ///
    /// # Errors
    /// Fails if an option has a wrong value, or if options do not work together. No file is read.
    pub fn plan(&self, linkage: LinkConfig, given: &Given) -> Result<(RunConfig, Link)> {
        given.check()?;
        refuse_other("format", self.format, OF_RECORDS)?;
        given.exclusive(EXCLUSIVE)?;
        let usual = RunConfig::reading(&self.files, &self.execution);
        let run = RunConfig {
            format: self.format,
            id_field: self.id_field.clone().unwrap_or(usual.id_field),
            label_field: self.label.clone(),
            report: ReportConfig::at(&self.page),
            ..usual
        };
        let request = Link {
            config: LinkConfig {
                one_to_one: self.one_to_one.unwrap_or(linkage.one_to_one),
                ..linkage
            },
            matches_only: self.matches_only,
            clusters: self.clusters.clone(),
            truth: self.truth.clone(),
            right_by: self.right_by.clone(),
            config_path: None,
        };
        Ok((run, request))
    }
}
