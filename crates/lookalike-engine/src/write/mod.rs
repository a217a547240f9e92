//! Outputs: whole under their name, or not there.

mod decisions;
mod output;
mod overwriting;
mod sink;

pub(crate) use decisions::{DecisionLines, Likeness};
pub(crate) use output::{Output, finish};
pub(crate) use overwriting::refuse_overwriting;
