//! The jobs of the commands. Each job has a folder or a file.

pub(crate) mod sketch;

pub(crate) mod documents;

pub(crate) mod apply;
pub(crate) mod audit;
pub(crate) mod cut;
pub(crate) mod dedup;
pub(crate) mod eval;
pub(crate) mod link;
pub(crate) mod minutiae;
pub(crate) mod mirrors;
pub(crate) mod pairs;
pub(crate) mod passages;
pub mod stages;
