//! Opens an index, and turns its errors into those of the command.

use std::path::Path;

use lookalike::cluster::Keep;
use lookalike_engine::{ErrorKind, RunConfig, folder_of, refuse_url};
use lookalike_index::{Error, Id, Index};

use crate::output::name;

/// Returns an error of an index as an error of the engine, so that messages have the command's names of settings.
pub fn failed(error: Error) -> lookalike_engine::Error {
    let error = match error {
        Error::Write(source) => match source.downcast() {
            // It is the error of an output to which the index gave something.
            Ok(error) => return error,
            Err(source) => Error::Write(source),
        },
        error => error,
    };
    match error {
        Error::Config(error) => error.into(),
        Error::File { path, source } if source.kind() == std::io::ErrorKind::StorageFull => {
            let what = "no space left, so this step was not stored";
            let error = lookalike_engine::Error::new(ErrorKind::Output, what)
                .at(path.display().to_string())
                .because(source);
            error.advise(
                "free some space and repeat the command; index delete still works, and index compact then says how much room it needs",
            )
        }
        error => lookalike_engine::Error::new(ErrorKind::Output, error.to_string()).because(error),
    }
}

/// Returns an error if the folder of an index is a URL or a file.
pub fn refuse_store(folder: &Path) -> anyhow::Result<()> {
    refuse_url("the index", "folder", folder)?;
    if folder.exists() && !folder.is_dir() {
        anyhow::bail!(
            "{}: not a folder; give the folder of an index",
            name(folder)
        );
    }
    Ok(())
}

/// Opens an index to change it.
pub fn to_write(folder: &Path) -> anyhow::Result<Index> {
    refuse_store(folder)?;
    Ok(Index::open(folder).map_err(failed)?)
}

/// Opens an index as it is now, to read it.
pub fn to_read(folder: &Path) -> anyhow::Result<Index> {
    refuse_store(folder)?;
    Ok(Index::open_to_read(folder).map_err(failed)?)
}

/// Refuses outputs, among them those of the configuration, that would replace an input, each other or a part of the index.
pub fn refuse_outputs(
    index: &Index,
    config: &RunConfig,
    outputs: &[Option<&Path>],
) -> anyhow::Result<()> {
    let own = [config.skip_bad.as_deref(), config.summary.as_deref()];
    let outputs: Vec<&Path> = outputs.iter().copied().chain(own).flatten().collect();
    for output in &outputs {
        if is_inside(index.folder(), output) {
            anyhow::bail!(
                "{}: is in the folder of the index; name another file",
                name(output)
            );
        }
    }
    Ok(lookalike_engine::refuse_outputs(config, &outputs)?)
}

/// Returns whether a path, which need not exist, is in a folder.
pub fn is_inside(folder: &Path, path: &Path) -> bool {
    let there = path
        .canonicalize()
        .or_else(|_| folder_of(path).canonicalize());
    matches!((there, folder.canonicalize()), (Ok(there), Ok(own)) if there.starts_with(&own))
}

/// Sets what the settings of an index say about reading its documents.
pub fn configure(config: &mut RunConfig, index: &Index) -> anyhow::Result<()> {
    let settings = index.settings();
    let keep: Keep = settings
        .keep
        .parse()
        .map_err(|error: String| anyhow::anyhow!("{}: {error}", name(index.folder())))?;
    (config.method, config.keep) = (settings.config.clone(), Some(keep));
    Ok(())
}

/// Returns the id that a user means: a text with or without quotes, or a number. If both the number and the text are ids, the number
/// is meant.
pub fn id(index: &Index, typed: &str) -> anyhow::Result<Option<Id>> {
    let written = Id::from_json(typed);
    for id in written.into_iter().chain([Id::from(typed)]) {
        if index.get(&id).map_err(failed)?.is_some() {
            return Ok(Some(id));
        }
    }
    Ok(None)
}
