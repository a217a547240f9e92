//! Files of folders that are not read.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use serde::Serialize;

use super::Input;
use crate::read::bytes::PACKED;

/// Files in folders that are not read, although no setting leaves them out.
#[derive(Debug, Clone, Serialize)]
pub struct LeftOut {
    /// How many there are.
    pub files: u64,
    /// One of them.
    pub example: String,
    /// Why it is not read, and what to do to have it read.
    pub advice: String,
}

/// What is left out on the way.
#[derive(Default)]
pub(crate) struct Leaving {
    pub(crate) documents: Vec<PathBuf>,
    pub(crate) others: Vec<PathBuf>,
}

impl Leaving {
    /// What is left out of all folders, and is no input by another name, if there are `several`.
    pub(crate) fn told(mut self, inputs: &[Input], several: bool) -> Option<LeftOut> {
        if several && !(self.documents.is_empty() && self.others.is_empty()) {
            let read: BTreeSet<PathBuf> = inputs.iter().flat_map(Input::places).map(|(place, _)| place).collect();
            let is_left = |path: &PathBuf| !read.contains(&path.canonicalize().unwrap_or_else(|_| path.clone()));
            self.documents.retain(is_left);
            self.others.retain(is_left);
        }
        let files = (self.documents.len() + self.others.len()) as u64;
        let (example, advice) = match (self.documents.first(), self.others.first()) {
            (Some(path), _) => {
                let advice = format!(
                    "where a folder has files of records, only these are read; to have documents read too, name them, as with \
                     the quoted glob '{}'",
                    like(path).display()
                );
                (path, advice)
            }
            (None, Some(path)) => {
                let advice = "of a folder only those are read whose endings say what they hold; name it to have it read";
                (path, advice.into())
            }
            (None, None) => return None,
        };
        Some(LeftOut { files, example: example.display().to_string(), advice })
    }
}

/// A glob for the files beside one that end as it does.
fn like(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let packed = PACKED.into_iter().find(|packed| name.ends_with(packed)).unwrap_or_default();
    let stem = &name[..name.len() - packed.len()];
    let ending = stem.rfind('.').map_or("", |at| &stem[at..]);
    path.with_file_name(format!("*{ending}{packed}"))
}
