//! Tokens → windows: the k-shingling of a token sequence (Broder 1997, section 2).
//!
//! A text of n ≥ k tokens has n − k + 1 windows. A text of 1 to k − 1 tokens has one window, the whole text, so that short texts
//! are compared like any other. An empty text has no window.

use std::ops::Range;

use crate::error::{ErrorKind, Result};

/// The maximum length of a shingle, in tokens.
pub const MAX_K: usize = 64;

/// The division of a token sequence into shingles: k tokens each, each starting one token after the previous one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shingling {
    k: usize,
}

impl Shingling {
    /// Creates a shingling with `k` tokens per shingle, 1 to [`MAX_K`].
    pub fn new(k: usize) -> Result<Self> {
        if (1..=MAX_K).contains(&k) {
            Ok(Self { k })
        } else {
            Err(ErrorKind::Shingle { k, max: MAX_K }.into())
        }
    }

    /// Returns the number of tokens per shingle. Only the single shingle of a text with fewer than k tokens has fewer.
    pub fn k(self) -> usize {
        self.k
    }

    /// Yields the windows of a text of `tokens` tokens, as ranges of token numbers, including repeated shingles.
    pub fn windows(self, tokens: usize) -> impl Iterator<Item = Range<usize>> {
        let length = self.k.min(tokens);
        let count = if tokens == 0 { 0 } else { tokens - length + 1 };
        (0..count).map(move |start| start..start + length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_in_a_table() {
        let windows = |k, n| Shingling::new(k).unwrap().windows(n).collect::<Vec<_>>();
        assert_eq!(windows(4, 6), [0..4, 1..5, 2..6]);
        assert_eq!(windows(4, 4), vec![0..4; 1]);
        assert_eq!(windows(4, 3), vec![0..3; 1]);
        assert_eq!(windows(4, 0), Vec::<Range<usize>>::new());
        assert_eq!(windows(1, 2), [0..1, 1..2]);
    }

    #[test]
    fn lengths_out_of_range_are_refused() {
        assert!(Shingling::new(0).is_err());
        assert!(Shingling::new(MAX_K + 1).is_err());
    }
}
