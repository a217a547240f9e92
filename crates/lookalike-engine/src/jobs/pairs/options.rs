//! The options of `pairs`, and its plan.

use std::{num::NonZeroUsize, path::PathBuf};

use lookalike::{Config, Verify};
use lookalike_io::error::Result;
use lookalike_options::{
    Execution, Finding, Floor, Given, Inputs, MethodBy, References, ReportPage, Shingling, choice,
    options,
};

use crate::config::{ReportConfig, RunConfig};

options! {
/// The options of `pairs`.
pub struct PairsOptions {
    #[command(flatten)]
    pub inputs: Inputs,
    #[command(flatten)]
    pub references: References,
    /// Write the pairs to FILE instead of standard output
    ///
    /// FILE can be a URL. Output is compressed if the name ends with .gz, .zst, .bz2, .xz, .lz4 or .br.
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// List the K most similar matches of each document
    ///
    /// In each line, a is the document and b is one of its neighbours (its matches). The most similar neighbours come first;
    /// equally similar ones are in input order. A pair is listed twice if each document is a neighbour of the other. With
    /// --against, the neighbours are reference documents.
    #[arg(long, value_name = "K")]
    pub nearest: Option<NonZeroUsize>,
    /// Find every pair by comparing shingle sets; same as --method shingle
    ///
    /// The shingle sets themselves are compared instead of sketches, so no pair is missed, but all sets must be in memory.
    #[arg(long)]
    pub exact: bool,
    /// Minimum similarity of a pair [default: 0.5, also with --preset]
    ///
    /// A pair is listed if its resemblance reaches T or, with --measure containment, if the containment of either text in the
    /// other reaches T.
    #[arg(long, short, value_name = "T", allow_negative_numbers = true, help_heading = "Comparison")]
    pub threshold: Option<f64>,
    /// How candidate pairs are verified [default: exact; with files of sketches, sketch]
    #[arg(long, value_parser = choice::<Verify>(), help_heading = "Comparison")]
    pub verify: Option<Verify>,
    #[command(flatten)]
    pub finding: Finding,
    #[command(flatten)]
    pub shingling: Shingling,
    #[command(flatten)]
    pub page: ReportPage,
    #[command(flatten)]
    pub execution: Execution,
}
}

/// The threshold of pairs. It is lower than that of `dedup`, because pairs are looked at.
const THRESHOLD: f64 = 0.5;

impl PairsOptions {
    /// Returns the run that these options describe. `references` says whether there are references that the options do not name.
    ///
    /// # Errors
    /// Fails if an option has a wrong value, or if options do not work together. No file is read.
    pub fn plan(&self, references: bool) -> Result<RunConfig> {
        Given::of(self).and("against", references).check()?;
        let mut finding = self.finding.clone();
        if self.exact {
            finding.method = Some(MethodBy::Shingle);
        }
        let method = Config {
            threshold: self.threshold.unwrap_or(THRESHOLD),
            verify: self.verify,
            ..finding.config(&self.shingling)?
        };
        let method = self.inputs.records.fields.of_sets(method)?;
        Ok(RunConfig {
            nearest: self.nearest,
            report: ReportConfig::of(&self.page, &Floor::default(), &method)?,
            label_field: self.page.report_by.clone(),
            ..RunConfig::against(&self.references, &self.inputs, &self.execution, method)
        })
    }
}
