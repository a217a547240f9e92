//! The data that `eval` needs to evaluate results: the documents by their ids, the true neighbours of a sample, and pairs and
//! decisions read from files.

pub(crate) mod roll;

pub(crate) mod sample;

pub(crate) mod answers;
