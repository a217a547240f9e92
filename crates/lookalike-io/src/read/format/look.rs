//! Detects the format of an input by examining it.

use std::{io::Read, path::Path};

use super::{LOOK, foreign};
use crate::{
    disk::File,
    error::{Error, Result},
    format::Format,
    read::bytes::{START, decompress},
};

/// Returns the format of a file, by its name and its first bytes.
pub(crate) fn look(path: &Path, name: &str) -> Result<Format> {
    let reading = |error| Error::reading(name, &error);
    let (mut packed, mut start) = (Vec::new(), Vec::new());
    let open = || File::open(path).map_err(reading);
    open()?
        .take(START.max(8) as u64)
        .read_to_end(&mut packed)
        .map_err(reading)?;
    if let Some(format) = Format::of_table(&packed) {
        return Ok(format);
    }
    // Some codecs return nothing before they have read a whole block, which can be several megabytes long. Damaged or truncated
    // data is reported later, when the file is read.
    let cut = decompress(open()?, name)?
        .take(LOOK as u64)
        .read_to_end(&mut start);
    if let Err(error) = cut
        && error.raw_os_error().is_some()
    {
        return Err(reading(error));
    }
    known(name, &start)
}

/// Returns the format of a file with this name and these first bytes.
///
/// # Errors
/// Fails if no reader can read the file.
pub(crate) fn known(name: &str, start: &[u8]) -> Result<Format> {
    let format = Format::of(name, start);
    let of_records = matches!(
        format,
        Format::Lines | Format::Array | Format::Delimited | Format::Warc
    );
    match foreign::reported(start, name).filter(|_| of_records) {
        Some(reported) => Err(reported.at(name)),
        None => Ok(format),
    }
}
