//! A memory limit that all stores of a run share.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

/// A limit that stores share. Each store reports how many bytes it holds, and writes to its temporary file when the total is too
/// large.
#[derive(Debug)]
pub struct Budget {
    /// The number of bytes that the run may take.
    memory: u64,
    limit: u64,
    extra: u64,
    held: AtomicU64,
    /// The number of bytes that were written to files.
    spilled: AtomicU64,
    temp_dir: PathBuf,
}

impl Budget {
    /// Creates the budget of a run that may take `memory` bytes, of which `extra` bytes are used outside the stores. Data
    /// beyond the limit goes to files in `temp_dir`.
    pub fn of(memory: u64, extra: u64, temp_dir: &Path) -> Arc<Self> {
        // Two fifths of the memory that remains after `extra` are reserved for allocator overhead and for sorting. But the stores
        // may always hold an eighth of `memory`.
        let limit = (memory.saturating_sub(extra) / 5 * 3).max(memory / 8);
        Arc::new(Self {
            memory,
            limit,
            extra,
            held: AtomicU64::new(0),
            spilled: AtomicU64::new(0),
            temp_dir: temp_dir.into(),
        })
    }

    /// Returns the number of bytes that the run may take.
    pub fn memory(&self) -> u64 {
        self.memory
    }

    /// Returns the number of bytes that the stores may hold.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// Returns the number of bytes that the run uses outside the stores.
    pub fn extra(&self) -> u64 {
        self.extra
    }

    pub(crate) fn temp_dir(&self) -> &Path {
        &self.temp_dir
    }

    /// Returns the number of bytes that the stores hold in memory.
    pub fn held(&self) -> u64 {
        self.held.load(Ordering::Relaxed)
    }

    /// Returns the number of free bytes. It is never 0, so that all work proceeds, however slowly.
    pub fn left(&self) -> usize {
        self.limit
            .saturating_sub(self.held())
            .max(self.limit / 16)
            .max(LEAST) as usize
    }

    pub(crate) fn is_over(&self) -> bool {
        self.held() > self.limit
    }

    /// Returns by how many bytes a run exceeded its limit, given its peak memory in bytes.
    pub fn above(&self, peak: u64) -> u64 {
        peak.saturating_sub(self.memory)
    }

    /// Returns the smallest number of bytes that a store writes to its file when memory is full.
    pub(crate) fn worth_writing(&self) -> usize {
        WORTH_WRITING.min(self.limit / 64) as usize
    }

    /// Counts bytes that a store writes to its file.
    pub(crate) fn spill(&self, bytes: usize) {
        if self.spilled.fetch_add(bytes as u64, Ordering::Relaxed) == 0 {
            log::info!(
                "memory is full; further data goes to temporary files in {}",
                self.temp_dir.display()
            );
        }
    }

    /// Counts bytes as held.
    pub fn hold(&self, bytes: usize) {
        self.held.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// Counts bytes as no longer held.
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

/// Memory outside the stores that is counted in a budget until it is dropped.
#[derive(Debug)]
pub struct Held {
    bytes: usize,
    budget: Arc<Budget>,
}

impl Held {
    /// Counts nothing so far.
    pub fn new(budget: &Arc<Budget>) -> Self {
        Self {
            bytes: 0,
            budget: budget.clone(),
        }
    }

    /// Sets the number of bytes.
    pub fn set(&mut self, bytes: usize) {
        self.budget.hold(bytes.saturating_sub(self.bytes));
        self.budget.release(self.bytes.saturating_sub(bytes));
        self.bytes = bytes;
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.budget.release(self.bytes);
    }
}

/// The number of bytes that always count as free, because no work is possible with fewer.
const LEAST: u64 = 1 << 12;

/// The number of bytes below which a separate write is not worthwhile.
const WORTH_WRITING: u64 = 1 << 18;
