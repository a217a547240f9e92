//! The log: what changed since the manifest was written.
//!
//! A log begins with 32 bytes: the magic bytes, the version (4 bytes), 4 zeros, the hash of the manifest that it continues, and the XXH3-64
//! of all this. Records follow. A record consists of its length (4 bytes), a checksum of what comes before and after it in the head (4 bytes),
//! the start of its group (8 bytes), the XXH3-64 of its content, the content, and the byte 0xa5. The records of a group are written together.
//! When a group is written, everything before its start is on the disk.
//!
//! The last group can be incomplete, if the program or the machine stopped while it was written: the file ends too early, or sectors of it
//! are still zero. It was not acknowledged then, so its records are cut off, from the first one that is invalid. An invalid record before
//! the start of a later group is damage.

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
const RECORD_HEAD: usize = 24;
/// A disk writes at least this many bytes at a time, or none.
const SECTOR: usize = 512;
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
    let failed = |source| Error::File {
        path: path.clone(),
        source,
    };
    let file = match File::open_regular(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Read::default()),
        opened => opened.map_err(failed)?,
    };
    let length = file
        .length()
        .map_err(failed)?
        .min(limit.unwrap_or(u64::MAX));
    let mut bytes =
        vec![0; usize::try_from(length).map_err(|_| damaged(&path, "it is too large"))?];
    file.read_exact_at(&mut bytes, 0).map_err(failed)?;
    let expected = head(manifest);
    if !bytes.starts_with(&expected) {
        if let Some(head) = bytes.get(..HEAD) {
            let found = u32::from_le_bytes([head[8], head[9], head[10], head[11]]);
            if head.starts_with(MAGIC)
                && xxh3_64(&head[..24]).to_le_bytes() == head[24..]
                && found != VERSION
            {
                return Err(Error::Version {
                    of: path.display().to_string(),
                    found,
                    reads: VERSION,
                });
            }
        }
        // The program stopped while it wrote the first group.
        return match expected.starts_with(&bytes) || is_torn(&bytes, 0, manifest) {
            true => Ok(Read::default()),
            false => Err(damaged(&path, "its head is wrong")),
        };
    }
    let (mut at, mut records) = (HEAD, Vec::new());
    loop {
        match record(&bytes, at, manifest) {
            Ok(Some(Record { content, .. })) => {
                at = content.end + 1;
                records.push(content);
            }
            Ok(None) => break,
            Err(_) if is_torn(&bytes, at, manifest) => break,
            Err(what) => return Err(damaged(&path, &format!("the record at byte {at}: {what}"))),
        }
    }
    Ok(Read {
        length: at as u64,
        bytes,
        records,
    })
}

/// The place of a record's content, and the start of its group.
struct Record {
    content: std::ops::Range<usize>,
    group: u64,
}

/// Returns the record at `at`; none if the log ends there, or in the record.
fn record(
    bytes: &[u8],
    at: usize,
    manifest: u64,
) -> std::result::Result<Option<Record>, &'static str> {
    let rest = &bytes[at..];
    let Some((head, rest)) = rest.split_first_chunk::<RECORD_HEAD>() else {
        return Ok(None);
    };
    let word = |from: usize| {
        u32::from_le_bytes([head[from], head[from + 1], head[from + 2], head[from + 3]])
    };
    let (length, group) = (word(0), u64::from(word(8)) | u64::from(word(12)) << 32);
    let seed = seed(manifest, at as u64);
    if word(4) != head_hash(length, group, seed) {
        return Err("its head is wrong");
    }
    let Some(content) = rest.get(..length as usize) else {
        return Ok(None);
    };
    let Some(&end) = rest.get(length as usize) else {
        return Ok(None);
    };
    if end != END || xxh3_64_with_seed(content, seed).to_le_bytes() != head[16..] {
        return Err("its checksum is wrong");
    }
    let start = at + RECORD_HEAD;
    Ok(Some(Record {
        content: start..start + length as usize,
        group,
    }))
}

/// Returns whether what is at `at` was never written as a whole: no later group says that it was on the disk, and a part is still zero.
fn is_torn(bytes: &[u8], at: usize, manifest: u64) -> bool {
    let is_later = |other: usize| matches!(record(bytes, other, manifest), Ok(Some(Record { group, .. })) if group > at as u64);
    let mut sectors = (at / SECTOR..bytes.len().div_ceil(SECTOR))
        .map(|sector| &bytes[at.max(sector * SECTOR)..bytes.len().min((sector + 1) * SECTOR)]);
    let is_zero = |sector: &[u8]| sector.iter().all(|&byte| byte == 0);
    // The last byte of a whole group is not zero.
    (bytes.last() == Some(&0) || sectors.any(is_zero)) && !(at + 1..bytes.len()).any(is_later)
}

