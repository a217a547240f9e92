//! The themes of options that several jobs share.

pub mod shingling;

pub mod inputs;

pub mod finding;

pub mod grouping;

pub mod references;

pub mod outputs;

pub mod execution;
