//! What is built on lookalike's core beside finding near-duplicate texts. Like the core, these are pure functions: they open no file,
//! start no thread and read no clock.
//!
//! | module | from → to |
//! |---|---|
//! | [`mirrors`] | matches → sites by the share of their pages that match, and pages one to one |
//! | [`records`] | records → links: typed fields, candidates by value, scores (entity resolution) |
//! | [`minutiae`] | fingerprint cards → candidates: grids, random sets of squares, triangles that no turn changes |

// What data reaches gives an error, never a panic; where one stands, it says why nothing reaches it.
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::unreachable, clippy::todo))]

mod error;

pub mod mirrors;

pub mod records;

pub mod minutiae;

pub use error::{Error, Result};

/// The README's example is tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
