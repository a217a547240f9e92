//! `lookalike link`.

mod values;

mod charts;

mod pages;

use std::{
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{Args, ValueEnum};
use lookalike::shown::quoted;
use lookalike_applications::records::{LinkConfig, Linker, OneToOne, Verdict};
use lookalike_engine::{
    Error, Format, LateOutput, Link as Asked, RunConfig, explain_link, link, plan_link, refuse_url,
    shown_path, suggest_link,
};

use crate::{
    args::{PageArgs, delimiter, memory, page_size},
    output::{Bars, print, print_data, say},
    report::{self, Report},
};

/// Link records of the same person, company or thing
///
/// Records have fields, such as names, addresses, phone numbers and dates. A TOML configuration lists the fields and where to
/// find each in a record. For each pair of records, each field gives up to 100 points, or up to the weight that is configured for
/// the field. The score is the share of the possible points that the pair gets, and two thresholds turn the score into a match, a
/// possible match or neither. Only candidates are scored: pairs that have the same value in any one field or, if blocks
/// (conditions for candidates) are configured, pairs that satisfy one of the blocks.
///
/// With weights = "learned", the weights of the fields are estimated from the records instead, and the score is the probability of
/// a match. With weights = "labelled", they are estimated from the pairs that --label or --truth labels, and cross-validated.
///
/// Prints one JSON line per pair, in the order of the records: a, b, score, verdict, and the points of each field. With two
/// collections, A and B, only pairs of a record of A and a record of B are considered. If you give --label (a field that is equal
/// in records of the same thing) or --truth (a file of labelled pairs), tables on standard error report how many of the true pairs
/// were found, and how many another threshold would find.
///
/// The exit code is 1 if there is no pair, unless a collection is empty.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  lookalike link customers.csv --suggest -o link.toml\n  lookalike link customers.csv --config link.toml > pairs.jsonl\n  \
    lookalike link ours.jsonl theirs.csv --config link.toml --one-to-one --matches-only -o pairs.jsonl\n  \
    lookalike link people.jsonl --config link.toml --label person --clusters clusters.jsonl -o pairs.jsonl\n\n\
    A configuration:\n  match = 0.85\n  possible = 0.75\n\n  [[field]]\n  name = \"name\"\n  type = \"name\"\n\n  \
    [[field]]\n  name = \"phone\"\n  type = \"phone\"\n  weight = 50\n\n  [[block]]\n  equal = [\"phone\"]\n\n  \
    [[block]]\n  similar = \"name\""
)]
pub struct Link {
    /// Records: a file, folder, quoted glob or URL (- for standard input)
    ///
    /// The files are JSON Lines, JSON arrays or CSV, plain or compressed, or Parquet or Arrow.
    #[arg(value_name = "A")]
    a: String,
    /// Other records, to link with those of A
    #[arg(value_name = "B")]
    b: Option<String>,
    /// Configuration with fields, blocks and thresholds, in TOML
    #[arg(long, short, value_name = "FILE", required_unless_present = "suggest")]
    config: Option<PathBuf>,
    /// Suggest a configuration for the records, and link nothing
    ///
    /// Writes TOML with comments, by default to standard output: the fields to compare as what, placeholders for missing values,
    /// columns that cannot be compared and why, and blocks with the number of pairs that each makes. The weights are learned from the
    /// records when they are linked. The fields of --id-field and --label are not compared.
    #[arg(long, conflicts_with_all = ["config", "clusters", "one_to_one", "matches_only", "truth", "right_by", "explain", "json"])]
    #[arg(conflicts_with_all = ["summary", "report"])]
    suggest: bool,
    /// Write the pairs to FILE instead of standard output
    ///
    /// FILE can be a URL. Output is compressed if the name ends with .gz, .zst, .bz2, .xz, .lz4 or .br.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write the cluster of each record to FILE
    ///
    /// The fields are the record's id, the id of the first record of its cluster, and the number of records in that cluster.
    #[arg(long, value_name = "FILE")]
    clusters: Option<PathBuf>,
    /// Allow each record in at most one pair: auto, yes or no [default: the configuration's, else auto]
    ///
    /// The pairs with the greatest total score are chosen; in very large groups of connected records, the best scores win. auto means
    /// yes if there are two collections and neither seems to contain duplicates. --one-to-one without a value means yes; A
    /// and B must then come before it.
    #[arg(long, value_enum, value_name = "WHEN", num_args = 0..=1, default_missing_value = "yes")]
    one_to_one: Option<When>,
    /// Leave out possible matches
    #[arg(long)]
    matches_only: bool,
    /// File of labelled pairs, for evaluation or labelled weights
    ///
    /// The file is JSON Lines with the two ids of each pair, a and b. A line with "match": false is a pair that does not match. If there are
    /// such lines, pairs that are not in the file have no label and do not count. Otherwise, they do not match.
    #[arg(long, value_name = "FILE", conflicts_with = "label")]
    truth: Option<PathBuf>,
    /// Field that labels records, for evaluation or labelled weights
    ///
    /// The field is equal in records of the same thing. Pairs with a record that lacks it have no label, and do not count.
    #[arg(long, value_name = "FIELD")]
    label: Option<String>,
    /// Estimate how many pairs are right, from a field that is not compared
    ///
    /// FIELD is a date or a number. The estimate requires that the two values of FIELD in a right pair are closer to each other,
    /// on average, than those in a random pair. It assumes that all pairs with the maximum number of points are right.
    #[arg(long, value_name = "FIELD")]
    right_by: Option<String>,
    /// Explain why two records match or not, and link nothing
    ///
    /// With two collections, give an id of A, then an id of B. The exit code is 1 if the records are not even a possible match.
    #[arg(long, num_args = 2, value_names = ["ID", "ID"], allow_hyphen_values = true)]
    #[arg(conflicts_with_all = ["output", "clusters", "one_to_one", "matches_only", "right_by"])]
    explain: Option<Vec<String>>,
    /// Also print how scores are distributed, and the largest clusters
    ///
    /// The summary then also shows records that cannot match, because they have too few values. With --json, all of it is in the
    /// summary in any case, and the page of --report draws it.
    #[arg(long, conflicts_with_all = ["suggest", "explain"])]
    details: bool,
    /// Show the pairs, the time and the memory of a run, and link nothing
    ///
    /// Counts the pairs of each block, and scores a sample of them to measure the time. Weights are learned as in a run, so that errors
    /// show. Nothing is written. The time differs from one dry run to the next; the other figures depend only on the records.
    #[arg(long, conflicts_with_all = ["suggest", "explain", "output", "clusters", "summary", "report", "details"])]
    dry_run: bool,
    /// Print the summary as JSON
    #[arg(long)]
    json: bool,
    /// Format of all inputs [default: detected by extension and first bytes]
    #[arg(long, value_enum, value_name = "FORMAT", help_heading = "Input")]
    format: Option<RecordsBy>,
    /// Read all splits of a dataset folder, such as train and test, together
    ///
    /// Without this flag, a folder with several splits is an error.
    #[arg(long, help_heading = "Input")]
    all_splits: bool,
    /// Field delimiter of CSV [default: a tab in .tsv, detected otherwise]
    ///
    /// The detected delimiter is the comma, semicolon, tab or vertical bar, whichever occurs most often in the header.
    #[arg(long, value_name = "CHARACTER", value_parser = delimiter, help_heading = "Input")]
    delimiter: Option<u8>,
    /// Encoding of inputs that are not UTF-8, such as windows-1252 or gbk
    ///
    /// The flag applies to JSON Lines, and to CSV that is neither UTF-8 nor UTF-16.
    #[arg(long, value_name = "LABEL", help_heading = "Input")]
    encoding: Option<String>,
    /// Field or column with the id
    ///
    /// An id is a string or a number. A record without this field gets an id of the form file:line.
    #[arg(
        long,
        value_name = "FIELD",
        default_value = "id",
        help_heading = "Input"
    )]
    id_field: String,
    /// Allow duplicate ids within a collection
    #[arg(long, help_heading = "Input")]
    allow_repeated_ids: bool,
    /// Number of threads [default: one per core]
    ///
    /// Results do not depend on the number of threads.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        hide_default_value = true,
        help_heading = "Execution"
    )]
    threads: usize,
    /// Memory limit, such as 8G [default: half of free memory]
    ///
    /// Pairs, and the keys that are used to find candidates, are spilled to temporary files if they exceed the limit. Records
    /// cannot be spilled; the summary reports by how much the records exceed the limit.
    #[arg(long, value_name = "SIZE", value_parser = memory, help_heading = "Execution")]
    memory: Option<u64>,
    /// Folder for temporary files [default: the system's]
    #[arg(long, value_name = "FOLDER", help_heading = "Execution")]
    temp_dir: Option<PathBuf>,
    /// Write the summary as JSON to FILE at the end of the run
    ///
    /// FILE can be a URL, or - for standard output. The summary is written after the other outputs, either completely or not at
    /// all.
    #[arg(
        long,
        value_name = "FILE",
        help_heading = "Execution",
        conflicts_with = "explain"
    )]
    summary: Option<PathBuf>,
    /// Print nothing but errors
    #[arg(long, short, help_heading = "Execution")]
    quiet: bool,
    #[command(flatten)]
    page: PageArgs,
}

