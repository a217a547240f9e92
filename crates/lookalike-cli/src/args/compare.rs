//! The flags that determine which documents are similar, for commands that compare exactly.

use clap::Args;
use lookalike::{Config, verify::Measure};

use super::{MeasureBy, ShingleArgs};

/// When documents are similar.
#[derive(Args)]
pub struct CompareArgs {
    /// Minimum similarity of duplicates, above 0 and at most 1 [default: 0.8]
    ///
    /// A --preset may set another default.
    #[arg(
        long,
        short,
        value_name = "T",
        allow_negative_numbers = true,
        help_heading = "Comparison"
    )]
    pub threshold: Option<f64>,
    /// Similarity measure
    #[arg(long, value_enum, default_value_t = MeasureBy::Resemblance, help_heading = "Comparison")]
    pub measure: MeasureBy,
    #[command(flatten)]
    pub shingles: ShingleArgs,
}

impl CompareArgs {
    /// Returns a configuration with these settings.
    pub fn config(&self) -> anyhow::Result<Config> {
        Ok(Config {
            threshold: self.threshold(),
            measure: Measure::from(self.measure),
            ..self.shingles.config()?
        })
    }

    /// Returns the threshold.
    pub fn threshold(&self) -> f64 {
        self.threshold
            .unwrap_or_else(|| self.shingles.base().threshold)
    }
}
