//! Options: the settings of all jobs as users give them, by flags, keywords or the lines of a file.
//!
//! A setting is declared once, as a field of a struct made by [`options!`]. Every field is an `Option`, a list or a switch, so *not
//! given* is a value: options from several places are layers, which [`Layer::over`] merges. Each struct here belongs to a theme that
//! several jobs share; what only one job has is declared by that job. A job's `plan()` joins them to a checked configuration.

// Code that input data can reach returns an error and never panics.
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

mod layer;

mod table;

mod choice;

mod flags;

mod values;

mod rules;

mod themes;

pub use choice::{choice, choice_of};
pub use flags::{Flag, flags};
pub use layer::Layer;
pub use rules::{Given, not_together, refuse, refuse_other};
pub use table::{Invalid, in_toml, of_file, of_table, read_toml};
pub use themes::{
    execution::{Execution, SavedProgress},
    finding::{CandidatesBy, Finding, MethodBy, modulus},
    grouping::{ClusterBy, Dropped, GroupSize, Law},
    inputs::{Fields, Inputs, RecordFiles, Records},
    outputs::{Floor, OutputFiles, Page, ReportPage},
    references::References,
    shingling::{FingerprintKind, Folding, MoreFields, Shingling, Similarity, as_sets},
};
pub use values::{Delimiter, LEAST_MEMORY, Parsed, Size};

// What the macro uses.
#[doc(hidden)]
pub use {clap, serde_json};

/// Tests the README's example.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
