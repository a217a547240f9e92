//! The persistent index: a folder with documents and the decisions about them.

mod ids;

mod errors;

mod changes;

mod found;

mod reading;

mod outcome;

mod adding;

mod searching;

mod opened;

pub use opened::Index;
pub use outcome::{Added, Deleted};
