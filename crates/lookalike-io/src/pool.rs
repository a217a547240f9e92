//! Work on the threads of a pool. rayon compiles most of its scheduling again for each closure, some 2,000 lines of LLVM. These
//! functions compile it once. Their results and errors do not depend on the number of threads.

use std::sync::{
    Mutex,
    atomic::{AtomicUsize, Ordering},
};

use rayon::{ThreadPool, prelude::*};

use crate::lock::lock;

/// The number of pieces for each thread. With more pieces, threads finish closer together, but each piece creates its own state.
const PIECES: usize = 8;

/// Runs `work` on a thread of the pool, and returns its result, as [`ThreadPool::install`] does.
pub fn install<R: Send>(pool: &ThreadPool, work: impl FnOnce() -> R + Send) -> R {
    through(&mut |work| pool.install(work), work)
}

/// Passes `work` to `run`, which calls it once, and returns its result.
pub fn through<R: Send>(run: &mut dyn FnMut(Work), work: impl FnOnce() -> R + Send) -> R {
    let (mut work, mut result) = (Some(work), None);
    run(&mut || result = work.take().map(|work| work()));
    #[expect(
        clippy::unreachable,
        reason = "`run` calls the closure before it returns"
    )]
    result.unwrap_or_else(|| unreachable!("no result"))
}

/// Items whose number is known.
pub trait Items<T>: IntoIterator<Item = T, IntoIter: ExactSizeIterator> {}

impl<T, I: IntoIterator<Item = T, IntoIter: ExactSizeIterator>> Items<T> for I {}

/// A closure that stores its own result.
pub type Work<'a> = &'a mut (dyn FnMut() + Send);

/// Returns the result of `one` for each item, in order. The threads of the current pool do the work. Memory: the items and the results.
pub fn par_map<T: Send, R: Send>(items: impl Items<T>, one: impl Fn(T) -> R + Sync) -> Vec<R> {
    par_map_init(items, || (), |(), item| one(item))
}

/// Does the same as [`par_map`], with one state for each piece of consecutive items.
pub fn par_map_init<T: Send, R: Send, S>(
    items: impl Items<T>,
    state: impl Fn() -> S + Sync,
    one: impl Fn(&mut S, T) -> R + Sync,
) -> Vec<R> {
    joined(par_pieces(items, |_, piece| {
        let mut state = state();
        piece
            .into_iter()
            .map(|item| one(&mut state, item))
            .collect()
    }))
}

/// Returns the result of `one` for each item, as [`par_map`] does.
///
/// # Errors
/// Returns the error of the first item that fails. Some later items are then not processed.
pub fn try_par_map<T: Send, R: Send, E: Send>(
    items: impl Items<T>,
    one: impl Fn(T) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    try_par_map_init(items, || (), |(), item| one(item))
}

/// Does the same as [`try_par_map`], with one state for each piece of consecutive items.
///
/// # Errors
/// Fails as [`try_par_map`] does.
pub fn try_par_map_init<T: Send, R: Send, E: Send, S>(
    items: impl Items<T>,
    state: impl Fn() -> S + Sync,
    one: impl Fn(&mut S, T) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    let failed = AtomicUsize::new(usize::MAX);
    let results = par_pieces(items, |at, piece| {
        if failed.load(Ordering::Relaxed) < at {
            return Ok(Vec::new());
        }
        let mut state = state();
        let results = piece
            .into_iter()
            .map(|item| one(&mut state, item))
            .collect();
        if Result::is_err(&results) {
            failed.fetch_min(at, Ordering::Relaxed);
        }
        results
    });
    Ok(joined(results.into_iter().collect::<Result<_, E>>()?))
}

/// Calls `work` with the number and the items of each piece of consecutive items, and returns the results in order.
pub fn par_pieces<T: Send, R: Send>(
    items: impl Items<T>,
    work: impl Fn(usize, Vec<T>) -> R + Sync,
) -> Vec<R> {
    let mut items = items.into_iter();
    let length = piece_length(items.len());
    let count = items.len().div_ceil(length);
    let pieces: Vec<Mutex<(Vec<T>, Option<R>)>> = (0..count)
        .map(|_| Mutex::new((items.by_ref().take(length).collect(), None)))
        .collect();
    each(count, &|at| {
        let piece = std::mem::take(&mut lock(&pieces[at]).0);
        let result = work(at, piece);
        lock(&pieces[at]).1 = Some(result);
    });
    pieces
        .into_iter()
        .filter_map(|piece| lock(&piece).1.take())
        .collect()
}

/// Returns the number of items in a piece. A single thread gets all of them in one.
fn piece_length(items: usize) -> usize {
    let threads = rayon::current_num_threads();
    let pieces = if threads == 1 { 1 } else { threads * PIECES };
    items.div_ceil(pieces).max(1)
}

fn each(count: usize, work: &(dyn Fn(usize) + Sync)) {
    if count == 1 {
        work(0);
    } else {
        (0..count).into_par_iter().with_max_len(1).for_each(work);
    }
}

fn joined<T>(pieces: Vec<Vec<T>>) -> Vec<T> {
    let mut all = Vec::with_capacity(pieces.iter().map(Vec::len).sum());
    pieces
        .into_iter()
        .for_each(|mut piece| all.append(&mut piece));
    all
}

#[cfg(test)]
mod tests {
    use rayon::ThreadPoolBuilder;

    use super::*;

    /// Results are in order and complete, and the error is that of the first item that fails, for any number of threads.
    #[test]
    fn results_do_not_depend_on_threads() {
        for threads in 1..5 {
            let pool = ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            for count in [0, 1, 2, 7, 8, 9, 1000] {
                let numbers: Vec<u32> = (0..count).collect();
                let doubled = install(&pool, || {
                    par_map_init(&numbers, || 2, |by, number| *by * number)
                });
                assert_eq!(
                    doubled,
                    numbers.iter().map(|number| 2 * number).collect::<Vec<_>>()
                );
                let limit = |least: u32| {
                    let below = |number: u32| (number < least).then_some(number).ok_or(number);
                    install(&pool, || try_par_map(numbers.clone(), below))
                };
                assert_eq!(limit(count), Ok(numbers.clone()));
                if count > 3 {
                    assert_eq!(limit(count / 3), Err(count / 3));
                }
            }
        }
    }
}
