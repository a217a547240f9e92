//! Objects in stores, by their URLs: `s3://`, `gs://`, `az://`, and `http(s)://` for reading. The rest of this crate sees a list of
//! objects, bytes to be read on, ranges, and a writer. Whatever waits for a network waits here, on a runtime that starts with the
//! first URL; without the cargo feature `cloud` there is an error in its place.

mod shown;

#[cfg(feature = "cloud")]
mod cloud;

#[cfg(not(feature = "cloud"))]
mod absent;

use std::path::Path;

use crate::{
    error::{Error, ErrorKind, Result, Words},
    words,
};

#[cfg(not(feature = "cloud"))]
pub use absent::{Object, ObjectStream, Upload, Uploaded, expand};
#[cfg(all(test, feature = "cloud"))]
pub use cloud::tests;
#[cfg(feature = "cloud")]
pub use cloud::{Object, ObjectStream, Upload, Uploaded, expand};

pub use self::shown::{shown as shown_name, shown_path};

/// Bytes asked for at once, and of those asked for ahead of what was read, in all objects together. An object that is read has one
/// part of its own besides.
pub const PART: u64 = 4 << 20;
/// Bytes of objects that all threads together may have fetched ahead of their turn.
pub const AHEAD: u64 = 32 << 20;

/// Bytes of a part that is uploaded, and parts that are on their way besides the one that is filled.
pub const UPLOAD_PART: u64 = 8 << 20;
/// Parts of an object that are sent at the same time.
pub const UPLOADS: u64 = 3;

/// Whether a name is a URL: a scheme that is one of ours, or that could be one.
pub fn is_url(name: &str) -> bool {
    let scheme = name.split_once("://").map_or("", |(scheme, _)| scheme);
    let letters = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    !scheme.is_empty() && scheme.bytes().all(letters)
}

/// Refuses a URL where only a local file or folder will do. `option` is what it was given to, and `what` what that takes.
///
/// # Errors
/// A URL.
pub fn refuse_url(option: impl Into<Words>, what: &str, path: &Path) -> Result<()> {
    if !path.to_str().is_some_and(is_url) {
        return Ok(());
    }
    let is_remote = words![option, format!(" {}: must be a local {what}, not a URL", shown_path(path))];
    Err(Error::new(ErrorKind::Config, is_remote).advise("give the name of one on this machine"))
}
