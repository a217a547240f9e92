//! Converts a folder, or named files, to inputs.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::Arc,
};

use ignore::WalkBuilder;
use lookalike::shown::quoted;

use super::{Input, left_out::Leaving, splits};
use crate::{
    disk::text_of,
    error::{Error, ErrorKind, Result, Setting},
    format::Format,
    read::{
        bytes::without_packing,
        documents::{Archive, Files, members},
        format::{foreign, look},
    },
};

/// The settings for interpreting names.
#[derive(Clone, Copy)]
pub(crate) struct Naming {
    /// The format of all files, if the user gives it.
    pub(crate) format: Option<Format>,
    /// Whether to skip a folder's files if a `.gitignore` file excludes them.
    pub(crate) gitignore: bool,
    /// Whether a folder may contain several splits of a data set.
    pub(crate) all_splits: bool,
}

/// Returns the files of records in a folder or, if there are none, the folder's documents (files that contain one document each).
/// A folder without any files is valid and has no documents. A folder that has only files of other kinds is an error, because the
/// user probably named the wrong folder. On request, files that `.gitignore` excludes are skipped, even outside a repository; the
/// git settings of the machine are never used.
pub(crate) fn folder(path: &Path, naming: Naming, leaving: &mut Leaving) -> Result<Vec<Input>> {
    let Naming {
        format: forced,
        gitignore,
        all_splits,
    } = naming;
    let (mut collections, mut documents, mut links, mut has_files) =
        (Vec::new(), Vec::new(), false, false);
    let mut walk = WalkBuilder::new(path);
    walk.standard_filters(false)
        .hidden(true)
        .git_ignore(gitignore)
        .parents(gitignore)
        .require_git(false);
    for entry in walk.follow_links(true).sort_by_file_name(Ord::cmp).build() {
        let refuse = |error: ignore::Error| {
            let failure = Error::new(ErrorKind::Input, format!("cannot be listed: {error}"))
                .at(path.display().to_string());
            failure
                .advise("make it readable, or name files")
                .because(error)
        };
        let entry = match entry {
            // The entry is a link to a parent folder. Everything in the parent folder is found without the link.
            Err(error) if is_loop(&error) => continue,
            Err(error) if let Some(link) = dangling(&error) => {
                let refused =
                    Error::new(ErrorKind::Input, "is a broken link").at(link.display().to_string());
                return Err(refused.advise("remove it, or name files"));
            }
            entry => entry.map_err(refuse)?,
        };
        links |= entry.path_is_symlink();
        if !entry.file_type().is_some_and(|kind| kind.is_file()) {
            continue;
        }
        has_files = true;
        let name = entry.file_name().to_string_lossy().to_lowercase();
        let is_document = match forced {
            Some(format) => format.is_document(),
            None => Format::of_name(&name).is_some_and(Format::is_document),
        };
        if is_document {
            let id = text_of(entry.path().strip_prefix(path).unwrap_or(entry.path()));
            documents.push((entry.into_path(), id));
        } else if is_wanted(&name)
            && forced.is_none_or(|format| {
                Format::of_name(&name).is_none_or(|named| named.may_be(format))
            })
        {
            collections.push(entry.into_path());
        } else if !is_decisions(&name) {
            leaving.others.push(entry.into_path());
        }
    }
    if links {
        once(path, &mut collections, |path| path);
        once(path, &mut documents, |(path, _)| path);
    }
    leave_pointers(&mut collections, leaving);
    if !collections.is_empty() {
        if !all_splits {
            let inside = collections
                .iter()
                .filter_map(|file| file.strip_prefix(path).unwrap_or(file).to_str());
            splits::refuse_several(&path.display().to_string(), inside)?;
        }
        leaving
            .documents
            .extend(documents.into_iter().map(|(path, _)| path));
        return Ok(collections.into_iter().map(Input::File).collect());
    }
    if documents.is_empty() && has_files {
        let what = "no .jsonl, .ndjson, .csv, .tsv, .parquet, .arrow or .warc file in this folder, and no .txt, .md or .html";
        let refused = Error::new(ErrorKind::Input, what).at(path.display().to_string());
        return Err(refused.advise(
            "name the files, for example with a quoted glob, and say what they are with $format",
        ));
    }
    if !all_splits {
        splits::refuse_several_of_documents(
            &path.display().to_string(),
            documents.iter().map(|(_, id)| id.as_str()),
        )?;
    }
    Ok(vec![Input::Files(Arc::new(Files::new(
        path.display().to_string(),
        documents,
        forced,
    )?))])
}

/// Leaves out Git LFS pointers. If all files are pointers, they are refused when they are read.
fn leave_pointers(files: &mut Vec<PathBuf>, leaving: &mut Leaving) {
    let pointers = files.extract_if(.., |path| is_pointer(path)).collect();
    if files.is_empty() {
        *files = pointers
    } else {
        leaving.pointers.extend(pointers)
    }
}

/// Returns whether a file is a Git LFS pointer. A pipe is not read, because it can be read only once.
fn is_pointer(path: &Path) -> bool {
    path.metadata()
        .is_ok_and(|file| file.is_file() && file.len() < 1024)
        && std::fs::read(path).is_ok_and(|content| foreign::is_pointer(&content))
}

