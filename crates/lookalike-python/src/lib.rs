//! The native half of the Python package `lookalike`. It is thin: it mirrors the core's names, takes its defaults from the core,
//! and computes without holding the interpreter. The Python sources are in `python/lookalike`.
//!
//! The modules are in the order of their dependencies. The first modules convert errors to exceptions and keywords to a
//! configuration, and distribute a batch over threads. The others define the public functions and classes.

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
// The public items are documented in `python/lookalike/_lookalike.pyi` and in the docstrings of this crate.
#![allow(missing_docs)]

mod error;

mod pickles;

mod config;

mod parallel;

mod sets;

mod items;

mod sketch;

mod compare;

mod passages;

mod curve;

mod index;

mod collection;

mod persistent;

mod compat;

mod command;

#[pyo3::pymodule]
mod _lookalike {
    #[pymodule_export]
    use super::collection::{
        Columns, CutRows, CutTexts, Cuts, Decisions, Lines, Pairs, PartJoin, Texts, apply, audit,
        cut_texts, dedup, filtered, history, link, minutiae, mirrors, pairs, part_keys, part_links,
        part_nodes, passages_among, suggest_link, with_texts,
    };
    #[pymodule_export]
    use super::command::main;
    #[pymodule_export]
    use super::compare::{Comparison, Passage, compare};
    #[pymodule_export]
    use super::compat::{
        datasketch_bulk, datasketch_containment_params, datasketch_lower, datasketch_params,
    };
    #[pymodule_export]
    use super::config::{default_config, flags};
    #[pymodule_export]
    use super::curve::{Curve, curve};
    #[pymodule_export]
    use super::error::{cut, message};
    #[pymodule_export]
    use super::index::{LshIndex, Match};
    #[pymodule_export]
    use super::items::fingerprints;
    #[pymodule_export]
    use super::passages::{Region, SharedPassage, passages, regions};
    #[pymodule_export]
    use super::persistent::{Added, Deleted, Index};
    #[pymodule_export]
    use super::sketch::{
        Bottom, BottomSketch, Estimate, MinHash, Modulo, ModuloSketch, Signature, SimHash,
        SimHashSketch,
    };
}
