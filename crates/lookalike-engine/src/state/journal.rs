//! A file of consecutive records. Each record's checksum is seeded with the checksum of the previous record, so that the last
//! checksum covers all records. The first checksum is seeded with a number that identifies the run that the journal belongs to.

use std::{
    io::{self, BufReader, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use lookalike_io::{
    disk::File,
    error::{Error, Result},
};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::folder::damaged;

/// The number of bytes before a record, which are its length and its checksum.
const HEAD: usize = 16;

/// The number of bytes that are read at a time.
const PIECE: usize = 1 << 18;

/// How much of a journal was written.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Written {
    records: u64,
    bytes: u64,
    checksum: u64,
}

/// A journal, positioned at its end.
#[derive(Debug)]
pub(crate) struct Journal {
    file: File,
    folder: PathBuf,
    path: PathBuf,
    none: Written,
    written: Written,
    synced: Written,
    scratch: Vec<u8>,
}

impl Journal {
    /// Opens the journal, and creates it if it does not exist. `written` is the extent of the journal's valid part; with `None`,
    /// no part is valid. Everything after the valid part is removed. `owner` distinguishes the journals of different runs.
    pub(super) fn open(
        folder: &Path,
        name: &str,
        owner: u64,
        written: Option<Written>,
    ) -> Result<Self> {
        let path = folder.join(name);
        let none = Written {
            checksum: owner,
            ..Written::default()
        };
        let written = written.unwrap_or(none);
        let open = || -> io::Result<(File, u64)> {
            let mut file = File::open_or_create(&path)?;
            let length = file.seek(SeekFrom::End(0))?;
            if length > written.bytes {
                file.set_length(written.bytes)?;
                file.seek(SeekFrom::Start(written.bytes))?;
            }
            Ok((file, length))
        };
        let (file, length) = open().map_err(|error| Error::state(folder, &error))?;
        if length < written.bytes {
            return Err(damaged(
                &path,
                &format!("it has {length} of {} bytes", written.bytes),
            ));
        }
        Ok(Self {
            file,
            folder: folder.into(),
            path,
            none,
            written,
            synced: written,
            scratch: Vec::new(),
        })
    }

    /// Returns the number of records.
    pub(crate) fn len(&self) -> u64 {
        self.written.records
    }

    /// Appends a record. `fill` appends the record's content to its argument.
    pub(crate) fn append(&mut self, fill: impl FnOnce(&mut Vec<u8>)) -> Result<()> {
        let Self {
            scratch, written, ..
        } = self;
        scratch.clear();
        scratch.resize(HEAD, 0);
        fill(scratch);
        let (length, checksum) = (
            (scratch.len() - HEAD) as u64,
            xxh3_64_with_seed(&scratch[HEAD..], written.checksum),
        );
        scratch[..8].copy_from_slice(&length.to_le_bytes());
        scratch[8..HEAD].copy_from_slice(&checksum.to_le_bytes());
        self.file
            .write_all(scratch)
            .map_err(|error| Error::state(&self.folder, &error))?;
        *written = Written {
            records: written.records + 1,
            bytes: written.bytes + scratch.len() as u64,
            checksum,
        };
        Ok(())
    }

    /// Passes all records to `give` in order, exactly as they were written. `give` returns `None` for a record that it does not
    /// understand.
    pub(crate) fn each(&mut self, mut give: impl FnMut(&[u8]) -> Result<Option<()>>) -> Result<()> {
        let failed = |error: io::Error| match error.kind() {
            io::ErrorKind::UnexpectedEof => {
                damaged(&self.path, "it ends in the middle of a record")
            }
            _ => Error::state(&self.folder, &error),
        };
        self.file.rewind().map_err(failed)?;
        let mut reader = BufReader::with_capacity(PIECE, &mut self.file);
        let mut seen = self.none;
        while seen.bytes < self.written.bytes {
            let wrong = || {
                damaged(
                    &self.path,
                    &format!(
                        "record {} at byte {} is not what was written",
                        seen.records, seen.bytes
                    ),
                )
            };
            let mut number = || {
                let mut bytes = [0; 8];
                reader
                    .read_exact(&mut bytes)
                    .map(|()| u64::from_le_bytes(bytes))
            };
            let (length, checksum) = (number().map_err(failed)?, number().map_err(failed)?);
            if length > (self.written.bytes - seen.bytes).saturating_sub(HEAD as u64) {
                return Err(wrong());
            }
            self.scratch.resize(length as usize, 0);
            reader.read_exact(&mut self.scratch).map_err(failed)?;
            if xxh3_64_with_seed(&self.scratch, seen.checksum) != checksum {
                return Err(wrong());
            }
            give(&self.scratch)?.ok_or_else(wrong)?;
            seen = Written {
                records: seen.records + 1,
                bytes: seen.bytes + HEAD as u64 + length,
                checksum,
            };
        }
        if seen != self.written {
            return Err(damaged(&self.path, "its end is not what was written"));
        }
        Ok(())
    }

    /// Removes all records.
    pub(crate) fn clear(&mut self) -> Result<()> {
        let cut = self.file.set_length(0).and_then(|()| self.file.rewind());
        self.written = self.none;
        cut.map_err(|error| Error::state(&self.folder, &error))
    }

    /// Returns the extent of an empty journal.
    pub(super) fn none(&self) -> Written {
        self.none
    }

    /// Syncs all records to the disk, and returns their extent.
    pub(super) fn sync(&mut self) -> Result<Written> {
        if self.synced != self.written {
            self.file
                .sync()
                .map_err(|error| Error::state(&self.folder, &error))?;
            self.synced = self.written;
        }
        Ok(self.written)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn read(folder: &Path, written: Written) -> Result<Vec<Vec<u8>>> {
        let mut records = Vec::new();
        Journal::open(folder, "j", 7, Some(written))?.each(|record| {
            records.push(record.to_vec());
            Ok(Some(()))
        })?;
        Ok(records)
    }

    #[test]
    fn synced_records_are_recovered_and_damage_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let mut journal = Journal::open(folder.path(), "j", 7, None).unwrap();
        let records: Vec<Vec<u8>> = (0..9u8).map(|n| vec![n; 37 * usize::from(n % 4)]).collect();
        for record in &records[..6] {
            journal
                .append(|into| into.extend_from_slice(record))
                .unwrap();
        }
        let written = journal.sync().unwrap();
        for record in &records[6..] {
            journal
                .append(|into| into.extend_from_slice(record))
                .unwrap();
        }
        drop(journal);
        assert_eq!(read(folder.path(), written).unwrap(), records[..6]);
        let path = folder.path().join("j");
        let bytes = fs::read(&path).unwrap();
        assert_eq!(bytes.len() as u64, written.bytes);
        for at in 0..bytes.len() {
            let mut wrong = bytes.clone();
            wrong[at] ^= 1 << (at % 8);
            fs::write(&path, wrong).unwrap();
            let message = read(folder.path(), written).unwrap_err().to_string();
            assert!(
                message.contains("/j is damaged: record "),
                "{at}: {message}"
            );
        }
        fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
        assert!(
            read(folder.path(), written)
                .unwrap_err()
                .to_string()
                .contains(" bytes")
        );
        fs::write(&path, &bytes).unwrap();
        let other = Written {
            checksum: 0,
            ..written
        };
        assert!(
            read(folder.path(), other)
                .unwrap_err()
                .to_string()
                .contains("its end is not")
        );
        let of_another = Journal::open(folder.path(), "j", 8, Some(written))
            .unwrap()
            .each(|_| Ok(Some(())))
            .unwrap_err();
        assert!(of_another.to_string().contains("record 0 "), "{of_another}");
        let none_of_another = Journal::open(
            folder.path(),
            "none",
            8,
            Some(Written {
                checksum: 7,
                ..Written::default()
            }),
        );
        assert!(none_of_another.unwrap().each(|_| Ok(Some(()))).is_err());
        // After the records have been read, another record can be appended. Its checksum is seeded with the last record's
        // checksum.
        let mut journal = Journal::open(folder.path(), "j", 7, Some(written)).unwrap();
        journal.each(|_| Ok(Some(()))).unwrap();
        journal
            .append(|into| into.extend_from_slice(&records[6]))
            .unwrap();
        let written = journal.sync().unwrap();
        assert_eq!(read(folder.path(), written).unwrap(), records[..7]);
    }
}
