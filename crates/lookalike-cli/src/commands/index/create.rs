//! `lookalike index create`.

use std::{path::PathBuf, process::ExitCode};

use clap::Args;
use lookalike_index::Index;
use lookalike_indexing::{CreateOptions, failed, refuse_store};

use crate::output::{name, say};

/// Create an index
///
/// The folder must not exist, or must be empty. The settings apply to all documents that are added later.
///
/// --method can be minhash (by bands), simhash, sentences or exact, which `lookalike dedup --help` describes. Shared shingles (and
/// therefore containment), exact joins, components and greedy clusters are not possible, because with these, a new document can change
/// any decision.
#[derive(Args)]
#[command(after_help = "Examples:\n  lookalike index create news\n  \
    lookalike index create pages --threshold 0.9 --keep newest:date\n  \
    lookalike index create private --store sets")]
pub struct Create {
    /// The folder of the new index
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    #[command(flatten)]
    options: CreateOptions,
    /// Print nothing but errors
    #[arg(long, short)]
    quiet: bool,
}

impl Create {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        refuse_store(&self.folder)?;
        let index = Index::create(&self.folder, self.options.plan()?).map_err(failed)?;
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
}
