//! An output that appears under its name only when all of it is written, compressed by its ending.

use std::{
    io,
    path::Path,
    sync::mpsc::{Receiver, Sender, channel},
    thread::JoinHandle,
};

use super::{
    pack::Encoder,
    publish::{Sink, Whole, publish},
};
use crate::{
    disk::Window,
    error::{Error, ErrorKind, Result},
    store::shown_path,
};

/// Windows of an output that may wait for the disk where memory is short: one is written, one waits, the rest is for the times when
/// the disk is slow.
pub const LEAST_AHEAD: usize = 4;

/// An output in the making. Dropped unfinished, it leaves nothing.
///
/// What is written goes into windows of a mebibyte, which come back to be filled again. Compression and writing have threads of
/// their own: those who work on blocks never wait for the disk, unless they are some windows ahead of it.
pub struct Output {
    name: String,
    /// The window that is being filled.
    window: Window,
    full: Option<Sender<Piece>>,
    empty: Receiver<Window>,
    /// Windows there are, and at most.
    windows: (usize, usize),
    writer: Option<JoinHandle<io::Result<Option<Whole>>>>,
}

/// What the writing thread is given.
enum Piece {
    Full(Window),
    /// The last one.
    Last(Window),
}

impl Output {
    /// Starts an output; `-` is standard output. Compressed by its [ending](crate::read::PACKED), on up to `threads` threads, 0 for one
    /// a core: their number changes no byte.
    pub fn create(path: &Path, threads: usize) -> Result<Self> {
        let name = shown_path(path);
        let writing = |error| Error::writing(&name, &error);
        let threads = match threads {
            0 => std::thread::available_parallelism().map_or(1, |cores| cores.get()),
            some => some,
        };
        let encoder = Encoder::new(Sink::open(path).map_err(writing)?, path, threads).map_err(writing)?;
        let most = LEAST_AHEAD + encoder.windows();
        let (full, filled) = channel();
        let (emptied, empty) = channel();
        let work = move || write_all(encoder, &filled, &emptied);
        let writer = std::thread::Builder::new().name("writer".into()).spawn(work).map_err(writing)?;
        Ok(Self { name, window: Window::new(), full: Some(full), empty, windows: (1, most), writer: Some(writer) })
    }

    /// What messages call it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Lets more windows wait for the disk than the least.
    pub fn run_ahead(&mut self, ahead: usize) {
        self.windows.1 += ahead - LEAST_AHEAD;
    }

    /// Appends. A failure may be that of earlier bytes.
    pub fn write(&mut self, mut bytes: &[u8]) -> Result<()> {
        loop {
            bytes = self.window.fill(bytes);
            if !self.window.is_full() {
                return Ok(());
            }
            let Some(next) = self.next_window() else { return Err(self.failure()) };
            let full = std::mem::replace(&mut self.window, next);
            if self.full.as_ref().is_none_or(|writer| writer.send(Piece::Full(full)).is_err()) {
                return Err(self.failure());
            }
        }
    }

    /// An empty window; none when the writer is gone.
    fn next_window(&mut self) -> Option<Window> {
        let (made, most) = &mut self.windows;
        let mut window = match self.empty.try_recv() {
            Ok(window) => window,
            Err(_) if made < most => {
                *made += 1;
                Window::new()
            }
            Err(_) => self.empty.recv().ok()?,
        };
        window.clear();
        Some(window)
    }

    /// Says that nothing more is to come: the writing thread ends the compression and brings all to the disk, still without its
    /// name, while others work on. A failure is told by [`finish`].
    pub fn end(&mut self) {
        if let Some(writer) = self.full.take() {
            let last = std::mem::replace(&mut self.window, Window::new());
            // Who is gone has failed, and is asked why at the end.
            _ = writer.send(Piece::Last(last));
        }
    }

    /// Why the writer is gone.
    fn failure(&mut self) -> Error {
        self.full.take();
        match self.join() {
            Err(error) => error,
            Ok(_) => given_up(&self.name),
        }
    }

    /// Waits until all is on the disk; gives the file that is to get its name, the first time.
    fn join(&mut self) -> Result<Option<Whole>> {
        let Some(writer) = self.writer.take() else { return Err(given_up(&self.name)) };
        let written = writer.join().unwrap_or_else(|panic| Err(io::Error::other(Error::of_panic(&*panic).to_string())));
        written.map_err(|error| Error::writing(&self.name, &error))
    }
}

impl io::Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write(bytes).map(|()| bytes.len()).map_err(io::Error::other)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn given_up(name: &str) -> Error {
    Error::new(ErrorKind::Output, "was given up after an earlier failure").at(name)
}

/// The writing thread: all pieces in their order.
fn write_all(mut encoder: Encoder, pieces: &Receiver<Piece>, empty: &Sender<Window>) -> io::Result<Option<Whole>> {
    for piece in pieces {
        match piece {
            Piece::Full(window) => encoder.write(window, empty)?,
            Piece::Last(window) => {
                encoder.write(window, empty)?;
                return encoder.finish()?.settle();
            }
        }
    }
    // Nobody waits for the rest: a compressed stream should not look whole.
    Err(io::ErrorKind::UnexpectedEof.into())
}

/// Finishes outputs together: none gets its name before all are whole, and all do or none.
pub fn finish(outputs: impl IntoIterator<Item = Option<Output>>) -> Result<()> {
    let mut outputs: Vec<Output> = outputs.into_iter().flatten().collect();
    outputs.iter_mut().for_each(Output::end);
    let whole: Result<Vec<Option<Whole>>> = outputs.iter_mut().map(Output::join).collect();
    publish(whole?.into_iter().flatten().collect())?;
    outputs.iter().for_each(|output| log::info!("written: {}", output.name));
    Ok(())
}

impl Drop for Output {
    /// The writer holds the temporary file: it is gone when the writer is.
    fn drop(&mut self) {
        self.full.take();
        if let Some(writer) = self.writer.take() {
            drop(writer.join());
        }
    }
}
