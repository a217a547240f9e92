//! Reads a result: which documents it removed, and which clusters it made.

mod columns;

mod ids;

mod outcome;

mod opened;

mod rows;

pub use self::outcome::ResultFigures;
pub(super) use self::{
    ids::IdIndex,
    opened::OpenedResult,
    outcome::{NONE, Outcome},
};