/// Whether each record is in at most one pair.
#[derive(Clone, Copy, ValueEnum)]
enum When {
    Auto,
    Yes,
    No,
}

impl From<When> for OneToOne {
    fn from(when: When) -> Self {
        match when {
            When::Auto => Self::Auto,
            When::Yes => Self::Yes,
            When::No => Self::No,
        }
    }
}

/// Formats of inputs of records.
#[derive(Clone, Copy, ValueEnum)]
enum RecordsBy {
    /// JSON Lines: one object per line
    Jsonl,
    /// one JSON array of objects
    Json,
    /// CSV or TSV with a header
    Csv,
    /// Parquet
    Parquet,
    /// Arrow IPC: a file, also as Feather, or a stream
    Arrow,
}

impl From<RecordsBy> for Format {
    fn from(format: RecordsBy) -> Self {
        match format {
            RecordsBy::Jsonl => Self::Lines,
            RecordsBy::Json => Self::Array,
            RecordsBy::Csv => Self::Delimited,
            RecordsBy::Parquet => Self::Parquet,
            RecordsBy::Arrow => Self::Arrow,
        }
    }
}

impl Link {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let Some(path) = self.config.clone() else {
            return self.suggested();
        };
        let linkage = read(&path)?;
        // This check reports errors in the configuration file. Errors that occur after it concern the flags and the inputs.
        Linker::new(linkage.clone())
            .map_err(|error| anyhow::Error::new(Error::config(error)).context(shown_path(&path)))?;
        let report = Report::new("link")
            .inputs("a", [&self.a])
            .inputs("b", &self.b);
        let report = report.inputs("config", [path.display().to_string()]);
        let report = report.inputs(
            "truth",
            self.truth.iter().map(|path| path.display().to_string()),
        );
        let config = self.run_config();
        let asked = Asked {
            config_path: Some(path),
            ..self.asked(linkage)
        };
        if let Some([a, b]) = self.explain.as_deref() {
            let explained = explain_link(&config, &asked, [a, b])?;
            match self.json {
                true => print_data(&report.json(&explained)?)?,
                false => print(&pages::explained(&explained))?,
            }
            return Ok(ExitCode::from(u8::from(explained.verdict == Verdict::Not)));
        }
        if self.dry_run {
            let bars = Bars::new(self.quiet);
            let plan = plan_link(&config, &asked, &|progress| bars.observe(progress));
            bars.clear();
            match self.json {
                true => print_data(&report.json(&plan?)?)?,
                false => print(&pages::planned(&plan?))?,
            }
            return Ok(ExitCode::SUCCESS);
        }
        let report = report.output(
            "pairs",
            Some(self.output.as_deref().unwrap_or(Path::new("-"))),
        );
        let report = report
            .output("clusters", asked.clusters.as_deref())
            .output("report", self.page.report.as_deref());
        let file = report.open(config.summary.as_deref())?;
        let bars = Bars::new(self.quiet);
        let linked = link(&config, &asked, self.output.as_deref(), &|progress| {
            bars.observe(progress)
        });
        bars.clear();
        let summary = linked?;
        let of_a = summary.records_a.unwrap_or(summary.records);
        let is_empty = of_a == 0 || summary.records_a.is_some() && of_a == summary.records;
        if self.json {
            say(report.json(&summary)?.trim_end());
        } else if !self.quiet {
            say(&pages::found(&summary, self.details));
            summary
                .report
                .iter()
                .for_each(|figures| say(&format!("report: {}", page_size(figures))));
        }
        report::write(file, &report, &summary)?;
        Ok(ExitCode::from(u8::from(summary.written == 0 && !is_empty)))
    }
}

