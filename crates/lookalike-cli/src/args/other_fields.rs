//! The flags for documents that are compared by several fields.

use clap::Args;
use lookalike_engine::{OtherFields, SimilarIn};

/// The fields that are compared in addition to the text.
#[derive(Args)]
pub struct OtherFieldsArgs {
    /// Drop a document only if it is also similar in this field
    ///
    /// Documents are compared by --text-field and by each --and-field, and their similarity is the least of these. A document without a
    /// word in one of the fields is kept. Repeat the flag for more fields. Compare --text-field title,body, which makes one text of both
    /// fields.
    #[arg(
        long,
        value_name = "FIELD",
        conflicts_with = "or_field",
        help_heading = "Comparison"
    )]
    pub and_field: Vec<String>,
    /// Drop a document also if it is similar in this field instead
    ///
    /// Documents are compared by --text-field and by each --or-field, and their similarity is the greatest of these. Repeat the flag for
    /// more fields.
    #[arg(long, value_name = "FIELD", help_heading = "Comparison")]
    pub or_field: Vec<String>,
}

impl OtherFieldsArgs {
    /// Returns the fields, if there are any.
    pub fn fields(&self) -> Option<OtherFields> {
        let (names, similar) = match (&*self.and_field, &*self.or_field) {
            ([], []) => return None,
            ([], names) => (names, SimilarIn::Any),
            (names, _) => (names, SimilarIn::Each),
        };
        Some(OtherFields {
            names: names.to_vec(),
            similar,
            enumerated: None,
        })
    }
}
