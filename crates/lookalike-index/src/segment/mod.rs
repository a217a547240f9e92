//! Segments: immutable files of documents. FORMAT.md describes them.

mod bits;

mod blocks;

mod postings;

mod payloads;

mod parts;

mod read;

mod source;

mod write;

pub(crate) use bits::{Bits, Ranked};
pub(crate) use blocks::LastRead;
pub(crate) use parts::{Part, Shape};
pub(crate) use payloads::{Buffers, PARTS, Trained, dictionary, distance, sample};
pub(crate) use postings::{FOLLOWS, Posting, Postings, SPAN};
pub(crate) use read::Segment;
pub(crate) use source::{Documents, Source};
pub(crate) use write::{PRIVATE, Unfinished, verdict_bytes, write};
