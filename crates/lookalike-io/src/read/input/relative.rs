//! The names of inputs relative to what the user named, for outputs that are named after inputs.

use std::path::{Component, Path, PathBuf};

use super::{
    Input,
    expand::{WILD, below},
};
use crate::store::is_url;

impl Input {
    /// Returns the name of the input's file relative to the folder that contains it: a folder in `names`, the folder before the first
    /// wildcard of a glob, or the folder of a file that was named itself. Returns `None` if the input is not one file.
    pub(crate) fn relative_name(&self, names: &[String]) -> Option<PathBuf> {
        let relative = match self {
            Self::File(path) => names.iter().find_map(|name| below_name(path, name))?,
            Self::Object(object) => {
                let url = object.url();
                let url = url.split(['?', '#']).next().unwrap_or(url);
                let folder =
                    names.iter().map(|name| before_wildcard(name)).find(|name| url.starts_with(name) && url.len() > name.len());
                below(url, folder.unwrap_or(url)).into()
            }
            Self::Stdin | Self::Files(_) | Self::Command(..) | Self::Table(_) | Self::Stored(_) => return None,
        };
        // The name of an object may contain anything.
        let is_plain = relative.components().all(|part| matches!(part, Component::Normal(_)));
        (is_plain && relative.file_name().is_some()).then_some(relative)
    }
}

/// Returns a file's path below what a name refers to, if the file is one of those.
fn below_name(path: &Path, name: &str) -> Option<PathBuf> {
    if is_url(name) {
        return None;
    }
    if path == Path::new(name) {
        return path.file_name().map(PathBuf::from);
    }
    let folder = before_wildcard(name);
    let inside = match folder {
        "" => path,
        folder => path.strip_prefix(folder).ok()?,
    };
    (folder != name || Path::new(name).is_dir()).then(|| inside.into())
}

/// Returns the folder before the first wildcard in a name, or the name if there is none.
fn before_wildcard(name: &str) -> &str {
    match name.find(WILD) {
        Some(at) if !Path::new(name).exists() => name[..at].rfind('/').map_or("", |slash| &name[..=slash]),
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
            (data.clone(), format!("{data}/en/a.jsonl"), Some("en/a.jsonl")),
            (format!("{data}/"), format!("{data}/a.jsonl.gz"), Some("a.jsonl.gz")),
            (format!("{data}/*/a.jsonl"), format!("{data}/en/a.jsonl"), Some("en/a.jsonl")),
            (format!("{data}/e[mn]/*.jsonl"), format!("{data}/en/a.jsonl"), Some("en/a.jsonl")),
            ("*.jsonl".into(), "a.jsonl".into(), Some("a.jsonl")),
            ("x/y/a.jsonl".into(), "x/y/a.jsonl".into(), Some("a.jsonl")),
            ("../a.jsonl".into(), "../a.jsonl".into(), Some("a.jsonl")),
            ("x/b.jsonl".into(), "x/a.jsonl".into(), None),
        ] {
            let names = ["s3://bucket/x".to_owned(), name];
            let found = Input::File(path.into()).relative_name(&names);
            assert_eq!(found.as_deref(), relative.map(Path::new), "{names:?}");
        }
        assert_eq!(Input::Stdin.relative_name(&["-".into()]), None);
    }
}
