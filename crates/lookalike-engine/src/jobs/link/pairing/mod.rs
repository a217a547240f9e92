//! Makes candidate pairs, and chooses one-to-one pairs.

pub(crate) mod numbered;

pub(crate) mod progress;

pub(crate) mod candidates;

pub(crate) mod rows;

pub(crate) mod matched;
