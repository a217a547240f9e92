//! The runtime of the stores' requests: two threads, which the first request starts.

use std::{future::Future, io, process, sync::Mutex};

use tokio::runtime::{Builder, Handle, Runtime};

use crate::{
    error::{Error, ErrorKind, Result},
    lock::lock,
};

/// The number of threads. They copy and decrypt data, and otherwise wait.
const THREADS: usize = 2;

/// The runtime, and the process that started it: a fork of that process has none of the runtime's threads.
static RUNTIME: Mutex<Option<(u32, Runtime)>> = Mutex::new(None);

/// Returns the runtime of this process.
pub(super) fn handle() -> Result<Handle> {
    let mut runtime = lock(&RUNTIME);
    let own = process::id();
    if let Some((process, running)) = &*runtime
        && *process == own
    {
        return Ok(running.handle().clone());
    }
    let started = Builder::new_multi_thread()
        .worker_threads(THREADS)
        .thread_name("store")
        .enable_all()
        .build();
    let started = started.map_err(|error: io::Error| {
        let what = format!("threads for a store cannot be started: {error}");
        Error::new(ErrorKind::Input, what)
            .advise("close other programs")
            .because(error)
    })?;
    let handle = started.handle().clone();
    // Ending another process's runtime would wait for threads that do not exist here.
    std::mem::forget(runtime.replace((own, started)));
    Ok(handle)
}

/// Waits for the result of a store's operation.
pub(super) fn wait<T>(work: impl Future<Output = T>) -> Result<T> {
    Ok(handle()?.block_on(work))
}
