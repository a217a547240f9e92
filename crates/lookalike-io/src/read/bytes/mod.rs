//! The bytes of inputs: reads, decompresses and decodes them.

mod packing;

mod members;

#[cfg(feature = "codecs")]
mod codecs;

#[cfg(feature = "warc")]
pub(crate) mod dictionary;

mod open;

mod command;

#[cfg(feature = "encodings")]
pub(crate) mod encoding;

pub use self::packing::{PACKED, Packing};
pub(crate) use self::{
    command::{Running, program, widen},
    open::{Counted, Reader, decompress},
    packing::{START, without_packing},
};
