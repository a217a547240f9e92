//! Places of units, and the pieces that are cut.

/// The place of a sequence of units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    /// The number of the text.
    pub text: u32,
    /// The sequence's first unit.
    pub at: u32,
}

/// A piece of a text that is cut, and where the same units are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// The first unit.
    pub start: usize,
    /// One past the last unit.
    pub end: usize,
    /// The number of the text that keeps these units.
    pub source: usize,
    /// The position of the first of these units there. All positions are those of the original texts.
    pub source_start: usize,
}
