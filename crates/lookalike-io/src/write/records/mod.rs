//! Writes kept records: unchanged if the output has the format of its input, otherwise as JSON Lines; with labels if requested.

mod labels;

#[cfg_attr(not(feature = "tables"), path = "no_rows.rs")]
mod rows;

mod shape;

mod labelled;

mod replaced;

mod kept;

#[cfg(not(feature = "tables"))]
pub use self::rows::without_tables;
pub use self::{
    kept::Kept,
    labelled::Labelling,
    labels::{Label, LabelNames},
    replaced::Change,
    rows::{RowLabels, refuse_table_names},
    shape::{Piece, Shape},
};
