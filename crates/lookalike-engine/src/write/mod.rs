//! Outputs: whole under their name, or not there.

#[cfg(feature = "codecs")]
mod codecs;
mod decisions;
mod encode;
mod gzip;
mod kept;
mod labels;
mod output;
mod overwriting;
mod publish;
#[cfg_attr(not(feature = "tables"), path = "no_rows.rs")]
mod rows;
mod sink;
#[cfg(feature = "tables")]
pub(crate) mod table;

pub use decisions::{Decided, Likeness, Representative, reason_name};
pub(crate) use kept::{Kept, Piece, Shape, refuse_other_than_lines};
pub(crate) use labels::{Label, LabelNames, Labelling, refused};
pub(crate) use output::{Output, finish};
pub(crate) use overwriting::refuse_overwriting;
pub(crate) use rows::{RowLabels, refuse_table_names};
