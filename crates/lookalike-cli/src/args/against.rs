//! References that are indexes.

use std::{path::Path, sync::Arc};

use lookalike_engine::{ErrorKind, RunConfig, StoredRecords};
use lookalike_index::{References, is_index};

/// Sets the references of a run. Folders that are indexes are read as indexes, after all others.
pub fn set_references(config: &mut RunConfig, names: &[String]) -> anyhow::Result<()> {
    for name in names {
        match is_index(Path::new(name)) {
            false => config.against.push(name.clone()),
            true => {
                let opened = References::open(Path::new(name), name);
                let failed = |error: lookalike_index::Error| {
                    lookalike_engine::Error::new(ErrorKind::Input, error.to_string())
                        .at(name)
                        .because(error)
                };
                let records: Arc<dyn StoredRecords> = Arc::new(opened.map_err(failed)?);
                config.against_stored.push(records);
            }
        }
    }
    Ok(())
}
