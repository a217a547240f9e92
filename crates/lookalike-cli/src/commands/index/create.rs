//! `lookalike index create`.

use std::{path::PathBuf, process::ExitCode};

use clap::{Arg, Args, ValueEnum};
use lookalike::cluster::Keep;
use lookalike_index::{Index, Settings, Store};

use super::opened::{failed, refuse_store};
use crate::{
    args::{MethodArgs, as_sets},
    output::{name, say},
};

/// Create an index
///
/// The folder must not exist, or must be empty. The settings apply to all documents that are added later.
///
/// --method can be minhash (by bands), simhash, sentences or exact, which `lookalike dedup --help` describes. Shared shingles (and
/// therefore containment), exact joins, components and greedy clusters are not possible, because with these, a new document can change
/// any decision.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  lookalike index create news\n  \
    lookalike index create pages --threshold 0.9 --keep newest:date\n  \
    lookalike index create private --store sets",
    mut_args(without_refused)
)]
pub struct Create {
    /// The folder of the new index
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// What is stored of each document
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = StoreBy::Texts)]
    store: StoreBy,
    /// Documents are sets, which are added with --set-field
    #[arg(long)]
    sets: bool,
    #[command(flatten)]
    method: MethodArgs,
    /// Print nothing but errors
    #[arg(long, short)]
    quiet: bool,
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

/// What an index can store of each document.
#[derive(Clone, Copy, ValueEnum)]
enum StoreBy {
    /// the text, compressed
    Texts,
    /// the shingles as hashes: answers are exact, but texts and passages cannot be shown
    Sets,
    /// only sketches, which take the least space; requires --verify sketch
    Sketches,
}

impl From<StoreBy> for Store {
    fn from(by: StoreBy) -> Self {
        match by {
            StoreBy::Texts => Self::Texts,
            StoreBy::Sets => Self::Sets,
            StoreBy::Sketches => Self::Sketches,
        }
    }
}

impl Create {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        refuse_store(&self.folder)?;
        let index = Index::create(&self.folder, self.settings()?).map_err(failed)?;
        if !self.quiet {
            let config = &index.settings().config;
            say(&format!(
                "{}: created an empty index of {}, threshold {}, keeps the {} of similar documents",
                name(&self.folder),
                index.settings().store,
                config.threshold,
                index.settings().keep
            ));
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Returns the settings of the index. They are checked when it is created.
    pub fn settings(&self) -> anyhow::Result<Settings> {
        let config = self.method.config()?;
        let config = if self.sets { as_sets(config)? } else { config };
        let keep = self
            .method
            .keep
            .clone()
            .unwrap_or(Keep::usual(config.measure))
            .to_string();
        Ok(Settings {
            config,
            store: self.store.into(),
            keep,
        })
    }
}
