//! Flags that several commands share. This module only names and documents them; the core and the engine check their values where
//! they use them.

mod against;
mod find;

mod compare;
mod method;
mod other_fields;
mod output;
mod per_group;
mod report;
mod resume;

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use lookalike::{
    Config, FingerprintBy, Occurrences, Preset,
    text::{Folds, Language, TokensBy},
};
use lookalike_engine::{Error, ErrorKind, Format, Html, RunConfig, Setting, Words, words};

use crate::report::Report;

pub use self::{
    against::set_references,
    compare::CompareArgs,
    find::{
        CandidatesBy, DigestOf, FeaturesBy, FindArgs, MeasureBy, MethodBy, PermutationsBy, modulus,
    },
    method::{MethodArgs, VerifyBy},
    other_fields::OtherFieldsArgs,
    output::OutputArgs,
    per_group::PerGroupArgs,
    report::{FloorArgs, PageArgs, ReportArgs, described, page_size},
    resume::{ResumeArgs, resumed},
};

/// Where the documents are.
#[derive(Args)]
pub struct InputArgs {
    /// Files, folders, quoted globs or URLs (- for standard input)
    ///
    /// JSON Lines, JSON arrays, CSV, TSV and WARC files can be plain or compressed (.gz, .zst, .bz2, .xz, .lz4 or .br). Parquet
    /// and Arrow files are recognised by .parquet, .arrow and .feather. A .txt, .md, .html or similar file is one document. A
    /// .zip or .tar archive, also a compressed one, is read like a folder of such files. URLs can be s3://, gs:// and az://, or https://
    /// for a single file.
    #[arg(required_unless_present = "input_command", value_name = "INPUT")]
    pub inputs: Vec<String>,
    /// Run COMMAND with sh -c and read its output after the named inputs
    ///
    /// The output can be plain or compressed, but not with brotli. A run can read its inputs several times; COMMAND is run again
    /// each time and must print the same data. Repeat the flag for several commands. A record without an id gets the id
    /// command:N:line, where N is the number of the command.
    #[arg(long, value_name = "COMMAND", help_heading = "Input")]
    pub input_command: Vec<String>,
    #[command(flatten)]
    pub records: RecordArgs,
}

impl InputArgs {
    /// Adds the inputs and the file for bad lines to a report. A command may contain a password, so its number is reported
    /// instead.
    pub fn report(&self, report: Report) -> Report {
        let commands = (1..=self.input_command.len()).map(|number| format!("command:{number}"));
        let report = report
            .inputs("input", &self.inputs)
            .inputs("command", commands);
        report.output("bad_lines", self.records.skip_bad.as_deref())
    }
}

/// How records are read.
#[derive(Args)]
pub struct RecordArgs {
    /// Format of all inputs [default: detected by extension and first bytes]
    #[arg(long, value_enum, value_name = "FORMAT", help_heading = "Input")]
    pub format: Option<FormatBy>,
    /// In folders, skip files that .gitignore files exclude
    #[arg(long, help_heading = "Input")]
    pub gitignore: bool,
    /// Read all splits of a dataset folder, such as train and test, together
    ///
    /// Without this flag, a folder with several splits is an error. To compare two splits, name one as INPUT and the other with
    /// --against.
    #[arg(long, help_heading = "Input")]
    pub all_splits: bool,
    /// Field delimiter of CSV [default: a tab in .tsv, detected otherwise]
    ///
    /// The detected delimiter is the comma, semicolon, tab or vertical bar, whichever occurs most often in the header.
    #[arg(long, value_name = "CHARACTER", value_parser = delimiter, help_heading = "Input")]
    pub delimiter: Option<u8>,
    /// Encoding of inputs that are not UTF-8, such as windows-1252 or gbk
    ///
    /// The flag applies to JSON Lines, and to CSV that is neither UTF-8 nor UTF-16. The encoding of text and HTML documents is
    /// detected unless this flag is given.
    #[arg(long, value_name = "LABEL", help_heading = "Input")]
    pub encoding: Option<String>,
    /// Parse texts as HTML and compare this part of each page
    ///
    /// [default: only .html files and HTML records are parsed, and their visible text is compared]
    #[arg(long, value_enum, value_name = "WHAT", help_heading = "Input")]
    pub html: Option<HtmlBy>,
    #[command(flatten)]
    pub fields: FieldArgs,
    /// Skip bad lines, count them and write them to FILE
    ///
    /// Without this flag, the first bad line ends the run. FILE can be - for standard output.
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub skip_bad: Option<PathBuf>,
    /// Allow duplicate ids
    #[arg(long, help_heading = "Input")]
    pub allow_repeated_ids: bool,
}

