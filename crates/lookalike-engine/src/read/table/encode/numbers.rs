//! Numbers as JSON: the shortest that are read back as the same. Those with a point have an exponent from 10^10 on, and below 10^-5.

use lexical_core::{BUFFER_SIZE, ToLexical};

/// Appends a whole number.
pub(super) fn write_integer(value: impl ToLexical, out: &mut Vec<u8>) {
    out.extend_from_slice(lexical_core::write(value, &mut [0; BUFFER_SIZE]));
}

/// Appends a number with a point. What is infinite or no number is null.
pub(super) fn write_float(value: impl ToLexical + Copy + Into<f64>, out: &mut Vec<u8>) {
    if value.into().is_finite() {
        out.extend_from_slice(lexical_core::write(value, &mut [0; BUFFER_SIZE]));
    } else {
        out.extend_from_slice(b"null");
    }
}
