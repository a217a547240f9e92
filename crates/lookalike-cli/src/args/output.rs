//! The flags for outputs of records: their format, and how records are divided between several files.

use std::num::NonZeroU64;

use clap::{Args, ValueEnum};
use lookalike_engine::{Limit, OutputFormat, RunConfig};

/// The format of the records that are written, and the largest size of an output.
#[derive(Args)]
pub struct OutputArgs {
    /// Format of the records [default: by the name after -o, or as in the input]
    ///
    /// Records in another format are converted. With -o FOLDER/, each output is named for its format, such as news.parquet for
    /// news.jsonl.zst. Tables and CSV get all fields of the records as columns, which takes one more pass over JSON inputs. In a
    /// table, values of different types in one column are an error.
    #[arg(long, value_enum, value_name = "FORMAT", requires = "output")]
    output_format: Option<OutputFormatBy>,
    /// Divide the output into files of N records
    ///
    /// The name given with -o has {} for the number of each file, or {:05} for five digits, such as part-{:05}.parquet. The first file is
    /// number 0. The file of decisions is divided in the same way if its name has a number.
    #[arg(
        long,
        value_name = "N",
        requires = "output",
        conflicts_with = "bytes_per_file"
    )]
    rows_per_file: Option<NonZeroU64>,
    /// Divide the output into files of up to SIZE, such as 500MB
    ///
    /// The size is measured before compression. For Parquet and Arrow, it is the approximate size of the rows in memory. A larger record
    /// gets a file of its own. Names are as for --rows-per-file.
    #[arg(long, value_name = "SIZE", requires = "output", value_parser = size)]
    bytes_per_file: Option<NonZeroU64>,
}

fn size(size: &str) -> Result<NonZeroU64, String> {
    let parsed: Option<bytesize::ByteSize> = size.parse().ok();
    parsed
        .and_then(|size| NonZeroU64::new(size.as_u64()))
        .ok_or_else(|| "give a size such as 500MB or 2GB".into())
}

/// Formats of outputs.
#[derive(Clone, Copy, ValueEnum)]
enum OutputFormatBy {
    /// JSON Lines: one object per line
    Jsonl,
    /// one JSON array of objects
    Json,
    /// CSV with a header; TSV if the name ends with .tsv
    Csv,
    /// a Parquet file
    Parquet,
    /// an Arrow IPC file (Feather V2), or an Arrow IPC stream on standard output
    Arrow,
}

impl From<OutputFormatBy> for OutputFormat {
    fn from(format: OutputFormatBy) -> Self {
        match format {
            OutputFormatBy::Jsonl => Self::Lines,
            OutputFormatBy::Json => Self::Array,
            OutputFormatBy::Csv => Self::Delimited,
            OutputFormatBy::Parquet => Self::Parquet,
            OutputFormatBy::Arrow => Self::Arrow,
        }
    }
}

impl OutputArgs {
    /// Puts the flags into the configuration of a run.
    pub fn apply(&self, config: &mut RunConfig) {
        (config.output_format, config.limit) = (self.format(), self.limit());
    }

    /// Returns the format, if it is given.
    pub fn format(&self) -> Option<OutputFormat> {
        self.output_format.map(OutputFormat::from)
    }

    /// Returns the limit, if there is one.
    pub fn limit(&self) -> Option<Limit> {
        self.rows_per_file
            .map(Limit::Records)
            .or(self.bytes_per_file.map(Limit::Bytes))
    }
}
