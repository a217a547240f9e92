//! Flags that several commands have. Their values are checked where they are used, by the core and the engine; here they
//! are only named and explained.

mod find;
mod method;

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use lookalike::{
    Config, FingerprintBy, Occurrences, Preset,
    text::{Folds, Language, TokensBy},
};
use lookalike_engine::{Error, ErrorKind, Format, Html, RunConfig, Setting, Words, words};

use crate::report::Report;

pub use self::{
    find::{CandidatesBy, DigestOf, FindArgs, MeasureBy, MethodBy, modulus},
    method::{MethodArgs, VerifyBy},
};

/// Where the documents are.
#[derive(Args)]
pub struct InputArgs {
    /// JSON Lines, JSON arrays, CSV, TSV and WARC in files (plain, .gz, .zst, .bz2, .xz, .lz4 or .br), Parquet and Arrow (.parquet,
    /// .arrow, .feather), files that are a document each (.txt, .md, .html and their like), folders, quoted globs, URLs of them (s3://,
    /// gs://, az://; of a file also https://), or - for standard input
    #[arg(required_unless_present = "input_command", value_name = "INPUT")]
    pub inputs: Vec<String>,
    /// Run COMMAND with sh -c and read what it prints, plain or compressed (not brotli), behind the other inputs; it runs once for each pass
    /// and must print the same each time. Several with several flags; a record without an id is called command:N:line
    #[arg(long, value_name = "COMMAND", help_heading = "Input")]
    pub input_command: Vec<String>,
    #[command(flatten)]
    pub records: RecordArgs,
}

impl InputArgs {
    /// Adds the inputs to a report, and where bad lines go. A command may have a password in it, so it is called by its number.
    pub fn report(&self, report: Report) -> Report {
        let commands = (1..=self.input_command.len()).map(|number| format!("command:{number}"));
        let report = report.inputs("input", &self.inputs).inputs("command", commands);
        report.output("bad_lines", self.records.skip_bad.as_deref())
    }
}

/// How a line is read.
#[derive(Args)]
pub struct RecordArgs {
    /// What all inputs hold [default: what their endings and first bytes say]
    #[arg(long, value_enum, value_name = "FORMAT", help_heading = "Input")]
    pub format: Option<FormatBy>,
    /// Of folders, leave out what .gitignore files say
    #[arg(long, help_heading = "Input")]
    pub gitignore: bool,
    /// Read all splits of a data set that a folder holds, such as train and test, as one collection. Else such a folder is refused:
    /// name a split, and compare it with another by --against
    #[arg(long, help_heading = "Input")]
    pub all_splits: bool,
    /// The character between the fields of CSV [default: a tab in .tsv, else of comma, semicolon, tab and bar the one that the
    /// header has most]
    #[arg(long, value_name = "CHARACTER", value_parser = delimiter, help_heading = "Input")]
    pub delimiter: Option<u8>,
    /// The encoding of CSV that is neither UTF-8 nor UTF-16, such as windows-1252 or gbk, and of JSON Lines that are not UTF-8; of documents
    /// and pages, where it is not to be guessed
    #[arg(long, value_name = "LABEL", help_heading = "Input")]
    pub encoding: Option<String>,
    /// Take texts for pages of HTML, and compare this of them [default: nothing is taken for a page but files and records that are
    /// called so, and of these the text]
    #[arg(long, value_enum, value_name = "WHAT", help_heading = "Input")]
    pub html: Option<HtmlBy>,
    #[command(flatten)]
    pub fields: FieldArgs,
    /// Set bad lines aside in FILE (- is standard output), count them and go on, instead of stopping at the first
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub skip_bad: Option<PathBuf>,
    /// Let the same id stand for several documents
    #[arg(long, help_heading = "Input")]
    pub allow_repeated_ids: bool,
}

/// What inputs hold.
#[derive(Clone, Copy, ValueEnum)]
pub enum FormatBy {
    /// JSON Lines: an object on each line
    Jsonl,
    /// one JSON array of objects
    Json,
    /// CSV or TSV with a header
    Csv,
    /// plain text, of which each file is a document
    Text,
    /// pages, of which each file is a document
    Html,
    /// a crawl: its responses, resources and conversions are documents, called by their URLs
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

/// What is taken of a page.
#[derive(Clone, Copy, ValueEnum)]
pub enum HtmlBy {
    /// all that is to be seen
    Text,
    /// the main part, without menus, side bars and footers
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
        &[one] if one != b'"' && one.is_ascii() && (one == b'\t' || !one.is_ascii_control()) => Ok(one),
        _ => Err("give one character of ASCII that is no quote, or \\t for a tab".into()),
    }
}

