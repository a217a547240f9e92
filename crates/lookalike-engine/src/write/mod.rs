//! Outputs: whole under their name, or not there.

mod decisions;
mod output;

pub(crate) use decisions::{DecisionLines, Likeness};
pub(crate) use output::{Output, refuse_overwriting};
