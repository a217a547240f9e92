//! Parallel work while an index is locked.
//!
//! A thread of a rayon pool that waits for others does other work of its pool meanwhile. If that work used an index that the thread has
//! locked, it would wait for itself. So work under a lock is done by a pool that does nothing else, and the thread that waits for it
//! must not be one of another pool's.

use std::{panic, sync::OnceLock, thread};

use rayon::{ThreadPool, ThreadPoolBuilder};

static POOL: OnceLock<Option<ThreadPool>> = OnceLock::new();

/// Does parallel work that does not use any index as callers do. Cost: about 10 µs, and a thread more if this thread is one of a pool.
pub(crate) fn apart<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let make = || ThreadPoolBuilder::new().num_threads(rayon::current_num_threads()).build().ok();
    let Some(pool) = POOL.get_or_init(make) else {
        // No thread can be started, so the work is done here, and rayon's iterators use the threads that there are.
        return work();
    };
    match rayon::current_thread_index() {
        _ if pool.current_thread_index().is_some() => work(),
        None => pool.install(work),
        Some(_) => {
            thread::scope(|scope| scope.spawn(|| pool.install(work)).join().unwrap_or_else(|cause| panic::resume_unwind(cause)))
        }
    }
}
