//! Indexes of documents: persistent ones with decisions, and smaller ones in memory.
//!
//! | type | where | what |
//! |---|---|---|
//! | [`Index`] | in a folder | Holds documents and decides which are kept. The decisions are always those of one run over its content. |
//! | [`Collection`] | in memory | Does the same. |
//! | [`LshIndex`] | in memory | Finds the texts that are similar to a given text, and decides nothing. |
//!
//! A document is a candidate if it shares a key with the text that is searched for. By default, the keys are bands of the MinHash
//! signature. A candidate is a match if its exact similarity reaches the threshold. `lookalike dedup` uses the same rule.
//!
//! ```
//! use lookalike_index::{Config, Id, LshIndex};
//!
//! let mut index = LshIndex::new(Config::default())?;
//! index.insert("a", "The quick brown fox jumps over the lazy dog and runs away into the dark green wood.")?;
//! index.insert("b", "A different text altogether, about nothing that the others speak of.")?;
//!
//! let found = index.query("The quick brown fox jumps over the lazy dog, and runs away into the dark green WOOD!");
//! assert_eq!((found.len(), &found[0].id, found[0].similarity), (1, &Id::from("a"), 1.0));
//! assert!(index.insert("a", "Another text under an id that is taken.").is_err());
//! assert!(index.remove(&"a".into()) && index.len() == 1);
//! # Ok::<(), lookalike_index::Error>(())
//! ```

// Code that input data can reach returns an error and never panics. Each remaining panic states why it cannot be reached.
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

mod id;

mod error;

mod sketched;

mod apart;

mod listed;

mod segment;

mod law;

mod state;

mod passages;

mod query;

mod lsh;

mod change;

mod decision;

mod prepared;

mod collection;

mod files;

mod index;

mod references;

mod file;

pub use change::{Change, Decided, NewDocument};
pub use collection::Collection;
pub use decision::Decision;
pub use error::{Error, Result};
pub use file::{load, save};
pub use files::Settings;
pub use id::Id;
pub use index::{Checked, Index, Merges, OnConflict, Stats, Stored};
pub use lookalike::Config;
pub use lookalike_io::write::Likeness;
pub use lsh::LshIndex;
pub use passages::SharedPassage;
pub use prepared::{DecidedDocument, Prepared, Preparer, Represented};
pub use query::{Ask, Found, Like, Match};
pub use references::{References, is_index};
pub use sketched::Sketched;
pub use state::Store;

/// Tests the README's example.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
