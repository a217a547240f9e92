//! Reads from and writes to object stores over HTTP (the cargo feature `cloud`).

mod location;

mod errors;

mod runtime;

mod profile;

mod bucket;

mod object;

mod piece;

mod fetching;

mod ranges;

mod stream;

mod listing;

mod upload;

#[cfg(test)]
pub mod tests;

pub use self::{
    listing::expand,
    object::Object,
    stream::ObjectStream,
    upload::{Upload, Uploaded},
};

/// The number of fetched bytes that are passed to the reader at a time.
const PIECE: usize = 256 << 10;
