//! Kept records: as they came where the output is to have their input's format, else as JSON Lines; with labels if they are wanted.

mod labels;

#[cfg_attr(not(feature = "tables"), path = "no_rows.rs")]
mod rows;

mod shape;

mod labelled;

mod kept;

#[cfg(not(feature = "tables"))]
pub use self::rows::without_tables;
pub use self::{
    kept::Kept,
    labelled::Labelling,
    labels::{Label, LabelNames},
    rows::{RowLabels, refuse_table_names},
    shape::{Piece, Shape},
};
