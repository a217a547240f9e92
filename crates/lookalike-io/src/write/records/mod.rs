//! Writes kept records: unchanged if the output has the format of its input, otherwise as JSON Lines; with labels or marks if
//! requested.

mod cells;

mod added;

mod labels;

mod marks;

#[cfg_attr(not(feature = "tables"), path = "no_rows.rs")]
mod rows;

mod shape;

mod written;

mod changed;

mod divided;

mod file;

mod kept;

#[cfg(not(feature = "tables"))]
pub use self::rows::without_tables;
#[cfg(feature = "tables")]
pub use self::rows::{row_ends, sliced};
pub use self::{
    added::AddedNames,
    changed::Change,
    kept::{Kept, Shapes},
    labels::Label,
    marks::{Mark, MarkedSpan},
    rows::{RowLabels, RowMarks, refuse_table_names},
    shape::{Piece, Shape},
    written::Labelling,
};
