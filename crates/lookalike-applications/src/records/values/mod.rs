//! Values of fields: their normal forms, their parts, and the similarity of two values.

mod digits;

mod strings;

mod codes;

mod parts;

mod dates;

mod quantities;

mod kinds;

mod tfidf;

pub(super) use codes::code;
pub use kinds::Scratch;
pub(super) use kinds::{normalise, similarity};
pub(super) use tfidf::TfIdf;
