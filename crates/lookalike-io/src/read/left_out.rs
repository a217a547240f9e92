//! Counts what is left out: files when names are expanded, and records and documents when they are read.

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Serialize};

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
