//! A pass that writes records: each block's by a worker, all in input order.

use std::sync::{Arc, Mutex};

use rayon::ThreadPool;

use super::parallel::{Weigh, in_order};
use crate::{
    config::{Observer, Progress, Stage},
    error::{Error, ErrorKind, Result},
    lock::lock,
    read::{Block, BlockInfo, Blocks, Columns, Room, Source},
    write::Kept,
};

/// What is written of one block.
struct Piece {
    bytes: Vec<u8>,
    records: u64,
    columns: Option<Arc<Columns>>,
}

impl Weigh for Piece {
    fn weight(&self) -> usize {
        self.bytes.weight()
    }
}

/// Writes what `make` appends of each block of a later pass; it gives the number of records. All of them are counted.
pub(crate) fn write_blocks<S: Default>(
    pool: &ThreadPool,
    source: &Source,
    output: &mut Kept,
    observer: Observer,
    make: impl Fn(&Block, &mut S, &mut Vec<u8>) -> Result<u64> + Sync,
) -> Result<u64> {
    let mut written = 0;
    // Pieces that were written, to be filled again: fresh memory is dear.
    let spare: Mutex<Vec<Vec<u8>>> = Mutex::default();
    in_order(
        pool,
        Blocks::again(source),
        |block, state: &mut S| {
            let mut bytes = lock(&spare).pop().unwrap_or_default();
            bytes.reserve(block.total_size() as usize + 1);
            let records = make(block, state, &mut bytes)?;
            Ok(Piece { bytes, records, columns: block.columns().cloned() })
        },
        |Piece { mut bytes, records, columns }| {
            observer(Progress::new(Stage::Writing, source.read(), source.total()));
            written += records;
            output.write(&bytes, columns.as_ref())?;
            bytes.clear();
            lock(&spare).push(bytes);
            Ok(())
        },
    )?;
    Ok(written)
}

/// Copies the kept records, and checks that they are as many as were kept.
pub(crate) fn copy_kept<'i>(
    pool: &ThreadPool,
    source: &Source,
    info: impl Fn(&Block) -> Result<&'i BlockInfo> + Sync,
    is_kept: impl Fn(u64) -> bool + Sync,
    (output, kept): (&mut Kept, u64),
    observer: Observer,
) -> Result<()> {
    let shape = output.shape();
    let written = write_blocks(pool, source, output, observer, |block, room: &mut Room, bytes| {
        shape.piece(block, info(block)?, source, &is_kept, room, |piece| {
            bytes.extend_from_slice(piece);
            Ok(())
        })
    })?;
    same_number(kept, written)
}

/// Refuses an input of which other lines were found than were kept.
pub(crate) fn same_number(kept: u64, written: u64) -> Result<()> {
    if written == kept {
        return Ok(());
    }
    let message =
        format!("{kept} documents were kept but {written} lines found again; run again when nothing writes to the input");
    Err(Error::new(ErrorKind::Input, message))
}
