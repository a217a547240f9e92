//! Codecs that compress on one thread, and xz, which uses several. The bytes do not depend on the number of threads.

use std::io::{self, Write};

use brotli::CompressorWriter;
use bzip2::{Compression, write::BzEncoder};
use liblzma::{
    stream::{Check, MtStreamBuilder},
    write::XzEncoder,
};
use lz4_flex::frame::{BlockSize, FrameEncoder, FrameInfo};

use super::gathered::Gathered;

/// The compression level of xz, and the number of bytes per block: both determine the output. Preset 1 compresses 60 MB of the
/// bench collection to 28 % in 8 s. Preset 2 compresses it to 25 % in 10 s with 18 MB of memory per thread. Preset 6 compresses
/// it to 18 % in 107 s with 97 MB per thread.
const XZ_PRESET: u32 = 2;
const XZ_BLOCK: u64 = 6 << 20;

/// The largest number of threads for xz: each thread takes as much memory as several threads of other codecs.
const MOST_XZ: usize = 4;

/// Brotli's quality and the logarithm of its window: these give the best compression that brotli achieves at about 50 MB/s.
const BROTLI_QUALITY: u32 = 5;
const BROTLI_WINDOW: u32 = 22;

/// A compressed stream that is being written.
pub(crate) enum Codec {
    Bzip2(BzEncoder<Gathered>),
    Xz(XzEncoder<Gathered>),
    Lz4(Box<FrameEncoder<Gathered>>),
    Brotli(Box<CompressorWriter<Remembering>>),
}

impl Codec {
    pub(crate) fn bzip2(into: Gathered) -> Self {
        // The compression level `best` is also the default of the bzip2 program.
        Self::Bzip2(BzEncoder::new(into, Compression::best()))
    }

    pub(crate) fn xz(into: Gathered, threads: usize) -> io::Result<Self> {
        let mut builder = MtStreamBuilder::new();
        builder
            .preset(XZ_PRESET)
            .block_size(XZ_BLOCK)
            .check(Check::Crc64)
            .threads(threads.min(MOST_XZ) as u32);
        Ok(Self::Xz(XzEncoder::new_stream(into, builder.encoder()?)))
    }

    pub(crate) fn lz4(into: Gathered) -> Self {
        let frame = FrameInfo::new()
            .block_size(BlockSize::Max1MB)
            .block_checksums(true)
            .content_checksum(true);
        Self::Lz4(Box::new(FrameEncoder::with_frame_info(frame, into)))
    }

    pub(crate) fn brotli(into: Gathered) -> Self {
        const BUFFER: usize = 64 << 10;
        let into = Remembering { into, failed: None };
        Self::Brotli(Box::new(CompressorWriter::new(
            into,
            BUFFER,
            BROTLI_QUALITY,
            BROTLI_WINDOW,
        )))
    }

    pub(crate) fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Bzip2(encoder) => encoder.write_all(bytes),
            Self::Xz(encoder) => encoder.write_all(bytes),
            Self::Lz4(encoder) => encoder.write_all(bytes),
            Self::Brotli(encoder) => encoder.write_all(bytes),
        }
    }

    /// Ends the stream.
    pub fn finish(self) -> io::Result<Gathered> {
        match self {
            Self::Bzip2(encoder) => encoder.finish(),
            Self::Xz(encoder) => encoder.finish(),
            Self::Lz4(encoder) => Ok(encoder.finish()?),
            Self::Brotli(encoder) => {
                let Remembering { into, failed } = encoder.into_inner();
                failed.map_or(Ok(into), Err)
            }
        }
    }
}

/// A writer that remembers its first error. It is needed because brotli's writer hides an error that occurs when it writes its
/// last bytes.
pub(crate) struct Remembering {
    into: Gathered,
    failed: Option<io::Error>,
}

impl Write for Remembering {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.into.write(bytes);
        if let Err(error) = &written
            && self.failed.is_none()
        {
            self.failed = Some(match error.raw_os_error() {
                Some(number) => io::Error::from_raw_os_error(number),
                None => io::Error::new(error.kind(), error.to_string()),
            });
        }
        written
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
