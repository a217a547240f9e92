//! Gives outputs their names together: all of them, or none.

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    path::{Path, PathBuf},
};

use super::{
    claim::Claim,
    hidden::{Hidden, own},
    sink::{Whole, WholeFile},
    tree::Tree,
};
use crate::{
    disk::{File, exchange, folder_of, has_no_such, remove_all, rename, sync_folder},
    error::{Error, ErrorKind, Result},
};

/// An output that has been given its name, and may lose it again.
struct Named {
    target: PathBuf,
    before: Before,
}

/// What happened to the file that had an output's name before.
enum Before {
    Nothing,
    /// The file still exists, and now has the hidden name. It is open and locked if possible, so that other runs do not treat it
    /// as left by a killed run. This lock matters only if the file system supports locks on files but not on folders. If the
    /// folder is locked (the claim), other runs do not even look for files left by killed runs.
    Kept(Hidden, Option<File>),
    /// The file no longer exists.
    Replaced,
}

/// Gives complete outputs their names, and writes the names of files to the disk. If one output cannot get its name, all files
/// lose their new names, and the files that they replaced are restored.
///
/// Objects get their names last, because an object that is replaced cannot be restored. If one of several objects fails, the
/// message lists those that were already written.
pub(crate) fn publish(outputs: Vec<Whole>) -> Result<()> {
    let (mut files, mut trees, mut objects) = (Vec::new(), Vec::new(), Vec::new());
    for whole in outputs {
        match whole {
            Whole::File(file) => files.push(file),
            Whole::Tree(tree) => trees.push(tree),
            Whole::Object(object) => objects.push(object),
        }
    }
    // The claim is held until all files have their names, or have lost them again.
    let inside: Vec<PathBuf> = trees.iter().map(Tree::inside).collect();
    let targets: Vec<&Path> = files
        .iter()
        .map(|file| &*file.target)
        .chain(inside.iter().map(|path| &**path))
        .collect();
    let _claim = match Claim::of(targets.iter().copied()) {
        Err(error) => {
            let first = targets
                .first()
                .map_or(String::new(), |target| target.display().to_string());
            return Err(Error::writing(&first, &error));
        }
        claimed => claimed,
    };
    refuse_same(&files, &trees)?;
    let refused =
        |target: &Path, error: io::Error| Error::writing(&target.display().to_string(), &error);
    for file in &mut files {
        file.hide()
            .map(drop)
            .map_err(|error| refused(&file.target, error))?;
    }
    let mut named = Vec::new();
    for tree in &trees {
        if let Err(failure) = name_all(tree, &mut named) {
            return Err(take_back(named, failure));
        }
    }
    for file in files {
        if file.is_new && file.target.symlink_metadata().is_ok() {
            return Err(take_back(named, exists(&file.target)));
        }
        let (hidden, target, _open) = file.into_parts();
        match hidden.map(|hidden| name(hidden, &target)).transpose() {
            Ok(before) => named.extend(before.map(|before| Named { target, before })),
            Err(error) => return Err(take_back(named, refused(&target, error))),
        }
    }
    if let Err(failure) = sync_names(&named) {
        return Err(take_back(named, failure));
    }
    let mut written = Vec::new();
    for object in objects {
        let url = object.url().to_string();
        if let Err(failure) = object.publish() {
            let failure = if written.is_empty() {
                failure
            } else {
                failure.advise(format!("already written: {}", listed(&written)))
            };
            return Err(take_back(named, failure));
        }
        written.push(url);
    }
    trees.iter().for_each(Tree::keep);
    named.into_iter().try_for_each(Named::clean)
}

/// Returns an error if two outputs have the same name, which may be written in different ways.
fn refuse_same(files: &[WholeFile], trees: &[Tree]) -> Result<()> {
    let mut copies = Vec::new();
    for tree in trees {
        copies.extend(
            tree.entries()
                .map_err(|error| Error::writing(&tree.inside().display().to_string(), &error))?,
        );
    }
    let (mut folders, mut names) = (BTreeMap::<&Path, PathBuf>::new(), BTreeSet::new());
    for target in copies
        .iter()
        .map(|(_, target)| target)
        .chain(files.iter().map(|file| &file.target))
    {
        let folder = folder_of(target);
        let real = folders
            .entry(folder)
            .or_insert_with(|| folder.canonicalize().unwrap_or_else(|_| folder.into()));
        if !names.insert(real.join(target.file_name().unwrap_or_default())) {
            let refused = Error::new(ErrorKind::Output, "is the name of two different outputs");
            return Err(refused
                .at(target.display().to_string())
                .advise("give each a name of its own"));
        }
    }
    Ok(())
}

/// Returns the error for an output that must not replace a file.
fn exists(target: &Path) -> Error {
    let what = "exists, because another run has written it in the meantime";
    let failure = Error::new(ErrorKind::Output, what).at(target.display().to_string());
    failure.advise("give another name, and run again")
}

/// Gives the files of a folder their names. None of them may exist.
fn name_all(tree: &Tree, named: &mut Vec<Named>) -> Result<()> {
    for (hidden, target) in tree
        .entries()
        .map_err(|error| Error::writing(&tree.inside().display().to_string(), &error))?
    {
        if target.symlink_metadata().is_ok() {
            return Err(exists(&target));
        }
        rename(&hidden, &target)
            .map_err(|error| Error::writing(&target.display().to_string(), &error))?;
        named.push(Named {
            target,
            before: Before::Nothing,
        });
    }
    Ok(())
}

