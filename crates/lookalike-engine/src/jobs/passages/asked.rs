//! The options for passages, and the destination of the results.

use std::path::Path;

use lookalike::regions::RegionSettings;
use lookalike_io::error::Result;

use super::report::{Offsets, Quoted};

/// The conditions for passages to be found, and what is reported about a passage.
#[derive(Debug, Clone)]
pub struct Quoting {
    /// The minimum length of a run of tokens that both texts have.
    pub least: usize,
    /// The maximum number of tokens between two consecutive shared runs of a passage. Without effect on regions, which have a gap
    /// of their own.
    pub gap: usize,
    /// Report regions, which are passages that were copied and then possibly changed, instead of runs and joined runs.
    pub regions: Option<RegionSettings>,
    /// A window (a short run of tokens) is not used to find passages if it occurs in more than this number of the held (indexed)
    /// texts.
    pub common: Option<u32>,
    /// Report a pair only if the containment of one of its texts in the other is at least this number.
    pub containment: f64,
    /// The unit in which positions are counted.
    pub offsets: Offsets,
    /// Whether the text of passages is also returned.
    pub words: bool,
    /// Report only this number of pairs: the pairs that share the most tokens. They are reported after all texts were compared.
    /// The other pairs are only counted, which takes a tenth of the time that reporting them would take. With `None`, all pairs
    /// are reported as they are found.
    pub best: Option<usize>,
}

impl Quoting {
    /// The minimum length of a run of two texts for which regions are searched, unless another one is wanted: a text of which a
    /// third was replaced has few longer ones.
    pub const LEAST_OF_REGIONS: usize = 4;
}

impl Default for Quoting {
    fn default() -> Self {
        Self {
            least: 8,
            gap: 0,
            regions: None,
            common: None,
            containment: 0.0,
            offsets: Offsets::Bytes,
            words: true,
            best: None,
        }
    }
}

/// A callback that receives each pair. An error that it returns ends the run.
pub type TellQuoted<'a> = dyn FnMut(&Quoted) -> Result<()> + Send + 'a;

/// The destination of the pairs.
pub(super) enum Wanted<'a, 'b> {
    Written(&'a Path),
    Reported(&'a mut TellQuoted<'b>),
}
