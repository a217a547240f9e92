//! Standard output for programs that write a collection: blocks are made in parallel and written in order, and no block is held
//! in memory after it is written.

use std::{
    fs::File,
    io::{self, ErrorKind, Write},
    os::fd::AsFd,
    sync::{
        Condvar, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

/// Bytes per write, and the size of the pipe if standard output is a pipe. With the default size of 64 KiB, the writer and the
/// reader of the pipe alternate sixteen times as often.
const WRITE: usize = 1 << 20;

/// The bytes of one block: lines, and the truth about them, which is written to another file.
#[derive(Debug, Default)]
pub struct Block {
    /// Bytes for standard output.
    pub lines: Vec<u8>,
    /// Bytes for the truth file.
    pub truth: Vec<u8>,
}

/// Makes `blocks` blocks with `make` on `threads` threads, in reused buffers. The blocks are written in order, so that the bytes
/// do not depend on the number of threads. Returns the number of bytes written to standard output.
///
/// # Errors
/// Fails if a write fails. If the reader has closed the pipe, writing ends without an error.
pub fn write_blocks(
    blocks: u64,
    threads: usize,
    truth: Option<File>,
    make: impl Fn(u64, &mut Block) + Sync,
) -> io::Result<u64> {
    let stdout = io::stdout();
    // If standard output is not a pipe, or a pipe of this size is not allowed, standard output is used unchanged.
    let _ = rustix::pipe::fcntl_setpipe_size(stdout.as_fd(), WRITE);
    let (next, turn, come) = (
        AtomicU64::new(0),
        Mutex::new(Turn {
            block: 0,
            written: 0,
            truth,
            done: Ok(()),
        }),
        Condvar::new(),
    );
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

/// The shared state of the writers: which block is next, and the result so far.
struct Turn {
    block: u64,
    written: u64,
    truth: Option<File>,
    done: io::Result<()>,
}

impl Turn {
    /// Writes a block; returns whether to continue.
    fn write(&mut self, stdout: &io::Stdout, block: &Block) -> bool {
        // Write to the file descriptor directly: `Stdout` would search for line ends, to hold back the bytes after the last one.
        let lines = block
            .lines
            .chunks(WRITE)
            .try_for_each(|piece| write_all(stdout, piece));
        self.done = lines.and_then(|()| {
            self.truth
                .as_mut()
                .map_or(Ok(()), |file| file.write_all(&block.truth))
        });
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
