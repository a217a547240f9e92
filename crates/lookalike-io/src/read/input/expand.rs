//! Turns the names that the user gives into a list of files. The order of the files depends on the names alone.

use std::{
    cell::RefCell,
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{
    Input,
    folder::{Naming, files, folder, is_decisions, is_wanted},
    left_out::Leaving,
    splits,
    stored::StoredRecords,
};
use crate::{
    error::{Error, ErrorKind, Result, Setting},
    format::Format,
    input_table::InputTable,
    read::{LeftOut, format::foreign, reading::Reading},
    store,
};

/// The inputs that a run is asked to read.
#[derive(Debug, Clone, Copy)]
pub struct Inputs<'a> {
    /// Files, folders, globs, URLs, or `-` for standard input.
    pub names: &'a [String],
    /// Commands whose output is an input. These inputs follow those from `names`.
    pub commands: &'a [String],
    /// Tables in memory. These inputs follow those from `commands`.
    pub tables: &'a [InputTable],
    /// The names of the references. They may be of the same kinds as the names of inputs.
    pub against: &'a [String],
    /// References that are tables in memory. They follow the references from `against`.
    pub against_tables: &'a [InputTable],
    /// References that another part of the program stores. They follow the others.
    pub against_stored: &'a [Arc<dyn StoredRecords>],
    /// The format of all inputs. If none, each format is detected from the input's name and first bytes.
    pub format: Option<Format>,
    /// Whether to skip a folder's files if a `.gitignore` file excludes them.
    pub gitignore: bool,
    /// Whether to read all splits of a data set in a folder.
    pub all_splits: bool,
}

/// The inputs that a run reads.
pub struct Expanded {
    /// The inputs, with references first.
    pub inputs: Vec<Input>,
    /// The number of inputs that are references.
    pub references: usize,
    /// The files that are skipped when folders are read.
    pub left_out: Option<LeftOut>,
}

/// Returns the inputs of a run: the named inputs in the order given, then commands, then tables. The files of a folder or a glob
/// are ordered by name. What is left out is logged as a warning, because the caller does not report it.
pub fn expand(asked: Inputs<'_>) -> Result<Vec<Input>> {
    let mut leaving = Leaving::default();
    let inputs = expand_into(asked, &mut leaving)?;
    let left_out = leaving.reported(&inputs, asked.names.len() > 1);
    left_out
        .iter()
        .for_each(|left| log::warn!("left out: {left}"));
    Ok(inputs)
}

fn expand_into(asked: Inputs<'_>, leaving: &mut Leaving) -> Result<Vec<Input>> {
    let naming = Naming {
        format: asked.format,
        gitignore: asked.gitignore,
        all_splits: asked.all_splits,
    };
    let mut inputs = named(asked.names, naming, leaving)?;
    let commands = asked.commands.iter().cloned().zip(1..);
    inputs.extend(commands.map(|(line, number)| Input::Command(line, number)));
    inputs.extend(asked.tables.iter().cloned().map(Input::Table));
    if inputs.is_empty() {
        let advice = "name a file, a folder, a quoted glob, a URL, or - for standard input";
        return Err(Error::new(ErrorKind::Input, "no input").advise(advice));
    }
    refuse_repeats(&inputs)?;
    Ok(inputs)
}

/// Returns the references of a run and then its inputs, in the order given.
pub fn expand_with_references(asked: Inputs<'_>) -> Result<Expanded> {
    let mut leaving = Leaving::default();
    let own = expand_into(asked, &mut leaving)?;
    let mut inputs = references(asked, &own, &mut leaving)?;
    let references = inputs.len();
    inputs.extend(own);
    let left_out = leaving.reported(&inputs, asked.names.len() + asked.against.len() > 1);
    Ok(Expanded {
        inputs,
        references,
        left_out,
    })
}

/// Returns the inputs of several collections, in the order given, and the number of inputs of each collection. A collection has
/// names and tables; the names and tables of `asked` itself are not used.
pub fn expand_collections(
    asked: Inputs<'_>,
    collections: &[(&[String], &[InputTable])],
) -> Result<(Expanded, Vec<usize>)> {
    let naming = Naming {
        format: asked.format,
        gitignore: asked.gitignore,
        all_splits: asked.all_splits,
    };
    let (mut leaving, mut inputs, mut counts) = (Leaving::default(), Vec::new(), Vec::new());
    for (names, tables) in collections {
        let before = inputs.len();
        inputs.extend(named(names, naming, &mut leaving)?);
        inputs.extend(tables.iter().cloned().map(Input::Table));
        counts.push(inputs.len() - before);
    }
    refuse_repeats(&inputs)?;
    let left_out = leaving.reported(&inputs, collections.len() > 1);
    Ok((
        Expanded {
            inputs,
            references: 0,
            left_out,
        },
        counts,
    ))
}

