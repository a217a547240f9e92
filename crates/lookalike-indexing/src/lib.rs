//! Reads collections into an index, and gives the documents of an index to a run.

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

mod opened;

mod options;

mod steps;

mod references;

pub use opened::{
    configure, failed, id, is_inside, refuse_outputs, refuse_store, to_read, to_write,
};
pub use options::{AddOptions, Adding, CreateOptions, reading, step, step_of};
pub use references::open_references;
pub use steps::{Stopped, id_of, in_steps, sketching};
