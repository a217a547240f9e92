//! Reads inputs as blocks of records.
//!
//! A block has the records that begin in one range of the input, or a batch of rows of a table. The
//! reader of each format fills a `Buffer`, which holds bytes and the positions of the records in
//! them. The type [`Block`] uses all formats, and no other type knows them all.

mod bytes;

mod buffer;

mod left_out;

mod lines;

mod json;

mod format;

mod reading;

mod csv;

mod documents;

#[cfg(feature = "warc")]
mod crawl;

#[cfg_attr(not(feature = "tables"), path = "no_table.rs")]
pub mod table;

mod records;

mod block;

mod stream;

mod input;

mod source;

mod blocks;

mod known;

mod sketched;

#[cfg(feature = "encodings")]
pub use self::bytes::encoding::{encode, is_encodable, named as encoding_named};
#[cfg(feature = "html")]
pub use self::documents::Extractor;
pub(crate) use self::json::{fields_of, string_of, text_place};
#[cfg(not(feature = "encodings"))]
pub use self::reading::{encode, encoding_named, is_encodable};
#[cfg(feature = "tables")]
pub use self::table::{Layout, RecordBatch};
#[cfg(not(feature = "tables"))]
pub use self::table::{RecordBatch, Rows};
pub use self::{
    block::{Block, Naming, Scratch},
    blocks::{Blocks, Start, each_block},
    buffer::{LineCounter, Position, Tag, is_blank},
    bytes::{PACKED, Packing},
    csv::{Columns, Utf16},
    documents::read_document,
    input::{
        Expanded, Input, Inputs, StoredRecords, expand, expand_collections, expand_decisions,
        expand_with_references, later_input,
    },
    json::{Fields, Paths, Record, RecordFields, Shape, field_of, is_joined},
    known::{BlockInfo, BlockInfos, Skipped},
    left_out::{BAD_EXAMPLES, LeftOut, Unread},
    reading::Reading,
    sketched::{SKETCHES, header_of_line, sketch_header},
    source::Source,
};
pub(crate) use self::{bytes::without_packing, documents::Files, input::Named};
