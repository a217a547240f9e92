//! What is written, in addition to the outputs that a job has of its own.

use std::{num::NonZeroU64, path::PathBuf};

use lookalike_io::{format::OutputFormat, write::Limit};

use crate::{choice, options, values::Size};

options! {
/// The format of the records that are written, and the largest size of an output.
pub struct OutputFiles {
    /// Format of the records [default: by the name after -o, or as in the input]
    ///
    /// Records in another format are converted. With -o FOLDER/, each output is named for its format, such as news.parquet for
    /// news.jsonl.zst. Tables and CSV get all fields of the records as columns, which takes one more pass over JSON inputs. In a
    /// table, values of different types in one column are an error.
    #[arg(long, value_parser = choice::<OutputFormat>(), value_name = "FORMAT")]
    pub output_format: Option<OutputFormat>,
    /// Divide the output into files of N records
    ///
    /// The name given with -o has {} for the number of each file, or {:05} for five digits, such as part-{:05}.parquet. The first file is
    /// number 0. The file of decisions is divided in the same way if its name has a number.
    #[arg(long, value_name = "N")]
    pub rows_per_file: Option<NonZeroU64>,
    /// Divide the output into files of up to SIZE, such as 500MB
    ///
    /// The size is measured before compression. For Parquet and Arrow, it is the approximate size of the rows in memory. A larger record
    /// gets a file of its own. Names are as for --rows-per-file.
    #[arg(long, value_name = "SIZE")]
    pub bytes_per_file: Option<Size<1>>,
}

/// The HTML report.
pub struct Page {
    /// Write a page to look at
    ///
    /// FILE is one HTML file. It opens in any browser, from disk, without a network.
    #[arg(long, value_name = "FILE", help_heading = "Report")]
    pub report: Option<PathBuf>,
}

/// The HTML report about a collection.
pub struct ReportPage {
    /// Write a page to look at: the groups, the pairs, the texts side by side
    ///
    /// FILE is one HTML file. It opens in any browser, from disk, without a network. It contains texts of the inputs; the summary
    /// says how many texts it leaves out because it would be too large.
    #[arg(long, value_name = "FILE", help_heading = "Report")]
    pub report: Option<PathBuf>,
    /// With --report: also count kept and dropped documents by the values of FIELD, such as source
    #[arg(long, value_name = "FIELD", help_heading = "Report")]
    pub report_by: Option<String>,
}

/// The threshold slider in the report of `dedup`.
pub struct Floor {
    /// With --report: the smallest threshold that can be tried in the page [default: 0.2 below --threshold]
    ///
    /// All candidate pairs that reach F are compared, in a pass of its own. The summary reports how long the pass took.
    #[arg(long, value_name = "F", allow_negative_numbers = true, help_heading = "Report")]
    pub report_floor: Option<f64>,
}
}

impl OutputFiles {
    /// Returns the largest size of an output, if there is one.
    pub fn limit(&self) -> Option<Limit> {
        let bytes = self
            .bytes_per_file
            .and_then(|Size(bytes)| NonZeroU64::new(bytes));
        self.rows_per_file
            .map(Limit::Records)
            .or(bytes.map(Limit::Bytes))
    }
}
