//! What the user names → the files that are meant, in an order that depends on names alone.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use walkdir::WalkDir;

use super::packing::PACKED;
use crate::{
    error::{Error, ErrorKind, Result},
    format::Format,
    store::{self, Object},
};

/// One stream of lines.
#[derive(Debug, Clone)]
pub(crate) enum Input {
    Stdin,
    File(PathBuf),
    /// An object in a store.
    Object(Arc<Object>),
    /// A command for the shell, and its number among the commands, from 1.
    Command(String, usize),
}

impl Input {
    /// The name that messages and made-up ids use: the path as the user would write it.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Stdin => "stdin".into(),
            Self::File(path) => path.display().to_string(),
            Self::Object(object) => object.url().into(),
            Self::Command(_, number) => format!("command:{number}"),
        }
    }
}

/// The inputs in the order given, commands last; inside a folder or a glob in the order of names.
pub(crate) fn expand(names: &[String], commands: &[String]) -> Result<Vec<Input>> {
    let mut inputs: Vec<Input> = Vec::new();
    for name in names {
        let path = Path::new(name);
        if name == "-" {
            inputs.push(Input::Stdin);
        } else if store::is_url(name) {
            inputs.extend(store::expand(name, is_wanted)?.into_iter().map(Input::Object));
        } else if path.is_dir() {
            inputs.extend(folder(path)?.into_iter().map(Input::File));
        } else if path.exists() {
            inputs.push(Input::File(path.into()));
        } else if name.contains(['*', '?', '[']) {
            inputs.extend(matching(name)?.into_iter().map(Input::File));
        } else {
            return Err(Error::reading(name, &std::io::ErrorKind::NotFound.into()));
        }
    }
    inputs.extend(commands.iter().cloned().zip(1..).map(|(line, number)| Input::Command(line, number)));
    if inputs.is_empty() {
        return Err(Error::new(
            ErrorKind::Input,
            "no input: name a file, a folder, a quoted glob, a URL, or - for standard input",
        ));
    }
    refuse_repeats(&inputs)?;
    Ok(inputs)
}

fn folder(path: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let hidden = |name: &std::ffi::OsStr| name.as_encoded_bytes().starts_with(b".");
    let walk = WalkDir::new(path).follow_links(true).sort_by_file_name().into_iter();
    for entry in walk.filter_entry(|entry| entry.depth() == 0 || !hidden(entry.file_name())) {
        let entry = entry.map_err(|error| {
            let name = error.path().unwrap_or(path).display().to_string();
            Error::new(ErrorKind::Input, format!("{name}: cannot be listed: {error}"))
        })?;
        let name = entry.file_name().to_string_lossy().to_lowercase();
        if is_wanted(&name) && entry.file_type().is_file() {
            found.push(entry.into_path());
        }
    }
    if found.is_empty() {
        let message = format!(
            "{}: no .jsonl, .ndjson, .csv or .tsv file (plain or compressed) in this folder; name the files themselves",
            path.display()
        );
        return Err(Error::new(ErrorKind::Input, message));
    }
    Ok(found)
}

/// Whether a file of this name is taken from a folder.
fn is_wanted(name: &str) -> bool {
    let name = PACKED.iter().find_map(|packed| name.strip_suffix(packed)).unwrap_or(name);
    // What an earlier run wrote beside what it kept is no collection.
    let is_data = Format::of_name(name).is_some_and(Format::is_collection) && !name.ends_with(".json");
    is_data && !name.ends_with(".decisions.jsonl")
}

fn matching(pattern: &str) -> Result<Vec<PathBuf>> {
    let refuse = |what: String| Error::new(ErrorKind::Input, format!("{pattern}: {what}"));
    let mut found = Vec::new();
    for path in glob::glob(pattern).map_err(|error| refuse(format!("not a glob: {error}")))? {
        let path = path.map_err(|error| refuse(format!("cannot be listed: {error}")))?;
        if path.is_file() {
            found.push(path);
        }
    }
    if found.is_empty() {
        return Err(refuse("no file matches; check the pattern, and quote it so that the shell leaves it alone".into()));
    }
    found.sort();
    Ok(found)
}

/// An input named twice would make each of its documents its own duplicate.
fn refuse_repeats(inputs: &[Input]) -> Result<()> {
    let mut seen = std::collections::BTreeMap::new();
    for input in inputs {
        let real = match input {
            Input::Stdin => PathBuf::from("-"),
            Input::Command(line, _) => PathBuf::from(format!("command {line}")),
            Input::File(path) => path.canonicalize().unwrap_or_else(|_| path.clone()),
            Input::Object(object) => PathBuf::from(object.address()),
        };
        if let Some(first) = seen.insert(real, input.name()) {
            let message = format!("{}: given twice (first as {first}); name each input once", input.name());
            return Err(Error::new(ErrorKind::Input, message));
        }
    }
    Ok(())
}
