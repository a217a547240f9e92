//! References that are indexes.

use std::{path::Path, sync::Arc};

use lookalike_engine::{Error, ErrorKind, Result, RunConfig};
use lookalike_index::{References, is_index};

/// Opens those references of a run that are indexes. They come after all others.
///
/// # Errors
/// Fails if an index cannot be opened.
pub fn open_references(config: &mut RunConfig) -> Result<()> {
    let (indexes, others) = std::mem::take(&mut config.against)
        .into_iter()
        .partition(|name| is_index(Path::new(name)));
    config.against = others;
    for name in indexes {
        let opened = References::open(Path::new(&name), &name).map_err(|error| {
            Error::new(ErrorKind::Input, error.to_string())
                .at(&name)
                .because(error)
        })?;
        config.against_stored.push(Arc::new(opened));
    }
    Ok(())
}
