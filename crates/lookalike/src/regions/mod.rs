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
//! | groups | `linked` | seeds that are close to each other in both texts, in any order (single linkage) |
//! | parts | `trimmed` | each group is cut to its best part: the segment with the maximum gain |
//! | regions | `merged` | parts that lie side by side in both texts, in any order, are one region if it is dense enough |
//! | choice | `chosen` | regions that are too short, too thin, or covered by better ones are left out |
//! | runs | `verbatim` | long runs that are in no region extend one, or are regions |
//!
//! Only the two texts determine the result, so it is the same in every collection. All weights are integers, so that it is the same
//! on every machine.
//!
//! # Definition
//!
//! `tests/it/regions/twin.rs` has a naive implementation of this definition, and random texts show that it finds the same regions. A
//! *part* is a range of tokens in each text.
//!
//! - **Weight.** A token that occurs *n* times among the *N* tokens of both texts has the weight ((log₂ *N* − log₂ *n*) / (log₂ *N* −
//!   1))², and at most 1. Weights are rounded down to multiples of 1/1024, and logarithms to multiples of 2⁻¹⁶. The denominator is
//!   at least 2⁻¹⁶.
//! - **Score and density.** A token that occurs *p* times in one side of a part and *q* times in the other is in common min(*p*, *q*)
//!   times. The *score* of the part is the weight of what its sides have in common. Its *density* is the score divided by the total
//!   weight of the tokens of its heavier side, or 0 if this weight is 0.
//! - **Seeds.** A seed is a pair of positions of equal tokens, one in each text. A token with at most 4 such pairs is a seed in all
//!   of them. Two consecutive tokens that occur at no more than 8 pairs of positions are two seeds at each of them. Each run has a
//!   seed at every token, except where earlier runs cover both positions.
//! - **Groups.** Two seeds are linked if their positions differ by at most `gap` in both texts. A group has all seeds that are linked
//!   directly or through others.
//! - **Parts.** A group lies in the part from its first seed to its last in each text. If one side has fewer than 5 tokens, the group
//!   has no parts. Otherwise, first its first side and then its second is cut to the segment with the maximum gain, six times. The
//!   gain of a segment is the sum of those of its tokens. A token that occurs *o* times in its side of the part, and *c* times in
//!   both sides, has the gain *w* (7 *c* − 2 *o*) / *o*, where *w* is its weight in multiples of 1/1024 and the result is rounded
//!   towards 0. If several segments have the maximum gain, the one that ends first counts and, of those, the shortest. If no
//!   segment has a positive gain, the group has no parts. Otherwise, the cut part is a part of the group if both of its sides have
//!   at least 5 tokens. The seeds that are outside it in both texts are divided into four groups, by whether they are before or
//!   after it in each text. Those with at least two seeds have parts in the same way, down to 32 divisions.
//! - **Regions.** Parts with a score below 2.5 or a density below `density` are left out. The others are divided as long as, in one
//!   of the texts, there are more than three times `gap` tokens between one and the next. What is left together is one region, from
//!   its first token to its last in each text, if this region has the given density; otherwise it is divided again with half the
//!   gap, rounded down, and so on. With a gap of 0, each part is a region of its own. The same holds after 64 divisions.
//! - **Choice.** Regions with fewer than `tokens` tokens on one side, with a lower density than `density` or a lower score than
//!   `score` are left out. The others are considered in descending order of their scores, and with equal scores in text order. A region is reported unless, in both
//!   texts, reported regions cover at least half of its tokens.
//! - **Long runs.** The runs with at least `tokens` tokens are considered in descending order of their lengths, and with equal
//!   lengths in text order. A run is passed over if, in both texts, regions cover all its tokens. A token belongs to the region that
//!   covered it first. If the region of the run's middle token (the earlier of two) in the first text has the middle token in both
//!   texts, this region grows to all tokens of the run; or else that of the second text; or else the run is a region, whatever its
//!   density and score.
//! - **Runs of a region.** All seeds inside a region on both sides; seeds that follow each other in both texts are one run. A region
//!   that was made of long runs has these runs.

mod settings;

mod region;

mod rarity;

mod seeds;

mod linked;

mod bags;

mod trimmed;

mod merged;

mod chosen;

mod verbatim;

mod found;

pub use found::regions;
pub use region::Region;
pub use settings::{MAX_GAP, RegionSettings};
