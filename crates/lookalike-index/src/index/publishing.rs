//! Writes the documents in memory as a segment, merges segments, and replaces the manifest.

use std::{fs, ops::Range, path::Path};

use lookalike_io::disk;

use super::{
    folder::{Index, make_folder},
    waiting::Writer,
};
use crate::{
    error::{Error, Result},
    files::{
        feed,
        log::{self, Log},
        manifest::Manifest,
    },
    segment::SPAN,
    state::State,
};

/// This many segments of similar size are merged into one.
const FANOUT: usize = 4;

/// A segment is written again when more than one in this many of its documents changed, because every publication writes all changes of
/// segments.
const WORN: u64 = 4;

/// Fewer changes never make it worth while.
const FEW: u64 = 16;

impl Index {
    /// Writes everything that is in memory or in the log to files that the manifest names. Queries are answered meanwhile: nothing changes
    /// the state but the one that has the writer, so it is only locked for writing to use what was written.
    pub(super) fn publish(&self, writer: &mut Writer) -> Result<()> {
        self.flush()?;
        loop {
            let Some(segments) = due(&self.read(), self.budget as u64 / 4) else { break };
            let merged = self.read().merged(&self.folder, segments.clone())?;
            self.write().use_merged(segments, merged)?;
        }
        self.replace_manifest(writer)
    }

    fn flush(&self) -> Result<()> {
        let flushed = self.read().flushed(&self.folder)?;
        self.write().use_flushed(flushed)
    }

    /// Writes all documents in one segment, without what was removed, and numbers them again. Afterwards, the files depend only on the
    /// documents and their order, apart from the change feed. Cost: everything is read and written once; the disk needs room for a second
    /// copy.
    ///
    /// # Errors
    /// Fails if the index cannot be written, or if it is damaged. Then it is as it was before.
    pub fn compact(&self) -> Result<()> {
        let mut writer = self.exclusive()?;
        self.guarded(&mut writer, |writer| {
            self.flush()?;
            let compacted = self.read().compacted(&self.folder)?;
            *self.write() = compacted;
            self.replace_manifest(writer)
        })
    }

    /// Copies the index as it is now to a folder, which must not exist yet, or must be empty. Large files are shared by hard links if both
    /// folders are on one file system. Both indexes can be changed independently.
    ///
    /// # Errors
    /// Fails if the folder is not empty, or if a file cannot be written.
    pub fn snapshot(&self, to: &Path) -> Result<()> {
        let mut writer = self.exclusive()?;
        // The log must not be shared, because it changes.
        if writer.log.length() > 0 {
            self.guarded(&mut writer, |writer| self.publish(writer))?;
        }
        let failed = |source| Error::File { path: to.into(), source };
        make_folder(to).map_err(failed)?;
        if fs::read_dir(to).map_err(failed)?.next().is_some() {
            return Err(Error::Exists(to.into()));
        }
        let Manifest { segments, changed, .. } = &writer.manifest;
        let mut names: Vec<String> = segments.iter().chain(changed).cloned().collect();
        for (_, path) in feed::parts(&self.folder)?.into_iter().filter(|(first, _)| *first < writer.manifest.changes) {
            names.extend(path.file_name().and_then(|name| name.to_str()).map(String::from));
        }
        for name in &names {
            let (from, to) = (self.folder.join(name), to.join(name));
            let failed = |source| Error::File { path: to.clone(), source };
            if disk::hard_link(&from, &to).is_err() {
                disk::copy(&from, &to).map_err(failed)?;
            }
        }
        disk::sync_folder(to).map_err(failed)?;
        // Without a manifest, the folder is not an index, so it is written last.
        writer.manifest.write(to)
    }

    fn replace_manifest(&self, writer: &mut Writer) -> Result<()> {
        let state = self.read();
        if !writer.pending.is_empty() {
            feed::write(&self.folder, writer.next - writer.pending.len() as u64, &writer.pending)?;
            writer.pending.clear();
        }
        let changed = state.changed().write(&self.folder)?;
        let segments = state.segments.iter().map(|open| open.segment.name.clone()).collect();
        let manifest = Manifest::new(self.settings.clone(), segments, changed, state.memory.next(), writer.next)?;
        drop(state);
        disk::sync_folder(&self.folder).map_err(|source| Error::File { path: self.folder.clone(), source })?;
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
        self.remove_stale_of(&writer.manifest);
        Ok(())
    }

    fn remove_log(&self, manifest: u64) -> Result<()> {
        let path = self.folder.join(log::name(manifest));
        if path.exists() {
            disk::remove(&path).map_err(|source| Error::File { path, source })?;
            disk::sync_folder(&self.folder).map_err(|source| Error::File { path: self.folder.clone(), source })?;
        }
        Ok(())
    }

    /// Removes files that no longer belong to the index.
    pub(super) fn remove_stale(&self) {
        if let Ok(writer) = self.exclusive() {
            self.remove_stale_of(&writer.manifest);
        }
    }

    fn remove_stale_of(&self, manifest: &Manifest) {
        let Ok(entries) = fs::read_dir(&self.folder) else { return };
        for name in entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()) {
            let is_used = match name.split_once('-') {
                _ if name.ends_with(".new") => false,
                Some(("segment", _)) => manifest.segments.contains(&name),
                Some(("changed", _)) => manifest.changed.as_ref() == Some(&name),
                Some(("log", _)) => name == log::name(manifest.hash),
                Some(("changes", first)) => first.parse().is_ok_and(|first: u64| first < manifest.changes),
                _ => true,
            };
            if !is_used {
                // A file that remains takes space, and is removed at the next time.
                let _ = disk::remove(&self.folder.join(name));
            }
        }
    }
}

/// Returns segments that are to be merged, or one that is to be written again.
fn due(state: &State, least: u64) -> Option<Range<usize>> {
    let is_worn = |at: usize| state.changed_in(at) > FEW + state.segments[at].segment.head.documents / WORN;
    let worn = || (0..state.segments.len()).find(|&at| is_worn(at)).map(|at| at..at + 1);
    similar(state, least).or_else(worn)
}

/// Returns segments at the end that are to be merged: at least four of similar size, and smaller ones after them. All that are smaller
/// than `least` bytes are of similar size.
fn similar(state: &State, least: u64) -> Option<Range<usize>> {
    let level = |bytes: u64| (bytes / least.max(1)).max(1).ilog(FANOUT as u64);
    let levels: Vec<u32> = state.segments.iter().map(|open| level(open.segment.weight())).collect();
    for most in levels.iter().copied().collect::<std::collections::BTreeSet<_>>() {
        let count = levels.iter().rev().take_while(|&&level| level <= most).count();
        let suffix = levels.len() - count..levels.len();
        let span = state.span(suffix.clone());
        if span.end - span.start <= SPAN && levels[suffix.clone()].iter().filter(|&&level| level == most).count() >= FANOUT {
            return Some(suffix);
        }
    }
    None
}
