//! The log: what changed since the manifest was written.
//!
//! The file is allocated ahead: it exists, with zeros after its head, before a manifest is written that it continues, and it grows in steps.
//! The size up to which it is allocated is in the file itself, so a log that is missing or shorter is damage. FORMAT.md describes both
//! versions; version 1 is only read.
//!
//! The records of a group are written together. When a group is written, everything before its start is on the disk. The last group can be
//! incomplete, if the program or the machine stopped while it was written. It was not acknowledged then, so its records are cut off, from
//! the first one that is invalid. An invalid record before the start of a later group is damage.

use std::{
    io,
    ops::Range,
    path::{Path, PathBuf},
};

use lookalike_io::disk::File;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::{
    manifest::Manifest,
    whole::{self, damaged},
};
use crate::error::{Error, Result};

const MAGIC: &[u8; 8] = b"\x89LKALOG\n";
const VERSION: u32 = 2;
const HEAD: usize = 32;
const RECORD_HEAD: usize = 24;
/// A disk writes at least this many bytes at a time, or none.
const SECTOR: usize = 512;
const END: u8 = 0xa5;

/// The position at which the records begin: after the sector of the head, and those of two sizes.
const RECORDS: u64 = 3 * SECTOR as u64;

/// The number of bytes by which a log grows.
const STEP: u64 = 1 << 20;

/// The room that additions leave in the log, so that some thousand documents can be deleted when the disk is full.
pub(crate) const RESERVE: u64 = STEP / 2;

/// Returns the name of the log that continues a manifest.
pub(crate) fn name(manifest: u64) -> String {
    format!("log-{manifest:016x}")
}

fn head(version: u32, manifest: u64) -> [u8; HEAD] {
    let mut head = [0; HEAD];
    head[..8].copy_from_slice(MAGIC);
    head[8..12].copy_from_slice(&version.to_le_bytes());
    head[16..24].copy_from_slice(&manifest.to_le_bytes());
    let sum = xxh3_64(&head[..24]);
    head[24..].copy_from_slice(&sum.to_le_bytes());
    head
}

/// The size up to which a log is allocated. The last two are in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Size {
    /// The first one has the number 1.
    number: u64,
    bytes: u64,
}

impl Size {
    const FIRST: Self = Self {
        number: 1,
        bytes: RECORDS + STEP,
    };

    /// Returns the position of its sector: sizes take turns.
    fn at(self) -> u64 {
        SECTOR as u64 * (2 - self.number % 2)
    }

