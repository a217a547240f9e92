//! Find near-duplicate texts, keep one of each group, and get the reason for each dropped text.
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
//! | to | use |
//! |---|---|
//! | deduplicate texts in memory | [`dedup()`]; with settings, [`Dedup`] |
//! | compare two texts | [`compare`](compare()) |
//! | store sketches yourself, in an index or a stream | [`Method`]: text → sketch, two sketches → candidate or not |
//! | run a single step | its module, below |
//!
//! The folder `examples/` has a program for each task in this table. For files, compression, tables and collections larger than
//! memory, use the `lookalike` command or the crate `lookalike-engine`.
//!
//! # The pipeline
//!
//! This is the core: pure functions from texts to decisions. The core opens no file, reads no clock, and starts no thread unless
//! the feature `rayon` is on. A text passes through these steps, and the modules are in the same order:
//!
//! | step | module | what it is |
//! |---|---|---|
//! | characters → tokens | [`text`] | the canonical form |
//! | tokens → windows | [`shingle`] | k-shingles |
//! | windows → numbers | [`fingerprint`] | 64-bit fingerprints; a document is their set |
//! | set → summary | [`sketch`] | MinHash, bottom-s, MOD_m, SimHash, longest sentences; b-bit sketches, estimates with intervals, sample sizes |
//! | summaries → candidates | [`lsh`] | bands, the S-curve, the recall guarantee; blocks for Hamming distance; shared fingerprints |
//! | candidate → match | [`verify`] | exact resemblance and containment; the exact join |
//! | sketches without texts | [`stored`] | sketches with their parameters: estimate, union, accuracy |
//! | match → passages | [`runs`] | what two texts share word for word, and where |
//! | runs → regions | [`regions`] | passages that were copied and changed: edited, shuffled, reworded |
//! | matches → groups | [`cluster`] | keep order (which document is considered first), connected components, greedy clusters |
//! | answers → figures | [`eval`] | precision, recall and related measures, against an exact truth |
//! | all of it | [`dedup()`], [`decide`] | the whole pipeline in memory |
//!
//! # Cargo features
//!
//! No feature is on by default.
//!
//! | feature | what it adds |
//! |---|---|
//! | `rayon` | [`dedup()`], [`Dedup`] and [`decide`] use all cores; the answer is identical |
//! | `chinese` | [`Folds::simplified`](text::Folds::simplified): OpenCC's table of traditional and simplified characters |
//! | `jieba` | [`TokensBy::Jieba`](text::TokensBy::Jieba): Chinese words from a dictionary |
//! | `stop-words` | shingles that begin with a stop word, for 60 languages |
//! | `engine` | internals for the other crates of this project, without any stability guarantee |
//! | `portable` | no SIMD, for tests; no answer depends on it |
//!
//! The same texts and settings give the same answer on every machine, with any features and in every release: the hash functions
//! never change.

// Code that input data can reach returns an error instead of panicking. Wherever the code overrides one of the lints below, a
// note says why no input data can cause the panic.
#![cfg_attr(
    not(test),
    warn(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::unreachable,
        clippy::todo
    )
)]
// Without the feature `engine`, functions that only the engine calls are unused. With it, the compiler reports unused code.
#![cfg_attr(not(feature = "engine"), allow(dead_code))]
#![cfg_attr(docsrs, feature(doc_cfg))]

/// Re-exports names publicly with the feature `engine`, and only within this crate without it.
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

mod choice;

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

pub mod regions;

pub mod cluster;

pub mod eval;

mod config;

pub mod stored;

mod method;

mod compare;

mod dedup;

pub mod cut;

pub use compare::compare;
pub use config::{
    Bands, Candidates, Cluster, Config, Features, FingerprintBy, GreedyBy, Occurrences,
    Permutations, Preset, SentencesBy, Shared, SimHashBy, Verify,
};
pub use cut::cut;
pub use dedup::{Decision, Decisions, Dedup, Doc, Group, Reason, decide, dedup};
pub use error::{Error, ErrorKind, Result};
pub use method::{Method, Scratch};
for_engine!(pub use {built::built_features, choice::Choice, method::set_size, simd::Simd});

/// Runs the example in the README as a doctest, like the examples in the documentation.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
