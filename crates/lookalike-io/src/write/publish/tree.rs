//! A folder of files that get their names together.

use std::{
    io::{self, ErrorKind},
    path::{Path, PathBuf},
};

use super::{
    claim::Claim,
    folders::Folders,
    hidden::{Hidden, own, remove_stale},
};
use crate::disk::{File, USUAL, make_folder, remove_folder};

/// New files for a folder. Until all of them are complete, they are in a hidden folder inside it. So they are on its file system, and the
/// folder itself may be a mount point or the current folder of a shell, which cannot be replaced by renaming.
pub(crate) struct Tree {
    hidden: Hidden,
    target: PathBuf,
    /// The hidden folder, open and locked, so that other runs do not treat it as left by a killed run.
    open: File,
    /// Removes the folder if it was created for these files and does not get any.
    folders: Folders,
}

/// The hidden name depends on this name.
const ALL_FILES: &str = "documents";

impl Tree {
    /// Creates the folder, if it does not exist, and the hidden folder inside it.
    pub(crate) fn create(target: &Path) -> io::Result<Self> {
        let (folders, inside) = (Folders::default(), target.join(ALL_FILES));
        folders.make(&inside)?;
        if let Some(_claim) = Claim::before_work(&inside)? {
            remove_stale([&inside]);
        }
        let make = |path: &Path| {
            if path.symlink_metadata().is_ok() {
                return Err(ErrorKind::AlreadyExists.into());
            }
            make_folder(path)?;
            let owned = File::open_folder(path).and_then(|folder| {
                let is_own = own(&folder)? && folder.is_at(path)?;
                Ok(is_own.then_some(folder))
            });
            if owned.is_err() {
                drop(remove_folder(path));
            }
            owned
        };
        let (open, hidden) = Hidden::beside(&inside, make)?;
        Ok(Self {
            hidden,
            target: target.into(),
            open,
            folders,
        })
    }

    /// Creates a file, and the folders that it is in. `name` is its name in the folder.
    pub(crate) fn file(&self, name: &Path) -> io::Result<File> {
        let path = self.hidden.path().join(name);
        match File::create_new(&path, USUAL) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let folders: Vec<&Path> = name
                    .ancestors()
                    .skip(1)
                    .filter(|folder| !folder.as_os_str().is_empty())
                    .collect();
                folders
                    .into_iter()
                    .rev()
                    .try_for_each(|folder| make_folder(&self.hidden.path().join(folder)))?;
                File::create_new(&path, USUAL)
            }
            created => created,
        }
    }

    /// Writes all files to the disk. They do not get their names yet.
    pub(crate) fn seal(self) -> io::Result<Self> {
        // One by one, many small files would take minutes.
        if !self.open.sync_all_files()? {
            sync(self.hidden.path())?;
        }
        Ok(self)
    }

    /// Returns the files and folders that get names in the folder: their hidden paths, and their names.
    pub(crate) fn entries(&self) -> io::Result<Vec<(PathBuf, PathBuf)>> {
        let entries = self.hidden.path().read_dir()?;
        let named = |entry: std::fs::DirEntry| (entry.path(), self.target.join(entry.file_name()));
        let mut entries = entries
            .map(|entry| entry.map(named))
            .collect::<io::Result<Vec<_>>>()?;
        entries.sort();
        Ok(entries)
    }

    /// Keeps the folder, also if there are no files.
    pub(crate) fn keep(&self) {
        self.folders.keep();
    }

    /// Returns a path in the folder, by which it can be claimed.
    pub(crate) fn inside(&self) -> PathBuf {
        self.target.join(ALL_FILES)
    }
}

/// Writes a folder, and all that is in it, to the disk.
fn sync(folder: &Path) -> io::Result<()> {
    for entry in folder.read_dir()? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            sync(&entry.path())?
        } else {
            File::open(&entry.path())?.sync()?
        }
    }
    File::open_folder(folder)?.sync()
}

#[cfg(test)]
mod tests {
    use std::{fs, io::Write};

    use super::*;

    #[test]
    fn files_of_killed_runs_are_removed_but_not_those_of_active_runs() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("a/kept");
        let hidden = || folder.read_dir().unwrap().count();
        let active = Tree::create(&folder).unwrap();
        active
            .file(Path::new("b/c/d.txt"))
            .unwrap()
            .write_all(b"x")
            .unwrap();
        assert!(active.file(Path::new("b/c/d.txt")).is_err());
        let killed = Tree::create(&folder).unwrap();
        killed.file(Path::new("e.txt")).unwrap();
        assert_eq!(hidden(), 2);
        // The system releases the lock of a killed run.
        let Tree {
            hidden: left,
            folders: empty,
            open,
            ..
        } = killed;
        drop(open);
        left.forget();
        let next = Tree::create(&folder).unwrap();
        assert_eq!(hidden(), 2);
        drop((next, empty));
        let (entries, sealed) = (active.entries().unwrap(), active.seal().unwrap());
        assert_eq!(
            entries
                .iter()
                .map(|(_, name)| name.clone())
                .collect::<Vec<_>>(),
            [folder.join("b")]
        );
        assert_eq!(fs::read(entries[0].0.join("c/d.txt")).unwrap(), b"x");
        drop(sealed);
        assert!(!root.path().join("a").exists());
    }
}
