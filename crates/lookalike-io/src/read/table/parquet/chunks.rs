//! Column chunks as the decoder requests them. The chunks of a file are read page by page. Small chunks of an object in a store
//! are fetched in one call, and large chunks are streamed a few mebibytes ahead.

use std::{
    io::{self, Read},
    sync::{Arc, Mutex},
};

use bytes::Bytes;
use parquet::{
    errors::ParquetError,
    file::{
        metadata::ColumnChunkMetaData,
        reader::{ChunkReader, Length},
    },
};

use crate::{
    error::{Error, Result},
    lock::lock,
    read::table::Ranges,
};

/// The first error that occurred when bytes were read, unchanged. It is stored because the decoders may rewrite the errors that
/// they return.
type Failure = Arc<Mutex<Option<Error>>>;

fn take(failure: &Failure) -> Option<Error> {
    lock(failure).take()
}

/// Returns the position where a column chunk begins.
pub(crate) fn chunk_start(chunk: &ColumnChunkMetaData) -> i64 {
    chunk
        .dictionary_page_offset()
        .filter(|&at| at > 0)
        .map_or(chunk.data_page_offset(), |at| {
            at.min(chunk.data_page_offset())
        })
}

/// The input of a decoder.
#[derive(Clone)]
pub(crate) struct Chunks {
    ranges: Arc<Ranges>,
    failure: Failure,
    #[cfg(feature = "cloud")]
    ahead: Arc<[ahead::Chunk]>,
}

/// The number of bytes that are read to see the header of a page. Most headers have about a hundred bytes.
const HEAD: u64 = 4096;

impl Chunks {
    /// Creates an input from which any bytes of the file can be read on request.
    pub(crate) fn plain(ranges: &Arc<Ranges>) -> Self {
        Self {
            ranges: ranges.clone(),
            failure: Failure::default(),
            #[cfg(feature = "cloud")]
            ahead: Arc::new([]),
        }
    }

    /// Creates an input of some column chunks, each of which is read from its beginning to its end.
    #[cfg_attr(
        not(feature = "cloud"),
        expect(clippy::unnecessary_wraps, reason = "what is fetched ahead may fail")
    )]
    pub(crate) fn of<'a>(
        ranges: &Arc<Ranges>,
        columns: impl Iterator<Item = &'a ColumnChunkMetaData>,
    ) -> Result<Self> {
        #[cfg(feature = "cloud")]
        if let Some(object) = ranges.as_object() {
            let places = columns.map(|column| {
                let start = chunk_start(column) as u64;
                start..start + column.compressed_size() as u64
            });
            return Ok(Self {
                ahead: ahead::chunks(object, places.collect())?,
                ..Self::plain(ranges)
            });
        }
        drop(columns);
        Ok(Self::plain(ranges))
    }

    /// Returns the error that occurred when bytes were read, if there was one.
    pub(crate) fn failure(&self) -> Option<Error> {
        take(&self.failure)
    }

    fn read(&self, start: u64, length: u64) -> Result<Bytes> {
        #[cfg(feature = "cloud")]
        if let Some(chunk) = self.ahead.iter().find(|chunk| chunk.holds(start)) {
            return chunk.read(&self.ranges, start, length);
        }
        self.ranges.read(start..start.saturating_add(length))
    }

    fn kept<T>(&self, done: Result<T>) -> std::result::Result<T, Error> {
        done.inspect_err(|error| {
            lock(&self.failure).get_or_insert_with(|| error.clone());
        })
    }
}

impl Length for Chunks {
    fn len(&self) -> u64 {
        self.ranges.size()
    }
}

impl ChunkReader for Chunks {
    type T = Head;

    fn get_read(&self, start: u64) -> parquet::errors::Result<Head> {
        Ok(Head {
            chunks: self.clone(),
            next: start,
            bytes: Bytes::new(),
        })
    }

