//! Counts what is left out: files when names are expanded, and records and documents when they are read.

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Serialize};

use crate::error::Error;

/// The maximum number of bad lines whose errors are reported for a run, and therefore also the maximum for a block. The errors of
/// further bad lines take no memory. Only the line numbers of skipped lines are recorded, with one entry for each series of
/// consecutive lines.
pub const BAD_EXAMPLES: usize = 5;

/// What inputs have that is not read as documents.
#[derive(Debug, Default, Clone, Serialize)]
pub struct Unread {
    /// Lines that are not records and were skipped.
    pub bad_lines: u64,
    /// The error messages of the first bad lines.
    pub bad_examples: Vec<Error>,
    /// The files and records that were left out; `None` if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<LeftOut>,
}

impl Unread {
    /// Adds bad lines, with the errors of the first ones.
    pub fn add_bad(&mut self, lines: u64, errors: impl Iterator<Item = Error>) {
        self.bad_lines += lines;
        let left = BAD_EXAMPLES - self.bad_examples.len();
        self.bad_examples.extend(errors.take(left));
    }
}

/// Files and records that are left out, although nothing is wrong with them and no setting excludes them.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// The number of files.
    pub files: u64,
    /// The number of files and records for each reason, which for most files is the extension of their names.
    pub reasons: BTreeMap<String, u64>,
    /// The path of one of these files, if the files were found in a folder or an archive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub example: Option<String>,
    /// The reason why they are not read, and how the user can include them.
    pub advice: String,
}

impl LeftOut {
    /// Returns the value for a file, or for a record of a file that has several.
    pub(crate) fn one(is_file: bool, reason: &str, advice: &str) -> Self {
        Self {
            files: is_file.into(),
            reasons: [(reason.into(), 1)].into(),
            example: None,
            advice: advice.into(),
        }
    }

    /// Adds more to what was left out, and returns the number of files and records in `more`.
    pub fn add(all: &mut Option<Self>, more: Option<Self>) -> u64 {
        let Some(more) = more else { return 0 };
        let mut total = 0;
        let all = all.get_or_insert_default();
        all.files += more.files;
        for (reason, count) in more.reasons {
            total += count;
            *all.reasons.entry(reason).or_default() += count;
        }
        if all.advice.is_empty() {
            (all.example, all.advice) = (more.example, more.advice);
        }
        total
    }
}

/// The number of reasons that are shown.
const MOST: usize = 12;

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reasons = self.reasons.iter().take(MOST);
        let mut words: Vec<String> = reasons
            .map(|(why, count)| format!("{count} {why}"))
            .collect();
        words.extend((self.reasons.len() > MOST).then(|| "others".into()));
        words.extend(self.example.as_ref().map(|path| format!("such as {path}")));
        write!(f, "{}: {}", words.join(", "), self.advice)
    }
}
