//! The hidden name that a file has before it gets its final name.
//!
//! The hidden name is random. If a file with that name already exists, the run neither opens it nor follows it as a link. Without
//! these precautions, in a folder to which other users can write, a pipe or a link with that name could block or redirect the
//! run. A file that a killed run left is recognised by two signs: a part of its name depends on the target, and it is not locked.

use std::{
    collections::BTreeSet,
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
    process,
    sync::atomic::{AtomicU64, Ordering},
};

use rustix::io::Errno;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use crate::disk::{self, File, folder_of, has_no_such};

const BEGINNING: &str = ".lookalike-";
const ENDING: &str = ".unfinished";

/// A temporary name of a file or a folder, which is removed on drop.
pub(crate) struct Hidden {
    path: PathBuf,
    kept: bool,
}

impl Hidden {
    /// Creates a file with a hidden name next to `target`. `make` must fail if the name is in use. It must return `None` if
    /// another run has already locked the new file in order to remove it as a file left by a killed run. In both cases, this
    /// function tries another name.
    pub(crate) fn beside<T>(
        target: &Path,
        make: impl Fn(&Path) -> io::Result<Option<T>>,
    ) -> io::Result<(T, Self)> {
        const TRIES: u32 = 1000;
        for _ in 0..TRIES {
            let name = format!("{}{:016x}{ENDING}", beginning(target), random());
            let hidden = Self {
                path: folder_of(target).join(name),
                kept: false,
            };
            match make(&hidden.path) {
                Ok(Some(made)) => return Ok((made, hidden)),
                // The file belongs to another run, or no longer exists.
                Ok(None) => hidden.forget(),
                Err(error) => {
                    hidden.forget();
                    if error.kind() != io::ErrorKind::AlreadyExists {
                        return Err(error);
                    }
                }
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Leaves the name as it is: it is not removed on drop.
    pub(crate) fn forget(mut self) {
        self.kept = true;
    }

    /// Removes the name, unless it is already removed.
    pub(crate) fn remove(mut self) -> io::Result<()> {
        self.kept = true;
        match disk::remove_all(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed,
        }
    }
}

impl Drop for Hidden {
    fn drop(&mut self) {
        if !self.kept {
            // The removal is tried twice: the first failure may be temporary, and an error cannot be returned from here.
            drop(disk::remove_all(&self.path).or_else(|_| disk::remove_all(&self.path)));
        }
    }
}

/// Returns the common prefix of the hidden names of a target.
fn beginning(target: &Path) -> String {
    let name = xxh3_64(target.file_name().unwrap_or_default().as_encoded_bytes());
    format!("{BEGINNING}{name:016x}-")
}

/// Returns a random number for a hidden name. No other program can predict the number, unless the random device cannot be read.
fn random() -> u64 {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let mut bytes = [0; 8];
    match fs::File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut bytes)) {
        Ok(()) => u64::from_ne_bytes(bytes),
        // If the random device cannot be read, the number is predictable, but it still differs from the numbers of other runs.
        // This is sufficient for a name, because a name that is in use is still rejected.
        Err(_) => xxh3_64_with_seed(
            &process::id().to_ne_bytes(),
            COUNT.fetch_add(1, Ordering::Relaxed),
        ),
    }
}

/// Locks a file that this run created, so that no other run removes it. Returns false if another run has just locked the file in
/// order to remove it as a file left by a killed run.
pub(crate) fn own(file: &File) -> io::Result<bool> {
    match file.try_lock() {
        // On a file system without locks, no run removes files of killed runs, so this file needs no lock.
        Err(error) if has_no_locks(&error) => Ok(true),
        locked => locked,
    }
}

/// Returns whether a file system reports that it does not support locks. NFS does not lock a folder, because it is not open for writing.
pub(crate) fn has_no_locks(error: &io::Error) -> bool {
    has_no_such(error)
        || [Errno::NOLCK, Errno::BADF]
            .iter()
            .any(|errno| error.raw_os_error() == Some(errno.raw_os_error()))
}

/// Removes the files that killed runs left next to these targets, which are in one folder. These are the files that have a hidden name
/// of a target and that no run has locked.
///
/// This requires the [claim](super::claim) on the folder: while a run publishes, the target's former file may have a hidden name
/// and no lock.
pub(crate) fn remove_stale<P: AsRef<Path>>(targets: impl IntoIterator<Item = P>) {
    let mut targets = targets.into_iter().peekable();
    let Some(entries) = targets
        .peek()
        .and_then(|target| folder_of(target.as_ref()).read_dir().ok())
    else {
        return;
    };
    let is_hidden = |name: &str| name.starts_with(BEGINNING) && name.ends_with(ENDING);
    let hidden = entries
        .flatten()
        .filter(|entry| entry.file_name().to_str().is_some_and(is_hidden));
    let hidden: Vec<(String, PathBuf)> = hidden
        .map(|entry| {
            (
                entry.file_name().to_string_lossy().into_owned(),
                entry.path(),
            )
        })
        .collect();
    if hidden.is_empty() {
        return;
    }
    let own: BTreeSet<String> = targets.map(|target| beginning(target.as_ref())).collect();
    for (name, path) in hidden {
        let length = name.rfind('-').map_or(0, |at| at + 1);
        if own.contains(&name[..length]) {
            // A file that cannot be removed now is left to the next run.
            drop(remove_unlocked(&path));
        }
    }
}

/// Removes a file or a folder if no run has locked it. This function locks it, and holds the lock until it is removed. Otherwise, a
/// run that has just created it could lock it after the check and before the removal.
fn remove_unlocked(path: &Path) -> io::Result<()> {
    let is_folder = path.symlink_metadata()?.is_dir();
    let file = if is_folder {
        File::open_folder(path)?
    } else {
        File::open_regular(path)?
    };
    if file.try_lock()? && file.is_at(path)? {
        disk::remove_all(path)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn existing_files_with_hidden_names_are_neither_opened_nor_removed() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("kept.jsonl");
        let pipe = folder
            .path()
            .join(format!("{}0{ENDING}", beginning(&target)));
        assert!(
            process::Command::new("mkfifo")
                .arg(&pipe)
                .status()
                .unwrap()
                .success()
        );
        let link = folder
            .path()
            .join(format!("{}1{ENDING}", beginning(&target)));
        std::os::unix::fs::symlink(folder.path().join("elsewhere"), &link).unwrap();
        // Opening a pipe without a writer would block.
        remove_stale([&target]);
        assert!(pipe.exists() && link.is_symlink());
        assert!(File::create_new(&link, 0o600).is_err() && File::open_regular(&link).is_err());
        assert!(!folder.path().join("elsewhere").exists());
    }

    #[test]
    fn names_differ_from_run_to_run() {
        let [a, b] = [(); 2].map(|()| {
            Hidden::beside(Path::new("/x/kept"), |path| Ok(Some(path.to_path_buf())))
                .unwrap()
                .0
        });
        assert!(a != b && a.parent() == b.parent());
    }

    /// Checks file systems without unnamed files, on which a file is not locked at the moment of its creation.
    #[test]
    fn no_run_loses_its_file_to_another_that_cleans_up() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("kept.jsonl");
        let work = || {
            for _ in 0..200 {
                remove_stale([&target]);
                let make = |path: &Path| File::owned(path, 0o600, own);
                let (file, hidden) = Hidden::beside(&target, make).unwrap();
                assert!(file.is_at(hidden.path()).unwrap());
                remove_stale([&target]);
                assert!(file.is_at(hidden.path()).unwrap());
                hidden.remove().unwrap();
            }
        };
        thread::scope(|scope| (0..8).for_each(|_| drop(scope.spawn(work))));
        assert_eq!(folder.path().read_dir().unwrap().count(), 0);
    }
}
