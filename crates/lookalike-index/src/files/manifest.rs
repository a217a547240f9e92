//! The manifest: which files are the index.
//!
//! It has two lines: JSON, and the XXH3-64 of the JSON as hexadecimal digits. It is replaced as a whole, so the index is always what one
//! manifest and its log say.

use std::{fs, path::Path};

use lookalike::Config;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::whole;
use crate::{
    error::{Error, Result},
    listed::{Kind, Listed},
    state::Store,
};

pub(crate) const NAME: &str = "manifest";

const VERSION: u32 = 2;

/// No number of a document or of a change is larger, so that counting on never overflows.
const LIMIT: u64 = 1 << 63;

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
    /// The segments, in the order of their documents.
    pub(crate) segments: Vec<Listed>,
    /// The file with what changed since the segments were written.
    pub(crate) changed: Option<Listed>,
    /// The parts of the change feed, in order.
    pub(crate) feed: Vec<Listed>,
    /// The number of the next document.
    pub(crate) next: u64,
    /// The number of the next change.
    pub(crate) changes: u64,
    /// The hash of the JSON, which identifies the manifest.
    #[serde(skip)]
    pub(crate) hash: u64,
}

/// Version 1, which had names alone. It did not list the parts of the feed.
#[derive(Deserialize)]
struct First {
    settings: Settings,
    segments: Vec<String>,
    changed: Option<String>,
    next: u64,
    changes: u64,
}

