//! Converts records, which are JSON Lines first, to a JSON array, to CSV or to rows of a table. The columns are known before the
//! first record is written.

mod types;

mod refused;

mod numbers;

mod values;

mod heading;

mod delimited;

#[cfg_attr(not(feature = "tables"), path = "no_rows.rs")]
mod rows;

mod looking;

pub use self::looking::{BlockFields, Looking, Seen};
pub(super) use self::{
    delimited::{push_header, push_records},
    heading::Heading,
    looking::Group,
    rows::{begin, rows_of},
};
