//! Writes lookalike's reports: one HTML file that opens from disk, without a network, and shows which documents are similar, which
//! were dropped and why.
//!
//! A [`Page`] is the built page (`web/` in the repository) with blocks of data. [`Collection`] is the data of a report about a
//! collection: its decisions and its pairs. [`Aligned`] has the parts that two texts share, for the view of two texts side by
//! side. This crate reads no input and writes no file.

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

mod page;

mod aligned;

mod collection;

pub use aligned::{Aligned, AlignedRegion};
pub use collection::{
    AlignedPairs, Collection, Counts, Documents, Limits, Pairs, Settings, Slider, Texts,
};
pub use page::Page;
