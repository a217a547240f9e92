//! Outputs that appear under their names only when they are complete.

mod publish;

mod pack;

mod output;

mod late;

mod overwriting;

mod names;

mod copies;

mod destination;

mod series;

mod line_series;

#[cfg(feature = "tables")]
pub mod table;

mod decisions;

mod records;

mod sketches;

#[cfg(feature = "tables")]
pub use self::decisions::{DecisionRows, Kinds, RowsShape};
#[cfg(not(feature = "tables"))]
pub use self::names::without_tables;
#[cfg(feature = "tables")]
pub use self::records::{row_ends, sliced};
pub use self::{
    decisions::{Decided, IdKind, Likeness, Representative, plain, reason_name},
    destination::{Content, Destination, Limit, decisions_name},
    late::LateOutput,
    line_series::LineSeries,
    names::{are_rows, refuse_other_than_lines},
    output::{LEAST_AHEAD, Output, finish},
    overwriting::refuse_overwriting,
    publish::{go_on_without_readers, unless_closed},
    records::{
        AddedNames, BlockFields, Change, Kept, Label, Labelling, Looking, Mark, MarkedSpan, Piece,
        RowLabels, RowMarks, Seen, Shape, Shapes, refuse_table_names,
    },
    series::{Filled, Series, Span, line_ends},
    sketches::{SketchOutput, SketchRow},
};