/// Formats of inputs.
#[derive(Clone, Copy, ValueEnum)]
pub enum FormatBy {
    /// JSON Lines: one object per line
    Jsonl,
    /// one JSON array of objects
    Json,
    /// CSV or TSV with a header
    Csv,
    /// plain text: each file is a document
    Text,
    /// HTML: each file is a document
    Html,
    /// a web crawl: each response, resource or conversion is a document, with its URL as id
    Warc,
    /// a Parquet file
    Parquet,
    /// an Arrow IPC file (Feather) or stream
    Arrow,
}

impl From<FormatBy> for Format {
    fn from(format: FormatBy) -> Self {
        match format {
            FormatBy::Jsonl => Self::Lines,
            FormatBy::Json => Self::Array,
            FormatBy::Csv => Self::Delimited,
            FormatBy::Text => Self::Text,
            FormatBy::Html => Self::Html,
            FormatBy::Warc => Self::Warc,
            FormatBy::Parquet => Self::Parquet,
            FormatBy::Arrow => Self::Arrow,
        }
    }
}

/// Parts of a page that can be compared.
#[derive(Clone, Copy, ValueEnum)]
pub enum HtmlBy {
    /// all visible text
    Text,
    /// the main content, without menus, sidebars and footers
    Main,
}

impl From<HtmlBy> for Html {
    fn from(html: HtmlBy) -> Self {
        match html {
            HtmlBy::Text => Self::Text,
            HtmlBy::Main => Self::Main,
        }
    }
}

pub fn delimiter(given: &str) -> Result<u8, String> {
    match given.as_bytes() {
        b"\\t" => Ok(b'\t'),
        &[one] if one != b'"' && one.is_ascii() && (one == b'\t' || !one.is_ascii_control()) => {
            Ok(one)
        }
        _ => Err("give one ASCII character other than a quote, or \\t for a tab".into()),
    }
}

/// The fields of a record.
#[derive(Args)]
pub struct FieldArgs {
    /// Field or column with the text
    ///
    /// A name with dots, such as meta.text, is the field with exactly this name or, if there is none, a path into objects and
    /// structs. The same rule applies to all flags that name fields. In CSV, a name is always the exact name of a column.
    ///
    /// Several fields are one text: --text-field title,body. In JSON and tables, messages[].content has the texts of all elements of an
    /// array. Blank lines separate the parts, and parts that are missing or null are left out.
    #[arg(
        long,
        value_name = "FIELD",
        default_value = "text",
        help_heading = "Input"
    )]
    pub text_field: String,
    /// Compare sets: field with a JSON array of strings and numbers
    ///
    /// In CSV, the field is a column that contains such arrays; in tables, it is a column of lists. Each item is compared
    /// unchanged and as a whole. --keep longest keeps the set with the most items.
    #[arg(
        long,
        value_name = "FIELD",
        conflicts_with = "text_field",
        help_heading = "Input"
    )]
    pub set_field: Option<String>,
    /// Field or column with the id
    ///
    /// An id is a string or a number. A record without this field gets an id of the form file:line.
    #[arg(
        long,
        value_name = "FIELD",
        default_value = "id",
        help_heading = "Input"
    )]
    pub id_field: String,
}

impl FieldArgs {
    /// Returns the field that is compared.
    pub fn text(&self) -> &str {
        self.set_field.as_ref().unwrap_or(&self.text_field)
    }

    /// Turns a configuration for texts into one for sets if documents are sets.
    pub fn of_sets(&self, config: Config) -> anyhow::Result<Config> {
        match self.set_field {
            None => Ok(config),
            Some(_) => as_sets(config),
        }
    }
}

/// Returns the error for flags that contradict each other.
pub fn refuse(what: Words, advice: &'static str) -> anyhow::Error {
    Error::new(ErrorKind::Config, what).instead(advice).into()
}

/// Turns a configuration for texts into one for sets.
pub fn as_sets(config: Config) -> anyhow::Result<Config> {
    if config.tokens != TokensBy::Auto {
        let what = words![
            Setting::Tokens,
            ": the items of a set are compared as they are, each separately"
        ];
        return Err(Error::new(ErrorKind::Config, what)
            .advise("leave it out, or compare texts")
            .into());
    }
    Ok(Config {
        tokens: TokensBy::Items,
        ..config
    })
}

