//! Inputs → lines → records.

pub mod array;
mod block;
mod blocks;
mod cells;
#[cfg(feature = "codecs")]
mod codecs;
mod command;
mod cut;
pub mod delimited;
#[cfg(feature = "encodings")]
pub mod encoding;
mod format;
mod grammar;
#[cfg(feature = "html")]
pub mod html;
mod input;
mod keys;
mod lazy;
mod members;
mod open;
mod packing;
mod parse;
mod reading;
mod record;
mod records;
mod source;
#[cfg(feature = "warc")]
pub mod warc;

pub(crate) use block::{Block, BlockInfo, LineCounter, Room, Tag, is_blank};
pub(crate) use blocks::{Blocks, Start, each_block};
pub(crate) use cells::Columns;
#[cfg(feature = "encodings")]
pub(crate) use encoding::named as encoding_named;
pub(crate) use input::{Input, expand};
pub use packing::PACKED;
pub(crate) use packing::Packing;
pub(crate) use reading::Reading;
#[cfg(not(feature = "encodings"))]
pub(crate) use reading::encoding_named;
pub(crate) use record::Fields;
pub(crate) use source::Source;