/// Returns the seed of the checksums of a record, so that a record at another place or of another log is invalid.
fn seed(manifest: u64, at: u64) -> u64 {
    manifest.wrapping_add(at)
}

fn head_hash(length: u32, group: u64, seed: u64) -> u32 {
    let mut bytes = [0; 12];
    bytes[..4].copy_from_slice(&length.to_le_bytes());
    bytes[4..].copy_from_slice(&group.to_le_bytes());
    xxh3_64_with_seed(&bytes, seed) as u32
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
        Self {
            folder: folder.into(),
            manifest,
            file: None,
            length,
        }
    }

    /// Cuts off an incomplete record.
    pub(crate) fn cut(&self) -> Result<()> {
        let path = self.path();
        let failed = |source| Error::File {
            path: path.clone(),
            source,
        };
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
        self.try_append(records)
            .map_err(|source| Error::File { path, source })
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
            let length = u32::try_from(record.len())
                .map_err(|_| std::io::Error::other("a record of 4 GiB or more"))?;
            bytes.extend(length.to_le_bytes());
            let seed = seed(self.manifest, end);
            bytes.extend(head_hash(length, self.length, seed).to_le_bytes());
            bytes.extend(self.length.to_le_bytes());
            bytes.extend(xxh3_64_with_seed(record, seed).to_le_bytes());
            bytes.extend(record);
            bytes.push(END);
            end += (RECORD_HEAD + record.len() + 1) as u64;
        }
        let is_opened = self.file.is_none();
        let file = match &mut self.file {
            Some(file) => file,
            file => file.insert(File::open_or_create(
                &self.folder.join(name(self.manifest)),
            )?),
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
        let records: Vec<Vec<u8>> = [0, 1, 100, 3]
            .map(|n| (0..n).map(|i| i as u8).collect())
            .into();
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
                assert_eq!(
                    contents(&read),
                    records[..complete],
                    "cut at {cut} with {zeros} zeros"
                );
                let mut log = Log::new(folder.path(), 77, read.length);
                log.append(&[b"next".to_vec()]).unwrap();
                let mut expected = records[..complete].to_vec();
                expected.push(b"next".to_vec());
                assert_eq!(
                    contents(&super::read(folder.path(), 77, None).unwrap()),
                    expected
                );
            }
        }
    }

    /// Returns a log of two groups with one record each, and one with two of 5,000 bytes; and the starts of the groups.
    fn grouped(folder: &Path) -> (PathBuf, Vec<u8>, Vec<usize>) {
        let mut log = Log::new(folder, 77, 0);
        let mut starts = Vec::new();
        for group in [
            &[vec![1; 700]][..],
            &[vec![2; 700]],
            &[vec![3; 5000], vec![4; 5000]],
        ] {
            starts.push(log.length() as usize);
            log.append(group).unwrap();
        }
        let path = folder.join(name(77));
        (path.clone(), fs::read(path).unwrap(), starts)
    }

    #[test]
    fn sectors_of_the_last_group_that_were_not_written_are_no_damage() {
        let folder = tempfile::tempdir().unwrap();
        let (path, whole, starts) = grouped(folder.path());
        for sector in starts[2].div_ceil(SECTOR)..whole.len() / SECTOR {
            let mut bytes = whole.clone();
            bytes[sector * SECTOR..][..SECTOR].fill(0);
            fs::write(&path, &bytes).unwrap();
            let expected = if sector * SECTOR < starts[2] + RECORD_HEAD + 5000 + 1 {
                2
            } else {
                3
            };
            assert_eq!(
                contents(&read(folder.path(), 77, None).unwrap()).len(),
                expected,
                "{sector}"
            );
        }
    }

    #[test]
    fn an_incomplete_group_does_not_hide_damage_before_it() {
        let folder = tempfile::tempdir().unwrap();
        let (path, whole, starts) = grouped(folder.path());
        for at in [10, starts[1] + 3, starts[1] + 300] {
            let mut bytes = whole.clone();
            bytes[at] ^= 1;
            // The end of the last group was not written.
            let end = bytes.len() - 100;
            bytes[end..].fill(0);
            fs::write(&path, &bytes).unwrap();
            assert!(
                matches!(read(folder.path(), 77, None), Err(Error::Damaged(_))),
                "{at}"
            );
        }
    }

    #[test]
    fn records_of_another_log_are_invalid() {
        let folder = tempfile::tempdir().unwrap();
        let (path, mut bytes, _) = grouped(folder.path());
        bytes[..HEAD].copy_from_slice(&head(78));
        fs::rename(path, folder.path().join(name(78))).unwrap();
        fs::write(folder.path().join(name(78)), &bytes).unwrap();
        assert!(matches!(
            read(folder.path(), 78, None),
            Err(Error::Damaged(_))
        ));
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
