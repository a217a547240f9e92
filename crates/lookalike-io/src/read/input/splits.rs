//! Splits of one data set, such as train and test, recognised by the names of files and folders.
//!
//! The words that name a split, and the characters allowed around these words, are those of the Python library `datasets`
//! (`data_files.py`), which detects the splits of a folder in the same way. If each file is one document, a folder or file
//! belongs to a split only if its whole name is that of a split. For example, `test-report.txt` is treated as a title.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
    path::{Path, is_separator},
};

use glob::{MatchOptions, Pattern};

use crate::{
    error::{Error, ErrorKind, Result, Setting},
    store, words,
};

/// The splits, and the words that name them.
const SPLITS: [(&str, &[&str]); 3] = [
    ("train", &["train", "training"]),
    ("validation", &["validation", "valid", "dev", "val"]),
    ("test", &["test", "testing", "eval", "evaluation"]),
];

/// Words with which the names of descriptive files begin. A file with such a name at the top of a folder describes the folder.
const ABOUT: [&str; 10] = [
    "readme",
    "license",
    "licence",
    "copying",
    "copyright",
    "notice",
    "citation",
    "changelog",
    "authors",
    "contributing",
];

/// A name for some files of a split: a single folder or file if `ending` is none, otherwise a glob. The glob matches the files
/// whose paths begin with `beginning` and have the ending `ending`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Like<'a> {
    beginning: &'a str,
    ending: Option<&'a str>,
    is_folder: bool,
}

/// The files of a split.
#[derive(Default)]
struct Files<'a> {
    /// The paths inside the folder.
    paths: BTreeSet<&'a str>,
    like: BTreeSet<Like<'a>>,
}

/// The folder that the user named, and the paths of all files in it.
struct Folder<'a> {
    name: &'a str,
    all: Vec<&'a str>,
}

/// Checks that the files of records in a folder are not from more than one split of a data set. The paths are relative to the
/// folder.
///
/// # Errors
/// Fails if there are two splits or more. If they were read together, a duplicate that occurs in two splits would be dropped from
/// one of them, and the documents of all splits would be written to the same output.
pub(crate) fn refuse_several<'a>(
    folder: &'a str,
    inside: impl Iterator<Item = &'a str>,
) -> Result<()> {
    let all: Vec<&str> = inside.collect();
    let mut found = BTreeMap::new();
    for (path, (split, like)) in all.iter().filter_map(|path| Some((*path, split_of(path)?))) {
        add(&mut found, path, split, like);
    }
    refuse(&Folder { name: folder, all }, &found)
}

/// Checks that the documents in a folder are not from more than one split of a data set. A folder or file belongs to a split only
/// if its whole name is that of a split, because a title may contain any word. The check fails only if one of the splits is the
/// training split and every document belongs to a split. A document that belongs to no split shows that the folder is a project
/// or a manual, in which the names of splits have other meanings. Two kinds of documents at the top of the folder are ignored in
/// this check: a README or a similar file, and, if all splits are folders, any other document. The IMDb reviews, for example,
/// have such documents.
///
/// # Errors
/// Fails under these conditions if there are two splits or more, for the same reason as [`refuse_several`].
pub(crate) fn refuse_several_of_documents<'a>(
    folder: &'a str,
    inside: impl Iterator<Item = &'a str>,
) -> Result<()> {
    let (mut all, mut found, mut are_folders, mut has_others) =
        (Vec::new(), BTreeMap::new(), true, false);
    for path in inside {
        all.push(path);
        match split_of_document(path) {
            Some((split, like)) => {
                are_folders &= like.is_folder;
                add(&mut found, path, split, like);
            }
            None if is_about(path) => {}
            None if !path.contains(is_separator) => has_others = true,
            None => return Ok(()),
        }
    }
    if found.contains_key(&0) && (are_folders || !has_others) {
        refuse(&Folder { name: folder, all }, &found)
    } else {
        Ok(())
    }
}

fn add<'a>(found: &mut BTreeMap<usize, Files<'a>>, path: &'a str, split: usize, like: Like<'a>) {
    let files = found.entry(split).or_default();
    files.paths.insert(path);
    files.like.insert(like);
}

/// Returns whether a document describes the other documents, such as `LICENSE-MIT.txt`.
fn is_about(path: &str) -> bool {
    let word = path
        .split(|c: char| !c.is_alphabetic())
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    !path.contains(is_separator) && ABOUT.contains(&word.as_str())
}

