//! Converts bytes to records and back. This crate contains everything that reads inputs and writes outputs, and the stores for
//! data that exceeds the memory. The engine's passes are built on it.
//!
//! | module | content |
//! |---|---|
//! | [`disk`] | the thin layer that every file operation goes through, in which tests plan faults |
//! | [`spill`] | stores and a sorter within one memory budget, in temporary files beyond it |
//! | [`store`] | objects in stores, by their URLs |
//! | [`format`](mod@format) | the formats of inputs |
//! | [`read`] | inputs → blocks of records |
//! | [`write`](mod@write) | outputs that appear only when they are complete |

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
// The engine's passes call `len` on the types of this crate, and never need `is_empty`.
#![allow(clippy::len_without_is_empty)]

pub mod error;

mod built;

// Calls of third-party decoders use this module.
#[cfg(any(feature = "html", feature = "tables"))]
pub mod quiet;

#[cfg(feature = "tables")]
pub mod sound;

pub mod input_table;

pub mod lock;

pub mod memory;

pub mod pool;

pub mod disk;

pub mod store;

pub mod spill;

pub mod format;

pub mod read;

pub mod write;

pub use built::built_features;

/// Tests the README's example.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
