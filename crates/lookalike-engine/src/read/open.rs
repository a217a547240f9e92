//! A file → its bytes, decompressed. What a file is, its first bytes say; its ending is only held against it.

use std::{
    io::{self, BufRead, BufReader, Cursor, Read},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use flate2::bufread::GzDecoder;

use crate::{
    disk::File,
    error::{Error, ErrorKind, Result},
};

pub(crate) type Reader = Box<dyn Read + Send>;

/// Formats that people have and that are not read: better named than misread as bad JSON.
const FOREIGN: [(&[u8], &str); 6] = [
    (b"BZh", "bzip2-compressed"),
    (b"\xfd7zXZ\0", "xz-compressed"),
    (b"\x04\x22\x4d\x18", "lz4-compressed"),
    (b"PK\x03\x04", "a zip archive"),
    (b"PAR1", "a Parquet file"),
    (b"ARROW1", "an Arrow file"),
];

/// How what a file holds is packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Packing {
    Plain,
    Gzip,
    Zstd,
}

/// Bytes that tell the packing.
pub(crate) const START: usize = 6;

impl Packing {
    /// The packing of a file that begins so. `name` is for messages.
    pub(crate) fn of(start: &[u8], name: &str) -> Result<Self> {
        if let Some((_, what)) = FOREIGN.iter().find(|(magic, _)| start.starts_with(magic)) {
            let message = format!("{name}: is {what}; lookalike reads JSON Lines, plain, .gz or .zst: convert it first");
            return Err(Error::new(ErrorKind::Input, message));
        }
        if start.starts_with(&[0x1f, 0x8b]) {
            return Ok(Self::Gzip);
        }
        // A zstd file may begin with a skippable frame (pzstd, seekable zstd).
        let skippable = start.len() >= 4 && start[1..4] == [0x2a, 0x4d, 0x18] && start[0] & 0xf0 == 0x50;
        if start.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) || skippable {
            return Ok(Self::Zstd);
        }
        for (ending, what) in [(".gz", "gzip"), (".zst", "zstd")] {
            if name.ends_with(ending) {
                let message = format!(
                    "{name}: named {ending} but holds no {what} data; download it again, or rename it if it is plain text"
                );
                return Err(Error::new(ErrorKind::Input, message));
            }
        }
        Ok(Self::Plain)
    }
}

/// Looks at the first bytes and puts the right decompressor in front. `name` is for messages.
pub(crate) fn decompress(mut raw: impl Read + Send + 'static, name: &str) -> Result<Reader> {
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
    Ok(match packing {
        Packing::Plain => Box::new(whole),
        Packing::Gzip => Box::new(Members::new(BufReader::with_capacity(1 << 17, whole))),
        Packing::Zstd => {
            let mut decoder = zstd::Decoder::new(whole).map_err(reading)?;
            decoder.window_log_max(31).map_err(reading)?;
            Box::new(decoder)
        }
    })
}

/// The members of a gzip file, one after the other. What stands behind them is zeros, with which some fill up their blocks, or it
/// is not what was meant.
struct Members<R>(Option<GzDecoder<R>>);

impl<R: BufRead> Members<R> {
    fn new(packed: R) -> Self {
        Self(Some(GzDecoder::new(packed)))
    }
}

impl<R: BufRead> Read for Members<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.0 {
            let n = member.read(buffer)?;
            if n > 0 || buffer.is_empty() {
                return Ok(n);
            }
            let more = next_member(member)?;
            self.0 = self.0.take().filter(|_| more).map(|member| GzDecoder::new(member.into_inner()));
        }
        Ok(0)
    }
}

/// Whether another member begins behind one that has ended.
fn next_member(ended: &mut GzDecoder<impl BufRead>) -> io::Result<bool> {
    let mut filled_up = false;
    loop {
        let rest = ended.get_mut().fill_buf()?;
        let zeros = rest.iter().take_while(|&&byte| byte == 0).count();
        match rest.get(zeros) {
            None if rest.is_empty() => return Ok(false),
            None => {
                ended.get_mut().consume(zeros);
                filled_up = true;
            }
            Some(0x1f) if zeros == 0 && !filled_up => return Ok(true),
            Some(_) => return Err(io::Error::new(io::ErrorKind::InvalidData, "something else stands behind its end")),
        }
    }
}

/// Counts the bytes that are read from a file, before decompression.
pub(crate) struct Counted {
    pub(crate) file: File,
    pub(crate) count: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.file.read(buffer)?;
        self.count.fetch_add(n as u64, Ordering::Relaxed);
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use proptest::prelude::*;

    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn read(packed: &[u8], at_once: usize) -> std::result::Result<Vec<u8>, (io::ErrorKind, String)> {
        let mut bytes = Vec::new();
        let mut members = Members::new(BufReader::with_capacity(at_once, packed));
        members.read_to_end(&mut bytes).map(|_| bytes).map_err(|error| (error.kind(), error.to_string()))
    }

    proptest! {
        #[test]
        fn members_and_zeros_behind_them_are_read_and_nothing_else(
            members in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..300), 1..4),
            zeros in 0usize..40,
            at_once in 1usize..50,
        ) {
            let mut packed = members.iter().flat_map(|member| gzip(member)).collect::<Vec<_>>();
            let whole = packed.len();
            packed.resize(whole + zeros, 0);
            prop_assert_eq!(read(&packed, at_once), Ok(members.concat()));
            prop_assert_eq!(read(&packed[..whole - 1], at_once).unwrap_err().0, io::ErrorKind::UnexpectedEof);
            // Not even another member, behind zeros.
            packed.extend(if zeros > 0 { gzip(b"more") } else { b"x".to_vec() });
            let (kind, message) = read(&packed, at_once).unwrap_err();
            prop_assert_eq!((kind, &*message), (io::ErrorKind::InvalidData, "something else stands behind its end"));
        }
    }
}
