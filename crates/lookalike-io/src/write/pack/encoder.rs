//! Compresses the bytes of an output in the format given by its file extension.

use std::{
    io::{self, Write},
    path::Path,
    sync::mpsc::Sender,
};

#[cfg(feature = "codecs")]
use super::codecs::Codec;
use super::{gathered::Gathered, gzip::Gzip};
use crate::{disk::Window, read::Packing, write::publish::Sink};

/// An encoder that compresses windows (full write buffers), or passes them on unchanged.
pub(crate) enum Encoder {
    Plain(Sink),
    Gzip(Box<Gzip>),
    Zstd(zstd::Encoder<'static, Gathered>),
    #[cfg(feature = "codecs")]
    Other(Codec),
}

impl Encoder {
    pub(crate) fn new(sink: Sink, path: &Path, threads: usize) -> io::Result<Self> {
        Ok(match Packing::of_name(&path.to_string_lossy()) {
            Packing::Plain => Self::Plain(sink),
            Packing::Gzip => Self::Gzip(Box::new(Gzip::new(Gathered::new(sink), threads)?)),
            Packing::Zstd => {
                let mut encoder = zstd::Encoder::new(Gathered::new(sink), 3)?;
                // The output is one frame, because some readers stop at the end of the first frame. The bytes are the same for
                // any number of workers, as long as there is at least one. Without workers, the bytes would be different.
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
            other => {
                return Err(io::Error::other(
                    other
                        .not_built(crate::error::ErrorKind::Output)
                        .at(path.display().to_string()),
                ));
            }
        })
    }

    /// Returns the number of windows that the encoder may hold before it returns them.
    pub(crate) fn windows(&self) -> usize {
        if let Self::Gzip(encoder) = self {
            encoder.windows()
        } else {
            0
        }
    }

    /// Writes a window, and sends it back through the channel `empty` when its bytes are no longer needed.
    pub(crate) fn write(&mut self, window: Window, empty: &Sender<Window>) -> io::Result<()> {
        match self {
            Self::Plain(sink) => sink.write_all(window.bytes())?,
            Self::Zstd(encoder) => encoder.write_all(window.bytes())?,
            #[cfg(feature = "codecs")]
            Self::Other(codec) => codec.write_all(window.bytes())?,
            Self::Gzip(encoder) => return encoder.write(window, empty),
        }
        // Sending fails if the producer has ended; the window is then not needed any more.
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
