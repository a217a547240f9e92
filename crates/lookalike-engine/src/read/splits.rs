//! Splits of one data set, such as train and test, by the names of files and folders.
//!
//! The words, and what may stand around them, are those of the Python library `datasets` (`data_files.py`), which tells the splits of
//! a folder in the same way. Of documents, of which each file is one, only folders and files called as a split count:
//! `test-report.txt` is a title.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use crate::error::{Error, ErrorKind, Result};

/// The splits, and the words that name them.
const SPLITS: [(&str, &[&str]); 3] = [
    ("train", &["train", "training"]),
    ("validation", &["validation", "valid", "dev", "val"]),
    ("test", &["test", "testing", "eval", "evaluation"]),
];

/// The files of a split.
#[derive(Default)]
struct Files {
    count: u64,
    /// The folders that hold them, or globs of them, by their paths.
    like: BTreeSet<String>,
    /// What their names end with.
    endings: BTreeSet<String>,
    /// Whether folders hold them, and whether there are folders in these.
    in_folders: bool,
    deep: bool,
}

/// What says that a file is of a split.
#[derive(Debug, PartialEq, Eq)]
struct Told {
    /// The split's number.
    split: usize,
    /// The folder or a glob of files like it.
    like: String,
    /// The rest of the path, inside the folder.
    inside: Option<String>,
}

/// Refuses files of records in a folder, by their paths inside it, that are of several splits.
///
/// # Errors
/// Two splits or more: duplicates between them would be dropped from either, and all would be written together.
pub(super) fn refuse_several<'a>(folder: &str, inside: impl Iterator<Item = &'a str>) -> Result<()> {
    refuse(folder, inside.filter_map(split_of), |_| true)
}

/// Refuses documents of several splits, one of them train. Only a folder or a file that is called as a split, and no more, counts: a
/// title may have any word.
///
/// # Errors
/// As [`refuse_several`].
pub(super) fn refuse_several_of_documents<'a>(folder: &str, inside: impl Iterator<Item = &'a str>) -> Result<()> {
    refuse(folder, inside.filter_map(split_of_document), |found| found.contains_key(&0))
}

fn refuse(folder: &str, told: impl Iterator<Item = Told>, are_splits: impl Fn(&BTreeMap<usize, Files>) -> bool) -> Result<()> {
    let mut found: BTreeMap<usize, Files> = BTreeMap::new();
    for Told { split, like, inside } in told {
        let files = found.entry(split).or_default();
        files.count += 1;
        files.in_folders |= inside.is_some();
        let path = inside.as_deref().unwrap_or(&like);
        files.deep |= path.contains(['/', std::path::MAIN_SEPARATOR]);
        files.endings.extend(Path::new(path).extension().map(|ending| format!(".{}", ending.to_string_lossy())));
        files.like.insert(like);
    }
    let mut splits = found.iter().map(|(&split, files)| (SPLITS[split].0, files.named(folder)));
    let (Some((first, one)), Some((second, other))) = (splits.next(), splits.next()) else { return Ok(()) };
    if !are_splits(&found) {
        return Ok(());
    }
    let counted = |(&split, files): (&usize, &Files)| {
        format!("{} ({} file{})", SPLITS[split].0, files.count, if files.count == 1 { "" } else { "s" })
    };
    let all: Vec<String> = found.iter().map(counted).collect();
    let message = format!(
        "{folder}: holds several splits of a data set, {}, which read as one collection would lose documents to each other; name one \
         split alone; to drop from {first} what is like {second}, name {one} as the input and {other} with --against (dedup, pairs); to read \
         all as one, give --all-splits",
        all.join(", ")
    );
    Err(Error::new(ErrorKind::Input, message))
}

/// Names that a message lists.
const SHOWN: usize = 3;

impl Files {
    /// How a user names them: their folder or a glob, or else some of these.
    fn named(&self, folder: &str) -> String {
        let quoted = |inside: &str| format!("'{}/{inside}'", folder.trim_end_matches('/'));
        let is_one = self.like.len() == 1;
        if let Some(pattern) = self.pattern().filter(|_| !is_one) {
            let ending = self.endings.first().filter(|_| self.endings.len() == 1).map_or("", |ending| ending);
            return quoted(&match (self.in_folders, self.deep) {
                (false, _) => pattern,
                (true, false) => format!("{pattern}/*{ending}"),
                (true, true) => format!("{pattern}/**/*{ending}"),
            });
        }
        let names: Vec<String> = self.like.iter().take(SHOWN).map(|like| quoted(like)).collect();
        let more = self.like.len().saturating_sub(SHOWN);
        names.join(", ") + &if more > 0 { format!(" and {more} more") } else { String::new() }
    }

    /// A glob of all, where they differ in the folders above only, such as one for each language.
    fn pattern(&self) -> Option<String> {
        let paths: Vec<Vec<&str>> = self.like.iter().map(|like| like.split('/').collect()).collect();
        let (first, others) = paths.split_first()?;
        let is_like = |path: &Vec<&str>| path.len() == first.len() && path.last() == first.last();
        let part = |at: usize| if others.iter().all(|path| path[at] == first[at]) { first[at] } else { "*" };
        others.iter().all(is_like).then(|| (0..first.len()).map(part).collect::<Vec<_>>().join("/"))
    }
}

