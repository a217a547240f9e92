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
pub mod table;
#[cfg_attr(not(feature = "tables"), path = "no_tables.rs")]
mod tables;
mod utf16;
#[cfg(feature = "warc")]
mod warc;

pub use block::{Block, LineCounter, Naming, Room, Tag, is_blank};
pub use blocks::{Blocks, Start, each_block};
pub use cells::Columns;
#[cfg(feature = "encodings")]
pub use encoding::{encode, named as encoding_named};
pub use files::read_document;
#[cfg(feature = "html")]
pub use html::Extractor;
pub use input::LeftOut;
pub use input::{Expanded, Input, Inputs, expand, expand_decisions, expand_with_references};
pub use known::{BlockInfo, BlockInfos, Skipped};
pub use names::field_of;
pub use packing::PACKED;
pub use packing::Packing;
pub use paths::Paths;
pub use reading::Reading;
#[cfg(not(feature = "encodings"))]
pub use reading::{encode, encoding_named};
pub use record::{Fields, Shape};
pub use source::Source;
#[cfg(feature = "tables")]
pub use table::{Layout, RecordBatch};
#[cfg(not(feature = "tables"))]
pub use tables::{RecordBatch, Rows};
pub use utf16::Utf16;
