//! Segments: immutable files of documents. FORMAT.md describes them.

mod bits;

mod blocks;

mod postings;

mod payloads;

mod parts;

mod write;

mod read;

pub(crate) use bits::{Bits, Ranked};
pub(crate) use parts::{Part, Shape, Source};
pub(crate) use payloads::Buffers;
pub(crate) use postings::{FOLLOWS, Posting};
pub(crate) use read::Segment;
pub(crate) use write::{PRIVATE, verdict_bytes, write};