/// How texts become shingles.
#[derive(Args)]
pub struct ShingleArgs {
    /// Use the settings for a kind of text; explicit flags override them
    #[arg(long, value_enum, value_name = "KIND", help_heading = "Comparison")]
    pub preset: Option<PresetBy>,
    /// Unit of text that shingles are made of
    #[arg(long, value_enum, default_value_t = Tokens::Auto, help_heading = "Comparison")]
    pub tokens: Tokens,
    #[command(flatten)]
    pub folds: FoldArgs,
    /// Tokens per shingle [default: 5 (lines: 2; with --anchors: 3; sets: 1)]
    ///
    /// A shingle is a run of consecutive tokens. Documents are compared by the shingles that they share. If tokens are
    /// characters, use 8 to 10.
    #[arg(long, value_name = "K", help_heading = "Comparison")]
    pub shingle: Option<usize>,
    /// Use only shingles that start with a stop word of these languages
    ///
    /// Give languages such as en or en,de. Menus and advertisements are ignored, because they have few stop words, while articles
    /// have many. A text with few stop words is compared by all its shingles, and the summary counts such texts.
    #[arg(
        long,
        value_name = "LANGUAGE",
        value_delimiter = ',',
        help_heading = "Comparison"
    )]
    pub anchors: Vec<Language>,
    /// How to count a shingle that occurs several times in a text
    #[arg(long, value_enum, default_value_t = OccurrencesBy::Once, help_heading = "Comparison")]
    pub occurrences: OccurrencesBy,
    /// How a shingle is hashed to a number
    #[arg(long, value_enum, default_value_t = Fingerprint::Rolling, help_heading = "Comparison")]
    pub fingerprint: Fingerprint,
    /// For --fingerprint rabin: bits of the hash, 16 to 64 [default: 64]
    #[arg(long, value_name = "BITS", help_heading = "Comparison")]
    pub degree: Option<u32>,
    /// Seed for all random choices
    ///
    /// A different seed may find different pairs near the threshold.
    #[arg(long, default_value_t = Config::default().seed, help_heading = "Comparison")]
    pub seed: u64,
}

/// Kinds of text.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PresetBy {
    /// texts of one or two sentences, such as quotations, verses and titles: --shingle 2 --threshold 0.5
    Quotations,
}

impl From<PresetBy> for Preset {
    fn from(preset: PresetBy) -> Self {
        match preset {
            PresetBy::Quotations => Self::Quotations,
        }
    }
}

/// Units of text.
#[derive(Clone, Copy, ValueEnum)]
pub enum Tokens {
    /// words; characters in scripts without spaces, such as Chinese, Japanese, Thai and Javanese
    Auto,
    /// words in every script
    Words,
    /// characters; anything that separates words counts as one space
    Chars,
    /// like auto, but Chinese is split into the words of a dictionary
    Jieba,
    /// lines, for code and logs: the words of a line, without its indentation and punctuation; lines without a word are skipped
    Lines,
}

impl From<Tokens> for TokensBy {
    fn from(tokens: Tokens) -> Self {
        match tokens {
            Tokens::Auto => Self::Auto,
            Tokens::Words => Self::Words,
            Tokens::Chars => Self::Chars,
            Tokens::Jieba => Self::Jieba,
            Tokens::Lines => Self::Lines,
        }
    }
}

/// Which differences are ignored.
#[derive(Args)]
pub struct FoldArgs {
    /// Ignore these differences when comparing (comma-separated)
    #[arg(
        long,
        value_enum,
        value_name = "WHAT",
        value_delimiter = ',',
        help_heading = "Comparison"
    )]
    pub fold: Vec<Fold>,
}

impl FoldArgs {
    /// Returns the differences.
    pub fn folds(&self) -> Folds {
        let has = |fold| self.fold.contains(&fold);
        Folds {
            simplified: has(Fold::Simplified),
            accents: has(Fold::Accents),
            marks: has(Fold::Marks),
            digits: has(Fold::Digits),
        }
    }
}

/// Differences that can be ignored.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Fold {
    /// traditional or simplified Chinese characters
    Simplified,
    /// accents of Latin, Greek and Cyrillic letters
    Accents,
    /// vowel marks of Arabic, Hebrew and Syriac
    Marks,
    /// values of digits: all digits are equal
    Digits,
}