    fn to_bytes(self, manifest: u64) -> [u8; 24] {
        let mut bytes = [0; 24];
        bytes[..8].copy_from_slice(&self.number.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.bytes.to_le_bytes());
        let sum = xxh3_64_with_seed(&bytes[..16], manifest);
        bytes[16..].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    /// Returns the size that counts: the one with the higher number. A sector is written as a whole, so both are valid.
    fn of(heads: &[u8], manifest: u64) -> Option<Self> {
        let (one, other) = heads[SECTOR..].split_at(SECTOR);
        let read = |sector: &[u8]| {
            let [number, bytes, ..] = sector.as_chunks().0 else {
                return None;
            };
            let (number, bytes) = (u64::from_le_bytes(*number), u64::from_le_bytes(*bytes));
            let size = Self { number, bytes };
            // Each size is at least one step larger than the one before.
            let steps = bytes.checked_sub(RECORDS)? / STEP;
            let is_valid = sector.starts_with(&size.to_bytes(manifest))
                && bytes == RECORDS + steps * STEP
                && (1..=steps).contains(&number);
            is_valid.then_some(size)
        };
        match (read(one)?, read(other)) {
            (one, Some(other)) => {
                let (before, last) = if one.number < other.number {
                    (one, other)
                } else {
                    (other, one)
                };
                (before.number + 1 == last.number && before.bytes < last.bytes).then_some(last)
            }
            (first, None) if first.number == 1 && other.iter().all(|&byte| byte == 0) => {
                Some(first)
            }
            _ => None,
        }
    }
}

/// The records of a log.
#[derive(Debug, Default)]
pub(crate) struct Read {
    /// The bytes of the file, up to the last one that is not zero.
    bytes: Vec<u8>,
    /// The content of each record.
    records: Vec<Range<usize>>,
    /// The end of the last whole record.
    end: u64,
    /// None for a log of version 1.
    size: Option<Size>,
}

impl Read {
    pub(crate) fn records(&self) -> impl Iterator<Item = &[u8]> {
        self.records.iter().map(|range| &self.bytes[range.clone()])
    }
}

/// Reads the log that continues a manifest, up to `limit` bytes.
///
/// # Errors
/// Fails if the file cannot be read, is missing, or is damaged. In version 1, a log without records does not exist.
pub(crate) fn read(folder: &Path, manifest: &Manifest, limit: Option<u64>) -> Result<Read> {
    let path = folder.join(name(manifest.hash));
    let opened = match File::open_regular(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        opened => Some(opened),
    };
    let failed = |source| Error::File {
        path: path.clone(),
        source,
    };
    match opened.transpose().map_err(failed)? {
        Some(file) if manifest.is_old() => read_first(&file, &path, manifest.hash),
        Some(file) => read_allocated(&file, &path, manifest.hash, limit),
        None if manifest.is_old() => Ok(Read::default()),
        None => Err(damaged(&path, "it is missing")),
    }
}

/// Reads a log while another process may write it. A read can see a later part of a write without an earlier part. So a log counts as
/// damaged only if a second read returns the same bytes.
fn read_allocated(file: &File, path: &Path, manifest: u64, limit: Option<u64>) -> Result<Read> {
    let read = || {
        allocated(file, manifest, limit).map_err(|source| Error::File {
            path: path.into(),
            source,
        })
    };
    let mut bytes = read()?;
    loop {
        let sum = xxh3_64(&bytes);
        match parsed(bytes, path, manifest, limit) {
            Err(error) => {
                bytes = read()?;
                if xxh3_64(&bytes) == sum {
                    return Err(error);
                }
            }
            parsed => return parsed,
        }
    }
}

/// Returns the bytes up to the log's size; fewer if the file is shorter, or has no valid size.
fn allocated(file: &File, manifest: u64, limit: Option<u64>) -> io::Result<Vec<u8>> {
    let heads = whole::read_from(file, file.length()?.min(RECORDS))?;
    let size = (heads.len() as u64 == RECORDS)
        .then(|| Size::of(&heads, manifest))
        .flatten();
    let Some(size) = size else {
        return Ok(heads);
    };
    // The writer makes the file longer before it writes the new size, so this is read later.
    let length = size.bytes.min(limit.unwrap_or(u64::MAX));
    whole::read_from(file, file.length()?.min(length))
}

fn parsed(mut bytes: Vec<u8>, path: &Path, manifest: u64, limit: Option<u64>) -> Result<Read> {
    let shorter = || damaged(path, "it is shorter than it was");
    let heads = bytes.get(..RECORDS as usize).ok_or_else(shorter)?;
    refuse_other(heads, VERSION, path, manifest)?;
    let size =
        Size::of(heads, manifest).ok_or_else(|| damaged(path, "the sizes in it are invalid"))?;
    if (bytes.len() as u64) < size.bytes.min(limit.unwrap_or(u64::MAX)) {
        return Err(shorter());
    }
    // Most of a log is zero, so whole sectors of zeros go first.
    while bytes[RECORDS as usize..].ends_with(&[0; SECTOR]) {
        bytes.truncate(bytes.len() - SECTOR);
    }
    let used = bytes.iter().rposition(|&byte| byte != 0);
    bytes.truncate(used.map_or(0, |last| last + 1).max(RECORDS as usize));
    let mut read = read_records(bytes, RECORDS as usize, path, manifest)?;
    // A record is written when there is room for it.
    if let Ok(Found::Part { end }) = record(&read.bytes, read.end as usize, manifest)
        && read.bytes.len() as u64 > read.end
        && end as u64 > size.bytes
    {
        return Err(invalid(
            path,
            read.end as usize,
            "it does not end in the log",
        ));
    }
    read.size = Some(size);
    Ok(read)
}

/// Reads a log of version 1, which is as long as its records.
fn read_first(file: &File, path: &Path, manifest: u64) -> Result<Read> {
    let length = file.length();
    let bytes = length.and_then(|length| whole::read_from(file, length));
    let bytes = bytes.map_err(|source| Error::File {
        path: path.into(),
        source,
    })?;
    let expected = head(1, manifest);
    // The program stopped while it wrote the first group.
    let is_begun = || expected.starts_with(&bytes) || is_torn(&bytes, 0, manifest);
    if !bytes.starts_with(&expected) && is_begun() {
        return Ok(Read::default());
    }
    refuse_other(&bytes, 1, path, manifest)?;
    read_records(bytes, HEAD, path, manifest)
}

/// Refuses a log that does not begin with the right head.
fn refuse_other(bytes: &[u8], version: u32, path: &Path, manifest: u64) -> Result<()> {
    if bytes.starts_with(&head(version, manifest)) {
        return Ok(());
    }
    let found = bytes.get(8..HEAD).and_then(|rest| rest.first_chunk());
    let found = found.map(|found| u32::from_le_bytes(*found));
    Err(match found {
        Some(found) if found > VERSION && bytes.starts_with(&head(found, manifest)) => {
            Error::Version {
                of: path.display().to_string(),
                found,
                reads: VERSION,
            }
        }
        _ => damaged(path, "its head is wrong"),
    })
}

fn invalid(path: &Path, at: usize, what: &str) -> Error {
    damaged(path, &format!("the record at byte {at}: {what}"))
}

/// Finds the records from `at` on.
fn read_records(bytes: Vec<u8>, mut at: usize, path: &Path, manifest: u64) -> Result<Read> {
    let mut records = Vec::new();
    loop {
        match record(&bytes, at, manifest) {
            Ok(Found::Whole(content)) => {
                at = content.end + 1;
                records.push(content);
            }
            Ok(Found::Part { .. }) => break,
            Err(_) if is_torn(&bytes, at, manifest) => break,
            Err(what) => return Err(invalid(path, at, what)),
        }
    }
    Ok(Read {
        end: at as u64,
        bytes,
        records,
        size: None,
    })
}

/// What is at a position of a log.
enum Found {
    /// A record: the place of its content.
    Whole(Range<usize>),
    /// The log ends there, or in the record that would end at `end` at the earliest.
    Part { end: usize },
}

/// The head of a record.
struct RecordHead {
    length: u32,
    group: u64,
    sum: u64,
    seed: u64,
}

impl RecordHead {
    /// Returns the head at `at`, if it is valid.
    fn of(head: &[u8; RECORD_HEAD], at: usize, manifest: u64) -> Option<Self> {
        let word = |from: usize| {
            u32::from_le_bytes([head[from], head[from + 1], head[from + 2], head[from + 3]])
        };
        let pair = |from| u64::from(word(from)) | u64::from(word(from + 4)) << 32;
        let (length, group, sum) = (word(0), pair(8), pair(16));
        let seed = seed(manifest, at as u64);
        (word(4) == head_hash(length, group, seed)).then_some(Self {
            length,
            group,
            sum,
            seed,
        })
    }
}

/// Returns the record at `at`.
fn record(bytes: &[u8], at: usize, manifest: u64) -> std::result::Result<Found, &'static str> {
    let Some(head) = bytes[at..].first_chunk() else {
        return Ok(Found::Part {
            end: at + RECORD_HEAD,
        });
    };
    let RecordHead {
        length, sum, seed, ..
    } = RecordHead::of(head, at, manifest).ok_or("its head is wrong")?;
    let start = at + RECORD_HEAD;
    let content = start..start + length as usize;
    let Some((place, &end)) = bytes.get(content.clone()).zip(bytes.get(content.end)) else {
        return Ok(Found::Part {
            end: content.end + 1,
        });
    };
    if end != END || xxh3_64_with_seed(place, seed) != sum {
        return Err("its checksum is wrong");
    }
    Ok(Found::Whole(content))
}

