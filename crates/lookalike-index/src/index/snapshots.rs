//! Copies of an index.

use std::{
    fs,
    path::{Path, PathBuf},
    process,
    sync::atomic::{AtomicU64, Ordering},
};

use lookalike_io::disk;

use super::{
    folder::{Index, lock, make_folder},
    waiting::{WriteLock, Writer},
};
use crate::{
    error::{Error, Result},
    files::{log::Log, manifest::Manifest},
    listed::Listed,
};

/// The number of snapshots that this process made, so that no two have the same unfinished folder.
static MADE: AtomicU64 = AtomicU64::new(0);

impl Index {
    /// Copies the index as it is now to a folder, which must not exist yet, or must be empty. Large files are shared by hard links if both
    /// folders are on one file system. Both indexes can be changed independently. The folder appears when the copy is complete. What
    /// remains of an interrupted copy is removed by the next copy to the same folder.
    ///
    /// # Errors
    /// Fails if the folder is not empty, or if a file cannot be written.
    pub fn snapshot(&self, to: &Path) -> Result<()> {
        let mut writer = self.exclusive()?;
        // The log must not be shared, because it changes.
        if !writer.log.as_ref().is_some_and(Log::is_empty) {
            self.guarded(&mut writer, |writer| self.publish(writer))?;
        }
        let failed = |source| Error::File {
            path: to.into(),
            source,
        };
        // A link to an empty folder is followed.
        let place = if to.exists() {
            to.canonicalize().map_err(failed)?
        } else {
            to.into()
        };
        if place.exists() && fs::read_dir(&place).map_err(failed)?.next().is_some() {
            return Err(Error::Exists(to.into()));
        }
        let (unfinished, own) = unfinished(&place)?;
        let copied = self.copy(&writer, &unfinished).and_then(|()| {
            disk::rename(&unfinished, &place).map_err(failed)?;
            disk::sync_folder(disk::folder_of(&place)).map_err(failed)
        });
        if copied.is_err() {
            // What cannot be removed now is removed by the next snapshot.
            let _ = fs::remove_dir_all(&unfinished);
        }
        drop(own);
        copied
    }

    /// Copies what the manifest names.
    fn copy(&self, writer: &Writer, to: &Path) -> Result<()> {
        let Manifest {
            segments,
            changed,
            feed,
            hash,
            ..
        } = &writer.manifest;
        for Listed { name, .. } in segments.iter().chain(changed).chain(feed) {
            let (from, to) = (self.folder.join(name), to.join(name));
            let failed = |source| Error::File {
                path: to.clone(),
                source,
            };
            if disk::hard_link(&from, &to).is_err() {
                disk::copy(&from, &to).map_err(failed)?;
            }
        }
        Log::create(to, *hash)?;
        writer.manifest.write(to)
    }
}

/// Creates a folder for an unfinished copy beside a folder, and locks it. Removes those that remain of interrupted copies.
fn unfinished(to: &Path) -> Result<(PathBuf, WriteLock)> {
    let failed = |source| Error::File {
        path: to.into(),
        source,
    };
    let name = to
        .file_name()
        .ok_or_else(|| failed(std::io::ErrorKind::InvalidInput.into()))?
        .to_string_lossy();
    let prefix = format!(".{name}.unfinished-");
    // A folder that this user may not list can still be written.
    for entry in fs::read_dir(disk::folder_of(to))
        .into_iter()
        .flatten()
        .flatten()
    {
        // Only names that are made below: another file may begin like them.
        let name = entry.file_name().into_string().unwrap_or_default();
        let numbers = name
            .strip_prefix(&prefix)
            .and_then(|rest| rest.split_once('-'));
        let is_left = numbers.is_some_and(|(process, number)| {
            process.parse::<u32>().is_ok() && number.parse::<u64>().is_ok()
        });
        // Another process can be making one.
        if is_left && let Ok(own) = lock(&entry.path()) {
            let _ = fs::remove_dir_all(entry.path());
            drop(own);
        }
    }
    let folder = to.with_file_name(format!(
        "{prefix}{}-{}",
        process::id(),
        MADE.fetch_add(1, Ordering::Relaxed)
    ));
    make_folder(&folder).map_err(failed)?;
    let own = lock(&folder)?;
    Ok((folder, own))
}
