//! An output that appears under its name only when all of it is written, compressed by its ending.

use std::{
    io::{self, Write},
    path::Path,
    sync::mpsc::{SyncSender, sync_channel},
    thread::JoinHandle,
};

use flate2::{Compression, write::GzEncoder};

use super::sink::Sink;
use crate::error::{Error, Result};

/// An output in the making. Dropped unfinished, it leaves nothing.
///
/// Compression and writing have a thread of their own: those who work on blocks never wait for the disk, unless they are
/// [`AHEAD`] pieces ahead of it.
pub(crate) struct Output {
    name: String,
    pieces: Option<SyncSender<Vec<u8>>>,
    writer: Option<JoinHandle<io::Result<Sink>>>,
}

/// Pieces that may wait for the disk.
const AHEAD: usize = 8;

enum Encoder {
    Plain(Sink),
    Gzip(GzEncoder<Sink>),
    Zstd(zstd::Encoder<'static, Sink>),
}

impl Output {
    /// Starts an output; `-` is standard output. Compressed by its ending, `.gz` or `.zst`.
    pub(crate) fn create(path: &Path) -> Result<Self> {
        let name = path.display().to_string();
        let writing = |error| Error::writing(&name, &error);
        let mut encoder = Encoder::new(Sink::open(path).map_err(writing)?, path).map_err(writing)?;
        let (pieces, waiting) = sync_channel::<Vec<u8>>(AHEAD);
        let work = move || {
            waiting.iter().try_for_each(|piece| encoder.write_all(&piece))?;
            encoder.finish()
        };
        let writer = std::thread::Builder::new().name("writer".into()).spawn(work).map_err(writing)?;
        Ok(Self { name, pieces: Some(pieces), writer: Some(writer) })
    }

    /// Appends. Call with large pieces. A failure may be that of an earlier piece.
    pub(crate) fn write(&mut self, piece: Vec<u8>) -> Result<()> {
        match self.pieces.as_ref().map(|pieces| pieces.send(piece)) {
            Some(Ok(())) => Ok(()),
            // The writer is gone: it met an error.
            _ => self.join().map(drop),
        }
    }

    /// Ends the compression and brings all to the disk, still without its name.
    fn prepare(mut self) -> Result<Ready> {
        let sink = self.join()?;
        sink.as_ref().map_or(Ok(()), Sink::sync).map_err(|error| Error::writing(&self.name, &error))?;
        Ok(Ready { name: std::mem::take(&mut self.name), sink })
    }

    /// Waits until all pieces are written; gives what they were written to, the first time.
    fn join(&mut self) -> Result<Option<Sink>> {
        self.pieces.take();
        let Some(writer) = self.writer.take() else { return Ok(None) };
        let written = writer.join().unwrap_or_else(|_| Err(io::Error::other("the writing thread failed")));
        written.map(Some).map_err(|error| Error::writing(&self.name, &error))
    }
}

/// Finishes outputs together: none gets its name before all are whole.
pub(crate) fn finish(outputs: impl IntoIterator<Item = Option<Output>>) -> Result<()> {
    let ready: Result<Vec<Ready>> = outputs.into_iter().flatten().map(Output::prepare).collect();
    ready?.into_iter().try_for_each(Ready::publish)
}

/// An output that is whole and lacks only its name.
struct Ready {
    name: String,
    sink: Option<Sink>,
}

impl Ready {
    fn publish(self) -> Result<()> {
        self.sink.map_or(Ok(()), Sink::publish).map_err(|error| Error::writing(&self.name, &error))
    }
}

impl Drop for Output {
    /// The writer holds the temporary file: it is gone when the writer is.
    fn drop(&mut self) {
        drop(self.join());
    }
}

impl Encoder {
    fn new(sink: Sink, path: &Path) -> io::Result<Self> {
        Ok(match path.extension().and_then(|ending| ending.to_str()) {
            Some("gz") => Self::Gzip(GzEncoder::new(sink, Compression::default())),
            Some("zst") => {
                let mut encoder = zstd::Encoder::new(sink, 3)?;
                // One frame, compressed beside the other work. The bytes are the same for any number of workers but none.
                encoder.multithread(1)?;
                encoder.include_checksum(true)?;
                Self::Zstd(encoder)
            }
            _ => Self::Plain(sink),
        })
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Plain(sink) => sink.write_all(bytes),
            Self::Gzip(encoder) => encoder.write_all(bytes),
            Self::Zstd(encoder) => encoder.write_all(bytes),
        }
    }

    fn finish(self) -> io::Result<Sink> {
        let mut sink = match self {
            Self::Plain(sink) => sink,
            Self::Gzip(encoder) => encoder.finish()?,
            Self::Zstd(encoder) => encoder.finish()?,
        };
        sink.flush()?;
        Ok(sink)
    }
}
