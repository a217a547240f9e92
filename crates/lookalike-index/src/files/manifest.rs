//! The manifest: which files are the index.
//!
//! It has two lines: JSON, and the XXH3-64 of the JSON as hexadecimal digits. It is replaced as a whole, so the index is always what one
//! manifest and its log say.

use std::path::Path;

use lookalike::Config;
use lookalike_io::disk;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::whole;
use crate::{
    error::{Error, Result},
    state::Store,
};

pub(crate) const NAME: &str = "manifest";

const VERSION: u32 = 1;

/// What an index was created with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// How documents are compared.
    pub config: Config,
    /// What is stored of texts.
    pub store: Store,
    /// The rule that chooses which of several similar documents is kept, such as `longest`. It says how callers compute
    /// [`NewDocument::key`](crate::NewDocument::key).
    pub keep: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    version: u32,
    pub(crate) settings: Settings,
    /// The names of the segments, in the order of their documents.
    pub(crate) segments: Vec<String>,
    /// The file with what changed since the segments were written.
    pub(crate) changed: Option<String>,
    /// The number of the next document.
    pub(crate) next: u64,
}

#[derive(Deserialize)]
struct Version {
    version: u32,
}

/// Returns whether a folder has a manifest.
pub(crate) fn is_there(folder: &Path) -> bool {
    // A file with this name that something else wrote is not a manifest.
    whole::read(&folder.join(NAME)).is_ok_and(|bytes| bytes.starts_with(b"{\"version\":"))
}

impl Manifest {
    pub(crate) fn new(settings: Settings, segments: Vec<String>, changed: Option<String>, next: u64) -> Self {
        Self { version: VERSION, settings, segments, changed, next }
    }

    fn to_json(&self) -> Result<String> {
        serde_json::to_string(self).map_err(|error| Error::Write(error.into()))
    }

    /// Returns a hash that identifies the manifest.
    pub(crate) fn hash(&self) -> Result<u64> {
        Ok(xxh3_64(self.to_json()?.as_bytes()))
    }

    /// Reads the manifest of an index.
    pub(crate) fn read(folder: &Path) -> Result<Self> {
        let path = folder.join(NAME);
        let bytes = match whole::read(&path) {
            Err(Error::File { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
                return Err(Error::NotThere(folder.into()));
            }
            read => read?,
        };
        let text = str::from_utf8(&bytes).ok().and_then(|text| text.strip_suffix('\n')?.split_once('\n'));
        let (json, hash) = text.ok_or_else(|| whole::damaged(&path, "it does not have two lines"))?;
        if format!("{:016x}", xxh3_64(json.as_bytes())) != hash {
            return Err(whole::damaged(&path, "its checksum is wrong"));
        }
        let invalid = |_| whole::damaged(&path, "its content is invalid");
        let Version { version } = serde_json::from_str(json).map_err(invalid)?;
        if version != VERSION {
            return Err(Error::Version { of: path.display().to_string(), found: version, reads: VERSION });
        }
        serde_json::from_str(json).map_err(invalid)
    }

    /// Replaces the manifest of an index. Cost: two syncs.
    pub(crate) fn write(&self, folder: &Path) -> Result<()> {
        let json = self.to_json()?;
        let hash = xxh3_64(json.as_bytes());
        whole::write(folder, NAME, format!("{json}\n{hash:016x}\n").as_bytes())?;
        disk::sync_folder(folder).map_err(|source| Error::File { path: folder.into(), source })
    }
}
