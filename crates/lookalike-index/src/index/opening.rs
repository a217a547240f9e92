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
    waiting::{Feed, Queue, WriteLock, Writer},
};
use crate::{
    collection,
    error::{Error, Result},
    files::{
        log::Log,
        manifest::{Manifest, NAME, Settings},
        sync_folder,
    },
    listed::Kind,
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
        let manifest = Manifest::new(settings, Vec::new(), None, Vec::new(), 0, 1)?;
        Log::create(folder, manifest.hash)?;
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
        // The last writer may have been killed before its syncs. Otherwise a power cut could keep changes of this writer, and lose
        // those that they follow.
        sync_folder(folder)?;
        let mut log = Log::after(&log, folder, manifest.hash);
        log.as_mut().map_or(Ok(()), Log::clear)?;
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
            seen: Feed::default(),
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
            let bytes = Manifest::bytes(folder)?;
            let loaded = Manifest::of_bytes(folder, &bytes)
                .and_then(|manifest| Ok((load(folder, &manifest, None)?, manifest)));
            // The writer can have replaced the files meanwhile.
            let is_current = Manifest::bytes(folder)? == bytes;
            match loaded {
                Ok((loaded, manifest)) if is_current => {
                    return Ok(Self {
                        folder: folder.into(),
                        settings: manifest.settings,
                        state: RwLock::new(loaded.state),
                        writer: None,
                        queue: Queue::default(),
                        seen: Feed {
                            parts: manifest.feed,
                            pending: loaded.pending,
                            next: loaded.next,
                        },
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
        let name = name.to_string_lossy();
        let whole = name.strip_suffix(".new");
        if name != LOCK
            && whole != Some(NAME)
            && Kind::of(whole.unwrap_or(&name)) != Some(Kind::Log)
        {
            return Err(Error::Exists(folder.into()));
        }
    }
    Ok(())
}
