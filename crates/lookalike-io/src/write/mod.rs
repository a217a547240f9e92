//! Outputs: whole under their name, or not there.

mod claim;
#[cfg(feature = "codecs")]
mod codecs;
#[cfg(feature = "tables")]
mod decision_rows;
mod decisions;
mod encode;
mod gzip;
mod hidden;
mod ids;
mod kept;
mod labels;
mod output;
mod overwriting;
mod publish;
#[cfg_attr(not(feature = "tables"), path = "no_rows.rs")]
mod rows;
mod sink;
#[cfg(feature = "tables")]
pub mod table;
mod terminal;

#[cfg(feature = "tables")]
pub use decision_rows::{DecisionRows, Kinds};
pub use decisions::{Decided, Likeness, Representative, reason_name};
pub use ids::IdKind;
pub use kept::{Kept, Piece, Shape, are_rows, refuse_other_than_lines};
pub use labels::{Label, LabelNames, Labelling, plain, refused};
pub use output::{LEAST_AHEAD, Output, finish};
pub use overwriting::refuse_overwriting;
#[cfg(not(feature = "tables"))]
pub use rows::without_tables;
pub use rows::{RowLabels, refuse_table_names};
