//! Where the stores' requests run: two threads, started by the first of them.

use std::{future::Future, io, process, sync::Mutex};

use tokio::runtime::{Builder, Handle, Runtime};

use crate::{
    error::{Error, ErrorKind, Result},
    lock::lock,
};

/// Threads: they copy and decrypt, and wait for the rest of the time.
const THREADS: usize = 2;

/// The runtime, and the process that started it: in a fork of it no thread is left.
static RUNTIME: Mutex<Option<(u32, Runtime)>> = Mutex::new(None);

/// The runtime of this process.
pub(super) fn handle() -> Result<Handle> {
    let mut runtime = lock(&RUNTIME);
    let own = process::id();
    if let Some((process, running)) = &*runtime
        && *process == own
    {
        return Ok(running.handle().clone());
    }
    let started = Builder::new_multi_thread().worker_threads(THREADS).thread_name("store").enable_all().build();
    let started = started.map_err(|error: io::Error| {
        let what = format!("threads for a store cannot be started: {error}");
        Error::new(ErrorKind::Input, what).advise("end other programs").because(error)
    })?;
    let handle = started.handle().clone();
    // To end another process's runtime would be to wait for threads that are not here.
    std::mem::forget(runtime.replace((own, started)));
    Ok(handle)
}

/// Waits for what a store does.
pub(super) fn wait<T>(work: impl Future<Output = T>) -> Result<T> {
    Ok(handle()?.block_on(work))
}
