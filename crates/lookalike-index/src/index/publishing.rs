//! Writes the documents in memory as a segment, and replaces the manifest.

use std::fs;

use lookalike_io::disk;

use super::{folder::Index, merges::UNFINISHED, waiting::Writer};
use crate::{
    error::{Error, Result},
    files::{
        feed,
        log::{self, Log},
        manifest::Manifest,
    },
    segment::SPAN,
};

impl Index {
    /// Writes everything that is in memory or in the log to files that the manifest names. Queries are answered meanwhile: nothing changes
    /// the state but the one that has the writer, so it is only locked for writing to use what was written.
    pub(super) fn publish(&self, writer: &mut Writer) -> Result<()> {
        self.flush()?;
        self.merge(writer)?;
        self.replace_manifest(writer)
    }

    pub(super) fn flush(&self) -> Result<()> {
        let flushed = self.read().flushed(&self.folder)?;
        self.write().use_flushed(flushed)
    }

    /// Writes all documents in one segment (or one for each 2³¹ documents), without what was removed, and numbers them again. Afterwards, the files depend only on the
    /// documents and their order, apart from the change feed. Cost: everything is read and written once; the disk needs room for a second
    /// copy.
    ///
    /// # Errors
    /// Fails if the index cannot be written, or if it is damaged. Then it is as it was before.
    pub fn compact(&self) -> Result<()> {
        let mut writer = self.exclusive()?;
        self.guarded(&mut writer, |writer| {
            self.forget_merge(writer);
            self.flush()?;
            let compacted = self.read().compacted(&self.folder, SPAN)?;
            *self.write() = compacted;
            self.replace_manifest(writer)
        })
    }

    pub(super) fn replace_manifest(&self, writer: &mut Writer) -> Result<()> {
        let state = self.read();
        if !writer.pending.is_empty() {
            feed::write(
                &self.folder,
                writer.next - writer.pending.len() as u64,
                &writer.pending,
            )?;
            writer.pending.clear();
        }
        let changed = state.changed().write(&self.folder)?;
        let segments = state
            .segments
            .iter()
            .map(|open| open.segment.name.clone())
            .collect();
        let manifest = Manifest::new(
            self.settings.clone(),
            segments,
            changed,
            state.memory.next(),
            writer.next,
        )?;
        drop(state);
        disk::sync_folder(&self.folder).map_err(|source| Error::File {
            path: self.folder.clone(),
            source,
        })?;
        let is_same = manifest.hash == writer.manifest.hash;
        // An equal manifest that was replaced before can have left its log, which must not continue this one.
        if !is_same {
            self.remove_log(manifest.hash)?;
        }
        manifest.write(&self.folder)?;
        if is_same {
            // The log belongs to the old manifest, which is equal. What it says is in the segments already.
            self.remove_log(manifest.hash)?;
        }
        writer.log = Log::new(&self.folder, manifest.hash, 0);
        writer.manifest = manifest;
        self.remove_stale_of(writer);
        Ok(())
    }

    fn remove_log(&self, manifest: u64) -> Result<()> {
        let path = self.folder.join(log::name(manifest));
        if path.exists() {
            disk::remove(&path).map_err(|source| Error::File { path, source })?;
            disk::sync_folder(&self.folder).map_err(|source| Error::File {
                path: self.folder.clone(),
                source,
            })?;
        }
        Ok(())
    }

    /// Removes files that no longer belong to the index.
    pub(super) fn remove_stale(&self) {
        if let Ok(writer) = self.exclusive() {
            self.remove_stale_of(&writer);
        }
    }

    fn remove_stale_of(&self, writer: &Writer) {
        let manifest = &writer.manifest;
        let Ok(entries) = fs::read_dir(&self.folder) else {
            return;
        };
        for name in entries
            .flatten()
            .filter_map(|entry| entry.file_name().into_string().ok())
        {
            let is_used = match name.split_once('-') {
                _ if name == UNFINISHED => writer.merging.is_some(),
                _ if name.ends_with(".new") => false,
                Some(("segment", _)) => manifest.segments.contains(&name),
                Some(("changed", _)) => manifest.changed.as_ref() == Some(&name),
                Some(("log", _)) => name == log::name(manifest.hash),
                Some(("changes", first)) => first
                    .parse()
                    .is_ok_and(|first: u64| first < manifest.changes),
                _ => true,
            };
            if !is_used {
                // A file that remains takes space, and is removed at the next time.
                let _ = disk::remove(&self.folder.join(name));
            }
        }
    }
}
