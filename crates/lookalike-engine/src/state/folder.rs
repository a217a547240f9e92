//! The folder: one run's at a time, and nobody else's.

use std::{
    ffi::OsStr,
    io::{self, Read, Write},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use serde::Serialize;

use crate::{
    disk::{File, folder_of, make_private_folder, remove, remove_folder, rename, sync_folder},
    error::{Error, ErrorKind, Result},
};

const LOCK: &str = "lock";
const NEW: &str = ".new";

/// A run's folder, locked.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    /// Locked as long as it is open: also a kill unlocks it.
    _lock: File,
}

impl Folder {
    /// Opens a folder that is new, empty or ours: it has the file `sign`, or was left before it had.
    pub(super) fn open(path: &Path, sign: &str) -> Result<Self> {
        let failed = |error: io::Error| Error::state(path, &error);
        make_private_folder(path).map_err(failed)?;
        let names: io::Result<Vec<_>> = path.read_dir().map_err(failed)?.map(|entry| Ok(entry?.file_name())).collect();
        let (names, new) = (names.map_err(failed)?, format!("{sign}{NEW}"));
        let ours = |name: &OsStr| [LOCK, &new].iter().any(|ours| name == *ours);
        if !names.iter().any(|name| name == sign) && !names.iter().all(|name| ours(name)) {
            let message = format!("{}: is not empty and holds no state of lookalike; give --resume a new folder", path.display());
            return Err(Error::new(ErrorKind::Config, message));
        }
        let lock = lock(&path.join(LOCK)).map_err(failed)?.ok_or_else(|| {
            let message = format!("{}: another run is at work in it; wait for its end, or give another folder", path.display());
            Error::new(ErrorKind::Config, message)
        })?;
        Ok(Self { path: path.into(), _lock: lock })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// What a file holds; none where there is none.
    pub(super) fn read(&self, name: &str) -> Result<Option<Vec<u8>>> {
        let read = || -> io::Result<Vec<u8>> {
            let mut bytes = Vec::new();
            File::open_regular(&self.path.join(name))?.read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        match read() {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::state(&self.path, &error)),
        }
    }

    /// Writes a file that holds, whatever ends the process, what it held or all of this.
    pub(super) fn write(&self, name: &str, content: &impl Serialize) -> Result<()> {
        let (path, new) = (self.path.join(name), self.path.join(format!("{name}{NEW}")));
        let write = || -> io::Result<()> {
            let mut bytes = serde_json::to_vec_pretty(content)?;
            bytes.push(b'\n');
            let mut file = File::open_or_create(&new)?;
            file.set_length(0)?;
            file.write_all(&bytes)?;
            file.sync()?;
            rename(&new, &path)?;
            sync_folder(&self.path)
        };
        write().map_err(|error| Error::state(&self.path, &error))
    }

    /// The failure of a file that does not hold what was written to it.
    pub(super) fn damaged(&self, name: &str) -> Error {
        damaged(&self.path.join(name), "it is not what was written")
    }

    /// Takes these files away, in this order, and the folder if it is then empty.
    pub(super) fn remove(self, names: &[&str]) -> io::Result<()> {
        let new = names.iter().map(|name| format!("{name}{NEW}"));
        for name in names.iter().map(ToString::to_string).chain(new).chain([LOCK.into()]) {
            let path = self.path.join(name);
            if path.exists() {
                remove(&path)?;
            }
        }
        remove_folder(&self.path).map(|_| ())
    }
}

/// The failure of a file that was damaged.
pub(super) fn damaged(path: &Path, what: &str) -> Error {
    let folder = path.parent().unwrap_or(path).display();
    let message = format!("{} is damaged: {what}; look after the disk, remove {folder} and begin anew", path.display());
    Error::new(ErrorKind::Temporary, message)
}

/// For so long a lock may be held by nobody in particular: a command that a run was about to start when it was killed has what
/// was open until it is started.
const MOMENT: Duration = Duration::from_secs(1);

/// Makes and locks a file; none where another process has it.
fn lock(path: &Path) -> io::Result<Option<File>> {
    let started = Instant::now();
    loop {
        let file = match File::open_or_create(path) {
            // The run that was at work came to its end, and took the folder away.
            Err(error) if error.kind() == io::ErrorKind::NotFound && started.elapsed() < MOMENT => {
                make_private_folder(folder_of(path))?;
                continue;
            }
            opened => opened?,
        };
        if file.try_lock()? {
            // Else it is that of a run which came to its end, and took the name away, in this moment.
            if file.is_at(path)? {
                return Ok(Some(file));
            }
        } else if started.elapsed() > MOMENT {
            return Ok(None);
        } else {
            thread::sleep(MOMENT / 100);
        }
    }
}
