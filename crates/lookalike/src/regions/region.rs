//! The type of a region.

use std::ops::Range;

use crate::{
    runs::{Run, stretch},
    text::Span,
};

/// A part of one text that is reused in another one, changed or unchanged.
#[derive(Debug, Clone, PartialEq)]
pub struct Region {
    /// Its tokens in the first text.
    pub a: Range<usize>,
    /// Its tokens in the second text.
    pub b: Range<usize>,
    /// The number of tokens that both parts have, whatever their order. A token that occurs several times counts as often as it
    /// occurs in both.
    pub tokens: usize,
    /// These tokens weighted by rarity: a token that occurs once in each text counts 1, and a frequent one almost nothing.
    pub score: f64,
    /// The share of these tokens among all tokens of a part, weighted by rarity. The part with the smaller share counts.
    pub density: f64,
    /// What both parts have in common word for word: the seeds of the region, in the order of the first text. They may be in
    /// another order in the second text, and may overlap.
    pub runs: Vec<Run>,
}

impl Region {
    /// Returns the region's position in each of the two texts. `spans` has the positions of all tokens of each text.
    pub fn places(&self, spans: [&[Span]; 2]) -> [Span; 2] {
        [(&self.a, spans[0]), (&self.b, spans[1])].map(|(tokens, spans)| stretch(tokens, spans))
    }
}
