//! A batch spread over threads that end with it, so a process may fork between any two calls; and one long computation on a thread of
//! its own. The thread that asked looks after interrupts from the keyboard.

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

/// How often interrupts are looked for.
pub const TICK: Duration = Duration::from_millis(50);

/// As much as the main thread of a program has.
pub const STACK: usize = 8 << 20;

/// The threads that are meant: one a core for 0.
pub fn threads(asked: usize) -> usize {
    if asked > 0 { asked } else { thread::available_parallelism().map_or(1, NonZero::get) }
}

/// What a signal's handler raises, if one came; without the interpreter at hand.
fn interrupted() -> PyResult<()> {
    Python::attach(|py| py.check_signals())
}

/// Fills `out` in pieces of `piece` elements: `fill` is given a thread's state, the number of the piece's first element, and the
/// piece. Threads take pieces as they get done; what is filled does not depend on which thread does it. Called without holding the
/// interpreter.
///
/// # Errors
/// What a signal's handler raises, after the pieces that are being filled.
pub fn fill<T: Send, S>(
    out: &mut [T],
    piece: usize,
    threads: usize,
    state: impl Fn() -> S + Sync,
    fill: impl Fn(&mut S, usize, &mut [T]) + Sync,
) -> PyResult<()> {
    let pieces = out.len().div_ceil(piece.max(1));
    let queue = Mutex::new(out.chunks_mut(piece.max(1)).enumerate());
    // Taken in a statement of its own, so that the lock is not held over the work.
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
        // Nothing is ever sent: it ends when all threads have.
        while all_done.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
            interrupted().inspect_err(|_| ended.store(true, Ordering::Relaxed))?;
        }
        Ok(())
    })
}

/// Computes what takes long on a thread of its own. After an interrupt its answer is not waited for: the thread ends by itself.
///
/// # Errors
/// What a signal's handler raises.
pub fn apart<T: Send + 'static>(py: Python<'_>, work: impl FnOnce() -> T + Send + 'static) -> PyResult<T> {
    let (send, mut answers) = sync_channel(1);
    let working = thread::Builder::new().name("lookalike".into()).stack_size(STACK);
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
                return Err(raise("InternalError", "lookalike's thread ended without an answer; please report it".into()));
            }
        }
    }
}
