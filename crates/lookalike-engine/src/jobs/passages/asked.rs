//! The options for passages, and the destination of the results.

use std::path::Path;

use lookalike_io::error::Result;

use super::report::{Offsets, Quoted};

/// Which passages are wanted, and what is reported about them.
#[derive(Debug, Clone)]
pub struct Quoting {
    /// The minimum length of a run of tokens that both texts have.
    pub least: usize,
    /// The maximum number of tokens between two runs of one passage.
    pub gap: usize,
    /// A window of tokens that occurs in more than this number of the held (indexed) texts leads to no passage.
    pub common: Option<u32>,
    /// Report only pairs in which the containment of one text in the other is at least this.
    pub containment: f64,
    /// The unit in which positions are counted.
    pub offsets: Offsets,
    /// Whether the text of passages is also returned.
    pub words: bool,
    /// Report only this number of pairs: the pairs that share the most tokens. They are reported after all texts were compared.
    /// The other pairs are only counted, which takes a tenth of the time. With `None`, all pairs are reported as they are found.
    pub best: Option<usize>,
}

impl Default for Quoting {
    fn default() -> Self {
        Self { least: 8, gap: 0, common: None, containment: 0.0, offsets: Offsets::Bytes, words: true, best: None }
    }
}

/// A callback that receives each pair. An error that it returns ends the run.
pub type TellQuoted<'a> = dyn FnMut(&Quoted) -> Result<()> + Send + 'a;

/// The destination of the pairs.
pub(super) enum Wanted<'a, 'b> {
    Written(&'a Path),
    Reported(&'a mut TellQuoted<'b>),
}
