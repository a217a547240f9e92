//! Pieces of what was fetched, in memory that is used again. What the network's buffers hold is copied out at once: a small piece of
//! one would keep all of it, and fresh memory is dear.

use std::sync::Mutex;

use bytes::Bytes;
use tokio::sync::mpsc;

use super::PIECE;
use crate::{error::Result, lock::lock, store::AHEAD};

/// Memory of pieces that nobody has, to be used again.
static SPARE: Mutex<Vec<Vec<u8>>> = Mutex::new(Vec::new());

/// Some bytes. Dropped, its memory is another's.
#[derive(Default)]
pub(super) struct Piece(Vec<u8>);

impl Piece {
    fn new() -> Self {
        Self(lock(&SPARE).pop().unwrap_or_else(|| Vec::with_capacity(PIECE)))
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        let mut memory = std::mem::take(&mut self.0);
        let mut spare = lock(&SPARE);
        if memory.capacity() > 0 && spare.len() < AHEAD as usize / PIECE {
            memory.clear();
            spare.push(memory);
        }
    }
}

/// Gathers bytes into pieces for somebody who reads meanwhile.
pub(super) struct Pieces {
    send: mpsc::Sender<Result<Piece>>,
    piece: Piece,
}

impl Pieces {
    pub(super) fn new(send: mpsc::Sender<Result<Piece>>) -> Self {
        Self { send, piece: Piece::new() }
    }

    /// Takes some bytes; false when no more are wanted.
    pub(super) async fn take(&mut self, mut bytes: Bytes) -> bool {
        while !bytes.is_empty() {
            let room = PIECE - self.piece.0.len();
            self.piece.0.extend_from_slice(&bytes.split_to(room.min(bytes.len())));
            if self.piece.0.len() == PIECE && !self.flush().await {
                return false;
            }
        }
        true
    }

    /// Gives what was gathered.
    async fn flush(&mut self) -> bool {
        let full = std::mem::replace(&mut self.piece, Piece::new());
        self.send.send(Ok(full)).await.is_ok()
    }

    /// Says how it ended. Who no longer reads need not know.
    pub(super) async fn end(mut self, fetched: Result<()>) {
        self.flush().await;
        if let Err(error) = fetched {
            _ = self.send.send(Err(error)).await;
        }
    }
}
