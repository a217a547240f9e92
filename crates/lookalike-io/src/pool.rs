//! Work on the threads of a pool.

use rayon::ThreadPool;

/// Runs `work` on a thread of the pool, and returns its result, as [`ThreadPool::install`] does. That function is compiled again,
/// with most of rayon's scheduling, for each closure that it is called with. This one is compiled once.
pub fn install<R: Send>(pool: &ThreadPool, work: impl FnOnce() -> R + Send) -> R {
    let (mut work, mut result) = (Some(work), None);
    run(pool, &mut || result = work.take().map(|work| work()));
    #[expect(
        clippy::unreachable,
        reason = "`run` calls the closure before it returns"
    )]
    result.unwrap_or_else(|| unreachable!("no result"))
}

fn run(pool: &ThreadPool, work: &mut (dyn FnMut() + Send)) {
    pool.install(work);
}
