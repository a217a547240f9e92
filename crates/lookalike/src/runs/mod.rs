//! Passages that two texts share word for word. *Runs* are sequences of tokens that occur in both texts and have at least a given
//! length. This minimum does not depend on the length of the texts. Use runs to find and locate quotations and copied passages.
//!
//! The run of a token is the longest sequence around it that also occurs in the other text. [`shared_runs`] gives the runs of
//! every token of both texts, so it misses no shared sequence of `least` tokens or more in either text. If a sequence occurs
//! several times in the other text, it is paired with the first occurrence. There are fewer runs than tokens, however repetitive
//! the texts are.
//!
//! [`RunIndex`] finds the runs that a text shares with any of many texts. [`Winnowing`] (Schleimer, Wilkerson, Aiken 2003,
//! *Winnowing: Local Algorithms for Document Fingerprinting*) selects some of the windows of each text. If two texts share a run,
//! at least one of its windows is selected in both. [`join`] joins runs that are separated by only a few tokens.

mod run;

mod automaton;

mod joined;

mod winnow;

mod maximal;

mod index;

pub use index::{Entry, Lookup, RunIndex, SharedText};
pub(crate) use joined::stretch;
pub use joined::{Joined, covered, join};
pub use maximal::shared_runs;
pub use run::Run;
pub use winnow::{MAX_LEAST, Selected, Winnowing};
