//! Bytes to records and back: what lookalike reads and writes, and what it keeps beside memory. The engine's passes stand on it.
//!
//! | module | what it does |
//! |---|---|
//! | [`disk`] | the thin layer that every file operation goes through, in which tests plan faults |
//! | [`spill`] | stores and a sorter within one memory budget, in temporary files beyond it |
//! | [`store`] | objects in stores, by their URLs |
//! | [`format`](mod@format) | what inputs can hold |
//! | [`read`] | inputs → blocks of records |
//! | [`write`](mod@write) | outputs that appear whole under their names, or not at all |

// What data reaches gives an error, never a panic; where one stands, it says why nothing reaches it.
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::unreachable, clippy::todo))]
// Passes use these types. They need the length and never ask whether it is 0.
#![allow(clippy::len_without_is_empty)]

pub mod error;

mod built;

// Where others' decoders are.
#[cfg(any(feature = "html", feature = "tables"))]
pub mod quiet;

#[cfg(feature = "tables")]
pub mod sound;

pub mod input_table;

pub mod lock;

pub mod memory;

pub mod disk;

pub mod store;

pub mod spill;

pub mod format;

pub mod read;

pub mod write;

pub use built::built_features;

/// The README's example is tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
