//! The names of inputs relative to what the user named, for outputs that are named after inputs.

use std::{
    collections::BTreeSet,
    path::{Component, Path, PathBuf},
};

use super::{Input, expand::WILD};
use crate::{read::documents::Files, store::is_url};

/// What the user named: the inputs' names are relative to it.
pub(crate) struct Named<'a> {
    /// The names of single files.
    files: BTreeSet<PathBuf>,
    /// The folders, and the folders before the first wildcards of globs.
    folders: Vec<PathBuf>,
    /// The URLs before the first wildcard.
    urls: Vec<&'a str>,
}

impl<'a> Named<'a> {
    pub(crate) fn new(names: &'a [String]) -> Self {
        let (mut files, mut folders, mut urls) = (BTreeSet::new(), Vec::new(), Vec::new());
        for name in names {
            let before = before_wildcard(name);
            match (is_url(name), before == name && !Path::new(name).is_dir()) {
                (true, _) => urls.push(before),
                (false, true) => _ = files.insert(plain(Path::new(name))),
                (false, false) => folders.push(plain(Path::new(before))),
            }
        }
        Self {
            files,
            folders,
            urls,
        }
    }

    /// Returns the name of an input's file relative to the folder that contains it: a folder that was named, the folder before the first
    /// wildcard of a glob, or the folder of a file that was named itself. Returns `None` if the input is not one file.
    pub(crate) fn relative(&self, input: &Input) -> Option<PathBuf> {
        let relative = match input {
            Input::File(path) => return self.of_file(path),
            Input::Object(object) => self.of_url(object.url())?.into(),
            Input::Stdin
            | Input::Files(_)
            | Input::Command(..)
            | Input::Table(_)
            | Input::Stored(_) => return None,
        };
        // The name of an object may contain anything.
        inside(relative)
    }

    /// Returns the relative name of a document, or the name of a member in its archive.
    pub(crate) fn document(&self, files: &Files, number: usize) -> Option<PathBuf> {
        let path = files.path(number)?;
        match files.archive() {
            Some(archive) => inside(path.strip_prefix(archive).ok()?.into()),
            None => self.of_file(path),
        }
    }

    /// Returns the name of an object, or the last part of it if the object was named itself.
    fn of_url<'u>(&self, url: &'u str) -> Option<&'u str> {
        let inside = |folder: &&str| {
            let rest = url.strip_prefix(folder.trim_end_matches('/'))?;
            rest.strip_prefix('/').filter(|rest| !rest.is_empty())
        };
        let inside = self.urls.iter().find_map(inside);
        inside.or_else(|| url.rsplit('/').next())
    }

    fn of_file(&self, path: &Path) -> Option<PathBuf> {
        let path = plain(path);
        inside(if self.files.contains(&path) {
            path.file_name()?.into()
        } else {
            self.folders
                .iter()
                .find_map(|folder| path.strip_prefix(folder).ok())?
                .to_path_buf()
        })
    }
}

/// Returns a relative name, if it cannot lead out of a folder.
fn inside(relative: PathBuf) -> Option<PathBuf> {
    let is_plain = relative
        .components()
        .all(|part| matches!(part, Component::Normal(_)));
    (is_plain && relative.file_name().is_some()).then_some(relative)
}

/// Returns a path without `.`, so that `./a` and `a` are equal.
fn plain(path: &Path) -> PathBuf {
    path.components()
        .filter(|part| *part != Component::CurDir)
        .collect()
}

/// Returns the folder before the first wildcard in a name, or the name if there is none.
fn before_wildcard(name: &str) -> &str {
    match name.find(WILD) {
        Some(at) if !Path::new(name).exists() => {
            name[..at].rfind('/').map_or("", |slash| &name[..=slash])
        }
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_relative_to_what_was_named() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        std::fs::create_dir_all(data.join("en")).unwrap();
        let data = data.display().to_string();
        for (name, path, relative) in [
            (
                data.clone(),
                format!("{data}/en/a.jsonl"),
                Some("en/a.jsonl"),
            ),
            (
                format!("{data}/"),
                format!("{data}/a.jsonl.gz"),
                Some("a.jsonl.gz"),
            ),
            (
                format!("{data}/*/a.jsonl"),
                format!("{data}/en/a.jsonl"),
                Some("en/a.jsonl"),
            ),
            (
                format!("{data}/e[mn]/*.jsonl"),
                format!("{data}/en/a.jsonl"),
                Some("en/a.jsonl"),
            ),
            ("*.jsonl".into(), "a.jsonl".into(), Some("a.jsonl")),
            ("./*.jsonl".into(), "a.jsonl".into(), Some("a.jsonl")),
            (".".into(), "./x/a.jsonl".into(), Some("x/a.jsonl")),
            ("x/y/a.jsonl".into(), "x/y/a.jsonl".into(), Some("a.jsonl")),
            ("../a.jsonl".into(), "../a.jsonl".into(), Some("a.jsonl")),
            ("x/b.jsonl".into(), "x/a.jsonl".into(), None),
        ] {
            let names = ["s3://bucket/x".to_owned(), name];
            let found = Named::new(&names).relative(&Input::File(path.into()));
            assert_eq!(found.as_deref(), relative.map(Path::new), "{names:?}");
        }
        assert_eq!(Named::new(&["-".into()]).relative(&Input::Stdin), None);
    }

    #[test]
    fn names_of_objects_are_taken_literally() {
        let names = ["s3://b/in", "s3://b/x/one.jsonl", "s3://b/y/p*.jsonl"].map(String::from);
        for (url, relative) in [
            ("s3://b/in/hash#hash.jsonl", "hash#hash.jsonl"),
            ("s3://b/in/a/q?x=1.jsonl", "a/q?x=1.jsonl"),
            ("s3://b/in2/a.jsonl", "a.jsonl"),
            ("s3://b/x/one.jsonl", "one.jsonl"),
            ("s3://b/y/part.jsonl", "part.jsonl"),
        ] {
            assert_eq!(Named::new(&names).of_url(url), Some(relative));
        }
    }
}
