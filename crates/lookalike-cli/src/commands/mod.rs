//! The commands, one per file.

pub mod index;

pub mod apply;
pub mod audit;
pub mod compare;
pub mod completions;
pub mod curve;
pub mod cut;
pub mod dedup;
pub mod eval;
pub mod link;
pub mod man;
pub mod minutiae;
pub mod mirrors;
pub mod pairs;
pub mod passages;
pub mod sketch;
pub mod stage;
