//! An output that appears under its name only when it is complete. Its file extension selects the compression.

use std::{
    io,
    path::Path,
    sync::{
        Arc,
        mpsc::{Receiver, Sender, channel},
    },
    thread::JoinHandle,
};

use super::{
    pack::Encoder,
    publish::{Folders, Sink, Tree, Whole, publish},
};
use crate::{
    disk::Window,
    error::{Error, ErrorKind, Result},
    store::shown_path,
};

/// The number of windows (write buffers) of an output that may wait for the disk if memory is short: one is being written, one
/// waits, and the rest is for times when the disk is slow.
pub const LEAST_AHEAD: usize = 4;

/// An output that is being written. If it is dropped before it is finished, nothing remains.
///
/// Bytes are copied to windows of one mebibyte each, which are reused. Compression and writing have their own threads. The
/// threads that process blocks wait for the disk only if they are several windows ahead of the disk.
pub struct Output {
    name: String,
    /// The window that is being filled.
    window: Window,
    full: Option<Sender<Piece>>,
    empty: Receiver<Window>,
    /// The number of windows that exist, and the largest number that may exist.
    windows: (usize, usize),
    writer: Option<JoinHandle<io::Result<Option<Whole>>>>,
    /// What the writer returned, if the caller has waited for it.
    written: Option<Option<Box<Whole>>>,
    /// Whether no file may have the output's name when it is complete.
    is_new: bool,
    /// The folders that were created for this output. They are removed after the output if it was not finished.
    _folders: Option<Arc<Folders>>,
}

/// A message to the writing thread.
enum Piece {
    Full(Window),
    /// The last window.
    Last(Window),
}

impl Output {
    /// Starts an output; `-` is standard output. Its [file extension](crate::read::PACKED) selects the compression, which runs on
    /// up to `threads` threads; 0 means one per core. The number of threads does not change the bytes.
    pub fn create(path: &Path, threads: usize) -> Result<Self> {
        Self::create_with(path, threads, false)
    }

    /// Does the same, if `in_folder` is set, for a name that the user did not give, in a folder from which the files of killed runs
    /// were already removed.
    pub(super) fn create_with(path: &Path, threads: usize, in_folder: bool) -> Result<Self> {
        let name = shown_path(path);
        let writing = |error| Error::writing(&name, &error);
        let threads = match threads {
            0 => std::thread::available_parallelism().map_or(1, |cores| cores.get()),
            some => some,
        };
        let encoder = Encoder::new(Sink::open(path, in_folder).map_err(writing)?, path, threads)
            .map_err(writing)?;
        let most = LEAST_AHEAD + encoder.windows();
        let (full, filled) = channel();
        let (emptied, empty) = channel();
        let work = move || write_all(encoder, &filled, &emptied);
        let writer = std::thread::Builder::new()
            .name("writer".into())
            .spawn(work)
            .map_err(writing)?;
        Ok(Self {
            name,
            window: Window::new(),
            full: Some(full),
            empty,
            windows: (1, most),
            writer: Some(writer),
            written: None,
            is_new: false,
            _folders: None,
        })
    }

    /// Returns an output that consists of complete files.
    pub(super) fn of_tree(name: String, tree: Tree) -> Self {
        Self {
            name,
            window: Window::none(),
            full: None,
            empty: channel().1,
            windows: (0, 0),
            writer: None,
            written: Some(Some(Box::new(Whole::Tree(tree)))),
            is_new: true,
            _folders: None,
        }
    }

    /// Keeps folders until the output has its name, or is dropped.
    pub(super) fn needs(&mut self, folders: Arc<Folders>) {
        self._folders = Some(folders);
    }

    /// Requires that no file has the name of the output when it is complete.
    pub(super) fn replaces_nothing(&mut self) {
        self.is_new = true;
    }

    /// Returns the name used in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Allows more than [`LEAST_AHEAD`] windows to wait for the disk.
    pub fn run_ahead(&mut self, ahead: usize) {
        self.windows.1 += ahead - LEAST_AHEAD;
    }

