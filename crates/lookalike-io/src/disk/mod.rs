//! All file system operations of the engine: opening, reading, writing, syncing, naming. They form one thin layer so that a test
//! can make any single operation fail (the cargo feature `faults`) and check how the run reacts.
//!
//! This layer retries an operation that a signal interrupts. All other errors of the system are returned unchanged. Without the
//! cargo feature `faults`, the layer only calls the standard library and costs nothing.

#[cfg(feature = "faults")]
pub mod faults;

mod file;

mod names;

mod cache;

mod window;

mod stream;

use std::io;

use rustix::io::Errno;

pub use file::{File, USUAL, allow_open_files, copy};
pub(crate) use names::remove_all;
pub use names::{
    exchange, folder_of, free_space, hard_link, make_folder, make_private, make_private_folder,
    remove, remove_folder, rename, sync_folder, text_of,
};
pub use stream::Stream;
pub use window::{WINDOW, Window};

/// The kinds of file system operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// Opening an existing file.
    Open,
    /// Creating a file, with or without a name.
    Create,
    /// Reading some bytes.
    Read,
    /// Writing some bytes.
    Write,
    /// Syncing a file to the disk.
    Sync,
    /// Renaming a file, or exchanging the names of two files.
    Rename,
    /// Giving an unnamed file a name.
    Link,
    /// Removing a file or an empty folder.
    Remove,
}

/// Returns how many of the `length` bytes an operation may read or write: all of them, unless a test has planned a fault for the
/// operation.
#[cfg(not(feature = "faults"))]
#[inline(always)]
fn allowed(_: Operation, length: usize) -> io::Result<usize> {
    Ok(length)
}

#[cfg(feature = "faults")]
use faults::allowed;

/// Returns whether a file system reports that it does not support an operation.
pub(crate) fn has_no_such(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported
    ) || [Errno::OPNOTSUPP, Errno::NOSYS]
        .iter()
        .any(|errno| error.raw_os_error() == Some(errno.raw_os_error()))
}

/// Runs an operation that reads or writes bytes, and retries if a signal interrupts it.
fn moving(
    operation: Operation,
    length: usize,
    mut work: impl FnMut(usize) -> io::Result<usize>,
) -> io::Result<usize> {
    loop {
        match allowed(operation, length).and_then(&mut work) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}

/// Runs an operation, and retries if a signal interrupts it.
fn doing<T>(operation: Operation, mut work: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match allowed(operation, 0).and_then(|_| work()) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}
