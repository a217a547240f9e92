//! The documents that inputs are compared with.

use crate::options;

options! {
/// The reference documents.
pub struct References {
    /// Also compare with the documents of REF, which come first
    ///
    /// References can be test sets, an earlier collection, or the folder of an index (see `lookalike index`). Each other REF is named
    /// and read like an input. dedup drops what duplicates a reference, pairs lists only pairs of a reference and an input, and cut
    /// also cuts passages of references. References are not written, and have no decisions. Their ids may repeat, and may equal those
    /// of inputs. All names after --against, up to the next flag, are references, so put INPUT before --against.
    #[arg(long, value_name = "REF", num_args = 1.., help_heading = "References")]
    pub against: Vec<String>,
    /// Field or column of references with the text [default: that of the inputs]
    ///
    /// For example, the texts of a benchmark can be in a field such as question or prompt.
    #[arg(long, value_name = "FIELD", help_heading = "References")]
    pub against_text_field: Option<String>,
}
}
