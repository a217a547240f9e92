//! What the page cache is told.

use std::io;

use super::File;

/// Writes past the page cache, or through it again.
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

/// Says that a stretch will not be read soon: what of it is on the disk leaves the cache, the rest starts on its way there.
#[cfg(target_os = "linux")]
pub(super) fn leave(file: &File, offset: u64, length: u64) {
    use rustix::fs::{Advice, fadvise};
    // A hint: where it cannot be taken, the cache does as it likes.
    _ = fadvise(file, offset, std::num::NonZeroU64::new(length), Advice::DontNeed);
}

#[cfg(not(target_os = "linux"))]
pub(super) fn leave(_: &File, _: u64, _: u64) {}
