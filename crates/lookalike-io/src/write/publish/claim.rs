//! The folders in which a run gives its outputs their names: one run at a time.
//!
//! Each output appears whole without this. The claim keeps two runs with the same outputs apart, so that all of them are one
//! run's, and so that a run which takes its outputs back does not take another's. So nothing is named without it, unless the file
//! system has no locks.

use std::{
    collections::BTreeMap,
    io,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use lookalike::shown;

use super::hidden::has_no_locks;
use crate::disk::{File, folder_of};

/// For so long a run that has its outputs ready waits for another that names its own, which takes a moment, or some seconds where
/// objects are among them. Its work would be lost if it gave up.
const PATIENCE: Duration = Duration::from_secs(60);

/// For so long a run waits that has not begun its work. A folder that is locked for longer is most likely locked for as long as the
/// run, as by the program `flock` that started it: that is told before the work.
const PATIENCE_BEFORE: Duration = Duration::from_secs(5);

/// Locks on folders; closed, they are gone.
pub(crate) struct Claim {
    _folders: Vec<File>,
}

impl Claim {
    /// Claims the folders of these files, in an order that is the same for all runs: two of them never wait for each other.
    ///
    /// # Errors
    /// A folder that others keep locked: without the claim the outputs could be those of two runs.
    pub(crate) fn of<'a>(targets: impl IntoIterator<Item = &'a Path>) -> io::Result<Self> {
        let mut folders = BTreeMap::new();
        for target in targets {
            if let Some(folder) = open(target)? {
                folders.insert(folder.place()?, (folder, target));
            }
        }
        for (folder, target) in folders.values() {
            wait(folder, target, PATIENCE)?;
        }
        Ok(Self { _folders: folders.into_values().map(|(folder, _)| folder).collect() })
    }

    /// The claim on a file's folder before the work, if there can be one.
    ///
    /// # Errors
    /// As [`of`](Self::of).
    pub(crate) fn before_work(target: &Path) -> io::Result<Option<Self>> {
        let Some(folder) = open(target)? else { return Ok(None) };
        wait(&folder, target, PATIENCE_BEFORE)?;
        Ok(Some(Self { _folders: vec![folder] }))
    }
}

/// Waits for a lock on the folder of `target`.
fn wait(folder: &File, target: &Path, patience: Duration) -> io::Result<()> {
    let started = Instant::now();
    while !lock(folder)? {
        if started.elapsed() > patience {
            return Err(io::Error::other(format!(
                "its folder {} has been locked by another program for {} seconds, such as flock or a run that writes there; end \
                 that program, let flock lock a file instead, or write to another folder",
                shown::path(&folder_of(target).display().to_string()),
                patience.as_secs()
            )));
        }
        thread::sleep(Duration::from_millis(2));
    }
    Ok(())
}

/// The folder of a file. A folder that may be written to but not read cannot be opened, and so not be locked.
fn open(target: &Path) -> io::Result<Option<File>> {
    match File::open(folder_of(target)) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(None),
        opened => opened.map(Some),
    }
}

/// Locks a folder; false where another run has it. Not every file system has locks on folders.
fn lock(folder: &File) -> io::Result<bool> {
    match folder.try_lock() {
        Err(error) if has_no_locks(&error) || error.raw_os_error() == Some(rustix::io::Errno::BADF.raw_os_error()) => Ok(true),
        locked => locked,
    }
}
