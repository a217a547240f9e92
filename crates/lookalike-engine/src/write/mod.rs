//! Outputs: whole under their name, or not there.

#[cfg(feature = "codecs")]
mod codecs;
mod decisions;
mod encode;
mod gzip;
mod kept;
mod labels;
mod output;
mod overwriting;
mod publish;
mod sink;
#[cfg(feature = "tables")]
pub mod table;

pub(crate) use decisions::{DecisionLines, Likeness};
pub(crate) use kept::{Kept, Shape};
pub(crate) use labels::{Label, LabelNames, Labelling, refused};
pub(crate) use output::{Output, finish};
pub(crate) use overwriting::refuse_overwriting;
