//! Inputs → lines → records.

mod block;
mod grammar;
mod input;
mod keys;
mod lazy;
mod open;
mod parse;
mod record;
mod source;

pub(crate) use block::{Block, BlockInfo, Blocks, is_blank, push_line};
pub(crate) use input::{Input, expand};
pub(crate) use record::{Fields, Record};
pub(crate) use source::Source;
