//! Inputs → lines → records.

mod array;
mod block;
mod blocks;
mod cells;
#[cfg(feature = "codecs")]
mod codecs;
mod command;
#[cfg(feature = "warc")]
mod crawl;
mod cut;
mod delimited;
#[cfg(feature = "encodings")]
mod encoding;
mod files;
mod foreign;
mod format;
mod grammar;
#[cfg(feature = "html")]
pub mod html;
mod input;
mod inside;
mod keys;
mod known;
mod lazy;
mod members;
mod names;
mod open;
mod packing;
mod page;
mod parse;
mod paths;
mod reading;
mod record;
mod records;
mod sets;
mod source;
mod space;
mod splits;
#[cfg(feature = "tables")]
pub(crate) mod table;
#[cfg_attr(not(feature = "tables"), path = "no_tables.rs")]
mod tables;
mod utf16;
#[cfg(feature = "warc")]
mod warc;

#[cfg(test)]
pub(crate) use block::is_blank;
pub(crate) use block::{Block, LineCounter, Naming, Room, Tag};
pub(crate) use blocks::{Blocks, Start, each_block};
pub(crate) use cells::Columns;
#[cfg(feature = "encodings")]
pub(crate) use encoding::{encode, named as encoding_named};
pub use files::read_document;
#[cfg(feature = "html")]
pub use html::Extractor;
pub use input::LeftOut;
pub(crate) use input::{Expanded, Input, expand, expand_decisions, expand_with_references};
pub(crate) use known::{BlockInfo, BlockInfos, Skipped};
pub(crate) use names::field_of;
pub use packing::PACKED;
pub(crate) use packing::Packing;
pub(crate) use paths::Paths;
pub(crate) use reading::Reading;
#[cfg(not(feature = "encodings"))]
pub(crate) use reading::{encode, encoding_named};
pub(crate) use record::{Fields, Shape};
pub(crate) use source::Source;
#[cfg(feature = "tables")]
pub(crate) use table::{Layout, RecordBatch};
#[cfg(not(feature = "tables"))]
pub(crate) use tables::{RecordBatch, Rows};
pub(crate) use utf16::Utf16;
