//! The flags that divide the records of an output between several files.

use std::num::NonZeroU64;

use clap::Args;
use lookalike_engine::Limit;

/// The largest size of an output.
#[derive(Args)]
pub struct LimitArgs {
    /// Divide the output into files of N records
    ///
    /// The name given with -o has {} for the number of each file, or {:05} for five digits, such as part-{:05}.parquet. The first file is
    /// number 0. The file of decisions is divided in the same way if its name has a number.
    #[arg(long, value_name = "N", requires = "output", conflicts_with = "bytes_per_file")]
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
    parsed.and_then(|size| NonZeroU64::new(size.as_u64())).ok_or_else(|| "give a size such as 500MB or 2GB".into())
}

impl LimitArgs {
    /// Returns the limit, if there is one.
    pub fn limit(&self) -> Option<Limit> {
        self.rows_per_file.map(Limit::Records).or(self.bytes_per_file.map(Limit::Bytes))
    }
}
