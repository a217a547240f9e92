//! Files that pass results from the tasks of one stage to the tasks of the next.
//!
//! A task of one stage has something for each task of the next stage. It writes one file with one *section* for each of them, so a
//! stage of n tasks writes n files, not n². A section is a list of chunks, in the order in which they were added. The index of all
//! chunks is at the end of the file:
//!
//! | bytes | content |
//! |---|---|
//! | any | the chunks |
//! | 32 per chunk | section, position, length and XXH3 of the chunk |
//! | 32 | the number of chunks, XXH3 of their entries, the digest of the plan, [`MAGIC`] |
//!
//! Numbers have 8 bytes, the least significant byte first.

use std::{
    io::{self, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
};

use lookalike_io::{
    disk::File,
    error::{Error, ErrorKind, Result},
    write::Output,
};
use xxhash_rust::xxh3::xxh3_64;

/// The last bytes of each file; the digit is the version of the format.
const MAGIC: [u8; 8] = *b"LLSTAGE1";

const ENTRY: usize = 32;
const FOOT: usize = 32;

/// The number of bytes that wait in memory until they are written, over all sections.
const WAITING: usize = 64 << 20;

/// A file of sections that is being written. It gets its name when it is [finished](lookalike_io::write::finish).
pub(super) struct Sections {
    output: Output,
    plan: u64,
    waiting: Vec<Vec<u8>>,
    bytes: usize,
    index: Vec<[u64; 4]>,
    end: u64,
}

impl Sections {
    pub(super) fn create(path: &Path, plan: u64, sections: usize) -> Result<Self> {
        let output = Output::create(path, 1)?;
        Ok(Self { output, plan, waiting: vec![Vec::new(); sections], bytes: 0, index: Vec::new(), end: 0 })
    }

    /// Appends bytes to a section. If they end within a record, the next bytes of the section must continue it.
    pub(super) fn add(&mut self, section: usize, bytes: &[u8]) -> Result<()> {
        self.waiting[section].extend_from_slice(bytes);
        self.bytes += bytes.len();
        if self.bytes < WAITING { Ok(()) } else { self.flush() }
    }

    fn flush(&mut self) -> Result<()> {
        for (section, chunk) in (0..).zip(&mut self.waiting).filter(|(_, chunk)| !chunk.is_empty()) {
            self.output.write(chunk)?;
            self.index.push([section, self.end, chunk.len() as u64, xxh3_64(chunk)]);
            self.end += chunk.len() as u64;
            chunk.clear();
        }
        self.bytes = 0;
        Ok(())
    }

    /// Writes the index, and returns the output, which has no name yet.
    pub(super) fn end(mut self) -> Result<Output> {
        self.flush()?;
        let entries: Vec<u8> = self.index.iter().flatten().flat_map(|number| number.to_le_bytes()).collect();
        self.output.write(&entries)?;
        for number in [self.index.len() as u64, xxh3_64(&entries), self.plan] {
            self.output.write(&number.to_le_bytes())?;
        }
        self.output.write(&MAGIC)?;
        self.output.end();
        Ok(self.output)
    }
}

/// A complete file of sections.
pub(super) struct Opened {
    path: PathBuf,
    file: File,
    index: Vec<[u64; 4]>,
}

impl Opened {
    /// Opens a file that a task of the run with this plan has written.
    pub(super) fn open(path: &Path, plan: u64) -> Result<Self> {
        let mut file = File::open(path).map_err(|error| Error::reading(&path.display().to_string(), &error))?;
        let index = index(&mut file).map_err(|error| Error::reading(&path.display().to_string(), &error))?;
        match index {
            Some((of, index)) if of == plan => Ok(Self { path: path.into(), file, index }),
            Some(_) => Err(unusable(path, "belongs to another run")),
            None => Err(unusable(path, "is damaged")),
        }
    }

    /// Returns the next chunk of a section; `None` after the last one. `next` is 0 for the first call.
    pub(super) fn chunk(&mut self, section: usize, next: &mut usize) -> Result<Option<Vec<u8>>> {
        let found = self.index.iter().enumerate().skip(*next).find(|(_, entry)| entry[0] == section as u64);
        let Some((number, &[_, start, length, sum])) = found else { return Ok(None) };
        *next = number + 1;
        let mut chunk = vec![0; length as usize];
        self.file
            .seek(SeekFrom::Start(start))
            .and_then(|_| self.file.read_exact(&mut chunk))
            .map_err(|error| Error::reading(&self.path.display().to_string(), &error))?;
        if xxh3_64(&chunk) == sum { Ok(Some(chunk)) } else { Err(self.damaged()) }
    }

    /// Passes the chunks of a section to `give`, in order.
    pub(super) fn each(&mut self, section: usize, mut give: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let mut next = 0;
        while let Some(chunk) = self.chunk(section, &mut next)? {
            give(&chunk)?;
        }
        Ok(())
    }

    /// Returns a whole section.
    pub(super) fn all(&mut self, section: usize) -> Result<Vec<u8>> {
        let mut all = Vec::new();
        self.each(section, |chunk| {
            all.extend_from_slice(chunk);
            Ok(())
        })?;
        Ok(all)
    }

    /// Returns the error for content that no task can have written.
    pub(super) fn damaged(&self) -> Error {
        unusable(&self.path, "is damaged")
    }
}

/// Reads the index of a file, and the digest of its plan. Returns `None` if the file is not complete.
fn index(file: &mut File) -> io::Result<Option<(u64, Vec<[u64; 4]>)>> {
    let size = file.seek(SeekFrom::End(0))?;
    let Some(foot_start) = size.checked_sub(FOOT as u64) else { return Ok(None) };
    let mut foot = [0; FOOT];
    file.seek(SeekFrom::Start(foot_start))?;
    file.read_exact(&mut foot)?;
    let number = |bytes: &[u8], at: usize| {
        let mut whole = [0; 8];
        whole.copy_from_slice(&bytes[8 * at..8 * at + 8]);
        u64::from_le_bytes(whole)
    };
    let [chunks, sum, plan] = [0, 1, 2].map(|at| number(&foot, at));
    let start = chunks.checked_mul(ENTRY as u64).and_then(|bytes| foot_start.checked_sub(bytes));
    let Some(start) = start.filter(|_| foot.ends_with(&MAGIC)) else { return Ok(None) };
    let mut bytes = vec![0; (foot_start - start) as usize];
    file.seek(SeekFrom::Start(start))?;
    file.read_exact(&mut bytes)?;
    if xxh3_64(&bytes) != sum {
        return Ok(None);
    }
    let index: Vec<[u64; 4]> = bytes.chunks_exact(ENTRY).map(|entry| [0, 1, 2, 3].map(|at| number(entry, at))).collect();
    Ok(Some((plan, index)))
}

fn unusable(path: &Path, what: &'static str) -> Error {
    let refused = Error::new(ErrorKind::Temporary, what).at(path.display().to_string());
    refused.advise("remove it, and run the task that wrote it again")
}

#[cfg(test)]
mod tests {
    use lookalike_io::write::finish;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn sections_are_what_was_added_and_no_changed_byte_goes_unnoticed(
            added in prop::collection::vec((0usize..4, prop::collection::vec(any::<u8>(), 0..20)), 0..20),
            place in any::<prop::sample::Index>(),
        ) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("a.sections");
            let mut sections = Sections::create(&path, 7, 4).unwrap();
            for (number, (section, bytes)) in added.iter().enumerate() {
                sections.add(*section, bytes).unwrap();
                if number % 5 == 4 {
                    sections.flush().unwrap();
                }
            }
            finish([Some(sections.end().unwrap())]).unwrap();
            let expected: Vec<Vec<u8>> = (0..4)
                .map(|section| added.iter().filter(|(of, _)| *of == section).flat_map(|(_, bytes)| bytes.clone()).collect())
                .collect();
            let read = |path: &Path| -> Result<Vec<Vec<u8>>> {
                let mut opened = Opened::open(path, 7)?;
                (0..4).map(|section| opened.all(section)).collect()
            };
            prop_assert_eq!(&read(&path).unwrap(), &expected);
            prop_assert!(Opened::open(&path, 8).is_err());

            let mut bytes = std::fs::read(&path).unwrap();
            let at = place.index(bytes.len());
            bytes[at] ^= 4;
            std::fs::write(&path, &bytes).unwrap();
            prop_assert!(read(&path).is_err());
            std::fs::write(&path, &bytes[..at]).unwrap();
            prop_assert!(read(&path).is_err());
        }
    }
}
