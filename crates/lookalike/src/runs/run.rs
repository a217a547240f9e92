//! What two texts share, as a value.

/// A stretch of tokens that stands in two texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Run {
    /// The number of its first token in the one text.
    pub a: usize,
    /// The number of its first token in the other.
    pub b: usize,
    /// How many there are.
    pub tokens: usize,
}
