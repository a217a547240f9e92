//! Objects in stores, by their URLs: `s3://`, `gs://`, `az://`, and `http(s)://` for reading. This module gives the rest of this
//! crate a list of objects, streams of bytes, ranges, and a writer. All waiting for the network happens here, on a runtime that
//! starts with the first URL. Without the cargo feature `cloud`, all these operations return errors.

mod shown;

mod hub;

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

pub use self::{
    hub::refuse_hub,
    shown::{shown as shown_name, shown_path},
};

/// The number of bytes in one request. An object that is being read always has one part in flight, in addition to [`AHEAD`].
pub const PART: u64 = 4 << 20;
/// The number of bytes that all threads together may have fetched ahead of reading, for all objects.
pub const AHEAD: u64 = 32 << 20;

/// The number of bytes of a part that is uploaded.
pub const UPLOAD_PART: u64 = 8 << 20;
/// The number of parts of an object that are sent in parallel, in addition to the one that is being filled.
pub const UPLOADS: u64 = 3;

/// Returns whether a name is a URL: it has a scheme, whether or not the scheme is supported.
pub fn is_url(name: &str) -> bool {
    let scheme = name.split_once("://").map_or("", |(scheme, _)| scheme);
    let letters = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    !scheme.is_empty() && scheme.bytes().all(letters)
}

/// Rejects a URL for an option that requires a local file or folder. `option` is the name of the option, and `what` describes
/// what that option requires.
///
/// # Errors
/// Fails for a URL.
pub fn refuse_url(option: impl Into<Words>, what: &str, path: &Path) -> Result<()> {
    if !path.to_str().is_some_and(is_url) {
        return Ok(());
    }
    let is_remote = words![
        option,
        format!(" {}: must be a local {what}, not a URL", shown_path(path))
    ];
    Err(Error::new(ErrorKind::Config, is_remote).advise("give a path on this machine"))
}
