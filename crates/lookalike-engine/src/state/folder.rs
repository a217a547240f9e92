//! The state folder. Only one run at a time uses it, and only the user who owns it can read it.

use std::{
    ffi::OsString,
    io::{self, Read, Write},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use lookalike_io::{
    disk::{
        File, folder_of, make_private, make_private_folder, remove, remove_folder, rename,
        sync_folder,
    },
    error::{Error, ErrorKind, Result, Setting},
};
use serde::Serialize;

const LOCK: &str = "lock";
const NEW: &str = ".new";

/// A run's folder, which is locked.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    /// The lock is held as long as this file is open, so the lock is also released if the process is killed.
    _lock: File,
}

impl Folder {
    /// Opens a folder that is new, empty, or belongs to lookalike. `sign` and `others` are names of files that lookalike writes.
    /// A folder with a file named `sign` belongs to lookalike if `is_ours` accepts that file, or if the folder also has the lock
    /// file or any of the `others`. A folder without `sign` belongs to lookalike if an earlier run was interrupted before it
    /// wrote `sign`. A folder that is refused is not changed.
    ///
    /// The folder and lookalike's files in it become private to this user, whatever their permissions were, because earlier
    /// versions created them with the permissions that the umask allowed. A folder that also has other files keeps its own
    /// permissions, because other users may need the other files.
    pub(super) fn open(
        path: &Path,
        sign: &str,
        others: &[&str],
        is_ours: impl Fn(&[u8]) -> bool,
    ) -> Result<Self> {
        let failed = |error: io::Error| Error::state(path, &error);
        let at = || path.display().to_string();
        let refuse = |what: String| {
            Error::new(ErrorKind::Config, what)
                .at(at())
                .advise("give $resume a new folder")
        };
        // A trailing slash is removed, so that a link to a folder can be distinguished from the folder.
        let path = path.components().as_path();
        make_private_folder(path).map_err(failed)?;
        let names: io::Result<Vec<OsString>> = path
            .read_dir()
            .map_err(failed)?
            .map(|entry| Ok(entry?.file_name()))
            .collect();
        let names = names.map_err(failed)?;
        let has = |name: &str| names.iter().any(|there| there == name);
        let news: Vec<String> = [sign]
            .iter()
            .chain(others)
            .map(|name| format!("{name}{NEW}"))
            .collect();
        let all = || {
            [LOCK, sign]
                .into_iter()
                .chain(others.iter().copied())
                .chain(news.iter().map(String::as_str))
        };
        let is_alone = names.iter().all(|name| all().any(|own| name == own));
        let is_begun = names.iter().all(|name| *name == LOCK || *name == *news[0]);
        if !has(sign) && !is_begun {
            return Err(refuse(
                "is not empty and contains no state of lookalike".into(),
            ));
        }
        if has(sign) && ![LOCK].iter().chain(others).any(|name| has(name)) {
            let there = read(&path.join(sign)).map_err(failed)?;
            if !there.is_none_or(|there| is_ours(&there)) {
                return Err(refuse(format!("contains a {sign} that is not lookalike's")));
            }
        }
        let lock = lock(&path.join(LOCK)).map_err(failed)?.ok_or_else(|| {
            let busy = Error::new(ErrorKind::Config, "another run is using it")
                .at(at())
                .about(Setting("resume"));
            busy.advise("wait until that run ends, or give another folder")
        })?;
        if is_alone {
            make_private(path).map_err(failed)?;
        }
        for name in all().filter(|name| has(name)) {
            match File::open_regular(&path.join(name)).and_then(|file| file.make_private()) {
                // The file is missing because the run that held the lock has just completed.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                made => made.map_err(failed)?,
            }
        }
        Ok(Self {
            path: path.into(),
            _lock: lock,
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the content of a file; `None` if it does not exist.
    pub(super) fn read(&self, name: &str) -> Result<Option<Vec<u8>>> {
        read(&self.path.join(name)).map_err(|error| Error::state(&self.path, &error))
    }

    /// Writes a file atomically: however the process ends, the file has either its previous content or all of the new content.
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

    /// Returns the error for a file whose content is different from what was written.
    pub(super) fn damaged(&self, name: &str) -> Error {
        damaged(&self.path.join(name), "its content is not what was written")
    }

    /// Deletes these files, in this order, and the folder if it is then empty.
    pub(super) fn remove(self, names: &[&str]) -> io::Result<()> {
        let new = names.iter().map(|name| format!("{name}{NEW}"));
        for name in names
            .iter()
            .map(ToString::to_string)
            .chain(new)
            .chain([LOCK.into()])
        {
            let path = self.path.join(name);
            if path.exists() {
                remove(&path)?;
            }
        }
        // If the path is a link, the link and the folder that it points to are kept, so that the next run can use the same path.
        if self.path.is_symlink() {
            return Ok(());
        }
        match remove_folder(&self.path) {
            // The folder is the working directory, a mount point, or in another user's folder. It is empty, so it does no harm if
            // it remains.
            Err(error) if is_fixed(&error) => Ok(()),
            removed => removed.map(|_| ()),
        }
    }
}

/// Returns whether the error means that an empty folder cannot be removed because of its kind or its location.
fn is_fixed(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidInput, PermissionDenied, ResourceBusy};
    matches!(error.kind(), InvalidInput | PermissionDenied | ResourceBusy)
}

/// Returns the content of a file; `None` if it does not exist.
fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let mut file = match File::open_regular(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// Returns the error for a damaged file.
pub(super) fn damaged(path: &Path, what: &str) -> Error {
    let folder = path.parent().unwrap_or(path).display();
    let damaged = Error::new(
        ErrorKind::Temporary,
        format!("{} is damaged: {what}", path.display()),
    )
    .about(Setting("resume"));
    damaged.advise(format!("check the disk, remove {folder} and start again"))
}

/// How long a lock may remain held after its run has ended. If a run is killed while it starts a command, the new process holds
/// the run's open files until the command itself has started.
const MOMENT: Duration = Duration::from_secs(1);

/// Creates and locks a file. Returns `None` if another process holds the lock.
fn lock(path: &Path) -> io::Result<Option<File>> {
    let started = Instant::now();
    loop {
        let file = match File::open_or_create(path) {
            // The run that held the lock has completed, and deleted the folder.
            Err(error) if error.kind() == io::ErrorKind::NotFound && started.elapsed() < MOMENT => {
                make_private_folder(folder_of(path))?;
                continue;
            }
            opened => opened?,
        };
        if file.try_lock()? {
            // If the file is not at its path any more, another run completed and deleted the file at the same moment, so the lock
            // is worthless.
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
