//! A cutter whose kept texts may be in a temporary file. Most loops of `cut` are generic, and generic code is compiled in the crate
//! that chooses the types. This crate is optimised for speed, and the crate of the jobs for size, so the types are chosen here.

use std::{ops::Range, sync::Arc};

use lookalike::cut::{
    Anchor, Anchoring, Cutter, Looked, MOST_UNITS, Outcome, Repeated, Rules, Searcher, Searching,
    Store, Units,
};

use super::{Budget, Spill};
use crate::error::{Error, ErrorKind, Result};

/// A [`Cutter`] over spilled numbers.
pub struct SpilledCutter(Cutter<Spilled>);

impl SpilledCutter {
    /// Creates a cutter, as [`Cutter::with_stores`] does.
    ///
    /// # Errors
    /// Fails if the window is empty or too long.
    pub fn new(
        rules: Rules,
        repeated: Option<Arc<Repeated>>,
        budget: &Arc<Budget>,
    ) -> Result<Self> {
        let stores = [(); 3].map(|()| Spilled(Spill::new(budget)));
        Ok(Self(Cutter::with_stores(rules, repeated, stores)?))
    }

    /// Keeps a reference, as [`Cutter::keep`] does.
    ///
    /// # Errors
    /// Fails if the temporary file fails.
    pub fn keep(&mut self, units: Units, group: u64) -> Result<()> {
        self.0.keep(units, group)
    }

    /// Keeps a text without repeated anchors.
    pub fn pass(&mut self) {
        self.0.pass();
    }

    /// Cuts the next text, as [`Cutter::cut`] does.
    ///
    /// # Errors
    /// Fails if the temporary file fails.
    pub fn cut(&mut self, units: Units, group: u64) -> Result<Outcome> {
        self.0.cut(units, group)
    }

    /// Cuts the next text with what another thread has found, as [`Cutter::cut_anchored`] does.
    ///
    /// # Errors
    /// Fails if the temporary file fails.
    pub fn cut_anchored(
        &mut self,
        units: Units,
        anchors: (&[Anchor], bool),
        looked: Option<Looked>,
        group: u64,
    ) -> Result<Outcome> {
        self.0.cut_anchored(units, anchors, looked, group)
    }

    /// Returns the keys of anchors, as [`Cutter::joined`] does.
    pub fn joined(&mut self) -> &mut Vec<u64> {
        self.0.joined()
    }

    /// Returns a searcher, as [`Cutter::searcher`] does.
    pub fn searcher(&mut self, anchors: usize) -> Option<SpilledSearcher> {
        self.0.searcher(anchors).map(SpilledSearcher)
    }

    /// Returns the memory that no budget counts.
    pub fn memory(&self) -> usize {
        self.0.memory()
    }
}

/// A [`Searcher`] of a [`SpilledCutter`].
pub struct SpilledSearcher(Searcher<Spilled>);

impl SpilledSearcher {
    /// Finds what a text shares with the kept texts, as [`Searcher::search`] does.
    ///
    /// # Errors
    /// Fails if the temporary file fails.
    pub fn search<'a>(
        &self,
        units: Units,
        anchoring: &Anchoring,
        group: u64,
        buffers: &'a mut Searching,
    ) -> Result<Option<Looked<'a>>> {
        self.0.search(units, anchoring, group, buffers)
    }
}

/// The kept texts, in memory or in a temporary file.
#[derive(Debug)]
struct Spilled(Spill<u64>);

impl Store for Spilled {
    type Error = Error;

    fn append(&mut self, numbers: &[u64]) -> Result<()> {
        if self.0.len() + numbers.len() as u64 > MOST_UNITS {
            let what = format!(
                "the passages that are kept have more than {MOST_UNITS} words, lines or sentences"
            );
            return Err(Error::new(ErrorKind::Config, what).advise("divide the collection"));
        }
        self.0.append(numbers)
    }

    fn count(&self) -> u64 {
        self.0.len()
    }

    fn read<'a>(&'a self, range: Range<u64>, scratch: &'a mut Vec<u64>) -> Result<&'a [u64]> {
        self.0.get(range, scratch)
    }

    fn load(&self, position: u64) -> u64 {
        self.0.peek(position).copied().unwrap_or_default()
    }

    fn memory(&self) -> usize {
        0
    }
}
