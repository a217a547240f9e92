//! The flags of `--report`.

use std::path::PathBuf;

use clap::Args;
use lookalike_engine::{ReportConfig, ReportFigures, RunConfig};

use crate::output::{bytes, count, counted};

/// The HTML report.
#[derive(Args, Clone)]
pub struct PageArgs {
    /// Write a page to look at
    ///
    /// FILE is one HTML file. It opens in any browser, from disk, without a network.
    #[arg(long, value_name = "FILE", help_heading = "Report")]
    pub report: Option<PathBuf>,
}

impl PageArgs {
    /// Returns the report as part of the configuration of a run.
    pub fn config(&self) -> Option<ReportConfig> {
        self.report
            .clone()
            .map(|path| ReportConfig { path, floor: None })
    }
}

/// Describes a page in a summary.
pub fn page_size(figures: &ReportFigures) -> String {
    let pairs = figures.pairs.map_or(String::new(), |pairs| {
        format!(" with {}", counted(pairs, "pair"))
    });
    format!("{}{pairs}", bytes(figures.bytes))
}

/// The HTML report about a collection.
#[derive(Args, Clone)]
pub struct ReportArgs {
    /// Write a page to look at: the groups, the pairs, the texts side by side
    ///
    /// FILE is one HTML file. It opens in any browser, from disk, without a network. It contains texts of the inputs; the summary
    /// says how many texts it leaves out because it would be too large.
    #[arg(long, value_name = "FILE", help_heading = "Report")]
    report: Option<PathBuf>,
    /// With --report: also count kept and dropped documents by the values of FIELD, such as source
    #[arg(
        long,
        value_name = "FIELD",
        requires = "report",
        help_heading = "Report"
    )]
    report_by: Option<String>,
}

/// The flag for the threshold slider in the report of `dedup`.
#[derive(Args, Clone)]
pub struct FloorArgs {
    /// With --report: the smallest threshold that can be tried in the page [default: 0.2 below --threshold]
    ///
    /// All candidate pairs that reach F are compared, in a pass of its own. The summary reports how long the pass took.
    #[arg(
        long,
        value_name = "F",
        requires = "report",
        allow_negative_numbers = true,
        help_heading = "Report"
    )]
    report_floor: Option<f64>,
}

impl ReportArgs {
    /// Returns the file of the report.
    pub fn path(&self) -> Option<&PathBuf> {
        self.report.as_ref()
    }

    /// Adds the report to the configuration of a run.
    pub fn apply(&self, floor: Option<&FloorArgs>, config: &mut RunConfig) -> anyhow::Result<()> {
        let floor = floor.and_then(|floor| floor.report_floor);
        if let Some(floor) = floor {
            let threshold = config.method.threshold;
            anyhow::ensure!(
                floor > 0.0 && floor <= threshold,
                "--report-floor must be above 0 and at most the threshold {threshold}, got {floor}"
            );
        }
        config.report = self.report.clone().map(|path| ReportConfig { path, floor });
        if self.report_by.is_some() {
            config.label_field.clone_from(&self.report_by);
        }
        Ok(())
    }
}

/// Describes the report in a summary.
pub fn described(figures: &ReportFigures) -> String {
    let mut words = format!("{} in {:.1} s", bytes(figures.bytes), figures.seconds);
    if let (Some(pairs), Some(floor)) = (figures.pairs, figures.floor) {
        words.push_str(&format!(
            ": {} with similarity {floor} or higher",
            counted(pairs, "pair")
        ));
    }
    if figures.left_out > 0 {
        words.push_str(&format!(
            "; the threshold cannot be moved for {} in large groups",
            counted(figures.left_out, "document")
        ));
    }
    if figures.without_text > 0 {
        words.push_str(&format!(
            "; without the texts of {} documents, because it would be too large",
            count(figures.without_text)
        ));
    }
    words
}
