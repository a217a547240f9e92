//! A pass that writes records: each block's by a worker, all in input order.

use std::sync::Mutex;

use lookalike_io::{
    error::{Error, ErrorKind, Result},
    lock::lock,
    read::{Block, BlockInfo, Blocks, Room, Source},
    write::{Kept, Piece},
};
use rayon::ThreadPool;

use super::parallel::{Weigh, in_order};
use crate::config::{Observer, Progress, Stage};

impl Weigh for Piece {
    fn weight(&self) -> usize {
        self.size()
    }
}

/// Writes what `make` makes of each block of a later pass, that is of no reference; counts its records.
pub(crate) fn write_blocks<S: Default>(
    pool: &ThreadPool,
    source: &Source,
    output: &mut Kept,
    observer: Observer,
    make: impl Fn(&Block, &mut S, &mut Piece) -> Result<()> + Sync,
) -> Result<u64> {
    let mut written = 0;
    // Pieces that were written, to be filled again: fresh memory is dear.
    let spare: Mutex<Vec<Piece>> = Mutex::default();
    in_order(
        pool,
        Blocks::behind_references(source).whole(true),
        |block, state: &mut S| {
            let mut piece = lock(&spare).pop().unwrap_or_default();
            make(block, state, &mut piece)?;
            Ok(piece)
        },
        |mut piece| {
            Progress::new(Stage::Writing, source.read(), source.total()).tell(observer)?;
            written += piece.records;
            output.write(&mut piece)?;
            piece.clear();
            lock(&spare).push(piece);
            Ok(())
        },
    )?;
    Ok(written)
}

/// Copies the kept records, and checks that they are as many as were kept.
pub(crate) fn copy_kept(
    pool: &ThreadPool,
    source: &Source,
    info: impl Fn(&Block) -> Result<BlockInfo> + Sync,
    is_kept: impl Fn(u64) -> bool + Sync,
    (output, kept): (&mut Kept, u64),
    observer: Observer,
) -> Result<()> {
    let shape = output.shape();
    let written = write_blocks(pool, source, output, observer, |block, room: &mut Room, piece| {
        shape.make(block, &info(block)?, source, &is_kept, room, piece)
    })?;
    same_number(kept, written)
}

/// Refuses an input of which other lines were found than were kept.
pub(crate) fn same_number(kept: u64, written: u64) -> Result<()> {
    if written == kept {
        return Ok(());
    }
    let what = format!("{kept} documents were kept but {written} lines found again");
    Err(Error::new(ErrorKind::Input, what).advise("run again when nothing writes to the input"))
}
