//! An object, read from its beginning to its end: some ranges are always on their way.

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

/// Parts that may be on their way ahead of what is read, of all objects together.
static ROOM: Semaphore = Semaphore::const_new((AHEAD / PART) as usize);

/// Pieces of a part that may wait: all of them, but of a server without ranges, where all the object is one part.
const PIECES: usize = PART as usize / PIECE;

/// The bytes of an object.
pub struct ObjectStream {
    object: Arc<Object>,
    /// The parts that were asked for, in order; the first is being read.
    parts: VecDeque<Part>,
    /// Where the first part begins that was not.
    next: u64,
    /// Where it ends.
    end: u64,
    piece: Piece,
    /// Bytes of the piece that were read.
    read: usize,
}

/// A part on its way.
struct Part {
    pieces: mpsc::Receiver<Result<Piece>>,
    /// Bytes that are still to come.
    left: u64,
    task: JoinHandle<()>,
    _room: Option<SemaphorePermit<'static>>,
}

impl Object {
    /// All of it, from the beginning, read ahead.
    pub(crate) fn stream(self: &Arc<Self>) -> ObjectStream {
        ObjectStream::new(self.clone(), 0..self.size())
    }

    /// A range of it, read ahead. The server must give ranges.
    #[cfg(feature = "tables")]
    pub(crate) fn stream_of(self: &Arc<Self>, range: Range<u64>) -> ObjectStream {
        ObjectStream::new(self.clone(), range)
    }

    /// The same for an object whose turn is near: small ones are asked for now, a few at a time. None for the others.
    pub(crate) fn stream_ahead(self: &Arc<Self>) -> Option<ObjectStream> {
        ObjectStream::ahead(self)
    }
}

impl ObjectStream {
    fn new(object: Arc<Object>, range: Range<u64>) -> Self {
        Self { object, parts: VecDeque::new(), next: range.start, end: range.end, piece: Piece::default(), read: 0 }
    }

    /// The bytes of a small object that will be read soon, already on their way; none where that is not worth it, or others need the
    /// room.
    fn ahead(object: &Arc<Object>) -> Option<Self> {
        let small = (1..=object.bucket.part).contains(&object.size());
        if !small || ROOM.available_permits() <= (AHEAD / PART / 2) as usize {
            return None;
        }
        let mut stream = Self::new(object.clone(), 0..object.size());
        // What fails now fails again when it is read.
        stream.ask().is_ok().then_some(stream)
    }

    /// Asks for as many parts as may be on their way: one always, more where there is room.
    fn ask(&mut self) -> Result<()> {
        let size = self.end;
        while self.next < size {
            let room = ROOM.try_acquire().ok();
            if room.is_none() && !self.parts.is_empty() {
                break;
            }
            let end = if self.object.is_ranged() { size.min(self.next + self.object.bucket.part) } else { size };
            self.parts.push_back(Part::ask(&self.object, self.next..end, room)?);
            self.next = end;
        }
        Ok(())
    }

    /// The next piece; an empty one at the end.
    fn next_piece(&mut self) -> Result<Piece> {
        loop {
            self.ask()?;
            let Some(part) = self.parts.front_mut() else { return Ok(Piece::default()) };
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
                    let failure = Error::new(ErrorKind::Internal, "was given up in the middle").at(self.object.url());
                    return Err(failure.advise("please report it"));
                }
            }
        }
    }
}

impl Part {
    fn ask(object: &Arc<Object>, range: Range<u64>, room: Option<SemaphorePermit<'static>>) -> Result<Self> {
        let (send, pieces) = mpsc::channel(PIECES);
        let (object, left) = (object.clone(), range.end - range.start);
        let task = handle()?.spawn(async move {
            let mut pieces = Pieces::new(send);
            let fetched = fetch(&object, range, Taker::Pieces(&mut pieces)).await;
            pieces.end(fetched).await;
        });
        Ok(Self { pieces, left, task, _room: room })
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
