//! The options of `apply`, and its plan.

use std::path::PathBuf;

use lookalike::{Config, cluster::Keep};
use lookalike_io::error::Result;
use lookalike_options::{
    Execution, Given, GroupSize, Inputs, OutputFiles, Parsed, options, refuse,
};

use crate::config::{Outputs, RunConfig};

options! {
/// The options of `apply`.
pub struct ApplyOptions {
    #[command(flatten)]
    pub inputs: Inputs,
    /// Write the kept records to KEPT (- for standard output)
    ///
    /// KEPT can be a URL or a folder, and its extension selects the compression, as for dedup.
    #[arg(long, short, value_name = "KEPT")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub files: OutputFiles,
    /// Decide from a file of pairs, by those with this similarity or more
    ///
    /// The similarity is the resemblance. T must not be below the threshold of the pairs run, because the file has no such pairs.
    #[arg(long, short, value_name = "T", allow_negative_numbers = true)]
    pub threshold: Option<f64>,
    /// With --threshold: write the decision about each document to FILE
    #[arg(long, value_name = "FILE")]
    pub write_decisions: Option<PathBuf>,
    /// With --threshold: the document of a group to keep [default: first]
    ///
    /// RULE is as for dedup. With --skip-bad, repeat the --keep of the dedup run, if it had one: with newest:FIELD, max:FIELD or
    /// min:FIELD, records without that field are bad lines.
    #[arg(long, value_name = "RULE", help_heading = "Grouping")]
    pub keep: Option<Parsed<Keep>>,
    #[command(flatten)]
    pub size: GroupSize,
    #[command(flatten)]
    pub execution: Execution,
}
}

impl ApplyOptions {
    /// Returns the run that these options describe and, if documents are decided from a list of pairs, its outputs.
    ///
    /// # Errors
    /// Fails if an option has a wrong value, or if options do not work together. No file is read.
    pub fn plan(&self) -> Result<(RunConfig, Option<Outputs>)> {
        Given::of(self).check()?;
        let keep_per_group = self.size.most();
        if self.threshold.is_none() && self.keep.is_some() && self.inputs.records.skip_bad.is_none()
        {
            let what = "$keep only works with $threshold or $skip_bad";
            return Err(refuse(what, "leave it out"));
        }
        if self.threshold.is_none() && keep_per_group != 1 {
            let what = "$drop and $keep_per_group only work with $threshold";
            return Err(refuse(what, "leave it out"));
        }
        let usual = Config::default();
        let method = self.inputs.records.fields.of_sets(Config {
            threshold: self.threshold.unwrap_or(usual.threshold),
            ..usual
        })?;
        let run = RunConfig {
            keep: self.keep.clone().map(|Parsed(keep)| keep),
            keep_per_group,
            output_format: self.files.output_format,
            limit: self.files.limit(),
            ..RunConfig::of(&self.inputs, &self.execution, method)
        };
        let outputs = self.threshold.map(|_| Outputs {
            kept: self.output.clone(),
            decisions: self.write_decisions.clone(),
            ..Outputs::default()
        });
        Ok((run, outputs))
    }
}
