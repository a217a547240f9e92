//! Pieces of fetched data in recycled memory. Data is copied out of the network's buffers immediately: a small slice would keep
//! its whole buffer alive, and fresh memory is expensive.

use std::sync::Mutex;

use bytes::Bytes;
use tokio::sync::mpsc;

use super::PIECE;
use crate::{error::Result, lock::lock, store::AHEAD};

/// Memory of unused pieces, for reuse.
static SPARE: Mutex<Vec<Vec<u8>>> = Mutex::new(Vec::new());

/// Some bytes, whose memory is recycled when they are dropped.
#[derive(Default)]
pub(super) struct Piece(Vec<u8>);

impl Piece {
    fn new() -> Self {
        Self(
            lock(&SPARE)
                .pop()
                .unwrap_or_else(|| Vec::with_capacity(PIECE)),
        )
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

/// Collects bytes into pieces for a reader that works in parallel.
pub(super) struct Pieces {
    send: mpsc::Sender<Result<Piece>>,
    piece: Piece,
}

impl Pieces {
    pub(super) fn new(send: mpsc::Sender<Result<Piece>>) -> Self {
        Self {
            send,
            piece: Piece::new(),
        }
    }

    /// Adds some bytes; returns false if the reader wants no more.
    pub(super) async fn take(&mut self, mut bytes: Bytes) -> bool {
        while !bytes.is_empty() {
            let free = PIECE - self.piece.0.len();
            self.piece
                .0
                .extend_from_slice(&bytes.split_to(free.min(bytes.len())));
            if self.piece.0.len() == PIECE && !self.flush().await {
                return false;
            }
        }
        true
    }

    /// Sends the collected bytes.
    async fn flush(&mut self) -> bool {
        let full = std::mem::replace(&mut self.piece, Piece::new());
        self.send.send(Ok(full)).await.is_ok()
    }

    /// Sends the last bytes and any error. If the reader has stopped, the error is not needed.
    pub(super) async fn end(mut self, fetched: Result<()>) {
        self.flush().await;
        if let Err(error) = fetched {
            _ = self.send.send(Err(error)).await;
        }
    }
}