    fn get_bytes(&self, start: u64, length: usize) -> parquet::errors::Result<Bytes> {
        self.kept(self.read(start, length as u64))
            .map_err(|error| ParquetError::External(Box::new(error)))
    }
}

/// Reads the header of a page without consuming it.
pub(crate) struct Head {
    chunks: Chunks,
    next: u64,
    bytes: Bytes,
}

impl Read for Head {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.bytes.is_empty() {
            let length = HEAD.min(self.chunks.len().saturating_sub(self.next));
            self.bytes = self
                .chunks
                .kept(self.chunks.read(self.next, length))
                .map_err(io::Error::other)?;
            self.next += self.bytes.len() as u64;
        }
        let n = buffer.len().min(self.bytes.len());
        buffer[..n].copy_from_slice(&self.bytes.split_to(n));
        Ok(n)
    }
}

#[cfg(feature = "cloud")]
mod ahead {
    use std::{
        io::Read,
        ops::Range,
        sync::{Arc, Mutex},
    };

    use bytes::{Bytes, BytesMut};

    use crate::{
        error::{Error, Result},
        lock::lock,
        read::table::Ranges,
        store::{Object, ObjectStream},
    };

    /// Chunks of at most this many bytes are fetched completely before anything is decoded.
    const SMALL: u64 = 1 << 20;

    /// A column chunk of an object.
    pub(crate) struct Chunk {
        place: Range<u64>,
        bytes: Mutex<Window>,
    }

    /// The bytes that are fetched and not yet consumed.
    struct Window {
        start: u64,
        bytes: BytesMut,
        /// The stream of the remaining bytes.
        rest: Option<ObjectStream>,
    }

    pub(crate) fn chunks(object: &Arc<Object>, places: Vec<Range<u64>>) -> Result<Arc<[Chunk]>> {
        let is_small = |place: &Range<u64>| place.end - place.start <= SMALL;
        let small: Vec<_> = places
            .iter()
            .filter(|place| is_small(place))
            .cloned()
            .collect();
        let mut fetched = object.read_ranges(&small)?.into_iter();
        let chunk = |place: Range<u64>| {
            let (bytes, rest) = if is_small(&place) {
                (BytesMut::from(&*fetched.next().unwrap_or_default()), None)
            } else {
                (BytesMut::new(), Some(object.stream_of(place.clone())))
            };
            Chunk {
                bytes: Mutex::new(Window {
                    start: place.start,
                    bytes,
                    rest,
                }),
                place,
            }
        };
        Ok(places.into_iter().map(chunk).collect())
    }

    impl Chunk {
        pub(crate) fn holds(&self, at: u64) -> bool {
            self.place.contains(&at)
        }

        /// Returns some bytes of the chunk. Discards the bytes before them, because the earlier bytes are not needed again. Bytes
        /// after the chunk are not returned.
        pub(crate) fn read(&self, ranges: &Ranges, start: u64, length: u64) -> Result<Bytes> {
            let end = start.saturating_add(length).min(self.place.end);
            let mut window = lock(&self.bytes);
            if start < window.start {
                return ranges.read(start..end);
            }
            while window.start + (window.bytes.len() as u64) < end {
                let Some(rest) = &mut window.rest else {
                    return ranges.read(start..end);
                };
                let mut piece = [0; 16 << 10];
                let n = rest
                    .read(&mut piece)
                    .map_err(|error| Error::reading(ranges.name(), &error))?;
                if n == 0 {
                    return ranges.read(start..end);
                }
                window.bytes.extend_from_slice(&piece[..n]);
                // Discard the bytes before `start`.
                let passed = ((start - window.start) as usize).min(window.bytes.len());
                drop(window.bytes.split_to(passed));
                window.start += passed as u64;
            }
            let passed = (start - window.start) as usize;
            drop(window.bytes.split_to(passed));
            window.start = start;
            // The bytes are copied, so that the window can be freed while a page keeps its bytes.
            Ok(Bytes::copy_from_slice(
                &window.bytes[..(end - start) as usize],
            ))
        }
    }
}
