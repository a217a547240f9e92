//! What happens when the reader of standard output, or of another pipe, closes it.

use std::{
    io,
    sync::atomic::{AtomicU8, Ordering::Relaxed},
};

/// 0 if runs end, 1 if they go on, and 2 if one went on.
static RUNS: AtomicU8 = AtomicU8::new(0);

/// Sets whether the runs of this process go on when a reader closes its pipe, so that their other outputs are complete. By default,
/// such a run ends with an error of the kind [`BrokenPipe`](crate::error::ErrorKind::BrokenPipe).
pub fn go_on_without_readers(goes_on: bool) {
    RUNS.store(goes_on.into(), Relaxed);
}

/// Returns the result of writing to a file or a pipe. If the reader closed the pipe and the run goes on, it is as if `all` was
/// written, and the first time it is logged.
///
/// # Errors
/// Fails if the bytes cannot be written.
pub fn unless_closed<T>(written: io::Result<T>, all: T) -> io::Result<T> {
    let is_closed = |error: &io::Error| error.kind() == io::ErrorKind::BrokenPipe;
    if RUNS.load(Relaxed) == 0 || !written.as_ref().is_err_and(is_closed) {
        return written;
    }
    if RUNS.swap(2, Relaxed) == 1 {
        log::error!("the reader of an output closed it; the other outputs are still written");
    }
    Ok(all)
}
