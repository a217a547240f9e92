//! Splits of one data set, such as train and test, by the names of files and folders.
//!
//! The words, and what may stand around them, are those of the Python library `datasets` (`data_files.py`), which tells the splits of
//! a folder in the same way. Documents, of which each file is one, have no splits: `test-report.txt` is a title.

use std::{collections::BTreeMap, path::Path};

use crate::error::{Error, ErrorKind, Result};

/// The splits, and the words that name them.
const SPLITS: [(&str, &[&str]); 3] = [
    ("train", &["train", "training"]),
    ("validation", &["validation", "valid", "dev", "val"]),
    ("test", &["test", "testing", "eval", "evaluation"]),
];

/// Refuses files of records in a folder, by their paths inside it, that are of several splits.
///
/// # Errors
/// Two splits or more: duplicates between them would be dropped from either, and all would be written together.
pub(super) fn refuse_several<'a>(folder: &str, inside: impl Iterator<Item = &'a str>) -> Result<()> {
    let mut found: BTreeMap<usize, (u64, String)> = BTreeMap::new();
    for path in inside {
        if let Some((split, like)) = split_of(path) {
            found.entry(split).or_insert((0, like)).0 += 1;
        }
    }
    let mut splits = found.iter().map(|(&split, (files, like))| (SPLITS[split].0, files, join(folder, like)));
    let (Some((first, _, one)), Some((second, _, other))) = (splits.next(), splits.next()) else { return Ok(()) };
    let counted = |(&split, &(files, _)): (&usize, &(u64, _))| {
        format!("{} ({files} file{})", SPLITS[split].0, if files == 1 { "" } else { "s" })
    };
    let all: Vec<String> = found.iter().map(counted).collect();
    let message = format!(
        "{folder}: holds several splits of a data set, {}, which read as one collection would lose documents to each other; to drop \
         from {first} what is like {second}, name '{one}' as the input and '{other}' with --against; to read all as one, give --all-splits",
        all.join(", ")
    );
    Err(Error::new(ErrorKind::Input, message))
}

fn join(folder: &str, inside: &str) -> String {
    format!("{}/{inside}", folder.trim_end_matches('/'))
}

/// The split of a file, by its number, and the folder or a glob of files like it: by the first folder, or else the name, that has a
/// word of a split.
fn split_of(path: &str) -> Option<(usize, String)> {
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
            return Some((split, like));
        }
        at = end + 1;
    }
    None
}

/// The split that a name has the word of, and where the word ends: not inside of another word.
fn word_in(name: &str) -> Option<(usize, usize)> {
    let lower = name.to_ascii_lowercase();
    let separates = |byte: &u8| matches!(byte, b'-' | b'.' | b'_' | b' ' | b'0'..=b'9');
    let mut start = 0;
    for word in lower.as_bytes().split(separates) {
        let split = SPLITS.iter().position(|(_, words)| words.iter().any(|known| known.as_bytes() == word));
        if let Some(split) = split {
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
            let found = found.as_ref().map(|(split, like)| (SPLITS[*split].0, like.as_str()));
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
    }
}
