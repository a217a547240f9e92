//! Weights that are estimated from the records themselves, or from labelled pairs (Fellegi and Sunter 1969).
//!
//! The similarity of two values becomes one of a few levels, from *different* to *equal*. The levels of all fields form the pair's
//! pattern. A level's weight is the base-2 logarithm of how much more often matches have this level than other pairs. The sum of
//! the weights and of the prior is the base-2 logarithm of the odds that the pair is a match.
//!
//! How often other pairs have a level is counted in random pairs, nearly all of which are not matches. How often matches have it is
//! estimated by expectation maximisation on the candidates (Winkler 1988), or counted in labelled matches.

mod levels;

mod patterns;

mod rivals;

mod odds;

mod dependence;

mod others;

mod fit;

mod labelled;

mod frequencies;

mod model;

pub use fit::{Estimate, FieldEstimate, Possible, Sample, fit};
pub use frequencies::{FieldFrequencies, Frequencies};
pub use labelled::fit_labelled;
pub(super) use levels::{check, level, thresholds};
pub use model::Model;
pub(super) use odds::bits;
pub use odds::probability;
pub use patterns::{Pattern, Patterns};
pub use rivals::Rivals;

#[cfg(test)]
mod tests;
