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
//! | 32 | the number of chunks, XXH3 of their entries, the digest of the task, [`MAGIC`] |
//!
//! Numbers have 8 bytes, the least significant byte first. The digest of the task says which task of which plan wrote the file, so
//! that no file is taken for that of another task.

use std::{
    io::{self, Read, Seek, SeekFrom},
    ops::Range,
    path::{Path, PathBuf},
};

use lookalike_io::{
    disk::File,
    error::{Error, ErrorKind, Result},
    write::Output,
};
use xxhash_rust::xxh3::xxh3_64;

/// The last bytes of each file; the digit is the version of the format.
const MAGIC: [u8; 8] = *b"LLSTAGE2";

const ENTRY: usize = 32;
const FOOT: usize = 32;

/// The largest number of bytes that wait in memory until they are written, over all sections.
const WAITING: usize = 64 << 20;

/// The number of bytes of a section after which they are written as a chunk. Tasks of later stages read one chunk of each file at a
/// time, so chunks are small.
const CHUNK: usize = 256 << 10;

/// A file of sections that is being written. It gets its name when it is [finished](lookalike_io::write::finish).
pub(super) struct Sections {
    output: Output,
    task: u64,
    waiting: Vec<Vec<u8>>,
    bytes: usize,
    index: Vec<[u64; 4]>,
    end: u64,
}

impl Sections {
    pub(super) fn create(path: &Path, task: u64, sections: usize) -> Result<Self> {
        let output = Output::create(path, 1)?;
        Ok(Self {
            output,
            task,
            waiting: vec![Vec::new(); sections],
            bytes: 0,
            index: Vec::new(),
            end: 0,
        })
    }

    /// Appends bytes to a section. They are never divided between chunks.
    pub(super) fn add(&mut self, section: usize, bytes: &[u8]) -> Result<()> {
        self.waiting[section].extend_from_slice(bytes);
        self.bytes += bytes.len();
        if self.waiting[section].len() >= CHUNK {
            return self.flush(section);
        }
        if self.bytes < WAITING {
            Ok(())
        } else {
            self.flush_all()
        }
    }

    fn flush(&mut self, section: usize) -> Result<()> {
        let chunk = &mut self.waiting[section];
        if chunk.is_empty() {
            return Ok(());
        }
        let length = chunk.len() as u64;
        self.output.write(chunk)?;
        self.index
            .push([section as u64, self.end, length, xxh3_64(chunk)]);
        self.end += length;
        self.bytes -= chunk.len();
        chunk.clear();
        Ok(())
    }

    fn flush_all(&mut self) -> Result<()> {
        (0..self.waiting.len()).try_for_each(|section| self.flush(section))
    }

