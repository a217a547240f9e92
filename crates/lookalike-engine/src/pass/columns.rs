//! Finds the columns of records that are converted, in a pass after the first one.

use lookalike_io::{
    error::Result,
    read::{Block, BlockInfo, Blocks, Scratch, Source},
    write::{BlockFields, Kept},
};
use rayon::ThreadPool;

use super::parallel::{Weigh, in_order};
use crate::config::{Observer, Progress, Stage};

impl Weigh for BlockFields {
    fn weight(&self) -> usize {
        self.size()
    }
}

/// Finds the columns of records that are converted to CSV or to a table. If only the records have their names or types, it reads all
/// documents, also those that will be dropped. So the columns depend on the inputs only, and values that fit no column are reported
/// before the main work begins.
///
/// # Errors
/// Fails if the values of a field cannot be in one column, or if an input cannot be read.
pub(crate) fn find_columns(
    pool: &ThreadPool,
    source: &Source,
    kept: &mut Kept,
    info: impl Fn(&Block) -> Result<BlockInfo> + Sync,
    observer: Observer,
) -> Result<()> {
    let Some(looking) = kept.looking(source)? else {
        return Ok(());
    };
    let mut seen = looking.begin();
    if looking.needs_records() {
        in_order(
            pool,
            Blocks::after_references(source),
            |block, scratch: &mut Scratch| looking.block(block, &info(block)?, source, scratch),
            |fields| {
                Progress::new(Stage::Gathering, source.read(), source.total()).tell(observer)?;
                seen.add(&looking, fields, source)
            },
        )?;
    }
    kept.set_columns(&looking, seen, source)
}
