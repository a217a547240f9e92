//! Writes kept records: unchanged if the output has the format of its input, otherwise converted; with labels or marks if requested.

mod cells;

mod added;

mod labels;

mod marks;

#[cfg_attr(not(feature = "tables"), path = "no_rows.rs")]
mod rows;

mod shape;

mod written;

mod changed;

mod converted;

mod shapes;

mod divided;

mod file;

mod kept;

#[cfg(feature = "tables")]
pub use self::rows::{row_ends, sliced};
pub use self::{
    added::AddedNames,
    changed::Change,
    converted::{BlockFields, Looking, Seen},
    kept::Kept,
    labels::Label,
    marks::{Mark, MarkedSpan},
    rows::{RowLabels, RowMarks, refuse_table_names},
    shape::{Piece, Shape},
    shapes::Shapes,
    written::Labelling,
};
