//! `lookalike link`.

mod pages;

use std::{
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::{Args, ValueEnum};
use lookalike::shown::quoted;
use lookalike_applications::records::{LinkConfig, Linker, Verdict};
use lookalike_engine::{Error, Format, Link as Asked, RunConfig, explain_link, link, refuse_url, shown_path};

use crate::{
    args::{delimiter, memory},
    output::{Bars, print, print_data, say},
    report::{self, Report},
};

/// Link records of the same person, firm or thing
///
/// Records have fields: names, addresses, phone numbers, dates. A configuration in TOML says which, and where they stand; each field
/// gives a pair of records up to 100 points, and two thresholds make a match, a possible match or none of the score, the share of the
/// points that could be had. Only candidates are scored: pairs that have the value of any one field in common, or what the
/// configuration says.
///
/// One JSON line a pair, in the records' order: a, b, score, verdict, and the points of each field. With two collections, A and B, only pairs
/// across are looked at. With --label, a field that records of one thing have in common, or --truth, a file of true pairs, a table on
/// standard error tells how many were found.
///
/// Exit code 1 when there is no pair, unless a collection is empty.
#[derive(Args)]
#[command(after_help = "Examples:\n  lookalike link customers.csv --config link.toml > pairs.jsonl\n  \
    lookalike link ours.jsonl theirs.csv --config link.toml --one-to-one --matches-only -o pairs.jsonl\n  \
    lookalike link people.jsonl --config link.toml --label person --clusters clusters.jsonl -o pairs.jsonl\n\n\
    A configuration:\n  match = 0.85\n  possible = 0.75\n\n  [[field]]\n  name = \"name\"\n  type = \"name\"\n\n  \
    [[field]]\n  name = \"phone\"\n  type = \"phone\"\n  weight = 50\n\n  [[block]]\n  equal = [\"phone\"]\n\n  \
    [[block]]\n  similar = \"name\"")]
pub struct Link {
    /// Records: JSON Lines, JSON arrays or CSV, plain or compressed; a file, a folder, a quoted glob, a URL, or - for standard input
    #[arg(value_name = "A")]
    a: String,
    /// Other records, to link those of A with
    #[arg(value_name = "B")]
    b: Option<String>,
    /// The configuration: fields, blocks and thresholds
    #[arg(long, short, value_name = "FILE")]
    config: PathBuf,
    /// Write the pairs to FILE, or the object of a URL, instead of standard output; .gz, .zst, .bz2, .xz, .lz4 and .br are compressed
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write each record's cluster to FILE: its id, the id of the cluster's first record, and how many are in it
    #[arg(long, value_name = "FILE")]
    clusters: Option<PathBuf>,
    /// Let each record be in one pair at most: the pairs with the best scores stand
    #[arg(long)]
    one_to_one: bool,
    /// Leave possible matches out
    #[arg(long)]
    matches_only: bool,
    /// True pairs, to judge by: JSON Lines with two ids, a and b
    #[arg(long, value_name = "FILE", conflicts_with = "label")]
    truth: Option<PathBuf>,
    /// The field that says what is the same, to judge by
    #[arg(long, value_name = "FIELD")]
    label: Option<String>,
    /// Estimate how many pairs are right, by a date or a number that is not compared: pairs with all points are right, and nearer to
    /// each other in it than pairs at random
    #[arg(long, value_name = "FIELD")]
    right_by: Option<String>,
    /// Tell why these two records match or not, and link nothing; of two collections one of A, then one of B. Exit code 1 when they
    /// are not even a possible match
    #[arg(long, num_args = 2, value_names = ["ID", "ID"], allow_hyphen_values = true)]
    #[arg(conflicts_with_all = ["output", "clusters", "one_to_one", "matches_only", "truth", "label", "right_by"])]
    explain: Option<Vec<String>>,
    /// Print the summary as JSON
    #[arg(long)]
    json: bool,
    /// What all inputs hold [default: what their endings and first bytes say]
    #[arg(long, value_enum, value_name = "FORMAT", help_heading = "Input")]
    format: Option<RecordsBy>,
    /// Read all splits of a data set that a folder holds, such as train and test, as one collection. Else such a folder is refused
    #[arg(long, help_heading = "Input")]
    all_splits: bool,
    /// The character between the fields of CSV [default: a tab in .tsv, else of comma, semicolon, tab and bar the one that the
    /// header has most]
    #[arg(long, value_name = "CHARACTER", value_parser = delimiter, help_heading = "Input")]
    delimiter: Option<u8>,
    /// The encoding of CSV that is neither UTF-8 nor UTF-16, and of JSON Lines that are not UTF-8, such as windows-1252 or gbk
    #[arg(long, value_name = "LABEL", help_heading = "Input")]
    encoding: Option<String>,
    /// The field that holds the id, a string or a number; a record without one is called file:line
    #[arg(long, value_name = "FIELD", default_value = "id", help_heading = "Input")]
    id_field: String,
    /// Let the same id stand for several records of a collection
    #[arg(long, help_heading = "Input")]
    allow_repeated_ids: bool,
    /// Threads [default: one a core]; the answer is the same for any number
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true, help_heading = "Running")]
    threads: usize,
    /// Memory limit, e.g. 512M or 8G [default: half of the free memory]. Keys and pairs beyond it go to temporary files. Records cannot;
    /// the summary reports what they take more
    #[arg(long, value_name = "SIZE", value_parser = memory, help_heading = "Running")]
    memory: Option<u64>,
    /// The folder for temporary files [default: the system's]
    #[arg(long, value_name = "FOLDER", help_heading = "Running")]
    temp_dir: Option<PathBuf>,
    /// Write the summary as JSON to FILE, a URL or - when the run is done, after the other outputs; it is there whole or not at all
    #[arg(long, value_name = "FILE", help_heading = "Running", conflicts_with = "explain")]
    summary: Option<PathBuf>,
    /// Print nothing but errors
    #[arg(long, short, help_heading = "Running")]
    quiet: bool,
}

