//! The files that are skipped when folders are read.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use serde::Serialize;

use super::Input;
use crate::read::bytes::PACKED;

/// Files that are skipped when folders are read, although no setting excludes them.
#[derive(Debug, Clone, Serialize)]
pub struct LeftOut {
    /// The number of files.
    pub files: u64,
    /// The path of one of these files.
    pub example: String,
    /// The reason why this file is not read, and how the user can include it.
    pub advice: String,
}

/// The files skipped so far while folders are listed.
#[derive(Default)]
pub(crate) struct Leaving {
    pub(crate) documents: Vec<PathBuf>,
    pub(crate) others: Vec<PathBuf>,
    /// Files in archives.
    pub(crate) members: Vec<PathBuf>,
}

impl Leaving {
    /// Returns the skipped files of all folders. `several` says whether the user named more than one input or reference. If
    /// `several` is true, skipped files that are also inputs under another name are not included.
    pub(crate) fn reported(mut self, inputs: &[Input], several: bool) -> Option<LeftOut> {
        if several && !(self.documents.is_empty() && self.others.is_empty()) {
            let read: BTreeSet<PathBuf> = inputs
                .iter()
                .flat_map(Input::places)
                .map(|(place, _)| place)
                .collect();
            let is_left = |path: &PathBuf| {
                !read.contains(&path.canonicalize().unwrap_or_else(|_| path.clone()))
            };
            self.documents.retain(is_left);
            self.others.retain(is_left);
        }
        let files = (self.documents.len() + self.others.len() + self.members.len()) as u64;
        let (example, advice) = match (self.documents.first(), self.others.first()) {
            (Some(path), _) => {
                let advice = format!(
                    "if a folder has files of records, only these are read; to read documents too, name them, for example with \
                     the quoted glob '{}'",
                    like(path).display()
                );
                (path, advice)
            }
            (None, Some(path)) => {
                let advice = "from a folder, only files whose extension shows their format are read; name the file to read it";
                (path, advice.into())
            }
            (None, None) => {
                let advice = "from an archive, only text, Markdown and HTML files are read; unpack it to read other files";
                (self.members.first()?, advice.into())
            }
        };
        Some(LeftOut {
            files,
            example: example.display().to_string(),
            advice,
        })
    }
}

/// Returns a glob for the files in the same folder with the same ending.
fn like(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let packed = PACKED
        .into_iter()
        .find(|packed| name.ends_with(packed))
        .unwrap_or_default();
    let stem = &name[..name.len() - packed.len()];
    let ending = stem.rfind('.').map_or("", |at| &stem[at..]);
    path.with_file_name(format!("*{ending}{packed}"))
}
