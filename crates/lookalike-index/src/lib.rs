//! An index of texts in memory: for a text, those that resemble it.
//!
//! What shares a key with a text (a band of the MinHash signature by default) is a candidate, and a candidate that reaches the
//! threshold is a match, measured exactly. This is the project's law: texts that are fed to an index one by one, each inserted
//! only when nothing matches, leave what `lookalike dedup` keeps.
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
//! Memory: for each text 4 bytes a band, 128 bytes of sketch, and 8 bytes a shingle, these last unless `verify` is `Sketch` or `None`.

// What data reaches gives an error, never a panic; where one stands, it says why nothing reaches it.
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::unreachable, clippy::todo))]

mod id;

mod error;

mod sketched;

mod index;

mod file;

pub use error::{Error, Result};
pub use file::{load, save};
pub use id::Id;
pub use index::{Index, Match};
pub use sketched::Sketched;

/// The README's example is tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
