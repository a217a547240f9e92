//! Instructions to the page cache.

use std::io;

use super::File;

/// Sets whether writes to a file bypass the page cache.
#[cfg(target_os = "linux")]
pub(super) fn set_direct(file: &File, direct: bool) -> io::Result<()> {
    use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
    let mut flags = fcntl_getfl(file)?;
    flags.set(OFlags::DIRECT, direct);
    Ok(fcntl_setfl(file, flags)?)
}

#[cfg(not(target_os = "linux"))]
pub(super) fn set_direct(_: &File, _: bool) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Tells the page cache that a range of a file will not be read soon. The cache drops the pages that are already on the disk, and
/// starts writing the other pages to the disk.
#[cfg(target_os = "linux")]
pub(super) fn leave(file: &File, offset: u64, length: u64) {
    use rustix::fs::{Advice, fadvise};
    // The call is only a hint, which the cache may ignore.
    _ = fadvise(
        file,
        offset,
        std::num::NonZeroU64::new(length),
        Advice::DontNeed,
    );
}

#[cfg(not(target_os = "linux"))]
pub(super) fn leave(_: &File, _: u64, _: u64) {}
