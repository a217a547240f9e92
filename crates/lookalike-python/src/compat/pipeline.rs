//! Pieces of work on their way: taken from Python, worked on without it, given back to it in the same order.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError, mpsc},
    thread,
};

use pyo3::{PyResult, Python};

/// Takes, works and gives until `take` says that nothing is left. The thread that holds the interpreter takes and gives, and
/// meanwhile as many others as are asked for work: it waits more than it takes. With one thread, or so little that it is one piece,
/// it does all.
///
/// Buffers are used again: there are no more pieces than threads and two.
pub fn run<P: Default + Send, R: Default + Send>(
    py: Python<'_>,
    threads: usize,
    mut take: impl FnMut(&mut P) -> PyResult<bool>,
    work: impl Fn(&mut R, &mut P) + Sync,
    mut give: impl FnMut(&P),
) -> PyResult<()> {
    let (mut first, mut second, mut room) = (P::default(), P::default(), R::default());
    if !take(&mut first)? {
        return Ok(());
    }
    let mut more = take(&mut second)?;
    if threads < 2 || !more {
        loop {
            py.detach(|| work(&mut room, &mut first));
            py.check_signals()?;
            give(&first);
            if !more {
                return Ok(());
            }
            std::mem::swap(&mut first, &mut second);
            more = take(&mut second)?;
        }
    }
    let (to_do, waiting) = mpsc::channel::<(usize, P)>();
    let waiting = Mutex::new(waiting);
    let (waiting, work) = (&waiting, &work);
    thread::scope(|scope| {
        // Here, so that it ends with this closure, and with it the workers.
        let to_do = to_do;
        let (done, mut worked) = mpsc::channel();
        for _ in 0..threads {
            let done = done.clone();
            scope.spawn(move || {
                let mut room = R::default();
                // Taken in a statement of its own, so that the lock is not held over the work.
                while let Ok((number, mut piece)) = { waiting.lock().unwrap_or_else(PoisonError::into_inner).recv() } {
                    work(&mut room, &mut piece);
                    if done.send((number, piece)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(done);
        let mut free: Vec<P> = (0..threads).map(|_| P::default()).collect();
        let (mut sent, mut given, mut early) = (0, 0, BTreeMap::new());
        let mut send = |piece| {
            // Fails when no worker is left, which is seen where their work is waited for.
            let _ = to_do.send((sent, piece));
            sent += 1;
            sent
        };
        send(first);
        let mut sent = send(second);
        loop {
            while more && let Some(mut piece) = free.pop() {
                more = take(&mut piece)?;
                if more {
                    sent = send(piece);
                }
            }
            if given == sent {
                return Ok(());
            }
            py.check_signals()?;
            let next;
            (worked, next) = py.detach(move || {
                let next = worked.recv();
                (worked, next)
            });
            // A worker that is gone has panicked, which the scope passes on.
            let Ok((number, piece)) = next else { return Ok(()) };
            early.insert(number, piece);
            while let Some(piece) = early.remove(&given) {
                give(&piece);
                free.push(piece);
                given += 1;
            }
        }
    })
}
