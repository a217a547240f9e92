//! The options of an index, and their plans.

use std::path::PathBuf;

use clap::Arg;
use lookalike::{Config, cluster::Keep, text::TokensBy};
use lookalike_engine::{Error, ErrorKind, Result, RunConfig};
use lookalike_index::{Index, OnConflict, Settings, Store};
use lookalike_options::{Execution, Given, Inputs, Law, Size, as_sets, choice, options};

use crate::opened::configure;

options! {
/// The options of a new index.
#[command(mut_args(without_refused))]
pub struct CreateOptions {
    /// What is stored of each document [default: texts]
    #[arg(long, value_parser = choice::<Store>(), value_name = "WHAT")]
    pub store: Option<Store>,
    /// Documents are sets, which are added with --set-field
    #[arg(long)]
    pub sets: bool,
    #[command(flatten)]
    pub law: Law,
}

/// How documents are added.
#[command(mut_arg("allow_repeated_ids", |arg| arg.hide(true)))]
pub struct Adding {
    #[command(flatten)]
    pub inputs: Inputs,
    /// Write the decisions about the added documents to FILE
    ///
    /// The lines are those of `lookalike dedup --decisions`. They are written at the end, when all documents are added. FILE can be a URL,
    /// or - for standard output.
    #[arg(long, value_name = "FILE")]
    pub decisions: Option<PathBuf>,
    /// Write all changed decisions to FILE, also those about earlier documents
    ///
    /// A line has the number of the change (see `lookalike index changes`), the id, and the decisions before and after. FILE can be a URL,
    /// or - for standard output.
    #[arg(long, value_name = "FILE")]
    pub changes: Option<PathBuf>,
    #[command(flatten)]
    pub execution: Execution,
}

/// The options of documents that are added.
pub struct AddOptions {
    #[command(flatten)]
    pub adding: Adding,
    /// What happens if a document of the index has the same id [default: fail]
    #[arg(long, value_parser = choice::<OnConflict>(), value_name = "WHAT")]
    pub on_conflict: Option<OnConflict>,
}
}

/// Leaves the flags and values that an index always refuses out of the help. They are still parsed, so that errors can say why.
fn without_refused(arg: Arg) -> Arg {
    match arg.get_id().as_str() {
        "measure" | "candidates" | "modulus" | "common" | "run_length" | "cluster"
        | "representative" | "sample" => arg.hide(true),
        "method" => arg
            .hide_possible_values(true)
            .help("How candidate pairs are found: minhash, simhash, sentences or exact"),
        _ => arg,
    }
}

impl CreateOptions {
    /// Returns the settings of the index. They are checked when it is created.
    ///
    /// # Errors
    /// Fails if an option has a wrong value, or if options do not work together. No file is read.
    pub fn plan(&self) -> Result<Settings> {
        Given::of(self).check()?;
        let config = self.law.config()?;
        let config = if self.sets { as_sets(config)? } else { config };
        let keep = self.law.keep().unwrap_or(Keep::usual(config.measure));
        Ok(Settings {
            config,
            store: self.store.unwrap_or_default(),
            keep: keep.to_string(),
        })
    }
}

/// The documents that are added in one step take about this much memory, unless the memory limit is small.
const STEP: u64 = 64 << 20;

/// The share of the memory limit that a step may take. Its documents are in memory twice for a moment, with their postings.
const SHARE: u64 = 8;

/// Returns the size of a step in bytes, given the memory limit.
pub fn step(memory: Option<u64>) -> usize {
    memory.map_or(STEP, |memory| STEP.min(memory / SHARE)) as usize
}

/// Returns how the documents of an index are read from inputs.
///
/// # Errors
/// Fails if an option has a wrong value, or if options do not work together, or with the index.
pub fn reading(index: &Index, inputs: &Inputs, execution: &Execution) -> Result<RunConfig> {
    Given::of(inputs).check()?;
    let mut config = RunConfig::of(inputs, execution, Config::default());
    configure(&mut config, index)?;
    let has_sets = config.method.tokens == TokensBy::Items;
    let refused = match (has_sets, inputs.records.fields.set_field.is_some()) {
        (true, false) => "the index has sets; name the field with the set, with $set_field",
        (false, true) => {
            "$set_field: the index has texts; name the field with the text, with $text_field"
        }
        _ if inputs.records.files.allow_repeated_ids => {
            "$allow_repeated_ids: the ids of an index are unique; make ids unique, or use $on_conflict=skip"
        }
        _ => return Ok(config),
    };
    Err(Error::new(ErrorKind::Config, refused))
}

/// Returns the size of a step in bytes, given how a run is executed.
pub fn step_of(execution: &Execution) -> usize {
    step(execution.memory.map(|Size(bytes)| bytes))
}
