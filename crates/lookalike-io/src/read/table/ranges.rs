//! Reads bytes with random access from a file, from an object in a store, or from memory.

use std::{
    ops::Range,
    path::{Path, PathBuf},
};

use bytes::Bytes;

#[cfg(feature = "cloud")]
use std::sync::Arc;

#[cfg(feature = "cloud")]
use crate::store::Object;
use crate::{
    disk::File,
    error::{Error, ErrorKind, Result},
};

/// Bytes with random access.
pub struct Ranges {
    name: String,
    size: u64,
    bytes: Kind,
}

enum Kind {
    /// A file that is opened for each read, because a run may read more files than a process may have open at once.
    File(PathBuf),
    #[cfg(feature = "cloud")]
    Object(Arc<Object>),
    #[cfg(test)]
    Memory(Bytes),
}

impl Ranges {
    /// Returns the bytes of a file. `name` is for messages.
    ///
    /// # Errors
    /// Fails if there is no such file.
    pub fn of_file(path: &Path, name: &str) -> Result<Self> {
        let metadata = path
            .metadata()
            .map_err(|error| Error::reading(name, &error))?;
        Ok(Self {
            name: name.into(),
            size: metadata.len(),
            bytes: Kind::File(path.into()),
        })
    }

    /// Returns the bytes of an object.
    #[cfg(feature = "cloud")]
    pub(crate) fn object(object: Arc<Object>) -> Self {
        Self {
            name: object.url().into(),
            size: object.size(),
            bytes: Kind::Object(object),
        }
    }

    /// Returns bytes in memory.
    #[cfg(test)]
    pub fn memory(bytes: impl Into<Bytes>, name: &str) -> Self {
        let bytes = bytes.into();
        Self {
            name: name.into(),
            size: bytes.len() as u64,
            bytes: Kind::Memory(bytes),
        }
    }

    /// Returns the name for messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the number of bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Reads one range.
    pub(crate) fn read(&self, range: Range<u64>) -> Result<Bytes> {
        self.inside(&range)?;
        match &self.bytes {
            Kind::File(path) => {
                let mut bytes = vec![0; (range.end - range.start) as usize];
                let read =
                    File::open(path).and_then(|file| file.read_exact_at(&mut bytes, range.start));
                read.map_err(|error| Error::reading(&self.name, &error))?;
                Ok(bytes.into())
            }
            #[cfg(feature = "cloud")]
            Kind::Object(object) => Ok(object.read_ranges(&[range])?.pop().unwrap_or_default()),
            #[cfg(test)]
            Kind::Memory(bytes) => Ok(bytes.slice(range.start as usize..range.end as usize)),
        }
    }

    /// Reads some ranges into a buffer that begins at position `start` of the file. For an object, neighbouring ranges are
    /// requested together.
    pub(super) fn read_into(
        &self,
        buffer: &mut [u8],
        start: u64,
        ranges: &[Range<u64>],
    ) -> Result<()> {
        for range in ranges {
            self.inside(range)?;
        }
        #[cfg(feature = "cloud")]
        if let Kind::Object(object) = &self.bytes {
            for (range, bytes) in ranges.iter().zip(object.read_ranges(ranges)?) {
                buffer[(range.start - start) as usize..(range.end - start) as usize]
                    .copy_from_slice(&bytes);
            }
            return Ok(());
        }
        let reading = |error| Error::reading(&self.name, &error);
        let file = match &self.bytes {
            Kind::File(path) => Some(File::open(path).map_err(reading)?),
            #[cfg(any(test, feature = "cloud"))]
            _ => None,
        };
        for range in ranges {
            let into = &mut buffer[(range.start - start) as usize..(range.end - start) as usize];
            match &self.bytes {
                Kind::File(_) => file
                    .iter()
                    .try_for_each(|file| file.read_exact_at(into, range.start))
                    .map_err(reading)?,
                #[cfg(feature = "cloud")]
                Kind::Object(_) => {}
                #[cfg(test)]
                Kind::Memory(bytes) => {
                    into.copy_from_slice(&bytes[range.start as usize..range.end as usize])
                }
            }
        }
        Ok(())
    }

    /// Returns the object, if the bytes are those of an object.
    #[cfg(feature = "cloud")]
    pub(super) fn as_object(&self) -> Option<&Arc<Object>> {
        match &self.bytes {
            Kind::Object(object) => Some(object),
            _ => None,
        }
    }

    fn inside(&self, range: &Range<u64>) -> Result<()> {
        if range.start <= range.end && range.end <= self.size {
            return Ok(());
        }
        let (name, size) = (&self.name, self.size);
        let what = format!(
            "has {size} bytes, but needs {}: the file is truncated or damaged",
            range.end
        );
        Err(Error::new(ErrorKind::Input, what)
            .at(&**name)
            .advise("copy or download it again"))
    }
}
