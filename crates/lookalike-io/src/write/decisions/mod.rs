//! Writes the decision about each document, as lines or as rows of a table.

mod ids;

mod lines;

#[cfg(feature = "tables")]
mod rows;

pub(crate) use self::lines::verdict;
#[cfg(feature = "tables")]
pub use self::rows::{DecisionRows, Kinds, RowsShape};
#[cfg(feature = "tables")]
pub(crate) use self::rows::{IdColumn, id_field};
pub use self::{
    ids::{IdKind, plain},
    lines::{Decided, Likeness, Representative, reason_name},
};
