//! All that the engine asks of the file system: opening, reading, writing, syncing, naming. One thin layer, so that a test can
//! let any single operation fail (the cargo feature `faults`) and see what becomes of the run.
//!
//! Operations that a signal interrupts are done again here; errors are the system's own. Without the feature the layer is what
//! the standard library does, and costs nothing.

#[cfg(feature = "faults")]
pub mod faults;

mod file;

mod names;

mod cache;

mod window;

mod stream;

use std::io;

use rustix::io::Errno;

pub use file::{File, USUAL};
pub use names::{exchange, folder_of, make_private, make_private_folder, remove, remove_folder, rename, sync_folder};
pub use stream::Stream;
pub use window::{WINDOW, Window};

/// What can be asked of a file system, by kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// Opening what is there.
    Open,
    /// Making a file, with a name or without.
    Create,
    /// Reading some bytes.
    Read,
    /// Writing some bytes.
    Write,
    /// Bringing a file to the disk.
    Sync,
    /// Giving a file another name, or two files each other's.
    Rename,
    /// Giving a file a first name.
    Link,
    /// Taking a name away.
    Remove,
}

/// How many bytes of `length` an operation may move: all, unless a test has planned a fault for it.
#[cfg(not(feature = "faults"))]
#[inline(always)]
fn allowed(_: Operation, length: usize) -> io::Result<usize> {
    Ok(length)
}

#[cfg(feature = "faults")]
use faults::allowed;

/// Whether a file system says that it has no such operation.
pub(crate) fn has_no_such(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported)
        || [Errno::OPNOTSUPP, Errno::NOSYS].iter().any(|errno| error.raw_os_error() == Some(errno.raw_os_error()))
}

/// Moves bytes, again when a signal interrupts it.
fn moving(operation: Operation, length: usize, mut work: impl FnMut(usize) -> io::Result<usize>) -> io::Result<usize> {
    loop {
        match allowed(operation, length).and_then(&mut work) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}

/// Does something, again when a signal interrupts it.
fn doing<T>(operation: Operation, mut work: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match allowed(operation, 0).and_then(|_| work()) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}
