//! The documents that inputs are compared with.

use crate::options;

options! {
/// The reference documents, and how the inputs are compared with them.
pub struct References {
    /// Also drop documents that duplicate those of REF
    ///
    /// References can be test sets, an earlier collection, or the folder of an index (see `lookalike index`). Each other REF is named and
    /// read like an input. References are not written
    /// and have no decisions. The ids of references may repeat and may equal the ids of inputs. All names after --against, up to
    /// the next flag, are references, so put INPUT before --against.
    #[arg(long, value_name = "REF", num_args = 1.., help_heading = "References")]
    pub against: Vec<String>,
    /// Compare inputs with references only, not with each other
    #[arg(long, help_heading = "References")]
    pub against_only: bool,
    /// With --measure containment: drop documents that contain a reference
    ///
    /// For example, a training text is dropped if it contains a test item. Without this flag, a document is dropped if a
    /// reference contains it.
    #[arg(long, help_heading = "References")]
    pub drop_holders: bool,
}
}