    /// Writes the index, and returns the output, which has no name yet.
    pub(super) fn end(mut self) -> Result<Output> {
        self.flush_all()?;
        let entries: Vec<u8> = self
            .index
            .iter()
            .flatten()
            .flat_map(|number| number.to_le_bytes())
            .collect();
        self.output.write(&entries)?;
        for number in [self.index.len() as u64, xxh3_64(&entries), self.task] {
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
    /// Opens the file that the task with this digest has written.
    pub(super) fn open(path: &Path, task: u64) -> Result<Self> {
        let reading = |error: io::Error| Error::reading(&path.display().to_string(), &error);
        let mut file = File::open(path).map_err(reading)?;
        let index = index(&mut file).map_err(reading)?;
        match index {
            Some((of, index)) if of == task => Ok(Self {
                path: path.into(),
                file,
                index,
            }),
            Some(_) => Err(unusable(
                path,
                "is the file of another task or of another run",
            )),
            None => Err(unusable(path, "is damaged")),
        }
    }

    /// Returns the next chunk of a section; `None` after the last one. `next` is 0 for the first call.
    pub(super) fn chunk(&mut self, section: usize, next: &mut usize) -> Result<Option<Vec<u8>>> {
        let found = self
            .index
            .iter()
            .enumerate()
            .skip(*next)
            .find(|(_, entry)| entry[0] == section as u64);
        let Some((number, &[_, start, length, sum])) = found else {
            return Ok(None);
        };
        *next = number + 1;
        let mut chunk = vec![0; length as usize];
        self.file
            .seek(SeekFrom::Start(start))
            .and_then(|_| self.file.read_exact(&mut chunk))
            .map_err(|error| Error::reading(&self.path.display().to_string(), &error))?;
        if xxh3_64(&chunk) == sum {
            Ok(Some(chunk))
        } else {
            Err(self.damaged())
        }
    }

    /// Passes the chunks of a section to `give`, in order.
    pub(super) fn each(
        &mut self,
        section: usize,
        mut give: impl FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        let mut next = 0;
        while let Some(chunk) = self.chunk(section, &mut next)? {
            give(&chunk)?;
        }
        Ok(())
    }

    /// Returns a whole section.
    pub(super) fn all(&mut self, section: usize) -> Result<Vec<u8>> {
        let length: u64 = self
            .index
            .iter()
            .filter(|entry| entry[0] == section as u64)
            .map(|entry| entry[2])
            .sum();
        let mut all = Vec::with_capacity(length as usize);
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

/// Returns whether the task with this digest has written a file, without reading the whole file.
pub(super) fn is_of(path: &Path, task: u64) -> io::Result<bool> {
    match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        opened => Ok(foot(&mut opened?)?.is_some_and(|foot| foot.task == task)),
    }
}

/// The end of a file.
struct Foot {
    /// Where the entries of the chunks start and end.
    entries: Range<u64>,
    /// XXH3 of the entries.
    sum: u64,
    task: u64,
}

/// Reads the end of a file. Returns `None` if the file is not complete.
fn foot(file: &mut File) -> io::Result<Option<Foot>> {
    let size = file.seek(SeekFrom::End(0))?;
    let Some(end) = size.checked_sub(FOOT as u64) else {
        return Ok(None);
    };
    let mut foot = [0; FOOT];
    file.seek(SeekFrom::Start(end))?;
    file.read_exact(&mut foot)?;
    let [chunks, sum, task] = [0, 1, 2].map(|at| number(&foot, at));
    let start = chunks
        .checked_mul(ENTRY as u64)
        .and_then(|bytes| end.checked_sub(bytes));
    Ok(start.filter(|_| foot.ends_with(&MAGIC)).map(|start| Foot {
        entries: start..end,
        sum,
        task,
    }))
}

/// Reads the index of a file, and the digest of its task. Returns `None` if the file is not complete.
fn index(file: &mut File) -> io::Result<Option<(u64, Vec<[u64; 4]>)>> {
    let Some(Foot {
        entries: Range { start, end },
        sum,
        task,
    }) = foot(file)?
    else {
        return Ok(None);
    };
    let mut bytes = vec![0; (end - start) as usize];
    file.seek(SeekFrom::Start(start))?;
    file.read_exact(&mut bytes)?;
    let index: Vec<[u64; 4]> = bytes
        .chunks_exact(ENTRY)
        .map(|entry| [0, 1, 2, 3].map(|at| number(entry, at)))
        .collect();
    // The chunks lie before the index, so no chunk can be larger than that.
    let fits =
        |[_, from, length, _]: &[u64; 4]| from.checked_add(*length).is_some_and(|end| end <= start);
    Ok((xxh3_64(&bytes) == sum && index.iter().all(fits)).then_some((task, index)))
}

/// Returns a number of a row of numbers.
fn number(bytes: &[u8], at: usize) -> u64 {
    let mut whole = [0; 8];
    whole.copy_from_slice(&bytes[8 * at..8 * at + 8]);
    u64::from_le_bytes(whole)
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
                    sections.flush_all().unwrap();
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
            prop_assert!(is_of(&path, 7).unwrap() && !is_of(&path, 8).unwrap());

            let mut bytes = std::fs::read(&path).unwrap();
            let at = place.index(bytes.len());
            bytes[at] ^= 4;
            std::fs::write(&path, &bytes).unwrap();
            prop_assert!(read(&path).is_err());
            std::fs::write(&path, &bytes[..at]).unwrap();
            prop_assert!(read(&path).is_err() && !is_of(&path, 7).unwrap());
        }
    }
}