/// The fields of a record.
#[derive(Args)]
pub struct FieldArgs {
    /// The field that holds the text; of CSV, the column. A name with dots, as meta.text, is the field with exactly this name, or else a
    /// path into objects and structs; so are those of all flags that name fields. Of CSV it is only the former
    #[arg(long, value_name = "FIELD", default_value = "text", help_heading = "Input")]
    pub text_field: String,
    /// Documents are sets: the field that holds a JSON array of strings and numbers (of CSV, the column; of tables, a list), whose
    /// items are compared as they are, each by itself; of --keep longest, the set of most items stays
    #[arg(long, value_name = "FIELD", conflicts_with = "text_field", help_heading = "Input")]
    pub set_field: Option<String>,
    /// The field that holds the id, a string or a number; a record without one is called file:line
    #[arg(long, value_name = "FIELD", default_value = "id", help_heading = "Input")]
    pub id_field: String,
}

impl FieldArgs {
    /// The field that is compared.
    pub fn text(&self) -> &str {
        self.set_field.as_ref().unwrap_or(&self.text_field)
    }

    /// A configuration of texts as one of sets, where documents are sets.
    pub fn of_sets(&self, config: Config) -> anyhow::Result<Config> {
        match self.set_field {
            None => Ok(config),
            Some(_) => as_sets(config),
        }
    }
}

/// Flags that do not go together.
pub fn refuse(what: Words, advice: &'static str) -> anyhow::Error {
    Error::new(ErrorKind::Config, what).instead(advice).into()
}

/// A configuration of texts as one of sets.
pub fn as_sets(config: Config) -> anyhow::Result<Config> {
    if config.tokens != TokensBy::Auto {
        let what = words![Setting::Tokens, ": the items of a set are compared as they are, each by itself"];
        return Err(Error::new(ErrorKind::Config, what).advise("leave it out, or compare texts").into());
    }
    Ok(Config { tokens: TokensBy::Items, ..config })
}

/// What a shingle is.
#[derive(Args)]
pub struct ShingleArgs {
    /// Settings for a kind of texts; flags given beside it win
    #[arg(long, value_enum, value_name = "KIND", help_heading = "Comparing")]
    pub preset: Option<PresetBy>,
    /// What a token is
    #[arg(long, value_enum, default_value_t = Tokens::Auto, help_heading = "Comparing")]
    pub tokens: Tokens,
    /// Make alike what differs only so, while comparing; several with commas
    #[arg(long, value_enum, value_name = "WHAT", value_delimiter = ',', help_heading = "Comparing")]
    pub fold: Vec<Fold>,
    /// Tokens in a shingle: words, or 8 to 10 when tokens are characters [default: 5; lines 2; with --anchors 3; of sets 1]
    #[arg(long, value_name = "K", help_heading = "Comparing")]
    pub shingle: Option<usize>,
    /// Only shingles that begin with a stop word of these languages, such as en or en,de: articles have many, menus and
    /// advertisements few. A text with few stop words is compared by all its shingles, and the summary counts these texts
    #[arg(long, value_name = "LANGUAGE", value_delimiter = ',', help_heading = "Comparing")]
    pub anchors: Vec<Language>,
    /// What a shingle that occurs several times in a text counts
    #[arg(long, value_enum, default_value_t = OccurrencesBy::Once, help_heading = "Comparing")]
    pub occurrences: OccurrencesBy,
    /// How a shingle becomes a number
    #[arg(long, value_enum, default_value_t = Fingerprint::Rolling, help_heading = "Comparing")]
    pub fingerprint: Fingerprint,
    /// Of --fingerprint rabin: bits of a number, 16 to 64 [default: 64]
    #[arg(long, value_name = "BITS", help_heading = "Comparing")]
    pub degree: Option<u32>,
    /// Seed of all that is drawn at random; another seed may find other pairs near the threshold
    #[arg(long, default_value_t = Config::default().seed, help_heading = "Comparing")]
    pub seed: u64,
}

/// A kind of texts.
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

