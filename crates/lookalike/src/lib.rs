//! Find documents that are roughly the same, keep one of each, and say why.
//!
//! This is the core: pure functions from texts to decisions. It opens no file, starts no thread, reads no clock. A document
//! goes this way, and the modules stand in its order:
//!
//! | step | module | what it is |
//! |---|---|---|
//! | characters → tokens | [`text`] | the canonical form |
//! | tokens → windows | [`shingle`] | k-shingles |
//! | windows → numbers | [`fingerprint`] | 64-bit fingerprints; a document is their set |
//! | set → summary | [`sketch`] | MinHash, bottom-s, MOD_m, SimHash, longest sentences; b-bit sketches, estimates with intervals, sample sizes |
//! | summaries → candidates | [`lsh`] | bands, the S-curve, the recall contract; blocks for Hamming distance; shared fingerprints |
//! | candidate → match | [`verify`] | exact resemblance and containment; the exact join |
//! | match → passages | [`runs`] | what two texts share word for word, and where |
//! | matches → groups | [`cluster`] | keep order, the law's building blocks, connected components, greedy clusters |
//! | answers → figures | [`eval`] | precision, recall and their kin, against an exact truth |
//! | all of it | [`dedup()`] | the whole way in memory |
//!
//! [`shown`] is how messages and pages quote data.
//!
//! ```
//! use lookalike::{Config, Reason, dedup};
//!
//! let texts = [
//!     "The quick brown fox jumps over the lazy dog and runs away into the dark green wood.",
//!     "A different text altogether, about nothing that the others speak of.",
//!     "The quick brown fox jumps over the lazy dog, and runs away into the dark green WOOD!",
//! ];
//! let decisions = dedup(&texts.map(Into::into), Config::default())?;
//! assert!(decisions[0].is_kept() && decisions[1].is_kept());
//! assert_eq!(decisions[2].reason, Reason::Exact);
//! assert_eq!(decisions[2].representative, Some(0));
//! # Ok::<(), lookalike::Error>(())
//! ```

// What data reaches gives an error, never a panic; where one stands, it says why nothing reaches it.
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::unreachable, clippy::todo))]

pub mod shown;

mod built;

mod error;

mod simd;

pub mod text;

pub mod shingle;

pub mod fingerprint;

pub mod sketch;

pub mod lsh;

pub mod verify;

pub mod runs;

pub mod cluster;

pub mod eval;

mod config;

mod method;

mod dedup;

pub use built::built_features;
pub use config::{
    Bands, Candidates, Cluster, Config, Features, FingerprintBy, GreedyBy, Occurrences, Permutations, Preset, SentencesBy,
    Shared, SimHashBy, Verify,
};
pub use dedup::{Decision, Doc, Reason, dedup};
pub use error::{Error, ErrorKind, Result};
pub use method::{Method, Scratch};
pub use simd::Simd;