impl First {
    fn listed(self, folder: &Path) -> Result<Manifest> {
        let listed = |name: &String| match Kind::of(name) {
            Some(_) => Listed::read(folder, name),
            // `fault` refuses this name.
            None => Ok(Listed::of_bytes(name, &[])),
        };
        let mut parts = Vec::new();
        let failed = |source| Error::File {
            path: folder.into(),
            source,
        };
        for entry in fs::read_dir(folder).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name().into_string();
            parts.extend(name.ok().filter(
                |name| matches!(Kind::of(name), Some(Kind::Changes(first)) if first < self.changes),
            ));
        }
        parts.sort();
        Ok(Manifest {
            version: 1,
            segments: self.segments.iter().map(listed).collect::<Result<_>>()?,
            changed: self.changed.as_ref().map(listed).transpose()?,
            feed: parts.iter().map(listed).collect::<Result<_>>()?,
            settings: self.settings,
            next: self.next,
            changes: self.changes,
            hash: 0,
        })
    }
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
        segments: Vec<Listed>,
        changed: Option<Listed>,
        feed: Vec<Listed>,
        next: u64,
        changes: u64,
    ) -> Result<Self> {
        let mut manifest = Self {
            version: VERSION,
            settings,
            segments,
            changed,
            feed,
            next,
            changes,
            hash: 0,
        };
        manifest.hash = xxh3_64(manifest.to_json()?.as_bytes());
        // Such a manifest could not be read again.
        match manifest.fault() {
            Some(what) => Err(Error::Write(std::io::Error::other(what))),
            None => Ok(manifest),
        }
    }

    fn to_json(&self) -> Result<String> {
        serde_json::to_string(self).map_err(|error| Error::Write(error.into()))
    }

    /// Reads the bytes of the manifest of an index.
    pub(crate) fn bytes(folder: &Path) -> Result<Vec<u8>> {
        match whole::read(&folder.join(NAME)) {
            Err(Error::File { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
                Err(Error::NotThere(folder.into()))
            }
            read => read,
        }
    }

    /// Reads the manifest of an index.
    pub(crate) fn read(folder: &Path) -> Result<Self> {
        Self::of_bytes(folder, &Self::bytes(folder)?)
    }

    /// Returns the manifest of an index, which has these bytes.
    pub(crate) fn of_bytes(folder: &Path, bytes: &[u8]) -> Result<Self> {
        let path = folder.join(NAME);
        let text = str::from_utf8(bytes)
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
        let manifest: Self = match version {
            1 => serde_json::from_str::<First>(json)
                .map_err(invalid)?
                .listed(folder)?,
            VERSION => serde_json::from_str(json).map_err(invalid)?,
            found => {
                return Err(Error::Version {
                    of: path.display().to_string(),
                    found,
                    reads: VERSION,
                });
            }
        };
        match manifest.fault() {
            Some(what) => Err(whole::damaged(&path, what)),
            None => Ok(Self {
                hash: own,
                ..manifest
            }),
        }
    }

    /// Returns whether an earlier version of the format wrote the manifest and its log.
    pub(crate) fn is_old(&self) -> bool {
        self.version < VERSION
    }

    /// Returns what cannot be true. Names are joined to the folder, so each must be that of a file of an index.
    fn fault(&self) -> Option<&'static str> {
        let are = |files: &[Listed], kind| {
            files
                .iter()
                .all(|listed| Kind::of(&listed.name) == Some(kind))
        };
        if !are(&self.segments, Kind::Segment) || !are(self.changed.as_slice(), Kind::Changed) {
            return Some("a name in it is not that of a file of an index");
        }
        let mut before = 0;
        let parts = self.feed.iter().map(|listed| Kind::of(&listed.name));
        for part in parts.chain([Some(Kind::Changes(self.changes))]) {
            match part {
                Some(Kind::Changes(first)) if first > before => before = first,
                _ => return Some("the parts of the change feed in it are not in order"),
            }
        }
        (self.next.max(self.changes) >= LIMIT).then_some("a number in it is too large")
    }

    /// Replaces the manifest of an index. The files that it lists, and its log, must be there, and their content on the disk. Cost: three
    /// syncs.
    pub(crate) fn write(&self, folder: &Path) -> Result<()> {
        whole::sync_folder(folder)?;
        let json = self.to_json()?;
        let hash = xxh3_64(json.as_bytes());
        whole::write(folder, NAME, format!("{json}\n{hash:016x}\n").as_bytes())?;
        whole::sync_folder(folder)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn listed(name: &str, digits: usize) -> Listed {
        Listed::of_bytes(&format!("{name}-{:0digits$}", 1), b"some bytes")
    }

    fn written() -> Manifest {
        let settings = Settings {
            config: Config::default(),
            store: Store::Texts,
            keep: "first".into(),
        };
        let (segments, feed) = (vec![listed("segment", 32)], vec![listed("changes", 20)]);
        Manifest::new(settings, segments, None, feed, 7, 9).unwrap()
    }

    #[test]
    fn the_hash_is_that_of_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let written = written();
        written.write(folder.path()).unwrap();
        assert_eq!(Manifest::read(folder.path()).unwrap(), written);
        // Another release can have fields that this one does not write.
        let path = folder.path().join(NAME);
        let json = fs::read_to_string(&path)
            .unwrap()
            .lines()
            .next()
            .unwrap()
            .replace("{\"version\":2", "{\"version\":2,\"more\":1");
        let hash = xxh3_64(json.as_bytes());
        fs::write(&path, format!("{json}\n{hash:016x}\n")).unwrap();
        let read = Manifest::read(folder.path()).unwrap();
        assert_eq!(
            (read.hash, read.to_json().unwrap()),
            (hash, written.to_json().unwrap())
        );
    }

    #[test]
    fn names_and_numbers_that_cannot_be_right_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let refused = |change: &dyn Fn(&mut Manifest)| {
            let mut manifest = written();
            change(&mut manifest);
            manifest.write(folder.path()).unwrap();
            matches!(Manifest::read(folder.path()), Err(Error::Damaged(_)))
        };
        assert!(!refused(&|_| {}));
        let digits = "0".repeat(31);
        for name in [
            "",
            "segment",
            "segment-1",
            "../segment-00",
            "manifest",
            &format!("segment-{digits}/"),
            &format!("segment-{digits}G"),
            &format!("segment-{digits}A"),
            &format!("../segment-{digits}0"),
            &format!("/segment-{digits}0"),
            &format!("segment-../{}", &digits[2..]),
            &format!("changed-{digits}0"),
        ] {
            let name = name.to_string();
            assert!(
                refused(&|manifest| manifest.segments[0].name = name.clone()),
                "{name}"
            );
        }
        assert!(refused(
            &|manifest| manifest.changed = Some(listed("segment", 32))
        ));
        assert!(!refused(
            &|manifest| manifest.changed = Some(listed("changed", 32))
        ));
        assert!(refused(
            &|manifest| manifest.feed[0].name = format!("changes-{:020}", 0)
        ));
        assert!(refused(
            &|manifest| manifest.feed[0].name = format!("changes-{:020}", 9)
        ));
        assert!(refused(
            &|manifest| manifest.feed[0].name = "changes-1".into()
        ));
        assert!(refused(&|manifest| manifest
            .feed
            .push(listed("changes", 20))));
        assert!(refused(&|manifest| manifest.next = u64::MAX));
        assert!(refused(&|manifest| manifest.changes = 0));
        assert!(refused(&|manifest| manifest.changes = u64::MAX));
    }
}
