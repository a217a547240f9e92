//! The sequences of a text by which equal windows are found.

mod own;

mod filter;

mod repeated;

mod finding;

use std::ops::Range;

pub use {finding::Anchoring, repeated::Repeated};
for_engine!(pub use filter::{Filter, FilterPart});

use crate::fingerprint::{K0, finish};

/// The unit between two texts in the index.
pub(super) const BETWEEN: u64 = 0;

/// Maps a unit to a number other than [`BETWEEN`]. Two units become equal with a probability of 2⁻⁶⁴.
#[inline]
pub(super) fn other_than_between(unit: u64) -> u64 {
    if unit == BETWEEN { K0 } else { unit }
}

/// What is beside a sequence: 8 bits for the units before it, and 8 bits for those after it. Each window that contains a sequence of
/// s units has n − s more units, and contains at least h = ⌈(n − s) / 2⌉ of these on one side. So if two texts have an equal window
/// around equal sequences, the h units on one side are equal too. Comparing 8 bits of each is much faster than reading another text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sides(pub [u8; 2]);

/// A sequence of a text.
#[derive(Debug, Clone, Copy)]
pub struct Anchor {
    pub(super) key: u64,
    /// The first unit.
    pub(super) at: u32,
    pub(super) sides: Sides,
    /// Whether another text, or this one, may have the same anchor.
    pub(super) is_repeated: bool,
}

impl Anchor {
    /// Returns the key of the sequence.
    pub fn key(&self) -> u64 {
        self.key
    }

    /// Returns whether another text, or this one, may have the same anchor.
    pub fn is_repeated(&self) -> bool {
        self.is_repeated
    }
}

impl Sides {
    /// Returns the sides of the sequence from `start` to `end`, for windows of `window` units.
    pub fn of(units: &[u64], start: usize, end: usize, window: usize) -> Self {
        let by = (window - (end - start)).div_ceil(2);
        let side = |units: Option<&[u64]>| units.map_or(0, |units| (hash(units) % 255) as u8 + 1);
        Self([
            side(start.checked_sub(by).map(|from| &units[from..start])),
            side(units.get(end..end + by)),
        ])
    }

    /// Returns whether the sequences with these sides may be in equal windows.
    #[inline]
    pub fn may_match(self, other: Self) -> bool {
        let ([left, right], other) = (self.0, other.0);
        left == other[0] && left != 0 || right == other[1] && right != 0
    }
}

/// A hash of some units, which takes a multiplication for each. Two parts are computed side by side, because a multiplication waits
/// for the one before it.
#[inline]
pub(super) fn hash(units: &[u64]) -> u64 {
    const B: u64 = 0xd6e8_feb8_6659_fd93;
    let (a, b) = units.split_at(units.len() / 2);
    let sum = |units: &[u64]| {
        units.iter().fold(0u64, |sum, &unit| {
            sum.wrapping_mul(B).wrapping_add(other_than_between(unit))
        })
    };
    finish(sum(a).rotate_left(32) ^ sum(b))
}

/// Returns the windows that may contain an anchor that starts at a unit.
pub(super) fn around(at: usize, window: usize) -> Range<usize> {
    at.saturating_sub(window - 1)..at + 1
}
