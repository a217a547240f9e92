//! Creates and opens indexes.

use std::{
    fs,
    path::Path,
    sync::{Mutex, OnceLock, RwLock},
};

use super::{
    folder::{Index, LOCK, lock, make_folder},
    loading::{Loaded, load},
    merges::Merges,
    waiting::{Queue, WriteLock, Writer},
};
use crate::{
    collection,
    error::{Error, Result},
    files::{
        log::Log,
        manifest::{Manifest, NAME, Settings},
    },
    state::Store,
};

/// The default of [`Index::with_memory`].
const BUDGET: usize = 128 << 20;

impl Index {
    /// Creates an index in a folder, which must not exist yet, or must be empty. Only this user can read the files.
    ///
    /// # Errors
    /// Fails if the settings are invalid, if decisions with them cannot be kept up to date, or if the folder cannot be written.
    pub fn create(folder: &Path, settings: Settings) -> Result<Self> {
        let method = collection::method(settings.config.clone())?;
        if settings.store == Store::Sketches && method.verify() == lookalike::Verify::Exact {
            return Err(Error::NothingToVerify);
        }
        let failed = |source| Error::File {
            path: folder.into(),
            source,
        };
        make_folder(folder).map_err(failed)?;
        refuse_used(folder)?;
        let lock = lock(folder)?;
        // Another process can have created an index meanwhile.
        refuse_used(folder)?;
        let manifest = Manifest::new(settings, Vec::new(), None, 0, 1)?;
        manifest.write(folder)?;
        Self::with_lock(folder, lock)
    }

    /// Opens an index for reading and writing. Cost: reading what is in memory, and up to 128 MiB of the log.
    ///
    /// # Errors
    /// Fails if there is no index, if another process writes it, or if it is damaged.
    pub fn open(folder: &Path) -> Result<Self> {
        // Without an index, no lock file is created.
        Manifest::read(folder)?;
        Self::with_lock(folder, lock(folder)?)
    }

    fn with_lock(folder: &Path, lock: WriteLock) -> Result<Self> {
        let manifest = Manifest::read(folder)?;
        let Loaded {
            state,
            log,
            pending,
            next,
        } = load(folder, &manifest, None)?;
        let settings = manifest.settings.clone();
        let log = Log::new(folder, manifest.hash, log);
        log.cut()?;
        let writer = Writer {
            log,
            manifest,
            pending,
            next,
            merging: None,
            failed: None,
            _lock: lock,
        };
        let writer = Some(Mutex::new(writer));
        let index = Self {
            folder: folder.into(),
            settings,
            state: RwLock::new(state),
            writer,
            queue: Queue::default(),
            seen: (Vec::new(), 1),
            unreadable: OnceLock::new(),
            budget: BUDGET,
            merges: Merges::default(),
        };
        index.remove_stale();
        Ok(index)
    }

    /// Opens an index for reading, as it is now. Another process can write it meanwhile; to see its changes, open the index again.
    ///
    /// # Errors
    /// Fails if there is no index, or if it is damaged.
    pub fn open_to_read(folder: &Path) -> Result<Self> {
        let mut tries = 0;
        loop {
            let manifest = Manifest::read(folder)?;
            let loaded = load(folder, &manifest, None);
            // The writer can have replaced the files meanwhile.
            let is_current = Manifest::read(folder)? == manifest;
            match loaded {
                Ok(loaded) if is_current => {
                    return Ok(Self {
                        folder: folder.into(),
                        settings: manifest.settings,
                        state: RwLock::new(loaded.state),
                        writer: None,
                        queue: Queue::default(),
                        seen: (loaded.pending, loaded.next),
                        unreadable: OnceLock::new(),
                        budget: BUDGET,
                        merges: Merges::default(),
                    });
                }
                Err(error) if is_current => return Err(error),
                _ if tries == 100 => return Err(Error::Locked(folder.into())),
                _ => tries += 1,
            }
        }
    }
}

/// Refuses a folder that has files.
fn refuse_used(folder: &Path) -> Result<()> {
    let failed = |source| Error::File {
        path: folder.into(),
        source,
    };
    for entry in fs::read_dir(folder).map_err(failed)? {
        // A crash while an index was created can have left these.
        let name = entry.map_err(failed)?.file_name();
        if name != LOCK && name != format!("{NAME}.new").as_str() {
            return Err(Error::Exists(folder.into()));
        }
    }
    Ok(())
}