/// Returns whether what is at `at` was never written as a whole: no later group says that it was on the disk, and a part is still zero.
fn is_torn(bytes: &[u8], at: usize, manifest: u64) -> bool {
    let mut sectors = (at / SECTOR..bytes.len().div_ceil(SECTOR))
        .map(|sector| &bytes[at.max(sector * SECTOR)..bytes.len().min((sector + 1) * SECTOR)]);
    let is_zero = |sector: &[u8]| sector.iter().all(|&byte| byte == 0);
    // The last byte of a whole group is not zero.
    if bytes.last() != Some(&0) && !sectors.any(is_zero) {
        return false;
    }
    // In a forged log, each position could have the head of a record that covers the rest. So the work is limited.
    let mut work = 16 * bytes.len();
    for (later, head) in (at + 1..).zip(bytes[at + 1..].windows(RECORD_HEAD)) {
        let head = head.first_chunk();
        let head = head.and_then(|head| RecordHead::of(head, later, manifest));
        let Some(head) = head.filter(|head| head.group > at as u64) else {
            continue;
        };
        let Some(left) = work.checked_sub(head.length as usize) else {
            return false;
        };
        work = left;
        if matches!(record(bytes, later, manifest), Ok(Found::Whole(_))) {
            return false;
        }
    }
    true
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
    path: PathBuf,
    manifest: u64,
    /// It is opened when it is first written.
    file: Option<File>,
    /// The end of the last record.
    end: u64,
    /// From here on, all bytes are zero.
    used: u64,
    size: Size,
}

