//! Inputs → lines → records.

pub mod array;
mod block;
mod blocks;
mod command;
mod cut;
pub mod delimited;
#[cfg(feature = "encodings")]
pub mod encoding;
mod grammar;
#[cfg(feature = "html")]
pub mod html;
mod input;
mod keys;
mod lazy;
mod open;
mod parse;
mod record;
mod source;
#[cfg(feature = "warc")]
pub mod warc;

pub(crate) use block::{Block, BlockInfo, LineCounter, Tag, is_blank, push_line};
pub(crate) use blocks::{Blocks, Start, each_line};
pub(crate) use input::{Input, expand};
pub(crate) use record::{Fields, Record};
pub(crate) use source::Source;
