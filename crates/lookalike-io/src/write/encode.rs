//! An output's bytes, compressed by its ending.

use std::{
    io::{self, Write},
    path::Path,
    sync::mpsc::Sender,
};

#[cfg(feature = "codecs")]
use super::codecs::Codec;
use super::{gzip::Gzip, sink::Sink};
use crate::{disk::Window, read::Packing};

/// Compresses windows, or not.
pub(super) enum Encoder {
    Plain(Sink),
    Gzip(Box<Gzip>),
    Zstd(zstd::Encoder<'static, Gathered>),
    #[cfg(feature = "codecs")]
    Other(Codec),
}

impl Encoder {
    pub(super) fn new(sink: Sink, path: &Path, threads: usize) -> io::Result<Self> {
        Ok(match Packing::of_name(&path.to_string_lossy()) {
            Packing::Plain => Self::Plain(sink),
            Packing::Gzip => Self::Gzip(Box::new(Gzip::new(Gathered::new(sink), threads)?)),
            Packing::Zstd => {
                let mut encoder = zstd::Encoder::new(Gathered::new(sink), 3)?;
                // One frame: a reader that stops at the end of the first, as some do, loses nothing. The bytes are the same for
                // any number of workers but none.
                encoder.multithread(threads as u32)?;
                encoder.include_checksum(true)?;
                Self::Zstd(encoder)
            }
            #[cfg(feature = "codecs")]
            Packing::Bzip2 => Self::Other(Codec::bzip2(Gathered::new(sink))),
            #[cfg(feature = "codecs")]
            Packing::Xz => Self::Other(Codec::xz(Gathered::new(sink), threads)?),
            #[cfg(feature = "codecs")]
            Packing::Lz4 => Self::Other(Codec::lz4(Gathered::new(sink))),
            #[cfg(feature = "codecs")]
            Packing::Brotli => Self::Other(Codec::brotli(Gathered::new(sink))),
            #[cfg(not(feature = "codecs"))]
            other => return Err(io::Error::other(other.not_built())),
        })
    }

    /// Windows that it holds for itself.
    pub(super) fn windows(&self) -> usize {
        if let Self::Gzip(encoder) = self { encoder.windows() } else { 0 }
    }

    /// Takes a window, and gives it back when its bytes are not needed any more.
    pub(super) fn write(&mut self, window: Window, empty: &Sender<Window>) -> io::Result<()> {
        match self {
            Self::Plain(sink) => sink.write_all(window.bytes())?,
            Self::Zstd(encoder) => encoder.write_all(window.bytes())?,
            #[cfg(feature = "codecs")]
            Self::Other(codec) => codec.write_all(window.bytes())?,
            Self::Gzip(encoder) => return encoder.write(window, empty),
        }
        // The producer may be gone.
        drop(empty.send(window));
        Ok(())
    }

    /// Ends the stream.
    pub fn finish(self) -> io::Result<Sink> {
        match self {
            Self::Plain(sink) => Ok(sink),
            Self::Gzip(encoder) => encoder.finish()?.finish(),
            Self::Zstd(encoder) => encoder.finish()?.finish(),
            #[cfg(feature = "codecs")]
            Self::Other(codec) => codec.finish()?.finish(),
        }
    }
}

/// Gathers what an encoder gives into windows, which a sink takes best.
pub(super) struct Gathered {
    sink: Sink,
    window: Window,
}

impl Gathered {
    fn new(sink: Sink) -> Self {
        Self { sink, window: Window::new() }
    }

    /// Writes what is left.
    pub fn finish(mut self) -> io::Result<Sink> {
        self.flush()?;
        Ok(self.sink)
    }
}

impl Write for Gathered {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let left = self.window.fill(bytes).len();
        if self.window.is_full() {
            self.flush()?;
        }
        Ok(bytes.len() - left)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.write_all(self.window.bytes())?;
        self.window.clear();
        Ok(())
    }
}
