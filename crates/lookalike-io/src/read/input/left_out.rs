//! The files that are left out when folders and archives are read.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use super::Input;
use crate::read::{bytes::without_packing, format::foreign, left_out::LeftOut};

/// The files skipped so far while folders are listed.
#[derive(Default)]
pub(crate) struct Leaving {
    pub(crate) documents: Vec<PathBuf>,
    pub(crate) others: Vec<PathBuf>,
    /// Files in archives.
    pub(crate) members: Vec<PathBuf>,
    /// Git LFS pointers instead of files of records.
    pub(crate) pointers: Vec<PathBuf>,
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
        let like = self.documents.first().map_or(String::new(), |path| {
            let like = path.with_file_name(format!("*{}", ending(path)));
            format!(
                "if a folder has files of records, only these are read; to read documents too, name them, for example with the \
                 quoted glob '{}'",
                like.display()
            )
        });
        let others = "from a folder, only files whose extension shows their format are read; name the file to read it";
        let members = "from an archive, only text, Markdown and HTML files are read; unpack it to read other files";
        let mut all = None;
        let mut add = |path: &Path, one| {
            let example = Some(path.display().to_string());
            LeftOut::add(&mut all, Some(LeftOut { example, ..one }));
        };
        for (paths, advice) in [
            (&self.documents, &*like),
            (&self.others, others),
            (&self.members, members),
        ] {
            for path in paths {
                let reason = match &*ending(path).to_lowercase() {
                    "" => "without extension".to_owned(),
                    ending => ending.to_owned(),
                };
                add(path, LeftOut::one(true, &reason, advice));
            }
        }
        for path in &self.pointers {
            add(path, foreign::left_out_pointer());
        }
        all
    }
}

/// Returns the extension of a file, with that of its compression.
fn ending(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let stem = without_packing(&name);
    let start = stem.rfind('.').unwrap_or(stem.len());
    name[start..].into()
}