fn refuse(folder: &Folder<'_>, found: &BTreeMap<usize, Files<'_>>) -> Result<()> {
    let mut splits = found.iter().map(|(&split, files)| (SPLITS[split].0, files));
    let Some((first, input)) = splits.next().filter(|_| found.len() > 1) else {
        return Ok(());
    };
    let (others, against): (Vec<&str>, Vec<String>) = splits
        .map(|(other, files)| (other, files.named(folder)))
        .unzip();
    let counted = |(&split, files): (&usize, &Files<'_>)| {
        format!(
            "{} ({} file{})",
            SPLITS[split].0,
            files.paths.len(),
            if files.paths.len() == 1 { "" } else { "s" }
        )
    };
    let all: Vec<String> = found.iter().map(counted).collect();
    let all = all.join(", ");
    let what = format!(
        "contains several splits of a dataset, {all}; if they were read as one collection, documents of one split could match \
                 documents of another"
    );
    let (others, input, against) = (others.join(" or "), input.named(folder), against.join(" "));
    let drop = format!(
        "to find documents of {first} that are similar to {others}, name {input} as the input and {against} with "
    );
    let refused = Error::new(ErrorKind::Input, what)
        .at(folder.name)
        .about(Setting("all_splits"))
        .advise("name a single split");
    let refused = refused.advise(words![drop, "$against (dedup, pairs)"]);
    Err(refused.advise("to read all of them as one collection, give $all_splits"))
}

/// The number of names that a message lists for a split.
const SHOWN: usize = 6;

/// The maximum number of folders, files and globs that are tried as names for one split. The number is limited because each glob
/// is tested on all files of the folder.
const TRIED: usize = 64;

impl Files<'_> {
    /// Returns how a user can name the files in a shell: by one folder or glob, by several folders and globs, or else by the
    /// files themselves.
    fn named(&self, folder: &Folder<'_>) -> String {
        let only = self
            .like
            .first()
            .filter(|like| self.like.len() == 1 && like.ending.is_none());
        let glob = self
            .glob()
            .filter(|glob| only.is_none() && self.taken(folder, glob) == Some(self.paths.clone()));
        let names = match glob {
            Some(glob) => vec![folder.glob(&glob)],
            None => match self.few(folder) {
                Some(few) => few.iter().map(|like| folder.named(like)).collect(),
                None => self
                    .paths
                    .iter()
                    .map(|path| {
                        folder.named(&Like {
                            beginning: path,
                            ending: None,
                            is_folder: false,
                        })
                    })
                    .collect(),
            },
        };
        let shown: Vec<String> = names
            .iter()
            .take(SHOWN)
            .map(|name| for_shell(name))
            .collect();
        let more = names.len().saturating_sub(SHOWN);
        shown.join(" ")
            + &if more > 0 {
                format!(" and {more} more")
            } else {
                String::new()
            }
    }

    /// Returns folders and globs that together match each file of the split exactly once, and match no other file.
    fn few(&self, folder: &Folder<'_>) -> Option<Vec<&Like<'_>>> {
        if self.like.len() > TRIED {
            return None;
        }
        let taken = |like| Some((like, self.taken_by(folder, like)?));
        let mut tried: Vec<(&Like<'_>, BTreeSet<&str>)> =
            self.like.iter().map(taken).collect::<Option<_>>()?;
        tried.sort_by_key(|(_, files)| Reverse(files.len()));
        let (mut few, mut named) = (Vec::new(), BTreeSet::new());
        for (like, files) in tried {
            match files.difference(&named).count() {
                0 => continue,
                new if new < files.len() => return None,
                _ => few.push(like),
            }
            named.extend(files);
        }
        few.sort();
        Some(few)
    }

    fn taken_by(&self, folder: &Folder<'_>, like: &Like<'_>) -> Option<BTreeSet<&str>> {
        let is_below = |path: &str| {
            path.strip_prefix(like.beginning)
                .is_some_and(|rest| rest.starts_with(is_separator))
        };
        match like {
            Like {
                ending: Some(_), ..
            } => self.taken(folder, &like.glob()),
            Like {
                is_folder: true, ..
            } => Some(
                self.paths
                    .iter()
                    .copied()
                    .filter(|path| is_below(path))
                    .collect(),
            ),
            _ => Some(
                self.paths
                    .get(like.beginning)
                    .copied()
                    .into_iter()
                    .collect(),
            ),
        }
    }

    /// Returns the files that a glob matches, or none if the glob also matches a file that does not belong to this split. The
    /// files on disk are checked too, because a glob may match files that are skipped when a folder is read, such as decisions,
    /// documents next to files of records, and links that give a file a second name.
    fn taken(&self, folder: &Folder<'_>, glob: &str) -> Option<BTreeSet<&str>> {
        let options = MatchOptions {
            require_literal_separator: true,
            ..MatchOptions::new()
        };
        let pattern = Pattern::new(glob).ok()?;
        let is_taken = |path: &&&str| pattern.matches_with(path, options);
        let taken: BTreeSet<&str> = self.paths.iter().filter(is_taken).copied().collect();
        let on_disk = || {
            glob::glob(&folder.glob(glob))
                .into_iter()
                .flatten()
                .flatten()
                .filter(|path| path.is_file())
                .count()
        };
        let takes_others = folder.all.iter().filter(is_taken).count() > taken.len()
            || !store::is_url(folder.name) && on_disk() > taken.len();
        (!takes_others).then_some(taken)
    }

    /// Returns one glob for all files if their paths differ only in the parent folders, such as one folder per language.
    fn glob(&self) -> Option<String> {
        let paths: Vec<Vec<&str>> = self
            .like
            .iter()
            .map(|like| like.beginning.split('/').collect())
            .collect();
        let ((first, others), like) = (paths.split_first()?, self.like.first()?);
        let is_like = |path: &Vec<&str>| path.len() == first.len() && path.last() == first.last();
        let are_alike = self
            .like
            .iter()
            .all(|other| (other.ending, other.is_folder) == (like.ending, like.is_folder));
        if !are_alike || !others.iter().all(is_like) {
            return None;
        }
        let is_shared = |at: usize| others.iter().all(|path| path[at] == first[at]);
        let part = |at: usize| {
            if is_shared(at) {
                Pattern::escape(first[at])
            } else {
                "*".into()
            }
        };
        let mut glob = (0..first.len()).map(part).collect::<Vec<_>>().join("/");
        if let Some(ending) = like.ending {
            glob = format!("{glob}*.{}", Pattern::escape(ending));
        } else if like.is_folder {
            let is_deep = self
                .paths
                .iter()
                .any(|path| path.split(is_separator).count() > first.len() + 1);
            let endings: BTreeSet<_> = self
                .paths
                .iter()
                .map(|path| Path::new(path).extension())
                .collect();
            let ending = endings
                .first()
                .copied()
                .flatten()
                .filter(|_| endings.len() == 1);
            let ending = ending.map_or(String::new(), |ending| {
                format!(".{}", Pattern::escape(&ending.to_string_lossy()))
            });
            glob = format!("{glob}/{}*{ending}", if is_deep { "**/" } else { "" });
        }
        Some(glob)
    }
}

impl Like<'_> {
    fn glob(&self) -> String {
        let beginning = Pattern::escape(self.beginning);
        match self.ending {
            Some(ending) => format!("{beginning}*.{}", Pattern::escape(ending)),
            None if self.is_folder => format!("{beginning}/**/*"),
            None => beginning,
        }
    }
}

