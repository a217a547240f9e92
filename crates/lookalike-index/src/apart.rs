//! Parallel work while an index is locked.
//!
//! A thread of a rayon pool that waits for others does other work of its pool meanwhile. If that work used an index that the thread has
//! locked, it would wait for itself. So work under a lock is done by a pool that does nothing else, and the thread that waits for it
//! must not be one of another pool's.

use std::{
    panic, process,
    sync::{Arc, Mutex},
    thread,
};

use lookalike_io::{
    lock::lock,
    pool::{Work, through},
};
use rayon::{ThreadPool, ThreadPoolBuilder};

/// The pool, and the process whose threads it has: a process that was forked has none of them.
static POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

/// Returns this process's pool; none if no thread can be started.
fn pool() -> Option<Arc<ThreadPool>> {
    let mut made = lock(&POOL);
    let own = process::id();
    if let Some((of, pool)) = &*made
        && *of == own
    {
        return Some(pool.clone());
    }
    let pool = Arc::new(
        ThreadPoolBuilder::new()
            .num_threads(rayon::current_num_threads())
            .build()
            .ok()?,
    );
    if let Some(of_parent) = made.replace((own, pool.clone())) {
        // Its threads are not here, so it cannot be ended.
        std::mem::forget(of_parent);
    }
    Some(pool)
}

/// Does parallel work that does not use any index as callers do. Cost: about 10 µs, and a thread more if this thread is one of a pool.
pub(crate) fn apart<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    through(&mut run, work)
}

fn run(work: Work) {
    let Some(pool) = pool() else {
        // No thread can be started, so the work is done here, and rayon uses the threads that there are.
        return work();
    };
    match rayon::current_thread_index() {
        _ if pool.current_thread_index().is_some() => work(),
        None => pool.install(work),
        Some(_) => thread::scope(|scope| {
            scope
                .spawn(|| pool.install(work))
                .join()
                .unwrap_or_else(|cause| panic::resume_unwind(cause))
        }),
    }
}
