//! Suggests a configuration for records: which columns to compare as what, and which blocks to use.
//!
//! [`fields`] looks at a sample of the values of each column. [`blocks`] counts, in all records, the pairs that each block would make.
//! The configuration learns its weights, so that neither weights nor thresholds have to be guessed.

mod column;

mod facts;

mod kinds;

mod fields;

mod blocks;

mod written;

pub use blocks::{SuggestedBlock, blocks};
pub use column::Column;
pub use fields::{LeftOut, SuggestedField, fields};
pub use written::Suggestion;

#[cfg(test)]
mod tests;
