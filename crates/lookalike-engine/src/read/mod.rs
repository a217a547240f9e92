//! Inputs → lines → records.

mod block;
mod blocks;
#[cfg(feature = "codecs")]
mod codecs;
mod command;
mod cut;
mod grammar;
mod input;
mod keys;
mod lazy;
mod members;
mod open;
mod packing;
mod parse;
mod record;
mod source;

pub(crate) use block::{Block, BlockInfo, LineCounter, Room, Tag, is_blank};
pub(crate) use blocks::{Blocks, Start, each_block};
pub(crate) use input::{Input, expand};
pub use packing::PACKED;
pub(crate) use packing::Packing;
pub(crate) use record::Fields;
pub(crate) use source::Source;
