//! Regions that one text reuses from another: copied passages whose words were replaced, inserted, deleted or put into another
//! order. A verbatim [run](crate::runs) ends at each such change, so that one edited passage gives many runs. A region joins what
//! belongs together.
//!
//! [`regions`] works in the steps of the text alignment of the PAN competitions (seeds, extension, filtering: Potthast et al. 2013,
//! *Overview of the 5th International Competition on Plagiarism Detection*, section 3.2):
//!
//! | step | module | what it does |
//! |---|---|---|
//! | rarity | `rarity` | each token gets a weight: 1 if it is as rare as possible in the two texts, near 0 if it is very frequent |
//! | seeds | `seeds` | pairs of positions of equal tokens: of rare tokens, rare pairs of tokens, and runs |
//! | pieces | `linked` | seeds that are close to each other in both texts, in any order (single linkage) |
//! | edges | `trimmed` | each piece is cut to its best part: the segment with the maximum score |
//! | regions | `merged` | pieces that lie side by side in both texts, in any order, are one region if it is dense enough |
//! | choice | `chosen` | regions that are too short, too thin, or covered by better ones are left out |
//!
//! Only the two texts determine the result, so it is the same in every collection. All weights are integers, so that it is the same
//! on every machine.

mod settings;

mod region;

mod rarity;

mod seeds;

mod linked;

mod bags;

mod trimmed;

mod merged;

mod chosen;

mod found;

pub use found::regions;
pub use region::Region;
pub use settings::{MAX_GAP, RegionSettings};
