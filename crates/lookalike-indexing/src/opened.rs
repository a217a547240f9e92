//! Opens an index, and turns its errors into those of the engine.

use std::path::Path;

use lookalike::cluster::Keep;
use lookalike_engine::{Error, ErrorKind, Result, RunConfig, folder_of, refuse_url, shown_path};
use lookalike_index::{Error as IndexError, Id, Index};

/// Returns an error of an index as an error of the engine, so that messages have a front end's names of settings.
pub fn failed(error: IndexError) -> Error {
    let error = match error {
        IndexError::Write(source) => match source.downcast() {
            // It is the error of an output to which the index gave something.
            Ok(error) => return error,
            Err(source) => IndexError::Write(source),
        },
        error => error,
    };
    match error {
        IndexError::Config(error) => error.into(),
        IndexError::File { path, source } if source.kind() == std::io::ErrorKind::StorageFull => {
            let what = "no space left, so this step was not stored";
            Error::new(ErrorKind::Output, what)
                .at(path.display().to_string())
                .because(source)
                .advise(
                    "free some space and repeat the command; index delete still works, and index compact then says how much room it needs",
                )
        }
        error => Error::new(ErrorKind::Output, error.to_string()).because(error),
    }
}

/// Returns an error if the folder of an index is a URL or a file.
///
/// # Errors
/// Fails in these cases.
pub fn refuse_store(folder: &Path) -> Result<()> {
    refuse_url("the index", "folder", folder)?;
    if folder.exists() && !folder.is_dir() {
        return Err(Error::new(ErrorKind::Config, "not a folder")
            .at(shown_path(folder))
            .advise("give the folder of an index"));
    }
    Ok(())
}

/// Opens an index to change it.
///
/// # Errors
/// Fails if it cannot be opened, or if another process changes it.
pub fn to_write(folder: &Path) -> Result<Index> {
    refuse_store(folder)?;
    Index::open(folder).map_err(failed)
}

/// Opens an index as it is now, to read it.
///
/// # Errors
/// Fails if it cannot be opened.
pub fn to_read(folder: &Path) -> Result<Index> {
    refuse_store(folder)?;
    Index::open_to_read(folder).map_err(failed)
}

/// Refuses outputs, among them those of the configuration, that would replace an input, each other or a part of the index.
///
/// # Errors
/// Fails if there is such an output.
pub fn refuse_outputs(index: &Index, config: &RunConfig, outputs: &[Option<&Path>]) -> Result<()> {
    let own = [config.skip_bad.as_deref(), config.summary.as_deref()];
    let outputs: Vec<&Path> = outputs.iter().copied().chain(own).flatten().collect();
    let inside = |output: &&&Path| is_inside(index.folder(), output);
    if let Some(output) = outputs.iter().find(inside) {
        return Err(
            Error::new(ErrorKind::Config, "is in the folder of the index")
                .at(shown_path(output))
                .advise("name another file"),
        );
    }
    lookalike_engine::refuse_outputs(config, &outputs)
}

/// Returns whether a path, which need not exist, is in a folder.
pub fn is_inside(folder: &Path, path: &Path) -> bool {
    let there = path
        .canonicalize()
        .or_else(|_| folder_of(path).canonicalize());
    matches!((there, folder.canonicalize()), (Ok(there), Ok(own)) if there.starts_with(&own))
}

/// Sets what the settings of an index say about reading its documents.
///
/// # Errors
/// Fails if this version does not know the keep order of the index.
pub fn configure(config: &mut RunConfig, index: &Index) -> Result<()> {
    let settings = index.settings();
    let keep: Keep = settings.keep.parse().map_err(|error: String| {
        Error::new(ErrorKind::Config, error).at(shown_path(index.folder()))
    })?;
    (config.method, config.keep) = (settings.config.clone(), Some(keep));
    Ok(())
}

/// Returns the id that a user means: a text with or without quotes, or a number. If both the number and the text are ids, the number
/// is meant.
///
/// # Errors
/// Fails if the index cannot be read.
pub fn id(index: &Index, typed: &str) -> Result<Option<Id>> {
    let written = Id::from_json(typed);
    for id in written.into_iter().chain([Id::from(typed)]) {
        if index.get(&id).map_err(failed)?.is_some() {
            return Ok(Some(id));
        }
    }
    Ok(None)
}
