//! Find near-duplicate texts, keep one of each group, and say why the others are dropped.
//!
//! ```
//! let texts = [
//!     "The quick brown fox jumps over the lazy dog and runs away into the dark green wood.",
//!     "A different text altogether, about nothing that the others speak of.",
//!     "The quick brown fox jumps over the lazy dog, and runs away into the dark green WOOD!",
//! ];
//! let decisions = lookalike::dedup(&texts);
//! assert_eq!(decisions.kept(), [0, 1]);
//! assert_eq!(decisions[2].to_string(), "dropped: exact duplicate of 0");
//! ```
//!
//! # Where to start
//!
//! | you want | use |
//! |---|---|
//! | to deduplicate texts in memory | [`dedup()`]; with settings, [`Dedup`] |
//! | to compare two texts | [`compare`](compare()) |
//! | to keep sketches by yourself, in an index or a stream | [`Method`]: text → sketch, two sketches → candidate or not |
//! | a single step of the way | its module, below |
//!
//! The folder `examples/` has a program for each. Files, compression, tables and collections larger than memory are the
//! `lookalike` command's and the crate `lookalike-engine`'s.
//!
//! # The way of a text
//!
//! This is the core: pure functions from texts to decisions. It opens no file, reads no clock, and starts no thread unless the feature
//! `rayon` is on. A text goes this way, and the modules stand in its order:
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
//! | matches → groups | [`cluster`] | keep order, connected components, greedy clusters |
//! | answers → figures | [`eval`] | precision, recall and their kin, against an exact truth |
//! | all of it | [`dedup()`], [`decide`] | the whole way in memory |
//!
//! # Cargo features
//!
//! None is on by default.
//!
//! | feature | what it adds |
//! |---|---|
//! | `rayon` | [`dedup()`], [`Dedup`] and [`decide`] use all cores; the answer is the same to the byte |
//! | `chinese` | [`Folds::simplified`](text::Folds::simplified): OpenCC's table of traditional and simplified characters |
//! | `jieba` | [`TokensBy::Jieba`](text::TokensBy::Jieba): Chinese words by a dictionary |
//! | `stop-words` | shingles that begin with a stop word, for 60 languages |
//! | `engine` | what the crates of this project need besides; nothing in it is a promise |
//! | `portable` | no SIMD, for tests; no answer depends on it |
//!
//! The same texts and settings give the same answer on every machine, with any features and in every release: hashes are frozen.

// What data reaches gives an error, never a panic; where one stands, it says why nothing reaches it.
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::unreachable, clippy::todo))]
// Without the engine, what only it calls has no caller. With it, the compiler tells what has none.
#![cfg_attr(not(feature = "engine"), allow(dead_code))]
#![cfg_attr(docsrs, feature(doc_cfg))]

/// Hands names on to everybody with the feature `engine`, and to this crate alone without it.
macro_rules! for_engine {
    (pub use $($names:tt)*) => {
        #[cfg(feature = "engine")]
        pub use $($names)*;
        #[cfg(not(feature = "engine"))]
        #[allow(unused_imports)]
        pub(crate) use $($names)*;
    };
}

#[cfg(feature = "engine")]
pub mod shown;
#[cfg(not(feature = "engine"))]
mod shown;

mod built;

mod error;

mod simd;

mod threads;

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

mod compare;

mod dedup;

pub use compare::compare;
pub use config::{
    Bands, Candidates, Cluster, Config, Features, FingerprintBy, GreedyBy, Occurrences, Permutations, Preset, SentencesBy,
    Shared, SimHashBy, Verify,
};
pub use dedup::{Decision, Decisions, Dedup, Doc, Group, Reason, decide, dedup};
pub use error::{Error, ErrorKind, Result};
pub use method::{Method, Scratch};
for_engine!(pub use {built::built_features, method::set_size, simd::Simd});

/// The README's example is tested with the documentation's.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
