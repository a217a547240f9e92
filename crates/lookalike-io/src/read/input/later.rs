//! Finds the names of inputs that would include a file that does not exist yet.

use std::path::{Path, PathBuf};

use glob::{MatchOptions, Pattern};

use super::{expand::WILD, folder::is_wanted};
use crate::{disk::folder_of, store::is_url};

/// Returns the first of these names of inputs (files, folders, globs or URLs) that would include a file with this path.
pub fn later_input<'a>(
    names: impl IntoIterator<Item = &'a String>,
    path: &Path,
) -> Option<&'a str> {
    let given = path.display().to_string();
    let real = if is_url(&given) {
        path.into()
    } else {
        real(path)
    };
    let includes = |name: &str| {
        if is_url(name) || is_url(&given) {
            return is_url(name)
                && is_url(&given)
                && if name.contains(WILD) {
                    matches(name, path)
                } else {
                    below(name, &given)
                };
        }
        let folder = Path::new(name);
        if folder.is_dir() {
            return is_wanted(&given)
                && real.starts_with(folder.canonicalize().unwrap_or_else(|_| folder.into()));
        }
        // The folders before the first wild character may be named in several ways.
        let start = name
            .find(WILD)
            .map(|wild| name[..wild].rfind('/').map_or(0, |end| end + 1));
        start.is_some_and(|start| {
            let (folder, rest) = name.split_at(start);
            let folder = real_folder(Path::new(folder));
            folder.is_some_and(|folder| {
                real.strip_prefix(folder)
                    .is_ok_and(|inside| matches(rest, inside))
            })
        })
    };
    names
        .into_iter()
        .map(String::as_str)
        .find(|name| includes(name))
}

/// Returns whether an object is in the folder of this URL.
fn below(folder: &str, object: &str) -> bool {
    let inside = object
        .strip_prefix(folder.trim_end_matches('/'))
        .and_then(|rest| rest.strip_prefix('/'));
    inside.is_some_and(is_wanted)
}

fn matches(pattern: &str, path: &Path) -> bool {
    let options = MatchOptions {
        require_literal_separator: true,
        ..MatchOptions::default()
    };
    Pattern::new(pattern).is_ok_and(|pattern| pattern.matches_path_with(path, options))
}

/// Returns the path of a file that need not exist, without links and relative to the root.
fn real(path: &Path) -> PathBuf {
    match (real_folder(folder_of(path)), path.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => path.into(),
    }
}

/// Returns the path of a folder without links. The last folders of the path need not exist.
fn real_folder(folder: &Path) -> Option<PathBuf> {
    let folder = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    folder
        .canonicalize()
        .ok()
        .or_else(|| Some(real_folder(folder.parent()?)?.join(folder.file_name()?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_inputs_include_later_files() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().display().to_string();
        std::fs::create_dir_all(folder.path().join("in/deep")).unwrap();
        std::os::unix::fs::symlink(folder.path().join("in"), folder.path().join("link")).unwrap();
        for (name, path, expected) in [
            ("in/*.jsonl", "in/kept-0.jsonl", true),
            ("in/*.jsonl", "link/kept-0.jsonl", true),
            ("link/*.jsonl", "in/kept-0.jsonl", true),
            ("in/*.jsonl", "in/../in/kept-0.jsonl", true),
            ("in/*.jsonl", "in/deep/kept-0.jsonl", false),
            ("in/**/*.jsonl", "in/deep/kept-0.jsonl", true),
            ("in/*.jsonl", "in/kept-0.csv", false),
            ("in", "in/deep/kept-0.csv", true),
            ("in", "in/new/newer/kept-0.csv", true),
            ("in/", "in/deep/kept-0.decisions.jsonl", false),
            ("in", "in/sections", false),
            ("in", "out/kept-0.jsonl", false),
            ("in/*.jsonl", "in-2/kept-0.jsonl", false),
        ] {
            let (name, path) = (format!("{root}/{name}"), format!("{root}/{path}"));
            assert_eq!(
                later_input([&name], Path::new(&path)).is_some(),
                expected,
                "{name} {path}"
            );
        }
        for (name, url, expected) in [
            ("s3://bucket/in", "s3://bucket/in/kept-0.jsonl", true),
            ("s3://bucket/in", "s3://bucket/inside/kept-0.jsonl", false),
            (
                "s3://bucket/in/*.jsonl",
                "s3://bucket/in/kept-0.jsonl",
                true,
            ),
            ("s3://bucket/in/*.jsonl", "s3://bucket/kept-0.jsonl", false),
        ] {
            assert_eq!(
                later_input([&name.to_string()], Path::new(url)).is_some(),
                expected,
                "{name} {url}"
            );
        }
    }
}