/// What a token is.
#[derive(Clone, Copy, ValueEnum)]
pub enum Tokens {
    /// words; in Chinese, Japanese, Thai, Javanese and other scripts without spaces, characters
    Auto,
    /// words in every script
    Words,
    /// characters, with one space for whatever stands between words
    Chars,
    /// as auto, but Chinese is cut into the words of a dictionary
    Jieba,
    /// lines, for code and logs: the words of a line, without its indentation and punctuation; lines without a word are skipped
    Lines,
}

/// What is made alike.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Fold {
    /// traditional Chinese characters and their simplified forms
    Simplified,
    /// letters with and without accents, Latin, Greek and Cyrillic
    Accents,
    /// Arabic, Hebrew and Syriac with and without vowel marks
    Marks,
    /// all digits
    Digits,
}

/// What a shingle that occurs several times counts.
#[derive(Clone, Copy, ValueEnum)]
pub enum OccurrencesBy {
    /// as one (Broder's option B)
    Once,
    /// each occurrence as a shingle of its own (Broder's option A)
    Labelled,
}

/// How a shingle becomes a number.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Fingerprint {
    /// a rolling hash of the tokens' hashes
    Rolling,
    /// Rabin's fingerprint of words of eight bytes: a longer word counts as several, so a shingle may have fewer words
    Rabin,
}

impl ShingleArgs {
    /// What holds where no flag says otherwise: the preset, or the defaults.
    pub fn base(&self) -> Config {
        self.preset.map_or_else(Config::default, |preset| Preset::from(preset).config())
    }

    /// The comparing part of a configuration, the rest as by default.
    pub fn config(&self) -> anyhow::Result<Config> {
        let base = self.base();
        let has = |fold| self.fold.contains(&fold);
        if self.degree.is_some() && self.fingerprint != Fingerprint::Rabin {
            let what = words![Setting::Degree, " goes with ", (Setting::Fingerprint, "rabin")];
            return Err(refuse(what, "give both, or neither"));
        }
        Ok(Config {
            tokens: match self.tokens {
                Tokens::Auto => TokensBy::Auto,
                Tokens::Words => TokensBy::Words,
                Tokens::Chars => TokensBy::Chars,
                Tokens::Jieba => TokensBy::Jieba,
                Tokens::Lines => TokensBy::Lines,
            },
            folds: Folds {
                simplified: has(Fold::Simplified),
                accents: has(Fold::Accents),
                marks: has(Fold::Marks),
                digits: has(Fold::Digits),
            },
            shingle: self.shingle.or(base.shingle),
            anchors: self.anchors.clone(),
            occurrences: match self.occurrences {
                OccurrencesBy::Once => Occurrences::Once,
                OccurrencesBy::Labelled => Occurrences::Labelled,
            },
            fingerprint: match self.fingerprint {
                Fingerprint::Rolling => FingerprintBy::Rolling,
                Fingerprint::Rabin => FingerprintBy::Rabin { degree: self.degree.unwrap_or(64) },
            },
            seed: self.seed,
            ..base
        })
    }
}

/// How a run is done.
#[derive(Args)]
pub struct RunArgs {
    /// Threads [default: one a core]; the answer is the same for any number
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true, help_heading = "Running")]
    pub threads: usize,
    /// Memory to take, such as 512M or 8G [default: half of what is free]; what is more goes to temporary files. What cannot, such
    /// as a line of hundreds of megabytes, is told in the summary
    #[arg(long, value_name = "SIZE", value_parser = memory, help_heading = "Running")]
    pub memory: Option<u64>,
    /// The folder for temporary files [default: the system's]
    #[arg(long, value_name = "FOLDER", help_heading = "Running")]
    pub temp_dir: Option<PathBuf>,
    /// Write the summary as JSON to FILE, a URL or - when the run is done, after the other outputs; it is there whole or not at all
    #[arg(long, value_name = "FILE", help_heading = "Running")]
    pub summary: Option<PathBuf>,
    /// Print nothing but errors
    #[arg(long, short, help_heading = "Running")]
    pub quiet: bool,
}

/// The least memory with which a run keeps what it is asked.
const LEAST_MEMORY: u64 = 64 * bytesize::MB;

/// A size in bytes, with or without a unit.
pub fn memory(size: &str) -> Result<u64, String> {
    let size: bytesize::ByteSize = size.parse().map_err(|_| "give a size such as 512M or 8G".to_string())?;
    if size.as_u64() < LEAST_MEMORY { Err("give 64M or more".into()) } else { Ok(size.as_u64()) }
}

/// A run's configuration from the flags.
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
