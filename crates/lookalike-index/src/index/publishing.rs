//! Writes the documents in memory as a segment, and replaces the manifest.

use std::fs;

use lookalike_io::disk;

use super::{folder::Index, merges::MERGED, waiting::Writer};
use crate::{
    error::{Error, Result},
    files::{
        feed,
        log::{self, Log},
        manifest::{Manifest, NAME},
    },
    listed::{Kind, Listed},
    segment::SPAN,
    state::UNFINISHED,
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
    /// Fails if the disk has too little room, which is found before anything is written; if the index cannot be written, or if it is
    /// damaged. Then it is as it was before.
    pub fn compact(&self) -> Result<()> {
        let mut writer = self.exclusive()?;
        let needs = self.read().compacted_bytes();
        // If the space is unknown, it may suffice.
        if let Ok(free) = disk::free_space(&self.folder)
            && free < needs
        {
            return Err(Error::NoRoom {
                folder: self.folder.clone(),
                needs,
                free,
            });
        }
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
        let mut feed = writer.manifest.feed.clone();
        if !writer.pending.is_empty() {
            let first = writer.next - writer.pending.len() as u64;
            feed.push(feed::write(&self.folder, first, &writer.pending)?);
        }
        let changed = state.changed().write(&self.folder)?;
        let segments = state.segments.iter();
        let manifest = Manifest::new(
            self.settings.clone(),
            segments.map(|open| open.segment.listed.clone()).collect(),
            changed,
            feed,
            state.memory.next(),
            writer.next,
        )?;
        drop(state);
        // This may replace the log of an equal manifest. What that says is in the segments already.
        let log = Log::create(&self.folder, manifest.hash)?;
        manifest.write(&self.folder)?;
        writer.pending.clear();
        writer.log = Some(log);
        writer.manifest = manifest;
        self.remove_stale_of(writer);
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
            let is_unfinished = name.ends_with(".new");
            let whole = name.strip_suffix(".new").unwrap_or(&name);
            let is_listed = |files: &[Listed]| files.iter().any(|listed| listed.name == name);
            let is_used = match Kind::of(whole) {
                _ if name == MERGED => writer.merging.is_some(),
                Some(_) if is_unfinished => false,
                Some(Kind::Segment) => is_listed(&manifest.segments),
                Some(Kind::Changed) => is_listed(manifest.changed.as_slice()),
                Some(Kind::Changes(_)) => is_listed(&manifest.feed),
                Some(Kind::Log) => name == log::name(manifest.hash),
                // Other files may belong to others.
                None => name != UNFINISHED && !(is_unfinished && whole == NAME),
            };
            if !is_used {
                // A file that remains takes space, and is removed at the next time.
                let _ = disk::remove(&self.folder.join(name));
            }
        }
    }
}