/// The split of a file: by the first folder, or else the name, that has a word of a split.
fn split_of(path: &str) -> Option<Told> {
    let mut at = 0;
    for part in path.split(['/', std::path::MAIN_SEPARATOR]) {
        let end = at + part.len();
        if let Some((split, behind)) = word_in(part) {
            let ending = Path::new(part).extension().and_then(|ending| ending.to_str()).filter(|_| end == path.len());
            let like = match ending {
                Some(ending) if behind < part.len() - ending.len() => format!("{}*.{ending}", &path[..at + behind]),
                Some(_) => path.into(),
                None => path[..end].into(),
            };
            return Some(Told { split, like, inside: path.get(end + 1..).map(String::from) });
        }
        at = end + 1;
    }
    None
}

/// The split of a document: by the first folder, or else the name without its ending, that is a word of a split.
fn split_of_document(path: &str) -> Option<Told> {
    let mut at = 0;
    for part in path.split(['/', std::path::MAIN_SEPARATOR]) {
        let end = at + part.len();
        let word = if end == path.len() { part.split('.').next().unwrap_or_default() } else { part };
        if let Some(split) = split_named(word.to_ascii_lowercase().as_bytes()) {
            return Some(Told { split, like: path[..end].into(), inside: path.get(end + 1..).map(String::from) });
        }
        at = end + 1;
    }
    None
}

/// The split that a word names.
fn split_named(word: &[u8]) -> Option<usize> {
    SPLITS.iter().position(|(_, words)| words.iter().any(|known| known.as_bytes() == word))
}

/// The split that a name has the word of, and where the word ends: not inside of another word.
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
mod tests {
    use super::*;

    #[test]
    fn splits_in_a_table() {
        for (path, split) in [
            ("train-00000-of-00002.parquet", Some(("train", "train*.parquet"))),
            ("data/test-00000-of-00001.parquet", Some(("test", "data/test*.parquet"))),
            ("data/train_sft-00000-of-00003-abcd.parquet", Some(("train", "data/train*.parquet"))),
            ("en/c4-validation.00000-of-00008.json.gz", Some(("validation", "en/c4-validation*.gz"))),
            ("train.jsonl", Some(("train", "train*.jsonl"))),
            ("dev/a.jsonl", Some(("validation", "dev"))),
            ("x/my_Training_set/test.csv", Some(("train", "x/my_Training_set"))),
            ("eval2.jsonl", Some(("test", "eval*.jsonl"))),
            ("TEST", Some(("test", "TEST"))),
            ("latest.jsonl", None),
            ("trained.jsonl", None),
            ("contest/protest.csv", None),
            ("values-device.parquet", None),
            ("éval.jsonl", None),
            ("", None),
        ] {
            let found = split_of(path);
            let found = found.as_ref().map(|found| (SPLITS[found.split].0, found.like.as_str()));
            assert_eq!(found, split, "{path}");
        }
    }

    #[test]
    fn several_splits_are_refused_and_one_is_not() {
        let refused = |paths: &[&str]| refuse_several("d/", paths.iter().copied()).err().map(|error| error.to_string());
        assert_eq!(refused(&["train.jsonl", "more.jsonl", "train2.jsonl"]), None);
        assert_eq!(refused(&["a.jsonl", "b.jsonl"]), None);
        let told = refused(&["test-0.parquet", "train-0.parquet", "train-1.parquet", "validation-0.parquet"]).unwrap();
        assert!(
            told.starts_with("d/: holds several splits of a data set, train (2 files), validation (1 file), test (1 file), "),
            "{told}"
        );
        let told = refused(&["test/a.jsonl", "train/a.jsonl"]).unwrap();
        assert!(told.contains("name 'd/train' as the input and 'd/test' with --against"), "{told}");
        for (paths, names) in [
            (
                &["en/test/a.jsonl", "en/train/a.jsonl", "de/train/b.jsonl"][..],
                "name 'd/*/train/*.jsonl' as the input and 'd/en/test' with",
            ),
            (
                &["en/test.csv", "en/train-0.csv", "de/train-1.csv"],
                "name 'd/*/train*.csv' as the input and 'd/en/test*.csv' with",
            ),
            (
                &["en/train/x/a.csv", "de/train/b.csv", "de/test/b.csv"],
                "name 'd/*/train/**/*.csv' as the input and 'd/de/test' with",
            ),
            (
                &["en/train.csv", "train/a.csv", "de/x/train.csv", "dev.csv", "x/train"],
                "name 'd/de/x/train*.csv', 'd/en/train*.csv', 'd/train' and 1 more as",
            ),
        ] {
            let told = refused(paths).unwrap();
            assert!(told.contains(names), "{told}");
        }
    }

    #[test]
    fn documents_are_of_a_split_by_whole_names_only() {
        let refused =
            |paths: &[&str]| refuse_several_of_documents("d", paths.iter().copied()).err().map(|error| error.to_string());
        for paths in [
            &["train/pos/1.txt", "train/neg/2.txt", "train/neg/3.txt"][..],
            &["test-report.txt", "train-timetable.txt"],
            // A project's folders.
            &["dev/README.md", "test/README.md"],
            &["contest/1.txt", "trains/1.txt"],
        ] {
            assert_eq!(refused(paths), None);
        }
        let told = refused(&["train/pos/1.txt", "train/neg/2.txt", "Test/1.txt"]).unwrap();
        assert!(
            told.contains("train (2 files), test (1 file)") && told.contains("name 'd/train' as the input and 'd/Test' with"),
            "{told}"
        );
        let told = refused(&["x/train.txt", "x/test.txt"]).unwrap();
        assert!(told.contains("name 'd/x/train.txt' as the input and 'd/x/test.txt' with"), "{told}");
    }
}
