//! What two texts share word for word: *runs*, stretches of tokens that stand in both, of at least a given length, however long the
//! texts and whatever else is in them. For finding quotations and borrowed passages, and showing where they stand.
//!
//! A token's run is the longest stretch around it that also stands somewhere in the other text. [`shared_runs`] gives those of every
//! token of both texts, so that no stretch of `least` tokens or more that both have is left out on either side; of several places of a
//! stretch in the other text it is paired with the first. There are fewer runs than tokens, however often texts repeat themselves.
//!
//! [`RunIndex`] finds them for a text among many: [`Winnowing`] (Schleimer, Wilkerson, Aiken, *Winnowing: Local Algorithms for Document
//! Fingerprinting*, 2003) selects some of each text's windows such that two texts with a stretch in common have selected one of its
//! windows, the same in both. [`join`] puts runs together that only a few tokens separate.

mod run;

mod automaton;

mod joined;

mod winnow;

mod maximal;

mod index;

pub use index::{Entry, Lookup, Meeting, RunIndex};
pub use joined::{Joined, covered, join};
pub use maximal::shared_runs;
pub use run::Run;
pub use winnow::{MAX_LEAST, Selected, Winnowing};
