//! Outputs that appear under their names only when they are complete.

mod publish;

mod pack;

mod output;

mod late;

mod overwriting;

mod names;

#[cfg(feature = "tables")]
pub mod table;

mod decisions;

mod records;

mod sketches;

#[cfg(feature = "tables")]
pub use self::decisions::{DecisionRows, Kinds};
#[cfg(not(feature = "tables"))]
pub use self::records::without_tables;
pub use self::{
    decisions::{Decided, IdKind, Likeness, Representative, plain, reason_name},
    late::LateOutput,
    names::{are_rows, refuse_other_than_lines},
    output::{LEAST_AHEAD, Output, finish},
    overwriting::refuse_overwriting,
    records::{
        AddedNames, Change, Kept, Label, Labelling, Mark, MarkedSpan, Piece, RowLabels, RowMarks, Shape, refuse_table_names,
    },
    sketches::{SketchOutput, SketchRow},
};
