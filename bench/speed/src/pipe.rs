//! Standard output for programs whose output is a collection: made in parallel, written in order, never held.

use std::{
    fs::File,
    io::{self, ErrorKind, Write},
    os::fd::AsFd,
    sync::{
        Condvar, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

/// Bytes of a write, and of the pipe where the other end is one: with the default of 64 KiB the two processes change places
/// sixteen times as often.
const WRITE: usize = 1 << 20;

/// One block's bytes: lines, and what is said of them elsewhere.
#[derive(Debug, Default)]
pub struct Block {
    /// For standard output.
    pub lines: Vec<u8>,
    /// For the file beside it.
    pub truth: Vec<u8>,
}

/// Makes `blocks` blocks on `threads` threads, each by `make` into buffers that are used again, and writes them in order: the
/// bytes do not depend on the threads. Gives the number of bytes written to standard output.
///
/// # Errors
/// What writing says; a reader that has gone away is the end and no error.
pub fn write_blocks(blocks: u64, threads: usize, truth: Option<File>, make: impl Fn(u64, &mut Block) + Sync) -> io::Result<u64> {
    let stdout = io::stdout();
    // Not a pipe, or not allowed that large: then as it is.
    let _ = rustix::pipe::fcntl_setpipe_size(stdout.as_fd(), WRITE);
    let (next, turn, come) = (AtomicU64::new(0), Mutex::new(Turn { block: 0, written: 0, truth, done: Ok(()) }), Condvar::new());
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            scope.spawn(|| {
                let mut block = Block::default();
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= blocks {
                        break;
                    }
                    block.lines.clear();
                    block.truth.clear();
                    make(number, &mut block);
                    let mut turn = turn.lock().unwrap_or_else(PoisonError::into_inner);
                    while turn.block != number && turn.done.is_ok() {
                        turn = come.wait(turn).unwrap_or_else(PoisonError::into_inner);
                    }
                    let going = turn.done.is_ok() && turn.write(&stdout, &block);
                    come.notify_all();
                    if !going {
                        break;
                    }
                }
            });
        }
    });
    let turn = turn.into_inner().unwrap_or_else(PoisonError::into_inner);
    match turn.done {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error),
        _ => Ok(turn.written),
    }
}

/// Whose turn it is to write.
struct Turn {
    block: u64,
    written: u64,
    truth: Option<File>,
    done: io::Result<()>,
}

impl Turn {
    /// Whether to go on.
    fn write(&mut self, stdout: &io::Stdout, block: &Block) -> bool {
        // The descriptor itself: Stdout would look for line ends, to hold back what stands behind the last.
        let lines = block.lines.chunks(WRITE).try_for_each(|piece| write_all(stdout, piece));
        self.done = lines.and_then(|()| self.truth.as_mut().map_or(Ok(()), |file| file.write_all(&block.truth)));
        self.block += 1;
        self.written += block.lines.len() as u64;
        self.done.is_ok()
    }
}

fn write_all(stdout: &io::Stdout, mut piece: &[u8]) -> io::Result<()> {
    while !piece.is_empty() {
        match rustix::io::write(stdout.as_fd(), piece) {
            Ok(written) => piece = &piece[written..],
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}