    /// Appends bytes. An error may be due to earlier bytes.
    pub fn write(&mut self, mut bytes: &[u8]) -> Result<()> {
        loop {
            bytes = self.window.fill(bytes);
            if !self.window.is_full() {
                return Ok(());
            }
            let Some(next) = self.next_window() else {
                return Err(self.failure());
            };
            let full = std::mem::replace(&mut self.window, next);
            if self
                .full
                .as_ref()
                .is_none_or(|writer| writer.send(Piece::Full(full)).is_err())
            {
                return Err(self.failure());
            }
        }
    }

    /// Returns an empty window; `None` if the writer has ended.
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

    /// Signals the end of the data. The writing thread then ends the compression and writes everything to the disk, but the
    /// output does not get its name yet. Meanwhile, other threads continue. [`finish`] reports any failure.
    pub fn end(&mut self) {
        if let Some(writer) = self.full.take() {
            let last = std::mem::replace(&mut self.window, Window::none());
            // If the writing thread has already ended, it has failed; its error is collected later.
            _ = writer.send(Piece::Last(last));
            // Windows are freed when they have been written, because no more bytes come.
            self.empty = channel().1;
        }
    }

    /// Waits until an output that was [ended](Self::end) is on the disk or in its store. It does not get its name yet.
    ///
    /// # Errors
    /// Fails if it could not be written.
    pub(super) fn wait(&mut self) -> Result<()> {
        if self.written.is_none() {
            let mut whole = self.join()?.map(Box::new);
            if let Some(Whole::File(file)) = whole.as_deref_mut() {
                file.is_new = self.is_new;
            }
            self.written = Some(whole);
        }
        Ok(())
    }

    /// Returns why the writer has ended.
    fn failure(&mut self) -> Error {
        self.full.take();
        match self.join() {
            Err(error) => error,
            Ok(_) => given_up(&self.name),
        }
    }

    /// Waits for the writer. The first call returns the file that still needs its name.
    fn join(&mut self) -> Result<Option<Whole>> {
        let Some(writer) = self.writer.take() else {
            return Err(given_up(&self.name));
        };
        let written = writer
            .join()
            .unwrap_or_else(|panic| Err(io::Error::other(Error::of_panic(&*panic).to_string())));
        written.map_err(|error| Error::writing(&self.name, &error))
    }
}

impl io::Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write(bytes)
            .map(|()| bytes.len())
            .map_err(io::Error::other)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn given_up(name: &str) -> Error {
    Error::new(ErrorKind::Output, "was abandoned after an earlier failure").at(name)
}

/// Runs the writing thread, which processes all messages in order.
fn write_all(
    mut encoder: Encoder,
    pieces: &Receiver<Piece>,
    empty: &Sender<Window>,
) -> io::Result<Option<Whole>> {
    for piece in pieces {
        match piece {
            Piece::Full(window) => encoder.write(window, empty)?,
            Piece::Last(window) => {
                encoder.write(window, empty)?;
                return encoder.finish()?.seal();
            }
        }
    }
    // The output was abandoned. Return an error and do not end a compressed stream, because it must not look complete.
    Err(io::ErrorKind::UnexpectedEof.into())
}

/// Finishes outputs together: no output gets its name before all outputs are complete, and if one cannot get its name, none of
/// them does.
pub fn finish(outputs: impl IntoIterator<Item = Option<Output>>) -> Result<()> {
    let mut outputs: Vec<Output> = outputs.into_iter().flatten().collect();
    outputs.iter_mut().for_each(Output::end);
    outputs.iter_mut().try_for_each(Output::wait)?;
    publish(
        outputs
            .iter_mut()
            .filter_map(|output| output.written.take().flatten())
            .map(|whole| *whole)
            .collect(),
    )?;
    outputs
        .iter()
        .for_each(|output| log::info!("written: {}", output.name));
    Ok(())
}

impl Drop for Output {
    /// Waits for the writer: it owns the temporary file, which disappears when the writer ends.
    fn drop(&mut self) {
        self.full.take();
        if let Some(writer) = self.writer.take() {
            drop(writer.join());
        }
    }
}
