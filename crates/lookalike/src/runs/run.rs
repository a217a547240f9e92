//! The type of a run, which is a sequence of tokens that two texts share.

/// A sequence of tokens that occurs in two texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Run {
    /// The index of its first token in the first text.
    pub a: usize,
    /// The index of its first token in the second text.
    pub b: usize,
    /// The number of tokens.
    pub tokens: usize,
}