/// Gives a file its name.
fn name(hidden: Hidden, target: &Path) -> io::Result<Before> {
    let is_there = target.symlink_metadata().is_ok();
    if is_there {
        // The former file is locked before it gets the hidden name, so that it never has that name without a lock.
        let displaced = locked(target)?;
        match exchange(hidden.path(), target) {
            Ok(()) => {
                // If the locked file is not the file that now has the hidden name, a program without a claim has meanwhile put
                // another file at the target. That other file is locked slightly later.
                let is_it = displaced
                    .as_ref()
                    .is_some_and(|file| file.is_at(hidden.path()).unwrap_or(false));
                let displaced = if is_it {
                    displaced
                } else {
                    locked(hidden.path()).unwrap_or(None)
                };
                return Ok(Before::Kept(hidden, displaced));
            }
            // The file system cannot exchange names, or the target was removed at this moment: rename the file instead.
            Err(error) if has_no_such(&error) || error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    rename(hidden.path(), target).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound if folder_of(target).is_dir() => io::Error::other(
            "another program removed the finished file before it was renamed; make sure that nothing removes \
             .lookalike-*.unfinished files",
        ),
        _ => error,
    })?;
    hidden.forget();
    Ok(if is_there {
        Before::Replaced
    } else {
        Before::Nothing
    })
}

/// Opens and locks a file. Returns `None` if it is a link, if it cannot be read, or if another program has locked it. In all these
/// cases, other runs do not remove it.
fn locked(path: &Path) -> io::Result<Option<File>> {
    if path.is_symlink() {
        return Ok(None);
    }
    match File::open_regular(path) {
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied
            ) =>
        {
            Ok(None)
        }
        opened => {
            let file = opened?;
            Ok(own(&file)?.then_some(file))
        }
    }
}

/// Writes the names to the disk. The run's state is removed afterwards, and must not disappear before the names are on the disk.
fn sync_names(named: &[Named]) -> Result<()> {
    let mut synced: BTreeSet<&Path> = BTreeSet::new();
    for Named { target, .. } in named {
        let folder = folder_of(target);
        if synced.contains(folder) {
            continue;
        }
        match sync_folder(folder) {
            // A folder that is writable but not readable cannot be opened, so it cannot be synced.
            Err(error)
                if !has_no_such(&error) && error.kind() != io::ErrorKind::PermissionDenied =>
            {
                return Err(Error::writing(&target.display().to_string(), &error));
            }
            _ => drop(synced.insert(folder)),
        }
    }
    Ok(())
}

/// Takes the new names away from the files, restores the files that they replaced, and reports what could not be undone.
fn take_back(named: Vec<Named>, failure: Error) -> Error {
    let mut left = Vec::new();
    for Named { target, before } in named.into_iter().rev() {
        let undone = match &before {
            Before::Nothing => remove_all(&target).is_ok(),
            Before::Kept(hidden, _) => exchange(hidden.path(), &target).is_ok(),
            Before::Replaced => false,
        };
        match before {
            // The file with the hidden name has the former content and must not be removed.
            Before::Kept(hidden, _) if !undone => {
                left.push(format!(
                    "{} (its earlier content is in {}; move that file away)",
                    target.display(),
                    hidden.path().display()
                ));
                hidden.forget();
            }
            _ if !undone => left.push(target.display().to_string()),
            _ => {}
        }
    }
    if left.is_empty() {
        return failure;
    }
    failure.advise(format!("already written: {}", listed(&left)))
}

/// Lists the first names of many.
fn listed(names: &[String]) -> String {
    const MOST: usize = 10;
    let first = &names[..names.len().min(MOST)];
    let more = if names.len() > MOST {
        format!(" and {} more", names.len() - MOST)
    } else {
        String::new()
    };
    format!("{}{more}", first.join(", "))
}

impl Named {
    /// Removes the file that this output replaced, which now has a hidden name.
    fn clean(self) -> Result<()> {
        let Before::Kept(hidden, _lock) = self.before else {
            return Ok(());
        };
        let left = hidden.path().display().to_string();
        hidden.remove().map_err(|error| {
            let held = format!(
                "this file is the earlier content of {}",
                self.target.display()
            );
            let failure =
                Error::new(ErrorKind::Output, format!("cannot be removed: {error}")).at(left);
            failure
                .advise(format!(
                    "{held}, and all outputs are written; remove this file yourself"
                ))
                .because(error)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{super::hidden::remove_stale, *};

    /// Checks that a file that one run may still restore is not removed by another run, even if the other run cannot see the
    /// claim on the folder.
    #[test]
    fn no_run_removes_files_that_another_may_restore() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("kept.jsonl");
        fs::write(&target, "old").unwrap();
        let ((), hidden) =
            Hidden::beside(&target, |path| fs::write(path, "new").map(Some)).unwrap();
        let left = hidden.path().to_path_buf();
        let before = name(hidden, &target).unwrap();
        let content = |path: &Path| fs::read_to_string(path).unwrap();
        assert_eq!(
            (content(&target), content(&left)),
            ("new".into(), "old".into())
        );
        remove_stale([&target]);
        assert_eq!(content(&left), "old");
        let failure = take_back(
            vec![Named {
                target: target.clone(),
                before,
            }],
            Error::new(ErrorKind::Output, "failed"),
        );
        assert_eq!(
            (failure.to_string(), content(&target), left.exists()),
            ("failed".into(), "old".into(), false)
        );
    }
}
