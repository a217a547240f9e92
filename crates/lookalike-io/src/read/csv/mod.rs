//! CSV and TSV (RFC 4180): the ends of records, their fields, and the header.
//!
//! A quote opens a quoted field only at the beginning of the field; elsewhere it is an ordinary character. Text after a closing
//! quote belongs to the field. The `csv` crate, against which the tests compare, has the same rules. Records end with `\n`,
//! `\r\n` or `\r`; empty lines are not records ([`is_blank`]).

mod utf16;

mod delimiter;

mod ends;

mod cells;

mod header;

mod columns;

pub use self::{columns::Columns, utf16::Utf16};
pub(crate) use self::{
    columns::Scratch,
    delimiter::{begins_blank, detect, is_blank, separator},
    ends::RecordEnds,
};

#[cfg(test)]
mod tests;
