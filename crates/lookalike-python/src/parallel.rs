//! Distributes a batch over threads that end when the batch is done, so a process may fork between any two calls. This module
//! also runs one long computation on a separate thread. In both cases the calling thread checks for keyboard interrupts.

use std::{
    num::NonZero,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc::{RecvTimeoutError, channel, sync_channel},
    },
    thread,
    time::{Duration, Instant},
};

use pyo3::prelude::*;

use crate::error::raise;

/// Time between two checks for interrupts.
pub const TICK: Duration = Duration::from_millis(50);

/// Stack size of a thread: as much as the main thread of a program has.
pub const STACK: usize = 8 << 20;

/// Returns the number of threads to use; 0 means one per core.
pub fn threads(asked: usize) -> usize {
    if asked > 0 {
        asked
    } else {
        thread::available_parallelism().map_or(1, NonZero::get)
    }
}

/// Runs the handlers of signals that have arrived. If a handler raises an exception, this function fails with that exception. The
/// caller need not hold the interpreter.
fn interrupted() -> PyResult<()> {
    Python::attach(|py| py.check_signals())
}

/// Fills `out` in pieces of `piece` elements. `fill` receives a thread's state, the index of the piece's first element, and the
/// piece. Each thread takes the next piece when it has filled one; the result does not depend on which thread fills a piece. The
/// caller must not hold the interpreter.
///
/// # Errors
/// Fails with any exception that a signal handler raises, after the pieces in progress are filled.
pub fn fill<T: Send, S>(
    out: &mut [T],
    piece: usize,
    threads: usize,
    state: impl Fn() -> S + Sync,
    fill: impl Fn(&mut S, usize, &mut [T]) + Sync,
) -> PyResult<()> {
    let pieces = out.len().div_ceil(piece.max(1));
    let queue = Mutex::new(out.chunks_mut(piece.max(1)).enumerate());
    // A separate statement takes the piece, so that the lock is not held during the work.
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
    if threads.min(pieces) < 2 {
        let (mut state, mut looked) = (state(), Instant::now());
        while let Some((number, elements)) = next() {
            fill(&mut state, number * piece, elements);
            if looked.elapsed() > TICK {
                interrupted()?;
                looked = Instant::now();
            }
        }
        return Ok(());
    }
    let ended = AtomicBool::new(false);
    thread::scope(|scope| {
        let (done, all_done) = channel::<()>();
        for _ in 0..threads.min(pieces) {
            let done = done.clone();
            let (next, state, fill, ended) = (&next, &state, &fill, &ended);
            scope.spawn(move || {
                let _done = done;
                let mut state = state();
                while let Some((number, elements)) = next() {
                    if ended.load(Ordering::Relaxed) {
                        return;
                    }
                    fill(&mut state, number * piece, elements);
                }
            });
        }
        drop(done);
        // Nothing is ever sent: the channel closes when all threads have ended.
        while all_done.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
            interrupted().inspect_err(|_| ended.store(true, Ordering::Relaxed))?;
        }
        Ok(())
    })
}

/// Runs a long computation on a separate thread. After an interrupt, the calling thread does not wait for the answer; the
/// computing thread ends on its own.
///
/// # Errors
/// Fails with any exception that a signal handler raises.
pub fn apart<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let (send, mut answers) = sync_channel(1);
    let working = thread::Builder::new()
        .name("lookalike".into())
        .stack_size(STACK);
    working.spawn(move || drop(send.send(work())))?;
    loop {
        let answer;
        (answers, answer) = py.detach(move || {
            let answer = answers.recv_timeout(TICK);
            (answers, answer)
        });
        match answer {
            Ok(answer) => return Ok(answer),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(raise(
                    "InternalError",
                    "lookalike's thread ended without an answer; please report it".into(),
                ));
            }
        }
    }
}
