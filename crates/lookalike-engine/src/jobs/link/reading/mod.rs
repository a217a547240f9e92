//! Reads the records of one or two collections, and what is known about their pairs.

pub(crate) mod collections;

pub(crate) mod records;

pub(crate) mod truth;
