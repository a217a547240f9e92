//! A batch spread over threads that end with it. No thread outlives a call, so a process may fork between any two.

use std::{
    num::NonZero,
    sync::{Mutex, PoisonError},
    thread,
};

/// The threads that are meant: one a core for 0.
pub fn threads(asked: usize) -> usize {
    if asked > 0 { asked } else { thread::available_parallelism().map_or(1, NonZero::get) }
}

/// Fills `out` in pieces of `piece` elements: `fill` is given a thread's state, the number of the piece's first element, and the
/// piece. Threads take pieces as they get done; what is filled does not depend on who does it.
pub fn fill<T: Send, S>(
    out: &mut [T],
    piece: usize,
    threads: usize,
    state: impl Fn() -> S + Sync,
    fill: impl Fn(&mut S, usize, &mut [T]) + Sync,
) {
    let pieces = out.len().div_ceil(piece.max(1));
    let queue = Mutex::new(out.chunks_mut(piece.max(1)).enumerate());
    let work = || {
        let mut state = state();
        // Taken in a statement of its own, so that the lock is not held over the work.
        while let Some((number, elements)) = { queue.lock().unwrap_or_else(PoisonError::into_inner).next() } {
            fill(&mut state, number * piece, elements);
        }
    };
    match threads.min(pieces) {
        0 | 1 => work(),
        threads => thread::scope(|scope| {
            for _ in 1..threads {
                scope.spawn(work);
            }
            work();
        }),
    }
}
