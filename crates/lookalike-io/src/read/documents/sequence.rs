//! Reads the documents in an archive from the beginning to the end.

use std::{
    io::Cursor,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use super::{
    archive::TarReader,
    files::{Files, too_long_document},
};
use crate::{
    error::Result,
    read::buffer::{Buffer, Failure, LONGEST, changed},
};

/// The documents in an archive that can only be read in its order.
pub(crate) struct MemberStream {
    pub(crate) files: Arc<Files>,
    /// The number of the first document of each block, and that of all documents.
    starts: Vec<usize>,
    archive: TarReader,
    /// The number of bytes that were read.
    read: Arc<AtomicU64>,
    /// The index of the next block.
    pub(crate) index: u64,
}

impl MemberStream {
    pub(crate) fn new(files: Arc<Files>, span: usize, read: Arc<AtomicU64>) -> Result<Self> {
        let (starts, archive) = (files.blocks(span as u64), files.sequence()?);
        Ok(Self {
            files,
            starts,
            archive,
            read,
            index: 0,
        })
    }

    /// Fills `buffer` with the documents of the next block, and returns the number of the first one.
    pub(crate) fn cut(&mut self, buffer: &mut Buffer) -> std::result::Result<usize, Failure> {
        let at = self.index as usize;
        let (start, end) = (self.starts[at], self.starts[at + 1]);
        buffer.index = self.index;
        self.index += 1;
        buffer.last = end == self.files.len();
        let mut bytes = buffer.emptied();
        (start..end)
            .try_for_each(|number| self.append(number, &mut bytes, buffer))
            .map_err(Failure::Reported)?;
        if buffer.last {
            self.files
                .refuse_changed_archive()
                .map_err(Failure::Reported)?;
        }
        buffer.fill(bytes);
        Ok(start)
    }

    fn append(&mut self, number: usize, bytes: &mut Vec<u8>, buffer: &mut Buffer) -> Result<()> {
        let (id, size) = (self.files.id(number), self.files.size_of(number));
        let other = || changed(&self.files.name);
        let prefix = self.files.name.len() + 1;
        loop {
            let Some(member) = self.archive.next()? else {
                return Err(other());
            };
            if member.is_file && id.get(prefix..) == Some(&*member.name) {
                if member.size != size {
                    return Err(other());
                }
                break;
            }
        }
        if size > LONGEST as u64 {
            return Err(too_long_document(id));
        }
        let mut packed = Vec::new();
        self.archive.read(&mut packed)?;
        self.read.fetch_add(size, Ordering::Relaxed);
        self.files.append(Cursor::new(packed), id, bytes, buffer)
    }
}
