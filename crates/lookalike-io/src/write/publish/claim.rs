//! Claims on the folders in which a run names its outputs, that is, gives complete outputs their final names. Only one run at a
//! time can have the claim on a folder.
//!
//! Each output appears only when it is complete, even without the claim. The claim is needed if two runs have the same outputs.
//! It ensures that all outputs come from one of the runs, and that a run that withdraws its outputs does not remove those of the
//! other run. So a run gives outputs their final names only while it has the claim, unless the folder cannot be locked, for
//! example because the file system has no locks.

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

/// The longest time that a run with complete outputs waits for another run that is naming its outputs. Naming takes a moment, or
/// a few seconds if the outputs include objects. A run that gave up would lose its work.
const PATIENCE: Duration = Duration::from_secs(60);

/// The longest time that a run waits for a lock before it begins its work. A folder that stays locked for longer will probably
/// stay locked until this run ends, for example if the program `flock` locked the folder and started this run. Such a lock is
/// reported before the work begins.
const PATIENCE_BEFORE: Duration = Duration::from_secs(5);

/// Locks on folders. A lock is released when its folder is closed.
pub(crate) struct Claim {
    _folders: Vec<File>,
}

impl Claim {
    /// Claims the folders of these files, in an order that is the same for all runs, so that two runs never wait for each other.
    ///
    /// # Errors
    /// Fails if another program keeps a folder locked: without the claim the outputs could be from two runs.
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
        Ok(Self {
            _folders: folders.into_values().map(|(folder, _)| folder).collect(),
        })
    }

    /// Claims a file's folder before the run begins its work, if that is possible.
    ///
    /// # Errors
    /// Fails in the same cases as [`of`](Self::of).
    pub(crate) fn before_work(target: &Path) -> io::Result<Option<Self>> {
        let Some(folder) = open(target)? else {
            return Ok(None);
        };
        wait(&folder, target, PATIENCE_BEFORE)?;
        Ok(Some(Self {
            _folders: vec![folder],
        }))
    }
}

/// Waits for a lock on the folder of `target`.
fn wait(folder: &File, target: &Path, patience: Duration) -> io::Result<()> {
    let started = Instant::now();
    while !lock(folder)? {
        if started.elapsed() > patience {
            return Err(io::Error::other(format!(
                "its folder {} has been locked for {} seconds by another program, such as flock or a run that writes there; end \
                 that program, let flock lock a file instead, or write to another folder",
                shown::path(&folder_of(target).display().to_string()),
                patience.as_secs()
            )));
        }
        thread::sleep(Duration::from_millis(2));
    }
    Ok(())
}

/// Opens the folder of a file. A folder that is writable but not readable cannot be opened, and so it cannot be locked.
fn open(target: &Path) -> io::Result<Option<File>> {
    match File::open(folder_of(target)) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(None),
        opened => opened.map(Some),
    }
}

/// Locks a folder; returns false if another run has locked it. Not every file system supports locks on folders.
fn lock(folder: &File) -> io::Result<bool> {
    match folder.try_lock() {
        Err(error) if has_no_locks(&error) => Ok(true),
        locked => locked,
    }
}