/// Ways to count a shingle that occurs several times.
#[derive(Clone, Copy, ValueEnum)]
pub enum OccurrencesBy {
    /// once (Broder's option B)
    Once,
    /// each occurrence as a separate shingle (Broder's option A)
    Labelled,
}

/// Hash functions for shingles.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Fingerprint {
    /// a rolling hash of the tokens' hashes
    Rolling,
    /// Rabin's fingerprint, computed in units of 8 bytes: a word of more than 8 bytes counts as several tokens, so a shingle may
    /// have fewer words than tokens
    Rabin,
}

impl ShingleArgs {
    /// Returns the configuration that applies where no flag is given: the preset or the defaults.
    pub fn base(&self) -> Config {
        self.preset
            .map_or_else(Config::default, |preset| Preset::from(preset).config())
    }

    /// Returns a configuration with the settings for comparing; all other settings have their defaults.
    pub fn config(&self) -> anyhow::Result<Config> {
        let base = self.base();
        if self.degree.is_some() && self.fingerprint != Fingerprint::Rabin {
            let what = words![
                Setting::Degree,
                " only works with ",
                (Setting::Fingerprint, "rabin")
            ];
            return Err(refuse(what, "give both, or neither"));
        }
        Ok(Config {
            tokens: self.tokens.into(),
            folds: self.folds.folds(),
            shingle: self.shingle.or(base.shingle),
            anchors: self.anchors.clone(),
            occurrences: match self.occurrences {
                OccurrencesBy::Once => Occurrences::Once,
                OccurrencesBy::Labelled => Occurrences::Labelled,
            },
            fingerprint: match self.fingerprint {
                Fingerprint::Rolling => FingerprintBy::Rolling,
                Fingerprint::Rabin => FingerprintBy::Rabin {
                    degree: self.degree.unwrap_or(64),
                },
            },
            seed: self.seed,
            ..base
        })
    }
}

/// How a run is executed.
#[derive(Args)]
pub struct RunArgs {
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
    pub threads: usize,
    /// Memory limit, such as 8G [default: half of free memory]
    ///
    /// Data beyond the limit is spilled to temporary files. Some data cannot be spilled, such as a line of hundreds of megabytes.
    /// If the run therefore exceeds the limit, the summary reports by how much.
    #[arg(long, value_name = "SIZE", value_parser = memory, help_heading = "Execution")]
    pub memory: Option<u64>,
    /// Folder for temporary files [default: the system's]
    #[arg(long, value_name = "FOLDER", help_heading = "Execution")]
    pub temp_dir: Option<PathBuf>,
    /// Write the summary as JSON to FILE at the end of the run
    ///
    /// FILE can be a URL, or - for standard output. The summary is written after the other outputs, either completely or not at
    /// all.
    #[arg(long, value_name = "FILE", help_heading = "Execution")]
    pub summary: Option<PathBuf>,
    /// Print nothing but errors
    #[arg(long, short, help_heading = "Execution")]
    pub quiet: bool,
}

/// The lowest memory limit that a run can respect.
const LEAST_MEMORY: u64 = 64 * bytesize::MB;

/// Parses a size in bytes, with or without a unit.
pub fn memory(size: &str) -> Result<u64, String> {
    let size: bytesize::ByteSize = size
        .parse()
        .map_err(|_| "give a size such as 512M or 8G".to_string())?;
    if size.as_u64() < LEAST_MEMORY {
        Err("give 64M or more".into())
    } else {
        Ok(size.as_u64())
    }
}

/// Returns a run's configuration from its flags.
pub fn run_config(input: &InputArgs, run: &RunArgs, method: Config) -> RunConfig {
    let (records, default) = (&input.records, RunConfig::default());
    RunConfig {
        inputs: input.inputs.clone(),
        input_commands: input.input_command.clone(),
        method,
        format: records.format.map(Format::from),
        gitignore: records.gitignore,
        all_splits: records.all_splits,
        delimiter: records.delimiter,
        encoding: records.encoding.clone(),
        html: records.html.map(Html::from),
        text_field: records.fields.text().into(),
        id_field: records.fields.id_field.clone(),
        allow_repeated_ids: records.allow_repeated_ids,
        skip_bad: records.skip_bad.clone(),
        summary: run.summary.clone(),
        threads: run.threads,
        memory: run.memory,
        temp_dir: run.temp_dir.clone().unwrap_or(default.temp_dir),
        ..default
    }
}
