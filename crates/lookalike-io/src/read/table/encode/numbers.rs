//! Writes numbers as JSON, in the shortest form that reads back as the same number. Floats of at least 10^10 and floats below
//! 10^-5 are written with an exponent.

use lexical_core::{BUFFER_SIZE, ToLexical};

/// Appends an integer, or a finite float.
pub(super) fn write_number(value: impl ToLexical, out: &mut Vec<u8>) {
    out.extend_from_slice(lexical_core::write(value, &mut [0; BUFFER_SIZE]));
}

/// Appends a float; infinities and NaN become null.
pub(super) fn write_float(value: impl ToLexical + Copy + Into<f64>, out: &mut Vec<u8>) {
    if value.into().is_finite() {
        write_number(value, out);
    } else {
        out.extend_from_slice(b"null");
    }
}
