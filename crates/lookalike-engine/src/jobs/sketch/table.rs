//! Reads files of sketches into the table of a run, as if the texts had just been sketched.

use std::sync::Arc;

use lookalike::{Method, Scratch};
use lookalike_io::{
    error::{Error, Result},
    read::{Block, Blocks, Source},
    spill::Budget,
};
use rayon::ThreadPool;
use xxhash_rust::xxh3::xxh3_128;

use super::rows::row;
use crate::{
    config::{Observer, Progress, RunConfig, Stage},
    pass::parallel::in_order_placed,
    sketching::{
        refuse_repeated_ids,
        table::{Sketched, Table},
    },
};

/// A worker's buffers.
#[derive(Default)]
struct Worker {
    lines: Vec<u8>,
    scratch: Scratch,
}

/// Reads all sketches. `method` finds pairs of stored sketches.
///
/// # Errors
/// Fails if a row is not a sketch with the method's parameters, or if two documents of the inputs have the same id, unless the
/// configuration allows it.
pub(crate) fn read(
    config: &RunConfig,
    method: &Method,
    source: &Source,
    budget: &Arc<Budget>,
    pool: &ThreadPool,
    observer: Observer,
) -> Result<Table> {
    let mut table = Table::new(method, budget);
    table.reference_parts = source.reference_parts();
    let checked = !config.allow_repeated_ids;
    in_order_placed(
        pool,
        Blocks::new(source).whole(true),
        |block, worker: &mut Worker| sketched(method, block, worker),
        |place, mut sketched| {
            sketched.place_at(place);
            table.add(&mut sketched, checked)?;
            Progress::new(Stage::Sketching, source.read(), source.total()).tell(observer)
        },
    )?;
    if checked {
        refuse_repeated_ids(&mut table, source, pool)?;
    }
    log::info!("sketches: {}", table.documents);
    Ok(table)
}

fn sketched(
    method: &Method,
    block: &Block,
    Worker { lines, scratch }: &mut Worker,
) -> Result<Sketched> {
    let mut out = Sketched::new(method);
    out.info.part = block.part;
    // The number of the next line. Lines that are not given are blank.
    let mut next = 0;
    block.each_object(lines, |at, line| {
        (next..at as u32).for_each(|blank| out.info.skipped.push(blank));
        next = at as u32 + 1;
        let tag = block.tag();
        let row = row(line, block, tag.index == 0 && at == 0)
            .map_err(|wrong| wrong.of_line(at as u64))?;
        let Some(row) = row else {
            out.info.skipped.push(at as u32);
            return Ok(());
        };
        method
            .restore(&row.sketch, scratch)
            .map_err(|wrong| Error::from(wrong).of_line(at as u64))?;
        // A union has no digest of its own. With the hash of its id, it is the copy of no document.
        out.digests.push(
            row.sketch
                .digest
                .unwrap_or_else(|| xxh3_128(format!("union {}", row.id.get()).as_bytes())),
        );
        out.bits.extend_from_slice(&scratch.bits);
        out.columns
            .iter_mut()
            .zip(&scratch.keys)
            .for_each(|(column, &key)| column.push(key));
        if method.keeps_samples() {
            out.samples.push(&scratch.elements, scratch.level);
        }
        out.ids.push(row.id.get());
        out.line_bytes += line.len() as u64;
        Ok(())
    })?;
    (next..block.len() as u32).for_each(|blank| out.info.skipped.push(blank));
    out.info.count = out.digests.len() as u32;
    Ok(out)
}
