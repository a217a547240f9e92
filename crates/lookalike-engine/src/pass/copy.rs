//! Runs a pass that writes records: workers make each block's records, and all records are written in input order.

use std::sync::Mutex;

use lookalike_io::{
    error::{Error, ErrorKind, Result},
    lock::lock,
    read::{Block, BlockInfo, Blocks, Scratch, Source},
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

/// Writes what `make` returns for each block of a later pass, except blocks of references. Returns the number of records written.
pub(crate) fn write_blocks<S: Default>(
    pool: &ThreadPool,
    source: &Source,
    output: &mut Kept,
    observer: Observer,
    make: impl Fn(&Block, &mut S, &mut Piece) -> Result<()> + Sync,
) -> Result<u64> {
    let mut written = 0;
    // After the records in a buffer have been written, the buffer is reused, because newly allocated memory is expensive.
    let spare: Mutex<Vec<Piece>> = Mutex::default();
    let (is_limited, shapes) = (output.is_limited(), output.shapes());
    in_order(
        pool,
        Blocks::after_references(source).whole(true),
        |block, state: &mut S| {
            let mut piece = lock(&spare).pop().unwrap_or_else(|| Piece::new(is_limited));
            make(block, state, &mut piece)?;
            shapes.convert(source, block, &mut piece)?;
            Ok(piece)
        },
        |mut piece| {
            Progress::new(Stage::Writing, source.read(), source.total()).tell(observer)?;
            written += piece.records;
            output.write(source, &mut piece)?;
            piece.clear();
            lock(&spare).push(piece);
            Ok(())
        },
    )?;
    Ok(written)
}

/// Copies the kept records, and checks that their number equals the number of kept documents.
pub(crate) fn copy_kept(
    pool: &ThreadPool,
    source: &Source,
    info: impl Fn(&Block) -> Result<BlockInfo> + Sync,
    is_kept: impl Fn(u64) -> bool + Sync,
    (output, kept): (&mut Kept, u64),
    observer: Observer,
) -> Result<()> {
    let shapes = output.shapes();
    let written = write_blocks(
        pool,
        source,
        output,
        observer,
        |block, scratch: &mut Scratch, piece| {
            shapes
                .of(source, block)
                .make(block, &info(block)?, source, &is_kept, scratch, piece)
        },
    )?;
    same_number(kept, written)
}

/// Returns an error if the number of kept lines that were found in the input differs from the number of kept documents.
pub(crate) fn same_number(kept: u64, written: u64) -> Result<()> {
    if written == kept {
        return Ok(());
    }
    let what = format!("{kept} documents were kept, but {written} of their lines were found again");
    Err(Error::new(ErrorKind::Input, what).advise("run again when nothing writes to the input"))
}
