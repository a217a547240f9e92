//! Flags that several commands have. Their values are checked where they are used, by the core and the engine; here they
//! are only named and explained.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use lookalike::{Bands, Candidates, Config, text::TokensBy};
use lookalike_engine::RunConfig;

/// Where the documents are.
#[derive(Args)]
pub struct InputArgs {
    /// JSON Lines files (plain, .gz or .zst), folders, quoted globs, or - for standard input
    #[arg(required = true, value_name = "INPUT")]
    pub inputs: Vec<String>,
    #[command(flatten)]
    pub records: RecordArgs,
}

/// How a line is read.
#[derive(Args)]
pub struct RecordArgs {
    #[command(flatten)]
    pub fields: FieldArgs,
    /// Set bad lines aside in FILE (- is standard output), count them and go on, instead of stopping at the first
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub skip_bad: Option<PathBuf>,
    /// Let the same id stand for several documents
    #[arg(long, help_heading = "Input")]
    pub allow_repeated_ids: bool,
}

/// The fields of a record.
#[derive(Args)]
pub struct FieldArgs {
    /// The field that holds the text
    #[arg(long, value_name = "FIELD", default_value = "text", help_heading = "Input")]
    pub text_field: String,
    /// The field that holds the id, a string or a number; a record without one is called file:line
    #[arg(long, value_name = "FIELD", default_value = "id", help_heading = "Input")]
    pub id_field: String,
}

/// What a shingle is.
#[derive(Args)]
pub struct ShingleArgs {
    /// What a token is
    #[arg(long, value_enum, default_value_t = Tokens::Auto, help_heading = "Comparing")]
    pub tokens: Tokens,
    /// Tokens in a shingle: 5 words, or 8 to 10 when tokens are characters
    #[arg(long, value_name = "K", default_value_t = Config::default().shingle, help_heading = "Comparing")]
    pub shingle: usize,
    /// Seed of the random permutations; another seed may find other pairs near the threshold
    #[arg(long, default_value_t = Config::default().seed, help_heading = "Comparing")]
    pub seed: u64,
}

/// The recall contract.
#[derive(Args)]
pub struct ShapeArgs {
    /// Share of the pairs at the threshold that must be found; pairs above it are found more often
    #[arg(long, value_name = "P", default_value_t = Config::default().recall, allow_negative_numbers = true, help_heading = "Comparing")]
    pub recall: f64,
    /// Bands, together with --rows, instead of those that the threshold and the recall choose
    #[arg(long, value_name = "B", help_heading = "Comparing")]
    pub bands: Option<usize>,
    /// Rows of a band
    #[arg(long, value_name = "R", help_heading = "Comparing")]
    pub rows: Option<usize>,
}

impl ShapeArgs {
    /// The finding and comparing part of a configuration, the rest as by default.
    pub fn config(&self, shingles: &ShingleArgs) -> Config {
        let candidates = Candidates::Bands(Bands { bands: self.bands, rows: self.rows, ..Bands::default() });
        Config { recall: self.recall, candidates, ..shingles.config() }
    }
}

/// How a run is done.
#[derive(Args)]
pub struct RunArgs {
    /// Threads [default: one a core]; the answer is the same for any number
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true, help_heading = "Running")]
    pub threads: usize,
    /// The folder for temporary files [default: the system's]
    #[arg(long, value_name = "FOLDER", help_heading = "Running")]
    pub temp_dir: Option<PathBuf>,
    /// Print nothing but errors
    #[arg(long, short, help_heading = "Running")]
    pub quiet: bool,
}

/// What a token is.
#[derive(Clone, Copy, ValueEnum)]
pub enum Tokens {
    /// words; in Chinese, Japanese, Thai and other scripts without spaces, characters
    Auto,
    /// words in every script
    Words,
    /// characters, with one space for whatever stands between words
    Chars,
}

impl From<Tokens> for TokensBy {
    fn from(tokens: Tokens) -> Self {
        match tokens {
            Tokens::Auto => Self::Auto,
            Tokens::Words => Self::Words,
            Tokens::Chars => Self::Chars,
        }
    }
}

impl ShingleArgs {
    /// The comparing part of a configuration, the rest as by default.
    pub fn config(&self) -> Config {
        Config { tokens: self.tokens.into(), shingle: self.shingle, seed: self.seed, ..Config::default() }
    }
}

/// A run's configuration from the flags.
pub fn run_config(inputs: &[String], records: &RecordArgs, run: &RunArgs, method: Config) -> RunConfig {
    let default = RunConfig::default();
    RunConfig {
        inputs: inputs.to_vec(),
        method,
        text_field: records.fields.text_field.clone(),
        id_field: records.fields.id_field.clone(),
        allow_repeated_ids: records.allow_repeated_ids,
        skip_bad: records.skip_bad.clone(),
        threads: run.threads,
        temp_dir: run.temp_dir.clone().unwrap_or(default.temp_dir),
        ..default
    }
}