/// What inputs of records hold.
#[derive(Clone, Copy, ValueEnum)]
enum RecordsBy {
    /// JSON Lines: an object on each line
    Jsonl,
    /// one JSON array of objects
    Json,
    /// CSV or TSV with a header
    Csv,
}

impl From<RecordsBy> for Format {
    fn from(format: RecordsBy) -> Self {
        match format {
            RecordsBy::Jsonl => Self::Lines,
            RecordsBy::Json => Self::Array,
            RecordsBy::Csv => Self::Delimited,
        }
    }
}

impl Link {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let mut linkage = read(&self.config)?;
        linkage.one_to_one |= self.one_to_one;
        // What the core refuses is of the file; what is refused later is of flags and inputs.
        Linker::new(linkage.clone())
            .map_err(|error| anyhow::Error::new(Error::config(error)).context(shown_path(&self.config)))?;
        let report = Report::new("link").inputs("a", [&self.a]).inputs("b", &self.b);
        let report = report.inputs("config", [self.config.display().to_string()]);
        let report = report.inputs("truth", self.truth.iter().map(|path| path.display().to_string()));
        let config = RunConfig {
            inputs: [self.a].into_iter().chain(self.b).collect(),
            all_splits: self.all_splits,
            format: self.format.map(Format::from),
            delimiter: self.delimiter,
            encoding: self.encoding,
            id_field: self.id_field,
            label_field: self.label,
            allow_repeated_ids: self.allow_repeated_ids,
            summary: self.summary,
            threads: self.threads,
            memory: self.memory,
            temp_dir: self.temp_dir.unwrap_or_else(std::env::temp_dir),
            ..RunConfig::default()
        };
        let asked = Asked {
            config: linkage,
            matches_only: self.matches_only,
            clusters: self.clusters,
            truth: self.truth,
            right_by: self.right_by,
            config_path: Some(self.config),
        };
        if let Some([a, b]) = self.explain.as_deref() {
            let explained = explain_link(&config, &asked, [a, b])?;
            match self.json {
                true => print_data(&report.json(&explained)?)?,
                false => print(&pages::explained(&explained))?,
            }
            return Ok(ExitCode::from(u8::from(explained.verdict == Verdict::Not)));
        }
        let report = report.output("pairs", Some(self.output.as_deref().unwrap_or(Path::new("-"))));
        let report = report.output("clusters", asked.clusters.as_deref());
        let file = report::open(config.summary.as_deref())?;
        let bars = Bars::new(self.quiet);
        let linked = link(&config, &asked, self.output.as_deref(), &|progress| bars.observe(progress));
        bars.clear();
        let summary = linked?;
        let of_a = summary.records_a.unwrap_or(summary.records);
        let is_empty = of_a == 0 || summary.records_a.is_some() && of_a == summary.records;
        if self.json {
            say(report.json(&summary)?.trim_end());
        } else if !self.quiet {
            say(&pages::found(&summary));
        }
        report::write(file, &report, &summary)?;
        Ok(ExitCode::from(u8::from(summary.written == 0 && !is_empty)))
    }
}

/// Reads a configuration.
fn read(path: &Path) -> anyhow::Result<LinkConfig> {
    refuse_url("--config", "file", path)?;
    let name = shown_path(path);
    let text = fs::read_to_string(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => anyhow::anyhow!("{name}: no such file; give --config the name of one in TOML"),
        std::io::ErrorKind::InvalidData => anyhow::anyhow!("{name}: is not UTF-8; write the configuration anew"),
        _ => anyhow::anyhow!("{name}: cannot be read: {error}"),
    })?;
    toml::from_str(&text).map_err(|error| {
        let line = error.span().map_or(1, |span| text[..span.start.min(text.len())].matches('\n').count() + 1);
        let what = error.message().trim_end().replace('\n', ", ");
        // It stands where the field begins, which does not say which one it is.
        let which = if what.starts_with("missing field `type`") { untyped(&text).unwrap_or_default() } else { String::new() };
        anyhow::anyhow!("{name}:{line}: {what}{which}")
    })
}

/// Which field has no type.
fn untyped(text: &str) -> Option<String> {
    let table: toml::Table = text.parse().ok()?;
    let fields = table.get("field")?.as_array()?;
    let field = fields.iter().find(|field| field.get("type").is_none())?;
    let name = field.get("name")?.as_str()?;
    Some(format!(" of the field {}: say one of name, address, phone, date, number, text, code and exact", quoted(name)))
}