impl Log {
    /// Writes an empty log for a manifest that is not written yet. It is on the disk when its folder is synced. Cost: one sync.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub(crate) fn create(folder: &Path, manifest: u64) -> Result<Self> {
        let size = Size::FIRST;
        let mut bytes = vec![0; size.bytes as usize];
        bytes[..HEAD].copy_from_slice(&head(VERSION, manifest));
        let own = size.to_bytes(manifest);
        bytes[size.at() as usize..][..own.len()].copy_from_slice(&own);
        let name = name(manifest);
        whole::write(folder, &name, &bytes)?;
        Ok(Self {
            path: folder.join(name),
            manifest,
            file: None,
            end: RECORDS,
            used: RECORDS,
            size,
        })
    }

    /// Continues a log that was read; none if it is of version 1, which is not continued.
    pub(crate) fn after(read: &Read, folder: &Path, manifest: u64) -> Option<Self> {
        Some(Self {
            path: folder.join(name(manifest)),
            manifest,
            file: None,
            end: read.end,
            used: read.bytes.len() as u64,
            size: read.size?,
        })
    }

    /// Returns where the last record ends.
    pub(crate) fn end(&self) -> u64 {
        self.end
    }

    /// Returns whether there are no records.
    pub(crate) fn is_empty(&self) -> bool {
        self.end == RECORDS
    }

    /// Removes what follows the last record: a group that was never acknowledged. Then all bytes are on the disk. Cost: one sync.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub(crate) fn clear(&mut self) -> Result<()> {
        let zeros = vec![0; self.used.saturating_sub(self.end) as usize];
        self.write(&zeros, self.end)?;
        self.used = self.end;
        Ok(())
    }

    /// Adds records. When this returns, they are on the disk. Cost: one write and one sync, and two more of each if the log has to grow,
    /// which it does if fewer than `room` bytes would be left.
    ///
    /// # Errors
    /// Fails if the file cannot be written. It may have a part of the records then.
    pub(crate) fn append(&mut self, records: &[Vec<u8>], room: u64) -> Result<()> {
        let mut bytes = Vec::new();
        for record in records {
            let at = self.end + bytes.len() as u64;
            let length = u32::try_from(record.len())
                .map_err(|_| self.failed(io::Error::other("a record of 4 GiB or more")))?;
            bytes.extend(length.to_le_bytes());
            let seed = seed(self.manifest, at);
            bytes.extend(head_hash(length, self.end, seed).to_le_bytes());
            bytes.extend(self.end.to_le_bytes());
            bytes.extend(xxh3_64_with_seed(record, seed).to_le_bytes());
            bytes.extend(record);
            bytes.push(END);
        }
        let end = self.end + bytes.len() as u64;
        if end + room > self.size.bytes {
            self.grow(end + room)?;
        }
        self.used = end;
        self.write(&bytes, self.end)?;
        self.end = end;
        Ok(())
    }

    /// Makes room up to `end` at least. Until the new size is on the disk, the old one counts.
    fn grow(&mut self, end: u64) -> Result<()> {
        let size = Size {
            number: self.size.number + 1,
            bytes: RECORDS + (end - RECORDS).next_multiple_of(STEP),
        };
        let zeros = vec![0; (size.bytes - self.size.bytes) as usize];
        if let Err(error) = self.write(&zeros, self.size.bytes) {
            // On a full disk, deletes and a compaction may need this room. If it remains, it does no harm: it is beyond the size.
            if let Some(file) = &self.file {
                let _ = file.set_length(self.size.bytes);
            }
            return Err(error);
        }
        self.write(&size.to_bytes(self.manifest), size.at())?;
        self.size = size;
        Ok(())
    }

    /// Writes bytes to the disk.
    fn write(&mut self, bytes: &[u8], at: u64) -> Result<()> {
        let written = self.try_write(bytes, at);
        written.map_err(|error| self.failed(error))
    }

    fn try_write(&mut self, bytes: &[u8], at: u64) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            file => file.insert(File::open_to_write(&self.path)?),
        };
        file.write_all_at(bytes, at)?;
        file.sync_data()
    }

    fn failed(&self, source: io::Error) -> Error {
        Error::File {
            path: self.path.clone(),
            source,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use lookalike::Config;

    use super::*;
    use crate::{files::Settings, state::Store};

    fn read(folder: &Path, hash: u64) -> Result<Read> {
        let settings = Settings {
            config: Config::default(),
            store: Store::Texts,
            keep: "first".into(),
        };
        let mut manifest = Manifest::new(settings, Vec::new(), None, Vec::new(), 0, 1)?;
        manifest.hash = hash;
        super::read(folder, &manifest, None)
    }

    fn contents(folder: &Path) -> Vec<Vec<u8>> {
        let read = read(folder, 77).unwrap();
        read.records().map(<[u8]>::to_vec).collect()
    }

    /// Opens the log and appends a record.
    fn append(folder: &Path, record: &[u8]) {
        let mut log = Log::after(&read(folder, 77).unwrap(), folder, 77).unwrap();
        log.clear().unwrap();
        log.append(&[record.to_vec()], 0).unwrap();
    }

    /// Writes a log of these groups. Returns its path, its bytes, and where each group starts and the last one ends.
    fn written(folder: &Path, groups: &[&[Vec<u8>]]) -> (PathBuf, Vec<u8>, Vec<usize>) {
        let mut log = Log::create(folder, 77).unwrap();
        let mut starts = vec![log.end() as usize];
        for group in groups {
            log.append(group, 0).unwrap();
            starts.push(log.end() as usize);
        }
        let path = folder.join(name(77));
        (path.clone(), fs::read(path).unwrap(), starts)
    }

    /// Two groups with one record each, and one with two of 5,000 bytes.
    fn grouped(folder: &Path) -> (PathBuf, Vec<u8>, Vec<usize>) {
        written(
            folder,
            &[
                &[vec![1; 700]],
                &[vec![2; 700]],
                &[vec![3; 5000], vec![4; 5000]],
            ],
        )
    }

    #[test]
    fn an_incomplete_record_is_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let records = [0, 1, 100, 3].map(|n| (0..n).map(|i| i as u8).collect::<Vec<u8>>());
        let (first, rest) = records.split_at(1);
        let (path, whole, starts) = written(folder.path(), &[first, &rest[..2], &rest[2..]]);
        let ends: Vec<usize> = records
            .iter()
            .scan(starts[0], |end, record| {
                *end += RECORD_HEAD + record.len() + 1;
                Some(*end)
            })
            .collect();
        assert_eq!(ends.last(), starts.last());
        for cut in starts[0]..=starts[3] {
            let complete = ends.iter().filter(|&&end| end <= cut).count();
            let mut bytes = whole.clone();
            bytes[cut..].fill(0);
            fs::write(&path, &bytes).unwrap();
            assert_eq!(contents(folder.path()), records[..complete], "cut at {cut}");
            append(folder.path(), b"next");
            let expected = [&records[..complete], &[b"next".to_vec()]].concat();
            assert_eq!(contents(folder.path()), expected);
        }
    }

    /// What remained of a group could begin where the next one ends.
    #[test]
    fn nothing_remains_of_a_group_that_was_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let (path, mut bytes, starts) = grouped(folder.path());
        bytes[starts[2]..][..SECTOR].fill(0);
        fs::write(&path, &bytes).unwrap();
        append(folder.path(), &[3; 5000]);
        assert_eq!(contents(folder.path()).len(), 3);
    }

    #[test]
    fn a_missing_or_shorter_log_is_damage() {
        let folder = tempfile::tempdir().unwrap();
        let (path, whole, starts) = grouped(folder.path());
        let is_damaged = || matches!(read(folder.path(), 77), Err(Error::Damaged(_)));
        for length in [0, 1, HEAD, SECTOR, starts[0], starts[2], whole.len() - 1] {
            fs::write(&path, &whole[..length]).unwrap();
            assert!(is_damaged(), "{length}");
        }
        fs::remove_file(&path).unwrap();
        assert!(is_damaged());
        // A growth that did not finish is ignored.
        fs::write(&path, [&whole[..], &[0; 1000]].concat()).unwrap();
        assert_eq!(contents(folder.path()).len(), 4);
    }

    #[test]
    fn a_log_of_version_1_that_begins_otherwise_is_damaged() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name(77));
        let whole = [head(1, 77), [7; HEAD]].concat();
        // If the last byte is zero, the program may have stopped while it wrote the first group.
        for length in (1..whole.len()).filter(|&length| whole[length - 1] != 0) {
            let mut bytes = whole[..length].to_vec();
            bytes[0] ^= 1;
            fs::write(&path, &bytes).unwrap();
            let file = File::open_regular(&path).unwrap();
            let read = read_first(&file, &path, 77);
            assert!(matches!(read, Err(Error::Damaged(_))), "{length}");
        }
    }

    #[test]
    fn a_log_grows_in_steps() {
        let folder = tempfile::tempdir().unwrap();
        drop(Log::create(folder.path(), 77).unwrap());
        let path = folder.path().join(name(77));
        for count in 1..30 {
            append(folder.path(), &[7; 300_000]);
            let bytes = fs::read(&path).unwrap();
            assert_eq!(contents(folder.path()).len(), count);
            assert_eq!((bytes.len() as u64 - RECORDS) % STEP, 0);
            assert!(bytes.len() as u64 <= count as u64 * 300_025 + RECORDS + STEP);
            // Without the last size, the log would end in a record.
            let mut short = bytes.clone();
            let size = Size::of(&bytes[..RECORDS as usize], 77).unwrap();
            short[size.at() as usize..][..24].fill(0);
            fs::write(&path, &short).unwrap();
            assert!(read(folder.path(), 77).is_err(), "{count}");
            fs::write(&path, &bytes).unwrap();
        }
        append(folder.path(), &vec![8; 5 << 20]);
        assert_eq!(contents(folder.path()).len(), 30);
    }

    #[test]
    fn sectors_of_the_last_group_that_were_not_written_are_no_damage() {
        let folder = tempfile::tempdir().unwrap();
        let (path, whole, starts) = grouped(folder.path());
        for sector in starts[2].div_ceil(SECTOR)..=starts[3] / SECTOR {
            let mut bytes = whole.clone();
            bytes[sector * SECTOR..][..SECTOR].fill(0);
            fs::write(&path, &bytes).unwrap();
            let is_first = sector * SECTOR < starts[2] + RECORD_HEAD + 5000 + 1;
            let expected = if is_first { 2 } else { 3 };
            assert_eq!(contents(folder.path()).len(), expected, "{sector}");
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
            bytes[starts[3] - 100..].fill(0);
            fs::write(&path, &bytes).unwrap();
            assert!(
                matches!(read(folder.path(), 77), Err(Error::Damaged(_))),
                "{at}"
            );
        }
    }

    #[test]
    fn records_of_another_log_are_invalid() {
        let folder = tempfile::tempdir().unwrap();
        let (_, mut bytes, _) = grouped(folder.path());
        drop(Log::create(folder.path(), 78).unwrap());
        let other = folder.path().join(name(78));
        let heads = fs::read(&other).unwrap();
        let records = RECORDS as usize;
        bytes[..records].copy_from_slice(&heads[..records]);
        fs::write(&other, &bytes).unwrap();
        assert!(matches!(read(folder.path(), 78), Err(Error::Damaged(_))));
    }

    #[test]
    fn a_changed_bit_is_detected() {
        let folder = tempfile::tempdir().unwrap();
        let (path, mut bytes, starts) = written(folder.path(), &[&[vec![1; 30]], &[vec![2; 30]]]);
        let first = Size::FIRST.at() as usize;
        for byte in (0..HEAD)
            .chain(first..first + 24)
            .chain(starts[0]..starts[2])
        {
            for bit in 0..8 {
                bytes[byte] ^= 1 << bit;
                fs::write(&path, &bytes).unwrap();
                assert!(read(folder.path(), 77).is_err(), "byte {byte}, bit {bit}");
                bytes[byte] ^= 1 << bit;
            }
        }
    }
}
