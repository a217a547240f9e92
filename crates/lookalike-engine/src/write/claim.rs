//! The folders in which a run gives its outputs their names: one run at a time.
//!
//! Each output appears whole without this. The claim keeps two runs with the same outputs apart, so that all of them are one
//! run's, and so that a run which takes its outputs back does not take another's.

use std::{
    collections::BTreeMap,
    io,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use super::hidden::has_no_locks;
use crate::disk::{File, folder_of};

/// For so long another run is waited for. It has its outputs ready and names them, which takes a moment. Whatever else has the
/// folder locked, such as the program `flock` that started this run, is not waited for for ever.
const PATIENCE: Duration = Duration::from_secs(5);

/// Locks on folders; closed, they are gone.
pub(super) struct Claim {
    _folders: Vec<File>,
}

impl Claim {
    /// Claims the folders of these files, in an order that is the same for all runs: two of them never wait for each other.
    pub(super) fn of<'a>(targets: impl IntoIterator<Item = &'a Path>) -> io::Result<Self> {
        let mut folders = BTreeMap::new();
        for target in targets {
            if let Some(folder) = open(target)? {
                folders.insert(folder.place()?, folder);
            }
        }
        let started = Instant::now();
        for folder in folders.values() {
            while !lock(folder)? && started.elapsed() < PATIENCE {
                thread::sleep(Duration::from_millis(2));
            }
        }
        Ok(Self { _folders: folders.into_values().collect() })
    }

    /// The claim on a file's folder, if no other run has it now and there can be one.
    pub(super) fn at_once(target: &Path) -> io::Result<Option<Self>> {
        let Some(folder) = open(target)? else { return Ok(None) };
        Ok(lock(&folder)?.then(|| Self { _folders: vec![folder] }))
    }
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
