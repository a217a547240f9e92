//! The index that `lookalike dedup --index` creates.

use std::{
    fs::Permissions,
    mem,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use anyhow::Context;
use lookalike_engine::{Observer, Outputs, RunConfig, Summary, dedup_storing, folder_of};
use lookalike_index::{DecidedDocument, Error, Index, Prepared, Represented, Settings, Store};
use lookalike_indexing::{failed, id_of, refuse_store, sketching, step};
use tempfile::TempDir;

use crate::output::name;

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
        if folder.is_dir()
            && folder
                .read_dir()
                .with_context(|| name(folder))?
                .next()
                .is_some()
        {
            return Err(failed(Error::Exists(folder.into())).into());
        }
        let unfinished = tempfile::Builder::new()
            .prefix(".lookalike-index-")
            .permissions(Permissions::from_mode(0o700))
            .tempdir_in(folder_of(folder));
        let unfinished =
            unfinished.with_context(|| format!("{}: cannot be written", name(folder)))?;
        let settings = Settings {
            config: config.method.clone(),
            store: Store::Texts,
            keep: config.keep().to_string(),
        };
        let index = Index::create(unfinished.path(), settings)
            .map_err(failed)?
            .with_memory(2 * step(config.memory));
        Ok(Self {
            unfinished,
            index,
            folder: folder.into(),
        })
    }

    /// Runs `dedup`, and puts all documents and the decisions about them in the index.
    pub fn dedup(
        &self,
        config: &RunConfig,
        outputs: &Outputs,
        observer: Observer,
    ) -> lookalike_engine::Result<Summary> {
        let step = step(config.memory);
        let (mut waiting, mut size) = (Vec::new(), 0);
        let give = |documents: Vec<lookalike_engine::DecidedDocument<Prepared>>| {
            let is_end = documents.is_empty();
            for decided in documents {
                size += decided.made.bytes();
                waiting.push(with_id(decided));
            }
            if size >= step || is_end {
                size = 0;
                self.index
                    .add_decided(mem::take(&mut waiting))
                    .map_err(failed)?;
            }
            Ok(())
        };
        dedup_storing(config, outputs, sketching(&self.index), give, observer)
    }

    /// Gives the index its name.
    pub fn finish(self) -> anyhow::Result<()> {
        let Self {
            unfinished,
            index,
            folder,
        } = self;
        drop(index);
        std::fs::rename(unfinished.path(), &folder)
            .with_context(|| format!("{}: cannot be written", name(&folder)))?;
        // The folder has its own name now, so it must not be removed.
        _ = unfinished.keep();
        Ok(())
    }
}

fn with_id(decided: lookalike_engine::DecidedDocument<Prepared>) -> DecidedDocument {
    let represented = decided.represented.map(|by| Represented {
        number: by.row,
        id: id_of(by.id),
        similarity: by.similarity,
    });
    DecidedDocument {
        document: decided.made.with_id(id_of(decided.id)),
        represented,
    }
}
