//! Folders that are created for outputs.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Mutex,
};

use crate::{
    disk::{folder_of, make_folder, remove_folder, sync_folder},
    lock::lock,
};

/// The folders that were created for outputs. If no output appears, they are removed when this is dropped.
#[derive(Debug, Default)]
pub(crate) struct Folders(Mutex<Vec<PathBuf>>);

impl Folders {
    /// Creates the folder of a file, if it does not exist, and all folders that contain it.
    pub(crate) fn make(&self, file: &Path) -> io::Result<()> {
        let missing: Vec<&Path> = folder_of(file)
            .ancestors()
            .take_while(|folder| is_missing(folder))
            .collect();
        for folder in missing.into_iter().rev() {
            make_folder(folder)?;
            lock(&self.0).push(folder.into());
            // A parent that is writable but not readable cannot be synced.
            drop(sync_folder(folder_of(folder)));
        }
        Ok(())
    }
}

impl Folders {
    /// Keeps the folders, although they may be empty.
    pub(crate) fn keep(&self) {
        lock(&self.0).clear();
    }
}

fn is_missing(folder: &Path) -> bool {
    !folder.as_os_str().is_empty() && !folder.exists()
}

impl Drop for Folders {
    fn drop(&mut self) {
        // A folder with outputs, or with files of other programs, is not empty and remains.
        lock(&self.0)
            .iter()
            .rev()
            .for_each(|folder| drop(remove_folder(folder)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_without_outputs_are_removed() {
        let root = tempfile::tempdir().unwrap();
        let file = |name: &str| root.path().join("a/b").join(name);
        let folders = Folders::default();
        folders.make(&file("x.jsonl")).unwrap();
        folders.make(&file("c/y.jsonl")).unwrap();
        std::fs::write(file("x.jsonl"), "").unwrap();
        drop(folders);
        assert!(file("x.jsonl").exists() && !file("c").exists());
        std::fs::remove_file(file("x.jsonl")).unwrap();
        let folders = Folders::default();
        folders.make(&file("d/z.jsonl")).unwrap();
        drop(folders);
        // This folder existed before.
        assert!(!file("d").exists() && root.path().join("a/b").exists());
    }
}
