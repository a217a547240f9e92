//! What `eval` judges answers by: documents by their names, a sample's true neighbours, answers that were written.

pub(crate) mod answers;
pub(crate) mod roll;
pub(crate) mod sample;