/// Returns the references that these inputs are compared with, in the order given. The list is empty if the user names none.
fn references(asked: Inputs<'_>, inputs: &[Input], leaving: &mut Leaving) -> Result<Vec<Input>> {
    // All splits of the references are read. The check for several splits keeps a document in one split from being dropped as a
    // duplicate of a document in another split, but references are never dropped.
    let naming = Naming {
        format: asked.format,
        gitignore: asked.gitignore,
        all_splits: true,
    };
    let pointers = leaving.pointers.len();
    let mut references = named(asked.against, naming, leaving)?;
    // What is compared with a pointer is compared with nothing.
    if let Some(path) = leaving.pointers.get(pointers) {
        return Err(foreign::pointer(&path.display().to_string()));
    }
    for input in &mut references {
        if let Input::Files(files) = input
            && let Some(files) = Arc::get_mut(files)
        {
            files.are_references = true;
        }
    }
    references.extend(asked.against_tables.iter().cloned().map(Input::Table));
    references.extend(asked.against_stored.iter().cloned().map(Input::Stored));
    refuse_repeats(&references)?;
    let inputs: BTreeMap<PathBuf, String> = inputs.iter().flat_map(Input::places).collect();
    match references
        .iter()
        .flat_map(Input::places)
        .find(|(place, _)| inputs.contains_key(place))
    {
        None => Ok(references),
        Some((_, name)) => {
            let what = "given twice, as an input and as a reference, so that each of its documents would match itself";
            Err(Error::new(ErrorKind::Input, what)
                .at(name)
                .about(Setting("against"))
                .advise("leave out one of the two"))
        }
    }
}

/// Returns the inputs that the name of decisions refers to: a table or JSON Lines, or all files of decisions in a folder.
///
/// # Errors
/// Fails if there is no such file.
pub fn expand_decisions(name: &str) -> Result<Vec<Input>> {
    if Path::new(name).is_dir() {
        let inside = format!(
            "{}/**/*.decisions.*",
            glob::Pattern::escape(name.trim_end_matches('/'))
        );
        let files = matching(&inside).map_err(|_| {
            let refused =
                Error::new(ErrorKind::Input, "no file in this folder has decisions").at(name);
            refused.advise(
                "such a file is called NAME.decisions.jsonl; name the file with the decisions",
            )
        });
        return files.map(|files| files.into_iter().map(Input::File).collect());
    }
    let naming = Naming {
        format: Reading::decisions(name).format,
        gitignore: false,
        all_splits: true,
    };
    named(&[name.into()], naming, &mut Leaving::default())
}

/// The characters that make a name a glob.
pub(super) const WILD: [char; 3] = ['*', '?', '['];

/// Returns the path of an object, relative to the folder that the user named.
pub(super) fn below<'a>(url: &'a str, folder: &str) -> &'a str {
    url.strip_prefix(folder)
        .unwrap_or(url.rsplit('/').next().unwrap_or(url))
        .trim_start_matches('/')
}

/// Returns the files that the given names refer to.
fn named(names: &[String], naming: Naming, leaving: &mut Leaving) -> Result<Vec<Input>> {
    let mut inputs: Vec<Input> = Vec::new();
    let leaving = RefCell::new(leaving);
    for name in names {
        let path = Path::new(name);
        if name == "-" {
            inputs.push(Input::Stdin);
        } else if store::is_url(name) {
            store::refuse_hub(name)?;
            let is_wanted = |object: &str| {
                let wanted = is_wanted(object);
                if !wanted && !is_decisions(object) {
                    leaving.borrow_mut().others.push(object.into());
                }
                wanted
            };
            let objects = store::expand(name, is_wanted)?;
            if !naming.all_splits && !name.contains(WILD) {
                let inside = objects.iter().map(|object| below(object.url(), name));
                splits::refuse_several(&store::shown_name(name), inside)?;
            }
            inputs.extend(objects.into_iter().map(Input::Object));
        } else if path.is_dir() {
            inputs.extend(folder(path, naming, &mut leaving.borrow_mut())?);
        } else if path.exists() {
            inputs.extend(files(
                name,
                vec![path.into()],
                naming,
                &mut leaving.borrow_mut(),
            )?);
        } else if name.contains(WILD) {
            inputs.extend(files(
                name,
                matching(name)?,
                naming,
                &mut leaving.borrow_mut(),
            )?);
        } else {
            return Err(Error::reading(name, &rustix::io::Errno::NOENT.into()));
        }
    }
    Ok(inputs)
}

fn matching(pattern: &str) -> Result<Vec<PathBuf>> {
    let refuse = |what: String| Error::new(ErrorKind::Input, what).at(pattern);
    let mut found = Vec::new();
    for path in glob::glob(pattern).map_err(|error| refuse(format!("not a glob: {error}")))? {
        let path = path.map_err(|error| refuse(format!("cannot be listed: {error}")))?;
        if path.is_file() {
            found.push(path);
        }
    }
    if found.is_empty() {
        return Err(refuse("no file matches".into())
            .advise("check the pattern, and quote it so that the shell does not expand it"));
    }
    found.sort();
    Ok(found)
}

/// Returns an error if an input is repeated, because each document of a repeated input would be its own duplicate.
fn refuse_repeats(inputs: &[Input]) -> Result<()> {
    let mut seen = BTreeMap::new();
    for (place, name) in inputs.iter().flat_map(Input::places) {
        if let Some(first) = seen.insert(place, name.clone()) {
            let what = format!("given twice (first as {first})");
            return Err(Error::new(ErrorKind::Input, what)
                .at(name)
                .advise("name each input once"));
        }
    }
    Ok(())
}
