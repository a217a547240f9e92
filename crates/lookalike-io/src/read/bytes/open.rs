//! Opens a file and decompresses its bytes.

use std::{
    io::{self, BufReader, Cursor, Read},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use flate2::bufread::GzDecoder;
#[cfg(feature = "codecs")]
use liblzma::bufread::XzDecoder;

#[cfg(feature = "codecs")]
use super::codecs::{Brotli, Lz4};
#[cfg(feature = "warc")]
use super::dictionary::{MOST_WINDOW, ZSTD_FRAME_HEADER, zstd_dictionary, zstd_dictionary_length};
use super::{
    members::Members,
    packing::{Packing, START},
};
#[cfg(not(feature = "codecs"))]
use crate::error::ErrorKind;
use crate::error::{Error, Result};

pub(crate) type Reader = Box<dyn Read + Send>;

/// Examines the first bytes and wraps the reader in the right decompressor. `name` is for messages.
pub(crate) fn decompress(raw: impl Read + Send + 'static, name: &str) -> Result<Reader> {
    unpack(Box::new(raw), name)
}

/// Does the work of `decompress` for a boxed reader. When this function was generic, the compiler built all decoders once for
/// each type of reader (of files, stores and commands), which took a tenth of this crate's build time.
fn unpack(mut raw: Reader, name: &str) -> Result<Reader> {
    let reading = |error| Error::reading(name, &error);
    let mut start = [0; START];
    let mut filled = 0;
    while filled < start.len() {
        match raw.read(&mut start[filled..]).map_err(reading)? {
            0 => break,
            n => filled += n,
        }
    }
    let start = &start[..filled];
    let packing = Packing::of(start, name)?;
    let whole = Cursor::new(start.to_vec()).chain(raw);
    let buffered = |whole| BufReader::with_capacity(1 << 17, whole);
    Ok(match packing {
        Packing::Plain => Box::new(whole),
        Packing::Gzip => Box::new(Members::<GzDecoder<_>>::new(buffered(whole))),
        Packing::Zstd => {
            #[cfg(feature = "warc")]
            if start.starts_with(DICTIONARY) {
                return with_dictionary(whole).map_err(reading);
            }
            let mut decoder = zstd::Decoder::new(whole).map_err(reading)?;
            decoder.window_log_max(31).map_err(reading)?;
            Box::new(decoder)
        }
        #[cfg(feature = "codecs")]
        Packing::Bzip2 => Box::new(Members::<bzip2::bufread::BzDecoder<_>>::new(buffered(
            whole,
        ))),
        #[cfg(feature = "codecs")]
        Packing::Lz4 => Box::new(Members::<Lz4<_>>::new(buffered(whole))),
        #[cfg(feature = "codecs")]
        Packing::Xz => Box::new(XzDecoder::new_multi_decoder(buffered(whole))),
        #[cfg(feature = "codecs")]
        Packing::Brotli => Box::new(Brotli::new(buffered(whole))),
        #[cfg(not(feature = "codecs"))]
        other => return Err(other.not_built(ErrorKind::Input).at(name)),
    })
}

/// The first bytes of a `.warc.zst` with a dictionary.
#[cfg(feature = "warc")]
const DICTIONARY: &[u8] = &[0x5d, 0x2a, 0x4d, 0x18];

/// Reads the dictionary at the beginning, and wraps the rest in a decompressor that uses it.
#[cfg(feature = "warc")]
fn with_dictionary(mut packed: impl Read + Send + 'static) -> io::Result<Reader> {
    let mut header = [0; ZSTD_FRAME_HEADER];
    packed.read_exact(&mut header)?;
    let mut content = Vec::new();
    let length = zstd_dictionary_length(&header).unwrap_or(0);
    if (&mut packed)
        .take(length.into())
        .read_to_end(&mut content)?
        < length as usize
    {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let dictionary = zstd_dictionary(&content)?;
    let mut decoder = zstd::Decoder::with_dictionary(BufReader::new(packed), &dictionary)?;
    decoder.window_log_max(MOST_WINDOW)?;
    Ok(Box::new(decoder))
}

/// Counts the bytes that are read, before decompression.
pub(crate) struct Counted<R> {
    pub(crate) packed: R,
    pub(crate) count: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.packed.read(buffer)?;
        self.count.fetch_add(n as u64, Ordering::Relaxed);
        Ok(n)
    }
}

#[cfg(test)]
mod tests;
