//! The log: what changed since the manifest was written.
//!
//! A log begins with 32 bytes: the magic bytes, the version (4 bytes), 4 zeros, the hash of the manifest that it continues, and the XXH3-64
//! of all this. Records follow. A record consists of its length, the low half of the XXH3-64 of the length (4 bytes each), the XXH3-64
//! of its content, the content, and the byte 0xa5. All hashes have the position of the record in the file as seed.
//!
//! The last record can be incomplete, if the program or the machine stopped while it was written. It was not acknowledged then, so it is
//! cut off: if the file ends before it does, or if the last byte of the file is still zero. Other records with wrong hashes are damage.

use std::{
    io::{Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use lookalike_io::disk::{self, File};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::whole::damaged;
use crate::error::{Error, Result};

const MAGIC: &[u8; 8] = b"\x89LKALOG\n";
const VERSION: u32 = 1;
const HEAD: usize = 32;
const RECORD_HEAD: usize = 16;
const END: u8 = 0xa5;

/// Returns the name of the log that continues a manifest.
pub(crate) fn name(manifest: u64) -> String {
    format!("log-{manifest:016x}")
}

fn head(manifest: u64) -> [u8; HEAD] {
    let mut head = [0; HEAD];
    head[..8].copy_from_slice(MAGIC);
    head[8..12].copy_from_slice(&VERSION.to_le_bytes());
    head[16..24].copy_from_slice(&manifest.to_le_bytes());
    let sum = xxh3_64(&head[..24]);
    head[24..].copy_from_slice(&sum.to_le_bytes());
    head
}

/// The records of a log.
#[derive(Debug, Default)]
pub(crate) struct Read {
    /// The bytes of the file.
    bytes: Vec<u8>,
    /// The content of each record.
    records: Vec<std::ops::Range<usize>>,
    /// The size of the file without an incomplete record.
    pub(crate) length: u64,
}

impl Read {
    pub(crate) fn records(&self) -> impl Iterator<Item = &[u8]> {
        self.records.iter().map(|range| &self.bytes[range.clone()])
    }
}

/// Reads the log that continues a manifest, up to `limit` bytes. A log that does not exist has no records.
///
/// # Errors
/// Fails if the file cannot be read, or if it is damaged.
pub(crate) fn read(folder: &Path, manifest: u64, limit: Option<u64>) -> Result<Read> {
    let path = folder.join(name(manifest));
    let failed = |source| Error::File { path: path.clone(), source };
    let file = match File::open_regular(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Read::default()),
        opened => opened.map_err(failed)?,
    };
    let length = file.length().map_err(failed)?.min(limit.unwrap_or(u64::MAX));
    let mut bytes = vec![0; usize::try_from(length).map_err(|_| damaged(&path, "it is too large"))?];
    file.read_exact_at(&mut bytes, 0).map_err(failed)?;
    let expected = head(manifest);
    let is_cut = bytes.last().is_none_or(|&byte| byte == 0);
    if !bytes.starts_with(&expected) {
        // The program stopped while it wrote the first record.
        if is_cut || expected.starts_with(&bytes) {
            return Ok(Read::default());
        }
        if bytes.len() < HEAD {
            return Err(damaged(&path, "its head is wrong"));
        }
        let found = u32::from_le_bytes([bytes[8], bytes[9], bytes[10], bytes[11]]);
        let is_sound = bytes.starts_with(MAGIC) && xxh3_64(&bytes[..24]).to_le_bytes() == bytes[24..HEAD];
        return Err(match is_sound && found != VERSION {
            true => Error::Version { of: path.display().to_string(), found, reads: VERSION },
            false => damaged(&path, "its head is wrong"),
        });
    }
    let (mut at, mut records) = (HEAD, Vec::new());
    loop {
        match record(&bytes, at) {
            Ok(Some(content)) => {
                at = content.end + 1;
                records.push(content);
            }
            Ok(None) => break,
            Err(_) if is_cut => break,
            Err(what) => return Err(damaged(&path, &format!("the record at byte {at}: {what}"))),
        }
    }
    Ok(Read { length: at as u64, bytes, records })
}

/// Returns where the content of the record at `at` is; none if the log ends there, or in the record.
fn record(bytes: &[u8], at: usize) -> std::result::Result<Option<std::ops::Range<usize>>, &'static str> {
    let rest = &bytes[at..];
    let Some((head, rest)) = rest.split_first_chunk::<RECORD_HEAD>() else { return Ok(None) };
    let word = |from: usize| u32::from_le_bytes([head[from], head[from + 1], head[from + 2], head[from + 3]]);
    let length = word(0);
    if word(4) != length_hash(length, at) {
        return Err("its length is wrong");
    }
    let Some(content) = rest.get(..length as usize) else { return Ok(None) };
    let Some(&end) = rest.get(length as usize) else { return Ok(None) };
    if end != END || xxh3_64_with_seed(content, at as u64).to_le_bytes() != head[8..] {
        return Err("its checksum is wrong");
    }
    let start = at + RECORD_HEAD;
    Ok(Some(start..start + length as usize))
}

fn length_hash(length: u32, at: usize) -> u32 {
    xxh3_64_with_seed(&length.to_le_bytes(), at as u64) as u32
}

