//! Finds the standard templates among the inputs, by their first bytes, and reads their views as prints.

use std::{
    fs,
    io::Read,
    path::{Path, PathBuf},
};

use lookalike_applications::minutiae::{View, is_template, views};
use lookalike_io::{
    disk::{File, text_of},
    error::{Error, Result},
    format::Format,
    read::Input,
    store::is_url,
};
use serde_json::value::to_raw_value;

use super::{
    card::{Card, Cards},
    gathered::Gathered,
};
use crate::config::RunConfig;

/// A file that is a template, and the id of its print.
pub(super) struct Template {
    pub(super) path: PathBuf,
    id: String,
}

/// Returns the inputs with records, and the templates. If the user names a format, no template is looked for.
///
/// # Errors
/// Fails if an input cannot be found.
pub(super) fn split(config: &RunConfig) -> Result<(Vec<Input>, Vec<Template>)> {
    if config.format.is_some() {
        return Ok((config.expand()?, Vec::new()));
    }
    let (mut names, mut templates) = (Vec::new(), Vec::new());
    for name in &config.inputs {
        let before = templates.len();
        let folder = Path::new(name);
        let is_folder = name != "-" && !is_url(name) && folder.is_dir();
        let has_records = is_folder && inside(folder, folder, &mut templates)?;
        // Only a folder that has nothing but templates is not an input with records: others may have none, which is an error.
        if has_records || templates.len() == before {
            names.push(name.clone());
        }
    }
    if names.is_empty() && !templates.is_empty() {
        return Ok((Vec::new(), templates));
    }
    let mut inputs = RunConfig {
        inputs: names,
        ..config.clone()
    }
    .expand()?;
    inputs.retain(|input| match input {
        Input::File(path) if begins_template(path) => {
            templates.push(Template {
                path: path.clone(),
                id: input.name(),
            });
            false
        }
        _ => true,
    });
    Ok((inputs, templates))
}

/// Adds the templates in a folder, sorted by their names, and returns whether the folder also has files with records. Hidden files
/// are skipped, as in all folders. The ids are paths in the folder.
fn inside(folder: &Path, within: &Path, templates: &mut Vec<Template>) -> Result<bool> {
    let listing = |error: std::io::Error| Error::reading(&within.display().to_string(), &error);
    let entries: std::io::Result<Vec<PathBuf>> = fs::read_dir(within)
        .map_err(listing)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect();
    let mut entries = entries.map_err(listing)?;
    entries.sort();
    let mut has_records = false;
    for path in entries {
        if path
            .file_name()
            .is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
        {
            continue;
        }
        if path.is_dir() {
            // A link to a folder may lead back to this one.
            has_records |= !path.is_symlink() && inside(folder, &path, templates)?;
        } else if begins_template(&path) {
            let id = text_of(path.strip_prefix(folder).unwrap_or(&path));
            templates.push(Template { path, id });
        } else {
            has_records |= Format::of_name(&path.to_string_lossy()).is_some();
        }
    }
    Ok(has_records)
}

/// Returns whether a regular file begins like a template. A file that cannot be read is reported later, when it is opened.
fn begins_template(path: &Path) -> bool {
    let mut start = Vec::new();
    let read = |start: &mut Vec<u8>| File::open(path)?.take(4).read_to_end(start);
    path.is_file() && read(&mut start).is_ok() && is_template(&start)
}

impl Template {
    /// Adds the prints of the template.
    ///
    /// # Errors
    /// Fails if the file cannot be read, if it is not a valid template, or if an id occurs twice.
    pub(super) fn add(&self, asked: &Cards, label: Option<&str>, all: &mut Gathered) -> Result<()> {
        let name = self.path.display().to_string();
        let (mut bytes, reading) = (Vec::new(), |error| Error::reading(&name, &error));
        File::open(&self.path)
            .and_then(|mut file| file.read_to_end(&mut bytes))
            .map_err(reading)?;
        let views = views(&bytes).map_err(|wrong| {
            let refused = Error::record(format!("not a valid fingerprint template: {wrong}")).at_byte(wrong.at + 1).at(&name);
            refused.advise("templates of ISO/IEC 19794-2 (2005 and 2011) and ANSI INCITS 378-2004 are read; write it again")
        })?;
        for view in &views {
            let id = match views.len() {
                1 => self.id.clone(),
                _ => format!("{}:{}.{}", self.id, view.position, view.number),
            };
            let id = to_raw_value(&id).map_err(|error| Error::failure(error.to_string()))?;
            let field = |field: Option<&str>| field.and_then(|field| value(view, field));
            let (within, label) = (field(asked.within.as_deref()), field(label));
            let card = Card {
                id,
                minutiae: view.minutiae.clone(),
                within,
                label,
            };
            all.push(card).map_err(|wrong| wrong.at(&name))?;
        }
        Ok(())
    }
}

/// Returns the value of a field of a view. A template has no others.
fn value(view: &View, field: &str) -> Option<String> {
    match field {
        "position" => Some(view.position.to_string()),
        "view" => Some(view.number.to_string()),
        "impression" => Some(view.impression.to_string()),
        _ => None,
    }
}
