//! The hidden name that a file has until it gets its own.
//!
//! The name is random, and nothing that is already there is opened or followed: in a folder that others may write to, a pipe or
//! a link with that name would stop or redirect the run. What a killed run left is found by the part of the name that is the
//! target's, and by the lock that it no longer has.

use std::{
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

/// A name that a file has for a moment. Dropped, it is removed.
pub(crate) struct Hidden {
    path: PathBuf,
    kept: bool,
}

impl Hidden {
    /// Makes a file under a hidden name beside `target`. `make` must fail where the name is taken, and says whether the file is
    /// this run's: one that another run took for a killed run's is made again.
    pub(crate) fn beside<T>(target: &Path, make: impl Fn(&Path) -> io::Result<Option<T>>) -> io::Result<(T, Self)> {
        const TRIES: u32 = 1000;
        for _ in 0..TRIES {
            let name = format!("{}{:016x}{ENDING}", beginning(target), random());
            let hidden = Self { path: folder_of(target).join(name), kept: false };
            match make(&hidden.path) {
                Ok(Some(made)) => return Ok((made, hidden)),
                // It is not ours, or no longer there.
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

    /// The name is no longer its own.
    pub(crate) fn forget(mut self) {
        self.kept = true;
    }

    /// Removes the name, unless that has been done.
    pub(crate) fn remove(mut self) -> io::Result<()> {
        self.kept = true;
        match disk::remove(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed,
        }
    }
}

impl Drop for Hidden {
    fn drop(&mut self) {
        if !self.kept {
            // A second try: what fails once may be a passing fault, and an error cannot be returned from here.
            drop(disk::remove(&self.path).or_else(|_| disk::remove(&self.path)));
        }
    }
}

/// What the hidden names of a target have in common.
fn beginning(target: &Path) -> String {
    let name = xxh3_64(target.file_name().unwrap_or_default().as_encoded_bytes());
    format!("{BEGINNING}{name:016x}-")
}

/// A number that no other program can foresee. It decides nothing but a name.
fn random() -> u64 {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let mut bytes = [0; 8];
    match fs::File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut bytes)) {
        Ok(()) => u64::from_ne_bytes(bytes),
        // Without the device it differs only from the names of other runs: a name that is taken is still refused.
        Err(_) => xxh3_64_with_seed(&process::id().to_ne_bytes(), COUNT.fetch_add(1, Ordering::Relaxed)),
    }
}

/// Locks a file that this run made, so that no other run removes it. False where another run has just taken it for a killed run's.
pub(crate) fn own(file: &File) -> io::Result<bool> {
    match file.try_lock() {
        // Where a file system has no locks, nothing is removed either.
        Err(error) if has_no_locks(&error) => Ok(true),
        locked => locked,
    }
}

/// Whether a file system says that it has no locks.
pub(crate) fn has_no_locks(error: &io::Error) -> bool {
    has_no_such(error) || error.raw_os_error() == Some(Errno::NOLCK.raw_os_error())
}

/// Removes what killed runs left beside this target: the files under its hidden names that no run has locked.
///
/// Only with the [claim](super::claim) on the folder: what a target held has a hidden name and no lock while a run publishes.
pub(crate) fn remove_left(target: &Path) {
    let beginning = beginning(target);
    let Ok(entries) = folder_of(target).read_dir() else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        if name.to_str().is_some_and(|name| name.starts_with(&beginning) && name.ends_with(ENDING)) {
            // A file that cannot be removed now is left to the next run.
            drop(remove_unlocked(&entry.path()));
        }
    }
}

/// Removes a file if no run has locked it. The lock is held until the file is removed: a run that has just made it, and not locked it
/// yet, must not get the lock in between.
fn remove_unlocked(path: &Path) -> io::Result<()> {
    let file = File::open_regular(path)?;
    if file.try_lock()? && file.is_at(path)? {
        disk::remove(path)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn what_has_a_hidden_name_already_is_neither_opened_nor_removed() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("kept.jsonl");
        let pipe = folder.path().join(format!("{}0{ENDING}", beginning(&target)));
        assert!(process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let link = folder.path().join(format!("{}1{ENDING}", beginning(&target)));
        std::os::unix::fs::symlink(folder.path().join("elsewhere"), &link).unwrap();
        // A pipe without a writer would be waited for.
        remove_left(&target);
        assert!(pipe.exists() && link.is_symlink());
        assert!(File::create_new(&link, 0o600).is_err() && File::open_regular(&link).is_err());
        assert!(!folder.path().join("elsewhere").exists());
    }

    #[test]
    fn names_differ_from_run_to_run() {
        let [a, b] = [(); 2].map(|()| Hidden::beside(Path::new("/x/kept"), |path| Ok(Some(path.to_path_buf()))).unwrap().0);
        assert!(a != b && a.parent() == b.parent());
    }

    /// Without files that have no name, a file is not locked yet in the moment in which it is made.
    #[test]
    fn no_run_loses_its_file_to_another_that_cleans_up() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("kept.jsonl");
        let work = || {
            for _ in 0..200 {
                remove_left(&target);
                let make = |path: &Path| File::owned(path, 0o600, own);
                let (file, hidden) = Hidden::beside(&target, make).unwrap();
                assert!(file.is_at(hidden.path()).unwrap());
                remove_left(&target);
                assert!(file.is_at(hidden.path()).unwrap());
                hidden.remove().unwrap();
            }
        };
        thread::scope(|scope| (0..8).for_each(|_| drop(scope.spawn(work))));
        assert_eq!(folder.path().read_dir().unwrap().count(), 0);
    }
}
