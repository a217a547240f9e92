//! The folder: one run's at a time, and nobody else's.

use std::{
    ffi::OsString,
    io::{self, Read, Write},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use lookalike_io::{
    disk::{File, folder_of, make_private, make_private_folder, remove, remove_folder, rename, sync_folder},
    error::{Error, ErrorKind, Result, Setting},
    words,
};
use serde::Serialize;

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
    /// Opens a folder that is new, empty or ours. It is ours if it has the file `sign` and either `is_ours` accepts that file or some of
    /// our `others` are in the folder too; or if a run ended before it wrote `sign`. A folder that is refused stays as it was.
    ///
    /// It becomes this user's alone, whatever it was, as do our files in it: earlier versions made them as the umask said. A folder that
    /// has other files too keeps its permissions, since others may need these.
    pub(super) fn open(path: &Path, sign: &str, others: &[&str], is_ours: impl Fn(&[u8]) -> bool) -> Result<Self> {
        let failed = |error: io::Error| Error::state(path, &error);
        let at = || path.display().to_string();
        let refuse =
            |what: String| Error::new(ErrorKind::Config, what).at(at()).advise(words!["give ", Setting::Resume, " a new folder"]);
        // Without a slash at the end, so that a link to a folder can be told from the folder.
        let path = path.components().as_path();
        make_private_folder(path).map_err(failed)?;
        let names: io::Result<Vec<OsString>> = path.read_dir().map_err(failed)?.map(|entry| Ok(entry?.file_name())).collect();
        let names = names.map_err(failed)?;
        let has = |name: &str| names.iter().any(|there| there == name);
        let news: Vec<String> = [sign].iter().chain(others).map(|name| format!("{name}{NEW}")).collect();
        let all = || [LOCK, sign].into_iter().chain(others.iter().copied()).chain(news.iter().map(String::as_str));
        let is_alone = names.iter().all(|name| all().any(|own| name == own));
        let is_begun = names.iter().all(|name| *name == LOCK || *name == *news[0]);
        if !has(sign) && !is_begun {
            return Err(refuse("is not empty and holds no state of lookalike".into()));
        }
        if has(sign) && ![LOCK].iter().chain(others).any(|name| has(name)) {
            let there = read(&path.join(sign)).map_err(failed)?;
            if !there.is_none_or(|there| is_ours(&there)) {
                return Err(refuse(format!("holds a {sign} that is not lookalike's")));
            }
        }
        let lock = lock(&path.join(LOCK)).map_err(failed)?.ok_or_else(|| {
            let busy = Error::new(ErrorKind::Config, "another run is at work in it").at(at()).about(Setting::Resume);
            busy.advise("wait for its end, or give another folder")
        })?;
        if is_alone {
            make_private(path).map_err(failed)?;
        }
        for name in all().filter(|name| has(name)) {
            match File::open_regular(&path.join(name)).and_then(|file| file.make_private()) {
                // The run that was at work has come to its end.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                made => made.map_err(failed)?,
            }
        }
        Ok(Self { path: path.into(), _lock: lock })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// What a file holds; none where there is none.
    pub(super) fn read(&self, name: &str) -> Result<Option<Vec<u8>>> {
        read(&self.path.join(name)).map_err(|error| Error::state(&self.path, &error))
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
        // A link stays, and so does the folder that it leads to: the next run finds it there.
        if self.path.is_symlink() {
            return Ok(());
        }
        match remove_folder(&self.path) {
            // The working directory, where something is mounted, in a folder that is another user's: it is empty, and does no harm.
            Err(error) if is_fixed(&error) => Ok(()),
            removed => removed.map(|_| ()),
        }
    }
}

/// Whether an empty folder stays because of what it is or where.
fn is_fixed(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidInput, PermissionDenied, ResourceBusy};
    matches!(error.kind(), InvalidInput | PermissionDenied | ResourceBusy)
}

/// What a file holds; none where there is none.
fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    let mut file = match File::open_regular(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// The failure of a file that was damaged.
pub(super) fn damaged(path: &Path, what: &str) -> Error {
    let folder = path.parent().unwrap_or(path).display();
    let damaged = Error::new(ErrorKind::Temporary, format!("{} is damaged: {what}", path.display())).about(Setting::Resume);
    damaged.advise(format!("look after the disk, remove {folder} and begin anew"))
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
