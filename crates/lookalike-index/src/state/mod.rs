//! The content of an index: segments, the documents in memory, and what changed since the segments were written.

mod store;

mod new;

mod chains;

mod sets;

mod memory;

mod found;

mod mates;

mod documents;

mod classes;

mod content;

mod ahead;

mod flushing;

mod merged;

mod merging;

pub(crate) use documents::{Open, State};
pub(crate) use flushing::UNFINISHED;
pub(crate) use merged::Merged;
pub(crate) use new::Sketched;
pub use store::Store;
