//! An in-memory index of texts that finds those that are similar to a given text.
//!
//! A text is a candidate if it shares a key with the query. By default, the keys are bands of the MinHash signature. A candidate
//! is a match if its exact similarity reaches the threshold. `lookalike dedup` uses the same rule: if texts are queried one by
//! one, and each is inserted only when nothing matches, the index contains the texts that `lookalike dedup` keeps.
//!
//! ```
//! use lookalike_index::{Id, Index};
//!
//! let mut index = Index::new(lookalike::Config::default())?;
//! index.insert("a", "The quick brown fox jumps over the lazy dog and runs away into the dark green wood.")?;
//! index.insert("b", "A different text altogether, about nothing that the others speak of.")?;
//!
//! let found = index.query("The quick brown fox jumps over the lazy dog, and runs away into the dark green WOOD!");
//! assert_eq!((found.len(), &found[0].id, found[0].similarity), (1, &Id::from("a"), 1.0));
//! assert!(index.insert("a", "Another text under an id that is taken.").is_err());
//! assert!(index.remove(&"a".into()) && index.len() == 1);
//! # Ok::<(), lookalike_index::Error>(())
//! ```
//!
//! [`Collection`] also decides which texts are kept, and its decisions remain those of the batch when texts are deleted or replaced.
//!
//! Memory: each text takes 4 bytes per band, 128 bytes for the sketch, and 8 bytes per shingle. Shingles are not stored if
//! `verify` is `Sketch` or `None`. In addition, each band has a map from its keys to the texts that have the key. A key that only
//! one text has takes at least 60 bytes of this map.

// Code that input data can reach returns an error and never panics. Each remaining panic states why it cannot be reached.
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::unreachable, clippy::todo))]

mod id;

mod error;

mod sketched;

mod law;

mod documents;

mod index;

mod collection;

mod file;

pub use collection::{Change, Collection, Decided, NewDocument};
pub use error::{Error, Result};
pub use file::{load, save};
pub use id::Id;
pub use index::{Index, Match};
pub use sketched::Sketched;

/// Tests the README's example.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
