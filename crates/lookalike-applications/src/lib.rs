//! Applications of lookalike's core other than finding near-duplicate texts. Like the core, this crate has only pure functions:
//! they open no file, start no thread and read no clock.
//!
//! | module | from → to |
//! |---|---|
//! | [`mirrors`] | matches → sites by the share of their pages that match, and pages one to one |
//! | [`records`] | records → links: typed fields, candidates by value, scores (entity resolution) |
//! | [`minutiae`] | fingerprint cards → candidates: grids, random sets of squares, triangles that no turn changes |

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

mod error;

pub mod mirrors;

pub mod records;

pub mod minutiae;

pub use error::{Error, Result};

/// Tests the README's example.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
