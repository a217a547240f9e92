//! Tar archives, which are read from the beginning to the end.

use std::{
    ffi::OsStr,
    io::{self, Read},
    os::unix::ffi::OsStrExt,
    path::Path,
};

use tar::{EntryType, Header, PaxExtensions};

use super::{Member, damaged, plain};
use crate::{
    disk::{File, text_of},
    error::{Error, ErrorKind, Result},
    read::bytes::{Reader, decompress},
};

/// The size of a block, the unit of an archive.
const BLOCK: u64 = 512;
/// The largest number of bytes of a member's properties, such as its name. It bounds the memory that a damaged archive takes.
const MOST_PROPERTIES: u64 = 1 << 20;

/// An archive that is being read.
pub(in super::super) struct TarReader {
    reader: Reader,
    name: String,
    /// The number of bytes of the current member that were not read, and of the zeros after it.
    left: u64,
    padding: u64,
}

impl TarReader {
    pub(in super::super) fn open(path: &Path, name: &str) -> Result<Self> {
        let file = File::open(path).map_err(|error| Error::reading(name, &error))?;
        Ok(Self {
            reader: decompress(file, name)?,
            name: name.into(),
            left: 0,
            padding: 0,
        })
    }

    /// Returns all members.
    pub(super) fn members(mut self) -> Result<Vec<Member>> {
        let mut members = Vec::new();
        while let Some(member) = self.next()? {
            members.push(member);
        }
        Ok(members)
    }

    /// Moves to the next member, and returns it.
    pub(in super::super) fn next(&mut self) -> Result<Option<Member>> {
        let (mut long_name, mut pax_name) = (None, None);
        loop {
            self.skip()?;
            let mut block = [0; BLOCK as usize];
            self.reader
                .read_exact(&mut block)
                .map_err(|error| self.failed(&error))?;
            if block == [0; BLOCK as usize] {
                // All bytes are read, so that a compression can check its checksum.
                io::copy(&mut self.reader, &mut io::sink()).map_err(|error| self.failed(&error))?;
                return Ok(None);
            }
            let header = Header::from_byte_slice(&block);
            let size = self.size(header, &block)?;
            (self.left, self.padding) = (size, size.next_multiple_of(BLOCK) - size);
            let kind = header.entry_type();
            match kind {
                EntryType::GNULongName => {
                    let mut name = self.properties()?;
                    name.truncate(
                        name.iter()
                            .position(|&byte| byte == 0)
                            .unwrap_or(name.len()),
                    );
                    long_name = Some(name);
                }
                EntryType::XHeader => {
                    for property in PaxExtensions::new(&self.properties()?) {
                        let property = property.map_err(|error| damaged(&self.name, error))?;
                        match property.key_bytes() {
                            b"path" => pax_name = Some(property.value_bytes().to_vec()),
                            b"size" => return Err(self.refused("a member of more than 8 GiB")),
                            key if key.starts_with(b"GNU.sparse.") => {
                                return Err(self.refused("a sparse member"));
                            }
                            _ => {}
                        }
                    }
                }
                EntryType::GNUSparse => return Err(self.refused("a sparse member")),
                EntryType::GNULongLink | EntryType::XGlobalHeader => {}
                _ => {
                    let path = header.path_bytes();
                    let name = pax_name.or(long_name).unwrap_or_else(|| path.to_vec());
                    let name = plain(&text_of(OsStr::from_bytes(&name)), &self.name)?;
                    // Old archives have folders as files whose names end with a slash.
                    let is_file = matches!(kind, EntryType::Regular | EntryType::Continuous)
                        && !name.ends_with('/');
                    return Ok(Some(Member {
                        name,
                        size,
                        is_file,
                        place: None,
                    }));
                }
            }
        }
    }

    /// Appends the bytes of the current member.
    pub(in super::super) fn read(&mut self, into: &mut Vec<u8>) -> Result<()> {
        let left = std::mem::take(&mut self.left);
        let read = (&mut self.reader)
            .take(left)
            .read_to_end(into)
            .map_err(|error| self.failed(&error))?;
        if read as u64 == left {
            Ok(())
        } else {
            Err(self.cut_off())
        }
    }

    /// Skips what is left of the current member.
    fn skip(&mut self) -> Result<()> {
        let left = std::mem::take(&mut self.left) + std::mem::take(&mut self.padding);
        let read = io::copy(&mut (&mut self.reader).take(left), &mut io::sink())
            .map_err(|error| self.failed(&error))?;
        if read == left {
            Ok(())
        } else {
            Err(self.cut_off())
        }
    }

    /// Returns properties of the next member.
    fn properties(&mut self) -> Result<Vec<u8>> {
        if self.left > MOST_PROPERTIES {
            return Err(
                self.refused("a member whose name and other properties have more than 1 MiB")
            );
        }
        let mut properties = Vec::new();
        self.read(&mut properties)?;
        Ok(properties)
    }

    /// Checks a header, and returns the number of bytes after it.
    fn size(&self, header: &Header, block: &[u8]) -> Result<u64> {
        // While the sum was computed, its own bytes were spaces.
        let sum = |bytes: &[u8]| bytes.iter().map(|&byte| u32::from(byte)).sum::<u32>();
        let own = sum(&block[..148]) + 8 * u32::from(b' ') + sum(&block[156..]);
        let wrong = |error: io::Error| damaged(&self.name, error);
        if header.cksum().map_err(wrong)? != own {
            return Err(damaged(&self.name, "a header has another checksum"));
        }
        let size = header.entry_size().map_err(wrong)?;
        // Such a size could not be rounded up.
        if size > u64::MAX / 2 {
            Err(damaged(&self.name, "a member is too large"))
        } else {
            Ok(size)
        }
    }

    fn refused(&self, what: &str) -> Error {
        let refused = Error::new(
            ErrorKind::Input,
            format!("has {what}, which cannot be read"),
        )
        .at(&self.name);
        refused.advise("unpack it first, and name its folder")
    }

    fn failed(&self, error: &io::Error) -> Error {
        if error.kind() == io::ErrorKind::UnexpectedEof {
            self.cut_off()
        } else {
            Error::reading(&self.name, error)
        }
    }

    fn cut_off(&self) -> Error {
        damaged(&self.name, "it is cut off")
    }
}
