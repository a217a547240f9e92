//! Executes a run on a separate thread, while the calling thread checks for interrupts and shows the progress.

use std::{
    ops::ControlFlow,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc::{RecvTimeoutError, sync_channel},
    },
    thread,
    time::{Duration, Instant},
};

use lookalike_engine::{Observer, Progress, Result};
use pyo3::prelude::*;

use crate::{
    config::to_python,
    error::{failed, raise},
    parallel::{STACK, TICK},
};

#[derive(Default)]
struct Watched {
    /// Whether the caller cancelled the run.
    ended: AtomicBool,
    at: Mutex<Option<Progress>>,
}

impl Watched {
    fn pass(&self, progress: Progress) -> ControlFlow<()> {
        if self.ended.load(Ordering::Relaxed) {
            return ControlFlow::Break(());
        }
        *self.at.lock().unwrap_or_else(PoisonError::into_inner) = Some(progress);
        ControlFlow::Continue(())
    }
}

/// How long a cancelled run may take to end. A run that waits for a pipe may never end.
const PATIENCE: Duration = Duration::from_millis(800);

/// Executes a run and regularly calls `progress` with the stage, the work done and the total. A keyboard interrupt, or any
/// exception from a signal handler or from `progress`, ends the run. This function raises the exception as soon as the run has
/// ended, or after a short wait if the run does not end.
pub fn watched<T: Send + 'static>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    run: impl FnOnce(Observer) -> Result<T> + Send + 'static,
) -> PyResult<T> {
    let watched = Arc::new(Watched::default());
    let (send, mut ends) = sync_channel(1);
    let running = {
        let watched = watched.clone();
        let work = move || send.send(run(&|progress| watched.pass(progress)));
        thread::Builder::new()
            .name("lookalike".into())
            .stack_size(STACK)
            .spawn(work)?
    };
    let mut raised: Option<(PyErr, Instant)> = None;
    let ended = loop {
        let got;
        (ends, got) = py.detach(move || {
            let got = ends.recv_timeout(TICK);
            (ends, got)
        });
        match (got, &raised) {
            (Ok(ended), _) => break Some(ended),
            (Err(RecvTimeoutError::Disconnected), _) => break None,
            (Err(RecvTimeoutError::Timeout), Some((_, since))) if since.elapsed() > PATIENCE => {
                break None;
            }
            (Err(RecvTimeoutError::Timeout), Some(_)) => {}
            (Err(RecvTimeoutError::Timeout), None) => {
                if let Err(error) = py
                    .check_signals()
                    .and_then(|()| show(py, &watched, progress))
                {
                    raised = Some((error, Instant::now()));
                    watched.ended.store(true, Ordering::Relaxed);
                }
            }
        }
    };
    if ended.is_some() {
        // The result has arrived, so the thread ends immediately. Wait for the end of the thread, so that the thread is gone when
        // this function returns.
        drop(py.detach(|| running.join()));
    }
    match (raised, ended) {
        (Some((raised, _)), _) => Err(raised),
        (None, Some(Ok(outcome))) => Ok(outcome),
        (None, Some(Err(error))) => Err(failed(error)),
        (None, None) => Err(raise(
            "InternalError",
            "lookalike's thread ended without an answer; please report it".into(),
        )),
    }
}

fn show(py: Python<'_>, watched: &Watched, progress: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
    let at = watched
        .at
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take();
    if let (Some(progress), Some(at)) = (progress, at) {
        progress.call1((to_python(py, &at.stage)?, at.done, at.total))?;
    }
    Ok(())
}
