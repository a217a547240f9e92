//! Numbers as JSON: the shortest that are read back as the same. Those with a point have an exponent from 10^10 on, and below 10^-5.

use lexical_core::{BUFFER_SIZE, ToLexical};

/// Appends a whole number, or a finite one with a point.
pub(super) fn write_number(value: impl ToLexical, out: &mut Vec<u8>) {
    out.extend_from_slice(lexical_core::write(value, &mut [0; BUFFER_SIZE]));
}

/// Appends a number with a point; infinities and NaN become null.
pub(super) fn write_float(value: impl ToLexical + Copy + Into<f64>, out: &mut Vec<u8>) {
    if value.into().is_finite() {
        write_number(value, out);
    } else {
        out.extend_from_slice(b"null");
    }
}
