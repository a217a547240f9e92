//! The rules by which texts are cut, and what they look at.

use std::ops::Range;

use super::anchors::{Anchor, Anchoring, around};

/// The rules by which texts are cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    /// The number of units in a window, n.
    pub window: usize,
    /// A window is cut if it occurs in this number of texts before.
    pub after: usize,
    /// The minimum number of tokens in a window that is cut.
    pub least_tokens: usize,
    /// A text that lost something and has fewer tokens left is dropped.
    pub least_left: usize,
    /// Whether only whole lines are cut. Then each text has lines.
    pub whole_lines: bool,
}

/// The units of a text.
#[derive(Debug, Clone, Copy)]
pub struct Units<'a> {
    /// A hash of each unit. Units with equal hashes are equal.
    pub hashes: &'a [u64],
    /// The number of tokens in each unit, or none if each unit is one token.
    pub tokens: Option<&'a [u32]>,
    /// The line of each unit, if only whole lines are cut.
    pub lines: Option<&'a [u32]>,
}

impl Units<'_> {
    /// Returns the number of tokens in a range of units.
    pub fn tokens(&self, units: Range<usize>) -> usize {
        match self.tokens {
            None => units.len(),
            Some(tokens) => tokens[units].iter().map(|&tokens| tokens as usize).sum(),
        }
    }
}

impl Rules {
    /// Returns whether a window that contains the anchor at a unit may be marked: if a window is one unit, it may have too few tokens.
    pub(super) fn may_mark(&self, units: &Units, at: usize) -> bool {
        self.least_tokens == 0 || self.window > 1 || units.tokens(at..at + 1) >= self.least_tokens
    }

    /// Returns those of a text's anchors that are in windows that may be marked. If windows are equal, only the first counts.
    pub(super) fn candidates<'a>(
        &'a self,
        units: &'a Units,
        anchoring: &'a Anchoring,
    ) -> impl Iterator<Item = Anchor> {
        let is_first = |at| {
            anchoring
                .first()
                .is_none_or(|first| first.has_first(around(at, self.window)))
        };
        let may_mark = move |anchor: &Anchor| {
            is_first(anchor.at as usize) && self.may_mark(units, anchor.at as usize)
        };
        anchoring.anchors.iter().copied().filter(may_mark)
    }

    /// Returns whether each window that kept texts contain is marked.
    pub(super) fn is_plain(&self, has_repeats: bool) -> bool {
        !has_repeats && self.after == 1 && self.least_tokens == 0
    }

    /// Returns whether neither a text nor all kept texts together repeat a window without overlap.
    pub(super) fn is_unique(&self, units: &Units, has_repeats: bool, has_references: bool) -> bool {
        self.is_plain(has_repeats) && units.lines.is_none() && !has_references
    }
}
