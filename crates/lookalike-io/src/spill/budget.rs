//! What the stores of a run may hold in memory, all together.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

/// A bound that stores share: each tells what it holds, and writes to its temporary file what is too much for all.
#[derive(Debug)]
pub struct Budget {
    /// What the run may take.
    memory: u64,
    limit: u64,
    besides: u64,
    held: AtomicU64,
    /// Bytes that went to files.
    spilled: AtomicU64,
    temp_dir: PathBuf,
}

impl Budget {
    /// Of a run that may take so many bytes of `memory`, some of them `besides` what stores hold. What is too much for these goes
    /// to files in `temp_dir`.
    pub fn of(memory: u64, besides: u64, temp_dir: &Path) -> Arc<Self> {
        // Two fifths of the rest for what the allocator cannot use, and for what is sorted.
        let limit = (memory.saturating_sub(besides) / 5 * 3).max(memory / 8);
        Arc::new(Self { memory, limit, besides, held: AtomicU64::new(0), spilled: AtomicU64::new(0), temp_dir: temp_dir.into() })
    }

    /// Bytes that the run may take.
    pub fn memory(&self) -> u64 {
        self.memory
    }

    /// Bytes that the stores may hold.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// Bytes that the run takes besides.
    pub fn besides(&self) -> u64 {
        self.besides
    }

    pub(crate) fn temp_dir(&self) -> &Path {
        &self.temp_dir
    }

    /// Bytes that are held.
    pub fn held(&self) -> u64 {
        self.held.load(Ordering::Relaxed)
    }

    /// Bytes that are free; never nothing, so that all work goes on, however slowly.
    pub fn room(&self) -> usize {
        self.limit.saturating_sub(self.held()).max(self.limit / 16).max(LEAST) as usize
    }

    pub(crate) fn is_over(&self) -> bool {
        self.held() > self.limit
    }

    /// Bytes that the run took more than it may, of which it took this many at its `peak`.
    pub fn above(&self, peak: u64) -> u64 {
        peak.saturating_sub(self.memory)
    }

    /// The least that a store writes to its file when memory is full.
    pub(crate) fn worth_writing(&self) -> usize {
        WORTH_WRITING.min(self.limit / 64) as usize
    }

    /// Counts bytes that a store writes to its file.
    pub(crate) fn spill(&self, bytes: usize) {
        if self.spilled.fetch_add(bytes as u64, Ordering::Relaxed) == 0 {
            log::info!("memory is full: more goes to temporary files in {}", self.temp_dir.display());
        }
    }

    /// Counts bytes that are held.
    pub fn hold(&self, bytes: usize) {
        self.held.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// Counts bytes that are held no longer.
    pub fn release(&self, bytes: usize) {
        self.held.fetch_sub(bytes as u64, Ordering::Relaxed);
    }
}

impl Drop for Budget {
    fn drop(&mut self) {
        let spilled = *self.spilled.get_mut();
        if spilled > 0 {
            log::info!("{:.1} MB went to temporary files", spilled as f64 / 1e6);
        }
    }
}

/// With less than this nothing can be done at all.
const LEAST: u64 = 1 << 12;

/// Bytes that are not worth a write of their own.
const WORTH_WRITING: u64 = 1 << 18;
