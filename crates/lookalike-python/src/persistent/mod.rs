//! The persistent index: a folder with documents and the decisions about them.

mod ids;

mod errors;

mod changes;

mod searching;

mod found;

mod reading;

mod outcome;

mod adding;

mod opened;

pub use opened::Index;
pub use outcome::{Added, Deleted};
