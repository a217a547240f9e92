//! Reads an object from its beginning to its end, with some parts (ranges of its bytes) always in flight.

use std::{
    collections::VecDeque,
    io::{self, Read},
    ops::Range,
    sync::Arc,
};

use tokio::{
    sync::{Semaphore, SemaphorePermit, mpsc},
    task::JoinHandle,
};

use super::{
    PIECE,
    fetching::{Taker, fetch},
    object::Object,
    piece::{Piece, Pieces},
    runtime::handle,
};
use crate::{
    error::{Error, ErrorKind, Result},
    store::{AHEAD, PART},
};

/// Permits for the parts that may be fetched ahead of reading, shared by all objects.
static PERMITS: Semaphore = Semaphore::const_new((AHEAD / PART) as usize);

/// The maximum number of pieces of one part that wait to be read. A part has no more pieces than this, unless the server does not
/// support ranges and the whole object is one part.
const PIECES: usize = PART as usize / PIECE;

/// A reader of the bytes of an object.
pub struct ObjectStream {
    object: Arc<Object>,
    /// The requested parts, in order; the first is being read.
    parts: VecDeque<Part>,
    /// The position of the first part that was not requested yet.
    next: u64,
    /// The end of the range.
    end: u64,
    piece: Piece,
    /// The number of bytes of the current piece that were read.
    read: usize,
}

/// A part in flight: requested, but not yet read to its end.
struct Part {
    pieces: mpsc::Receiver<Result<Piece>>,
    /// The number of bytes that are still to come.
    left: u64,
    task: JoinHandle<()>,
    _permit: Option<SemaphorePermit<'static>>,
}

impl Object {
    /// Returns a stream of the whole object. Its bytes are fetched ahead of reading.
    pub(crate) fn stream(self: &Arc<Self>) -> ObjectStream {
        ObjectStream::new(self.clone(), 0..self.size())
    }

    /// Returns a stream of a range of the object. Its bytes are fetched ahead of reading. The server must support ranges.
    #[cfg(feature = "tables")]
    pub(crate) fn stream_of(self: &Arc<Self>, range: Range<u64>) -> ObjectStream {
        ObjectStream::new(self.clone(), range)
    }

    /// Returns a stream of a small object that will be read soon. The object is requested now, but only a few objects are
    /// requested at a time. Returns `None` if the object is empty or not small, or if enough requests are already in flight.
    pub(crate) fn stream_ahead(self: &Arc<Self>) -> Option<ObjectStream> {
        ObjectStream::ahead(self)
    }
}

impl ObjectStream {
    fn new(object: Arc<Object>, range: Range<u64>) -> Self {
        Self {
            object,
            parts: VecDeque::new(),
            next: range.start,
            end: range.end,
            piece: Piece::default(),
            read: 0,
        }
    }

    /// Returns a stream of a small object that will be read soon, with its bytes in flight. Returns `None` if that is not
    /// worthwhile, or if other streams need the memory.
    fn ahead(object: &Arc<Object>) -> Option<Self> {
        let small = (1..=object.bucket.part).contains(&object.size());
        if !small || PERMITS.available_permits() <= (AHEAD / PART / 2) as usize {
            return None;
        }
        let mut stream = Self::new(object.clone(), 0..object.size());
        // An error at this point is not reported, because it occurs again when the object is read.
        stream.ask().is_ok().then_some(stream)
    }

    /// Requests as many parts as may be in flight: always one, and more if the limit allows.
    fn ask(&mut self) -> Result<()> {
        let size = self.end;
        while self.next < size {
            let permit = PERMITS.try_acquire().ok();
            if permit.is_none() && !self.parts.is_empty() {
                break;
            }
            let end = if self.object.is_ranged() {
                size.min(self.next + self.object.bucket.part)
            } else {
                size
            };
            self.parts
                .push_back(Part::ask(&self.object, self.next..end, permit)?);
            self.next = end;
        }
        Ok(())
    }

    /// Returns the next piece; an empty one at the end.
    fn next_piece(&mut self) -> Result<Piece> {
        loop {
            self.ask()?;
            let Some(part) = self.parts.front_mut() else {
                return Ok(Piece::default());
            };
            match part.pieces.blocking_recv() {
                Some(Ok(piece)) => {
                    part.left -= (piece.bytes().len() as u64).min(part.left);
                    if !piece.bytes().is_empty() {
                        return Ok(piece);
                    }
                }
                Some(Err(error)) => return Err(error),
                None if part.left == 0 => drop(self.parts.pop_front()),
                None => {
                    let failure = Error::new(ErrorKind::Internal, "was abandoned in the middle")
                        .at(self.object.url());
                    return Err(failure.advise("please report it"));
                }
            }
        }
    }
}

impl Part {
    fn ask(
        object: &Arc<Object>,
        range: Range<u64>,
        permit: Option<SemaphorePermit<'static>>,
    ) -> Result<Self> {
        let (send, pieces) = mpsc::channel(PIECES);
        let (object, left) = (object.clone(), range.end - range.start);
        let task = handle()?.spawn(async move {
            let mut pieces = Pieces::new(send);
            let fetched = fetch(&object, range, Taker::Pieces(&mut pieces)).await;
            pieces.end(fetched).await;
        });
        Ok(Self {
            pieces,
            left,
            task,
            _permit: permit,
        })
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Read for ObjectStream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        if self.read == self.piece.bytes().len() {
            (self.piece, self.read) = (self.next_piece().map_err(io::Error::other)?, 0);
        }
        let rest = &self.piece.bytes()[self.read..];
        let n = buffer.len().min(rest.len());
        buffer[..n].copy_from_slice(&rest[..n]);
        self.read += n;
        Ok(n)
    }
}
