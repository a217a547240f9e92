//! Outputs get their names together: all of them, or none.

use std::{
    io,
    path::{Path, PathBuf},
};

use super::{
    claim::Claim,
    hidden::{Hidden, own},
    sink::{Whole, WholeFile},
};
use crate::{
    disk::{File, exchange, folder_of, has_no_such, remove, rename, sync_folder},
    error::{Error, ErrorKind, Result},
};

/// An output that has its name, and can lose it again.
struct Named {
    target: PathBuf,
    before: Before,
}

/// What had an output's name before it.
enum Before {
    Nothing,
    /// A file, which has the hidden name now. It is open and locked if it can be, so that no other run takes it for what a killed run
    /// left: the claim keeps them from looking, except where a file system has locks on files and none on folders.
    Kept(Hidden, Option<File>),
    /// A file that is no more.
    Replaced,
}

/// Gives whole outputs their names, files on the disk too. When one cannot have its, all files lose theirs, and what they replaced
/// is there again.
///
/// Objects come last: what such a name had before cannot be restored. Where one of several fails, the message names those that
/// were already written.
pub(crate) fn publish(outputs: Vec<Whole>) -> Result<()> {
    let (mut files, mut objects) = (Vec::new(), Vec::new());
    for whole in outputs {
        match whole {
            Whole::File(file) => files.push(file),
            Whole::Object(object) => objects.push(object),
        }
    }
    // Until all have their names, or have lost them again.
    let _claim = match Claim::of(files.iter().map(|file| &*file.target)) {
        Err(error) => {
            let first = files.first().map_or(String::new(), |file| file.target.display().to_string());
            return Err(Error::writing(&first, &error));
        }
        claimed => claimed,
    };
    let mut named = Vec::new();
    for WholeFile { hidden, target, _open } in files {
        match name(hidden, &target) {
            Ok(before) => named.push(Named { target, before }),
            Err(error) => {
                let failure = Error::writing(&target.display().to_string(), &error);
                return Err(take_back(named, failure));
            }
        }
    }
    if let Err(failure) = sync_names(&named) {
        return Err(take_back(named, failure));
    }
    let mut written = Vec::new();
    for object in objects {
        let url = object.url().to_string();
        if let Err(failure) = object.publish() {
            let failure = match written.is_empty() {
                true => failure,
                false => failure.advise(format!("already written: {}", written.join(", "))),
            };
            return Err(take_back(named, failure));
        }
        written.push(url);
    }
    named.into_iter().try_for_each(Named::clean)
}

/// Gives a file its name.
fn name(hidden: Hidden, target: &Path) -> io::Result<Before> {
    let is_there = target.exists();
    if is_there {
        // Before it has the hidden name, so that it never has that without a lock.
        let displaced = locked(target)?;
        match exchange(hidden.path(), target) {
            Ok(()) => {
                // Otherwise a program without a claim put another file there in the meantime, which is locked a moment later.
                let is_it = displaced.as_ref().is_some_and(|file| file.is_at(hidden.path()).unwrap_or(false));
                let displaced = if is_it { displaced } else { locked(hidden.path()).unwrap_or(None) };
                return Ok(Before::Kept(hidden, displaced));
            }
            // Also where the target was removed in this moment.
            Err(error) if has_no_such(&error) || error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    rename(hidden.path(), target).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound if folder_of(target).is_dir() => io::Error::other(
            "another program removed the finished file before it had its name; let nothing remove .lookalike-*.unfinished files",
        ),
        _ => error,
    })?;
    hidden.forget();
    Ok(if is_there { Before::Replaced } else { Before::Nothing })
}

/// Opens and locks a file. Returns `None` if it cannot be read or another program has it locked: then no other run removes it either.
fn locked(path: &Path) -> io::Result<Option<File>> {
    match File::open_regular(path) {
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied) => Ok(None),
        opened => {
            let file = opened?;
            Ok(own(&file)?.then_some(file))
        }
    }
}

/// Brings the names to the disk: a run's state, which is removed next, must not be gone before they are there.
fn sync_names(named: &[Named]) -> Result<()> {
    let mut synced: Vec<&Path> = Vec::new();
    for Named { target, .. } in named {
        let folder = folder_of(target);
        if synced.contains(&folder) {
            continue;
        }
        match sync_folder(folder) {
            // A folder that may be written to but not read cannot be opened for this.
            Err(error) if !has_no_such(&error) && error.kind() != io::ErrorKind::PermissionDenied => {
                return Err(Error::writing(&target.display().to_string(), &error));
            }
            _ => synced.push(folder),
        }
    }
    Ok(())
}

/// Undoes what was named, and says what could not be undone.
fn take_back(named: Vec<Named>, failure: Error) -> Error {
    let mut left = Vec::new();
    for Named { target, before } in named.into_iter().rev() {
        let undone = match &before {
            Before::Nothing => remove(&target).is_ok(),
            Before::Kept(hidden, _) => exchange(hidden.path(), &target).is_ok(),
            Before::Replaced => false,
        };
        match before {
            // Under the hidden name is what the file held before: it must stay.
            Before::Kept(hidden, _) if !undone => {
                left.push(format!("{} (its earlier content is {}: move that away)", target.display(), hidden.path().display()));
                hidden.forget();
            }
            _ if !undone => left.push(target.display().to_string()),
            _ => {}
        }
    }
    if left.is_empty() {
        return failure;
    }
    failure.advise(format!("already written: {}", left.join(", ")))
}

impl Named {
    /// Removes what had the name before.
    fn clean(self) -> Result<()> {
        let Before::Kept(hidden, _lock) = self.before else { return Ok(()) };
        let left = hidden.path().display().to_string();
        hidden.remove().map_err(|error| {
            let held = format!("it is what {} held before", self.target.display());
            let failure = Error::new(ErrorKind::Output, format!("cannot be removed: {error}")).at(left);
            failure.advise(format!("{held}, all outputs are written: remove it yourself")).because(error)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{super::hidden::remove_left, *};

    /// Also where a run cannot see the claim on the folder.
    #[test]
    fn no_run_removes_what_another_may_put_back() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("kept.jsonl");
        fs::write(&target, "old").unwrap();
        let ((), hidden) = Hidden::beside(&target, |path| fs::write(path, "new").map(Some)).unwrap();
        let left = hidden.path().to_path_buf();
        let before = name(hidden, &target).unwrap();
        let content = |path: &Path| fs::read_to_string(path).unwrap();
        assert_eq!((content(&target), content(&left)), ("new".into(), "old".into()));
        remove_left(&target);
        assert_eq!(content(&left), "old");
        let failure = take_back(vec![Named { target: target.clone(), before }], Error::new(ErrorKind::Output, "failed"));
        assert_eq!((failure.to_string(), content(&target), left.exists()), ("failed".into(), "old".into(), false));
    }
}
