//! What is asked of passages, and where they go.

use std::path::Path;

use lookalike_io::error::Result;

use super::report::{Offsets, Quoted};

/// Which passages are wanted, and what is said of them.
#[derive(Debug, Clone)]
pub struct Quoting {
    /// The least length of a run of tokens that both texts have.
    pub least: usize,
    /// Tokens that may separate runs of one passage.
    pub gap: usize,
    /// Windows that stand in more of the held texts than this lead to no passage.
    pub common: Option<u32>,
    /// Only pairs of which the one or the other text is contained so far in the other.
    pub containment: f64,
    /// What places count.
    pub offsets: Offsets,
    /// Whether what stands there is given too.
    pub words: bool,
    /// Of pairs that are told only so many, those that share the most tokens, at the end; the others are only counted, which takes a
    /// tenth of the time. None for all of them, as they are found.
    pub best: Option<usize>,
}

impl Default for Quoting {
    fn default() -> Self {
        Self { least: 8, gap: 0, common: None, containment: 0.0, offsets: Offsets::Bytes, words: true, best: None }
    }
}

/// Is told each pair; a failure of its own ends the run.
pub type TellQuoted<'a> = dyn FnMut(&Quoted) -> Result<()> + Send + 'a;

/// Where pairs go.
pub(super) enum Wanted<'a, 'b> {
    Written(&'a Path),
    Told(&'a mut TellQuoted<'b>),
}
