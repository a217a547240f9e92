//! CSV and TSV (RFC 4180): where records end, which fields they have, what the header says.
//!
//! A quote opens a quoted field only where the field begins; a quote elsewhere is a character, and what stands behind a closing
//! quote belongs to the field, as the `csv` crate has it, which judges here. Records end with `\n`, `\r\n` or `\r`; those of
//! nothing else are no records ([`is_blank`]).

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
