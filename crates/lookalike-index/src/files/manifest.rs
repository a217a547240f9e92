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
    /// The number of the next change. Parts of the feed from there on belong to a manifest that was never written.
    pub(crate) changes: u64,
    /// The hash of the JSON, which identifies the manifest.
    #[serde(skip)]
    pub(crate) hash: u64,
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
    pub(crate) fn new(
        settings: Settings,
        segments: Vec<String>,
        changed: Option<String>,
        next: u64,
        changes: u64,
    ) -> Result<Self> {
        let mut manifest = Self {
            version: VERSION,
            settings,
            segments,
            changed,
            next,
            changes,
            hash: 0,
        };
        manifest.hash = xxh3_64(manifest.to_json()?.as_bytes());
        Ok(manifest)
    }

    fn to_json(&self) -> Result<String> {
        serde_json::to_string(self).map_err(|error| Error::Write(error.into()))
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
        let text = str::from_utf8(&bytes)
            .ok()
            .and_then(|text| text.strip_suffix('\n')?.split_once('\n'));
        let (json, hash) =
            text.ok_or_else(|| whole::damaged(&path, "it does not have two lines"))?;
        // The hash is not computed from the values again: another release can write them in another way.
        let own = xxh3_64(json.as_bytes());
        if format!("{own:016x}") != hash {
            return Err(whole::damaged(&path, "its checksum is wrong"));
        }
        let invalid = |_| whole::damaged(&path, "its content is invalid");
        let Version { version } = serde_json::from_str(json).map_err(invalid)?;
        if version != VERSION {
            return Err(Error::Version {
                of: path.display().to_string(),
                found: version,
                reads: VERSION,
            });
        }
        let manifest: Self = serde_json::from_str(json).map_err(invalid)?;
        Ok(Self {
            hash: own,
            ..manifest
        })
    }

    /// Replaces the manifest of an index. Cost: two syncs.
    pub(crate) fn write(&self, folder: &Path) -> Result<()> {
        let json = self.to_json()?;
        let hash = xxh3_64(json.as_bytes());
        whole::write(folder, NAME, format!("{json}\n{hash:016x}\n").as_bytes())?;
        disk::sync_folder(folder).map_err(|source| Error::File {
            path: folder.into(),
            source,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_hash_is_that_of_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let settings = Settings {
            config: Config::default(),
            store: Store::Texts,
            keep: "first".into(),
        };
        let written = Manifest::new(settings, vec!["segment-1".into()], None, 7, 9).unwrap();
        written.write(folder.path()).unwrap();
        assert_eq!(Manifest::read(folder.path()).unwrap(), written);
        // Another release can have fields that this one does not write.
        let path = folder.path().join(NAME);
        let json = fs::read_to_string(&path)
            .unwrap()
            .lines()
            .next()
            .unwrap()
            .replace("{\"version\":1", "{\"version\":1,\"more\":1");
        let hash = xxh3_64(json.as_bytes());
        fs::write(&path, format!("{json}\n{hash:016x}\n")).unwrap();
        let read = Manifest::read(folder.path()).unwrap();
        assert_eq!(
            (read.hash, read.to_json().unwrap()),
            (hash, written.to_json().unwrap())
        );
    }
}
