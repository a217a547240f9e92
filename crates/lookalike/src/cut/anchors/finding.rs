//! Finds the sequences of a text by which equal windows are found.

use super::{Anchor, Repeated, Sides, own::FirstWindows};
use crate::{
    error::Result,
    runs::{Selected, Winnowing},
};

/// Finds the anchors of texts. The buffers are reused for the next text.
#[derive(Debug, Default)]
pub struct Anchoring {
    fingerprints: Vec<u64>,
    selected: Vec<Selected>,
    /// The anchors of the last text.
    pub(in crate::cut) anchors: Vec<Anchor>,
    /// Whether the text repeats one of its windows.
    pub(in crate::cut) has_repeats: bool,
    /// If it does, the first of several equal windows.
    pub(in crate::cut) first: FirstWindows,
}

impl Anchoring {
    /// Finds the anchors of a text for windows of `window` units, and whether the text repeats a window, for
    /// [`Cutter::cut_anchored`](crate::cut::Cutter::cut_anchored). `repeated` has the keys of all anchors that occur more than once in all
    /// texts; if there is none, all anchors count as repeated.
    ///
    /// # Errors
    /// Fails with the errors of [`Winnowing::new`].
    pub fn of_text(
        &mut self,
        units: &[u64],
        window: usize,
        repeated: Option<&Repeated>,
    ) -> Result<&Self> {
        self.find(units, Winnowing::new(window)?, repeated);
        Ok(self)
    }

    /// Returns the anchors of the last text.
    pub fn anchors(&self) -> &[Anchor] {
        &self.anchors
    }

    /// Returns whether the last text repeats a window.
    pub fn has_repeats(&self) -> bool {
        self.has_repeats
    }

    /// Sets the anchors of a text.
    pub(in crate::cut) fn set(
        &mut self,
        units: &[u64],
        anchors: &[Anchor],
        has_repeats: bool,
        window: usize,
    ) {
        self.anchors.clear();
        self.anchors.extend_from_slice(anchors);
        self.has_repeats = has_repeats && self.first.find(units, anchors, window);
    }

    /// Finds the anchors of a text: each window of `winnowing.least()` units contains at least one of them, and equal windows contain
    /// the same. Cost: a few nanoseconds per unit.
    pub(in crate::cut) fn find(
        &mut self,
        units: &[u64],
        winnowing: Winnowing,
        repeated: Option<&Repeated>,
    ) {
        let (length, window) = (winnowing.selected_tokens(), winnowing.least());
        winnowing.select(units, &mut self.fingerprints, &mut self.selected);
        self.anchors.clear();
        self.anchors
            .extend(self.selected.iter().map(|&Selected { key, at }| {
                let start = at as usize;
                let is_repeated = repeated.is_none_or(|repeated| repeated.contains(key));
                Anchor {
                    key,
                    at,
                    sides: Sides::of(units, start, start + length, window),
                    is_repeated,
                }
            }));
        self.has_repeats = self.first.find(units, &self.anchors, window);
    }

    /// Returns the first windows of the text if it repeats one.
    pub(in crate::cut) fn first(&self) -> Option<&FirstWindows> {
        self.has_repeats.then_some(&self.first)
    }
}
