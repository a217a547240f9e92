//! Work on blocks in parallel, results in order: what makes one thread and many give the same bytes.
//!
//! There is no reading thread. A worker takes the next block from the source under a lock, decompression included, works on
//! it, and hands its result in; results pass on in block order, the first failure in input order is the one that is told.

use std::{
    collections::BTreeMap,
    sync::{Condvar, Mutex, PoisonError},
};

use rayon::ThreadPool;

use crate::{
    error::{Error, ErrorKind, Result},
    lock::lock,
    read::{Block, Blocks},
};

/// Results that may wait for an earlier one, a worker.
const AHEAD: usize = 4;

/// Runs `work` on every block on all threads of the pool, and `sink` on the results in block order. Each thread has one
/// `S` for all its blocks.
pub(crate) fn in_order<S: Default, T: Send>(
    pool: &ThreadPool,
    blocks: Blocks,
    work: impl Fn(&Block, &mut S) -> Result<T> + Sync,
    sink: impl FnMut(T) -> Result<()> + Send,
) -> Result<()> {
    let source = Mutex::new(Some((blocks, 0)));
    let line = Line { queue: Mutex::new(Queue { next: 0, waiting: BTreeMap::new(), sink, failed: None }), moved: Condvar::new() };
    let ahead = AHEAD * pool.current_num_threads();
    pool.broadcast(|_| {
        let (mut state, mut block) = (S::default(), Block::default());
        loop {
            let guard = Guard(&line);
            let mut open = lock(&source);
            let Some((blocks, number)) = open.as_mut() else { return guard.disarm() };
            let here = *number;
            *number += 1;
            let taken = blocks.next(&mut block);
            if !matches!(taken, Ok(true)) {
                *open = None;
            }
            drop(open);
            let result = match taken {
                Ok(true) => work(&block, &mut state),
                Ok(false) => return guard.disarm(),
                Err(error) => Err(error),
            };
            let go_on = line.deliver(here, result, ahead);
            guard.disarm();
            if !go_on {
                lock(&source).take();
                return;
            }
        }
    });
    match line.queue.into_inner().unwrap_or_else(PoisonError::into_inner).failed {
        Some(error) => Err(error),
        None => Ok(()),
    }
}

/// Ends the run when a worker panics: its result would be waited for for ever. The panic itself is passed on by the pool.
struct Guard<'a, T, F>(&'a Line<T, F>);

impl<T, F> Guard<'_, T, F> {
    fn disarm(self) {
        std::mem::forget(self);
    }
}

impl<T, F> Drop for Guard<'_, T, F> {
    fn drop(&mut self) {
        lock(&self.0.queue).failed.get_or_insert_with(|| Error::new(ErrorKind::Input, "a worker failed"));
        self.0.moved.notify_all();
    }
}

struct Line<T, F> {
    queue: Mutex<Queue<T, F>>,
    moved: Condvar,
}

struct Queue<T, F> {
    next: usize,
    waiting: BTreeMap<usize, Result<T>>,
    sink: F,
    failed: Option<Error>,
}

impl<T, F: FnMut(T) -> Result<()>> Line<T, F> {
    /// Hands in a result, and passes on all that are due. False when the run has failed.
    fn deliver(&self, number: usize, result: Result<T>, ahead: usize) -> bool {
        let mut queue = lock(&self.queue);
        // The worker with the next number never waits, so the others do not wait for ever.
        while number > queue.next + ahead && queue.failed.is_none() {
            queue = self.moved.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
        queue.waiting.insert(number, result);
        let Queue { next, waiting, sink, failed } = &mut *queue;
        while failed.is_none()
            && let Some(result) = waiting.remove(next)
        {
            *next += 1;
            *failed = result.and_then(&mut *sink).err();
        }
        self.moved.notify_all();
        failed.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::{Input, Source};

    #[test]
    #[should_panic]
    fn a_panicking_worker_ends_the_run() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        std::io::Write::write_all(&mut file, &b"0123456789\n".repeat(4_000_000)).unwrap();
        let source = Source::new(vec![Input::File(file.path().into())], &std::env::temp_dir()).unwrap();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        let work = |block: &Block, _: &mut ()| if block.number == 3 { panic!("as it may") } else { Ok(()) };
        drop(in_order(&pool, Blocks::new(&source), work, |()| Ok(())));
    }
}