/// Removes repeated files. A file is repeated if links in the folder give it several names. If one of the file's names is not a
/// link, that name is kept.
fn once<T>(folder: &Path, files: &mut Vec<T>, path: impl Fn(&T) -> &PathBuf) {
    let root = folder.canonicalize().unwrap_or_else(|_| folder.into());
    let mut own: BTreeMap<PathBuf, (bool, usize)> = BTreeMap::new();
    for (at, file) in files.iter().enumerate() {
        let path = path(file);
        let real = path.canonicalize().unwrap_or_else(|_| path.clone());
        let is_link = path
            .strip_prefix(folder)
            .map_or(true, |inside| root.join(inside) != real);
        let best = own.entry(real).or_insert((is_link, at));
        *best = (*best).min((is_link, at));
    }
    let kept: BTreeSet<usize> = own.into_values().map(|(_, at)| at).collect();
    let mut at = 0..;
    files.retain(|_| at.next().is_some_and(|at| kept.contains(&at)));
}

fn is_loop(error: &ignore::Error) -> bool {
    match error {
        ignore::Error::Loop { .. } => true,
        ignore::Error::WithPath { err, .. } | ignore::Error::WithDepth { err, .. } => is_loop(err),
        _ => false,
    }
}

/// Returns the broken link that caused the error.
fn dangling(error: &ignore::Error) -> Option<PathBuf> {
    match error {
        ignore::Error::WithDepth { err, .. } => dangling(err),
        ignore::Error::WithPath { path, err } => {
            let is_absent = err
                .io_error()
                .is_some_and(|error| error.kind() == std::io::ErrorKind::NotFound);
            (is_absent && path.is_symlink()).then(|| path.clone())
        }
        _ => None,
    }
}

/// Converts named files to inputs. A file of records becomes a separate input. Consecutive files that each contain a single
/// document are combined into one input.
pub(crate) fn files(
    name: &str,
    mut paths: Vec<PathBuf>,
    naming: Naming,
    leaving: &mut Leaving,
) -> Result<Vec<Input>> {
    leave_pointers(&mut paths, leaving);
    let forced = naming.format;
    let (mut inputs, mut documents) = (Vec::new(), Vec::new());
    let together = |documents: &mut Vec<(PathBuf, String)>, inputs: &mut Vec<Input>| {
        if !documents.is_empty() {
            inputs.push(Input::Files(Arc::new(Files::new(
                name.into(),
                std::mem::take(documents),
                forced,
            )?)));
        }
        Ok::<_, Error>(())
    };
    for path in paths {
        let shown = text_of(&path);
        let archive = Archive::of_name(&shown).filter(|_| {
            forced.is_none_or(Format::is_document) && path.is_file() && !is_pointer(&path)
        });
        if let Some(archive) = archive {
            together(&mut documents, &mut inputs)?;
            inputs.push(documents_in(path, archive, naming, leaving)?);
            continue;
        }
        let format = match (forced, Format::of_name(&shown)) {
            (Some(format), _) => format,
            // A .txt file may be JSON Lines.
            (None, Some(format)) if format.is_document() && path.is_file() => look(&path, &shown)?,
            _ => Format::Lines,
        };
        if format.is_document() && path.is_file() {
            documents.push((path, shown));
        } else {
            together(&mut documents, &mut inputs)?;
            inputs.push(Input::File(path));
        }
    }
    together(&mut documents, &mut inputs)?;
    Ok(inputs)
}

/// Returns the documents in an archive, by the same rules as those in a folder.
fn documents_in(
    path: PathBuf,
    archive: Archive,
    naming: Naming,
    leaving: &mut Leaving,
) -> Result<Input> {
    let (forced, shown) = (naming.format, text_of(&path));
    let refuse = |what: String| Error::new(ErrorKind::Input, what).at(&*shown);
    let (mut documents, mut others) = (Vec::new(), Vec::new());
    for member in members(archive, &path, &shown)? {
        let name = member.name.to_lowercase();
        match forced.is_some() || Format::of_name(&name).is_some_and(Format::is_document) {
            true => documents.push(member),
            false if is_wanted(&name) => {
                let what = format!(
                    "has files of records, such as {}, which cannot be read from an archive",
                    quoted(&member.name)
                );
                return Err(refuse(what).advise("unpack it first, and name its folder"));
            }
            false if is_decisions(&name) => {}
            false => others.push(path.join(&member.name)),
        }
    }
    if documents.is_empty() && !others.is_empty() {
        let refused = refuse("no .txt, .md or .html file in this archive".into());
        return Err(refused.advise(
            "if all of its files are text, say so with $format; otherwise unpack it first",
        ));
    }
    if !naming.all_splits {
        let names = documents.iter().map(|member| member.name.as_str());
        splits::refuse_several_of_documents(&shown, names).map_err(|found| {
            // The advice for a folder names files in it.
            let refused = Error::new(found.kind(), found.what().clone())
                .at(&*shown)
                .about(Setting("all_splits"));
            let refused = refused.advise("unpack it, and name a single split");
            refused.advise("to read all of them as one collection, give $all_splits")
        })?;
    }
    leaving.members.extend(others);
    Ok(Input::Files(Arc::new(Files::of_archive(
        path, archive, documents, forced,
    )?)))
}

/// Returns whether files of this name are read from a folder.
pub(crate) fn is_wanted(name: &str) -> bool {
    let name = without_packing(name);
    let is_data = Format::of_name(name).is_some_and(|format| !format.is_document())
        && !name.ends_with(".json");
    is_data && !is_decisions(name)
}

/// Returns whether a file of this name contains the decisions of an earlier run. Such a file is not a collection.
pub(crate) fn is_decisions(name: &str) -> bool {
    let name = without_packing(name);
    name.rsplit_once('.')
        .is_some_and(|(stem, _)| stem.ends_with(".decisions"))
}
