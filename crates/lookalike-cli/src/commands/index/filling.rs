//! The index that `lookalike dedup --index` creates.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use lookalike_engine::RunConfig;
use lookalike_index::{Error, Index, OnConflict, Settings, Store};
use tempfile::TempDir;

use super::{
    add::{fill, step},
    opened::{failed, refuse_store},
};
use crate::output::{Bars, name};

/// An index that is being made, in a folder beside its own, so that an index that is not complete is never under its name.
pub struct NewIndex {
    unfinished: TempDir,
    index: Index,
    folder: PathBuf,
}

impl NewIndex {
    /// Creates an index with the settings of a run, before the run begins.
    pub fn create(folder: &Path, config: &RunConfig) -> anyhow::Result<Self> {
        refuse_store(folder)?;
        if config.inputs.iter().any(|name| name == "-") {
            bail!("--index reads the inputs again, so it cannot be used with standard input; save it to a file first");
        }
        if !config.against.is_empty() || !config.against_stored.is_empty() {
            bail!(
                "--index stores what was not compared with references; leave out --against, and add documents with `lookalike index add`"
            );
        }
        if config.allow_repeated_ids {
            bail!("--allow-repeated-ids: the ids of an index are unique; make ids unique, or leave out --index");
        }
        if folder.is_dir() && folder.read_dir().with_context(|| name(folder))?.next().is_some() {
            return Err(failed(Error::Exists(folder.into())).into());
        }
        let beside = folder.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let unfinished = tempfile::Builder::new().prefix(".lookalike-index-").tempdir_in(beside);
        let unfinished = unfinished.with_context(|| format!("{}: cannot be written", name(folder)))?;
        let settings = Settings { config: config.method.clone(), store: Store::Texts, keep: config.keep().to_string() };
        let index = Index::create(unfinished.path(), settings).map_err(failed)?;
        Ok(Self { unfinished, index, folder: folder.into() })
    }

    /// Adds all documents of the run, and gives the index its name. Returns the number of documents.
    pub fn fill(self, config: &RunConfig, bars: &Bars) -> anyhow::Result<u64> {
        let Self { unfinished, index, folder } = self;
        // Bad lines were written by the run already.
        let skipped = unfinished.path().with_extension("skipped");
        let config = RunConfig { skip_bad: config.skip_bad.as_ref().map(|_| skipped.clone()), report: None, ..config.clone() };
        let step = step(config.memory);
        let index = index.with_memory(2 * step);
        let filled = fill(&index, &config, (step, OnConflict::Fail), bars);
        if config.skip_bad.is_some() {
            drop(std::fs::remove_file(&skipped));
        }
        let (read, _) = filled?;
        drop(index);
        std::fs::rename(unfinished.path(), &folder).with_context(|| format!("{}: cannot be written", name(&folder)))?;
        // The folder has its own name now, so it must not be removed.
        _ = unfinished.keep();
        Ok(read.documents)
    }
}