/// A log that is open for writing.
#[derive(Debug)]
pub(crate) struct Log {
    folder: PathBuf,
    manifest: u64,
    /// The file is created with the first record.
    file: Option<File>,
    length: u64,
}

impl Log {
    /// Continues the log of a manifest at the end of its last whole record.
    pub(crate) fn new(folder: &Path, manifest: u64, length: u64) -> Self {
        Self { folder: folder.into(), manifest, file: None, length }
    }

    /// Cuts off an incomplete record.
    pub(crate) fn cut(&self) -> Result<()> {
        let path = self.path();
        let failed = |source| Error::File { path: path.clone(), source };
        if !path.exists() {
            return Ok(());
        }
        let file = File::open_or_create(&path).map_err(failed)?;
        match file.length().map_err(failed)? > self.length {
            true => file.set_length(self.length).map_err(failed),
            false => Ok(()),
        }
    }

    fn path(&self) -> PathBuf {
        self.folder.join(name(self.manifest))
    }

    /// Returns the size of all whole records and the head.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// Adds records and syncs the file. When this returns, they are on the disk. Cost: one write and one sync.
    ///
    /// # Errors
    /// Fails if the file cannot be written. It may have a part of the records then.
    pub(crate) fn append(&mut self, records: &[Vec<u8>]) -> Result<()> {
        let path = self.path();
        self.try_append(records).map_err(|source| Error::File { path, source })
    }

    fn try_append(&mut self, records: &[Vec<u8>]) -> std::io::Result<()> {
        let mut bytes = Vec::new();
        let mut end = self.length;
        let is_new = self.length == 0;
        if is_new {
            bytes.extend(head(self.manifest));
            end = HEAD as u64;
        }
        for record in records {
            let length = u32::try_from(record.len()).map_err(|_| std::io::Error::other("a record of 4 GiB or more"))?;
            bytes.extend(length.to_le_bytes());
            bytes.extend(length_hash(length, end as usize).to_le_bytes());
            bytes.extend(xxh3_64_with_seed(record, end).to_le_bytes());
            bytes.extend(record);
            bytes.push(END);
            end += (RECORD_HEAD + record.len() + 1) as u64;
        }
        let is_opened = self.file.is_none();
        let file = match &mut self.file {
            Some(file) => file,
            file => file.insert(File::open_or_create(&self.folder.join(name(self.manifest)))?),
        };
        if is_opened {
            // An incomplete record, or a log that was only begun, is cut off.
            file.set_length(self.length)?;
            file.seek(SeekFrom::Start(self.length))?;
        }
        file.write_all(&bytes)?;
        file.sync()?;
        if is_new {
            disk::sync_folder(&self.folder)?;
        }
        self.length = end;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn contents(read: &Read) -> Vec<Vec<u8>> {
        read.records().map(<[u8]>::to_vec).collect()
    }

    fn written(folder: &Path) -> (PathBuf, Vec<Vec<u8>>) {
        let records: Vec<Vec<u8>> = [0, 1, 100, 3].map(|n| (0..n).map(|i| i as u8).collect()).into();
        let mut log = Log::new(folder, 77, 0);
        log.append(&records[..1]).unwrap();
        log.append(&records[1..3]).unwrap();
        let mut log = Log::new(folder, 77, log.length());
        log.append(&records[3..]).unwrap();
        (folder.join(name(77)), records)
    }

    #[test]
    fn an_incomplete_record_is_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let (path, records) = written(folder.path());
        let whole = fs::read(&path).unwrap();
        let ends: Vec<usize> = records
            .iter()
            .scan(HEAD, |end, record| {
                *end += RECORD_HEAD + record.len() + 1;
                Some(*end)
            })
            .collect();
        assert_eq!(*ends.last().unwrap(), whole.len());
        for cut in 0..=whole.len() {
            let complete = ends.iter().filter(|&&end| end <= cut).count();
            for zeros in [0, 10] {
                let mut bytes = whole[..cut].to_vec();
                bytes.resize((cut + zeros).min(whole.len()), 0);
                fs::write(&path, &bytes).unwrap();
                let read = read(folder.path(), 77, None).unwrap();
                assert_eq!(contents(&read), records[..complete], "cut at {cut} with {zeros} zeros");
                let mut log = Log::new(folder.path(), 77, read.length);
                log.append(&[b"next".to_vec()]).unwrap();
                let mut expected = records[..complete].to_vec();
                expected.push(b"next".to_vec());
                assert_eq!(contents(&super::read(folder.path(), 77, None).unwrap()), expected);
            }
        }
    }

    #[test]
    fn a_changed_bit_is_detected() {
        let folder = tempfile::tempdir().unwrap();
        let (path, _) = written(folder.path());
        let mut bytes = fs::read(&path).unwrap();
        for bit in 0..8 * bytes.len() {
            bytes[bit / 8] ^= 1 << (bit % 8);
            fs::write(&path, &bytes).unwrap();
            assert!(read(folder.path(), 77, None).is_err(), "bit {bit}");
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        assert!(contents(&read(folder.path(), 78, None).unwrap()).is_empty());
    }
}