impl Folder<'_> {
    fn glob(&self, inside: &str) -> String {
        format!(
            "{}/{inside}",
            Pattern::escape(self.name.trim_end_matches('/'))
        )
    }

    /// Returns the full name of a file or folder, or a glob. Special characters are escaped only if the name is read as a glob. A
    /// name on disk is taken literally, but the URL of an object is read as a glob if it looks like one.
    fn named(&self, like: &Like<'_>) -> String {
        let is_glob = like.ending.is_some()
            || store::is_url(self.name) && Pattern::escape(like.beginning) != like.beginning;
        if is_glob {
            self.glob(&like.glob())
        } else {
            format!("{}/{}", self.name.trim_end_matches('/'), like.beginning)
        }
    }
}

/// Quotes a name for a POSIX shell.
fn for_shell(name: &str) -> String {
    format!("'{}'", name.replace('\'', r"'\''"))
}

/// Returns the split of a file, from the first folder whose name contains a split's word, or else from the file's name.
fn split_of(path: &str) -> Option<(usize, Like<'_>)> {
    let mut at = 0;
    for part in path.split(is_separator) {
        let end = at + part.len();
        if let Some((split, after)) = word_in(part) {
            let ending = Path::new(part)
                .extension()
                .and_then(|ending| ending.to_str())
                .filter(|_| end == path.len());
            let ending = ending.filter(|ending| after < part.len() - ending.len());
            let beginning = if ending.is_some() {
                &path[..at + after]
            } else {
                &path[..end]
            };
            return Some((
                split,
                Like {
                    beginning,
                    ending,
                    is_folder: end < path.len(),
                },
            ));
        }
        at = end + 1;
    }
    None
}

/// Returns the split of a document, from the first folder whose name is a split's word, or else from the file's name without its
/// ending.
fn split_of_document(path: &str) -> Option<(usize, Like<'_>)> {
    let mut at = 0;
    for part in path.split(is_separator) {
        let end = at + part.len();
        let word = if end == path.len() {
            part.split('.').next().unwrap_or_default()
        } else {
            part
        };
        if let Some(split) = split_named(word.to_ascii_lowercase().as_bytes()) {
            return Some((
                split,
                Like {
                    beginning: &path[..end],
                    ending: None,
                    is_folder: end < path.len(),
                },
            ));
        }
        at = end + 1;
    }
    None
}

/// Returns the split that a word names.
fn split_named(word: &[u8]) -> Option<usize> {
    SPLITS
        .iter()
        .position(|(_, words)| words.iter().any(|known| known.as_bytes() == word))
}

/// Searches a name for a word that names a split. Returns the split, and where the word ends in the name. A word inside a longer
/// word is not found.
fn word_in(name: &str) -> Option<(usize, usize)> {
    let lower = name.to_ascii_lowercase();
    let separates = |byte: &u8| matches!(byte, b'-' | b'.' | b'_' | b' ' | b'0'..=b'9');
    let mut start = 0;
    for word in lower.as_bytes().split(separates) {
        if let Some(split) = split_named(word) {
            return Some((split, start + word.len()));
        }
        start += word.len() + 1;
    }
    None
}

#[cfg(test)]
mod tests;
