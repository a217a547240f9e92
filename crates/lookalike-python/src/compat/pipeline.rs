//! A pipeline for pieces of work. Each piece is taken from Python, processed without the interpreter, and returned to Python; the
//! order of the pieces stays the same.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError, mpsc},
    thread,
};

use pyo3::{PyResult, Python};

/// Takes, processes and returns pieces until `take` reports the end. The thread that holds the interpreter takes and returns
/// pieces, and mostly waits, while `threads` other threads process them. With one thread, or only one piece, the calling thread
/// does everything.
///
/// The number of pieces that exist at a time is at most the number of threads plus two, because the buffers of finished pieces are
/// reused.
pub fn run<P: Default + Send, R: Default + Send>(
    py: Python<'_>,
    threads: usize,
    mut take: impl FnMut(&mut P) -> PyResult<bool>,
    work: impl Fn(&mut R, &mut P) + Sync,
    mut give: impl FnMut(&P),
) -> PyResult<()> {
    let (mut first, mut second, mut scratch) = (P::default(), P::default(), R::default());
    if !take(&mut first)? {
        return Ok(());
    }
    let mut more = take(&mut second)?;
    if threads < 2 || !more {
        loop {
            py.detach(|| work(&mut scratch, &mut first));
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
        // Move `to_do` into this closure, so that the channel closes when the closure ends. The closed channel ends the workers.
        let to_do = to_do;
        let (done, mut worked) = mpsc::channel();
        for _ in 0..threads {
            let done = done.clone();
            scope.spawn(move || {
                let mut scratch = R::default();
                // A separate statement takes the piece, so that the lock is not held during the work.
                while let Ok((number, mut piece)) = {
                    waiting
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .recv()
                } {
                    work(&mut scratch, &mut piece);
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
            // Sending fails if no worker is left. The code below notices this when it receives the result.
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
            // A missing worker has panicked; the thread scope passes the panic on.
            let Ok((number, piece)) = next else {
                return Ok(());
            };
            early.insert(number, piece);
            while let Some(piece) = early.remove(&given) {
                give(&piece);
                free.push(piece);
                given += 1;
            }
        }
    })
}