impl Link {
    /// Returns the request for a linkage with this configuration.
    pub(crate) fn asked(&self, config: LinkConfig) -> Asked {
        Asked {
            config: LinkConfig {
                one_to_one: self.one_to_one.map_or(config.one_to_one, OneToOne::from),
                ..config
            },
            matches_only: self.matches_only,
            clusters: self.clusters.clone(),
            truth: self.truth.clone(),
            right_by: self.right_by.clone(),
            config_path: None,
        }
    }

    pub(crate) fn run_config(&self) -> RunConfig {
        RunConfig {
            inputs: vec![self.b.as_ref().unwrap_or(&self.a).clone()],
            against: self.b.iter().map(|_| self.a.clone()).collect(),
            all_splits: self.all_splits,
            format: self.format.map(Format::from),
            delimiter: self.delimiter,
            encoding: self.encoding.clone(),
            id_field: self.id_field.clone(),
            label_field: self.label.clone(),
            allow_repeated_ids: self.allow_repeated_ids,
            summary: self.summary.clone(),
            report: self.page.config(),
            threads: self.threads,
            memory: self.memory,
            temp_dir: self.temp_dir.clone().unwrap_or_else(std::env::temp_dir),
            ..RunConfig::default()
        }
    }

    /// Suggests a configuration.
    fn suggested(self) -> anyhow::Result<ExitCode> {
        let bars = Bars::new(self.quiet);
        let config = RunConfig {
            label_field: None,
            ..self.run_config()
        };
        let output = self
            .output
            .as_deref()
            .filter(|path| *path != Path::new("-"));
        let file = output.map(LateOutput::create).transpose()?;
        let suggestion = suggest_link(&config, self.label.as_deref(), output, &|progress| {
            bars.observe(progress)
        });
        bars.clear();
        let page = suggestion?.to_toml();
        match file {
            Some(file) => file.finish(page.as_bytes())?,
            None => print_data(&page)?,
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Reads a configuration from a file.
pub(crate) fn read(path: &Path) -> anyhow::Result<LinkConfig> {
    refuse_url("--config", "file", path)?;
    let name = shown_path(path);
    let text = fs::read_to_string(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => {
            anyhow::anyhow!("{name}: no such file; name a TOML file with the fields to compare")
        }
        std::io::ErrorKind::InvalidData => {
            anyhow::anyhow!("{name}: is not UTF-8; save the configuration as UTF-8")
        }
        _ => anyhow::anyhow!("{name}: cannot be read: {error}"),
    })?;
    toml::from_str(&text).map_err(|error| {
        let line = error.span().map_or(1, |span| {
            text[..span.start.min(text.len())].matches('\n').count() + 1
        });
        let what = error.message().trim_end().replace('\n', ", ");
        // The error gives only the position where the field starts, not which field it is.
        let which = if what.starts_with("missing field `type`") {
            untyped(&text).unwrap_or_default()
        } else {
            String::new()
        };
        anyhow::anyhow!("{name}:{line}: {what}{which}")
    })
}

/// Returns which field has no type.
fn untyped(text: &str) -> Option<String> {
    let table: toml::Table = text.parse().ok()?;
    let fields = table.get("field")?.as_array()?;
    let field = fields.iter().find(|field| field.get("type").is_none())?;
    let name = field.get("name")?.as_str()?;
    Some(format!(
        " of the field {}; give one of name, address, phone, date, number, quantity, text, code and exact",
        quoted(name)
    ))
}
