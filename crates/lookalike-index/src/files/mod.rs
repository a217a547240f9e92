//! The files of an index, apart from its segments. FORMAT.md describes them.

mod codec;

mod whole;

pub(crate) mod manifest;

pub(crate) mod log;

pub(crate) mod changed;

pub(crate) mod feed;

pub(crate) use codec::{Decoder, Encoder};
pub use manifest::Settings;
pub(crate) use whole::{UNLIKE, damaged, sync_folder};
