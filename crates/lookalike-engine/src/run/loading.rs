//! Second pass: the shingle sets of the documents that will be compared, made again from their texts and spilled.
//!
//! Only documents that share a band are read; the others' lines are not even parsed. Eight bytes a shingle go to the spill,
//! so that deciding, which goes in keep order, never depends on where a text stands in which compressed file.

use lookalike::{Method, Scratch};
use rayon::ThreadPool;

use super::{parallel::in_order, sketching::Table};
use crate::{
    config::{Observer, Progress, RunConfig, Stage},
    error::Result,
    read::{Blocks, Record, Source},
    spill::Spill,
};

/// Sets kept in memory; more of them go to a temporary file, which the page cache serves.
const SETS_IN_MEMORY: usize = 64 << 20;

/// The sets of some documents.
pub(crate) struct Sets {
    spill: Spill<u64>,
    starts: Vec<u64>,
    lengths: Vec<u32>,
}

impl Sets {
    /// A document's set, sorted; empty for one that was not wanted.
    pub(crate) fn read(&self, document: u32, into: &mut Vec<u64>) -> Result<()> {
        self.spill.read(self.starts[document as usize], self.len(document), into)
    }

    /// The number of shingles in a document's set.
    pub(crate) fn len(&self, document: u32) -> usize {
        self.lengths[document as usize] as usize
    }
}

/// One block's sets, one after the other.
#[derive(Default)]
struct Loaded {
    shingles: Vec<u64>,
    documents: Vec<(u32, u32)>,
}

#[derive(Default)]
struct Worker {
    record: Record,
    scratch: Scratch,
}

/// Makes the sets of the `wanted` documents.
pub(crate) fn load(
    config: &RunConfig,
    method: &Method,
    source: &Source,
    table: &Table,
    wanted: impl Iterator<Item = u32>,
    pool: &ThreadPool,
    observer: Observer,
) -> Result<Sets> {
    let fields = super::sketching::fields(config)?;
    let documents = table.documents() as usize;
    let mut is_wanted = vec![false; documents];
    let mut any = false;
    for document in wanted {
        is_wanted[document as usize] = true;
        any = true;
    }
    let mut sets = Sets {
        spill: Spill::new(SETS_IN_MEMORY, config.temp_dir.clone()),
        starts: vec![0; documents],
        lengths: vec![0; documents],
    };
    if !any {
        return Ok(sets);
    }
    in_order(
        pool,
        Blocks::again(source),
        |block, worker: &mut Worker| {
            let mut loaded = Loaded::default();
            let info = table.blocks.get(block.number).ok_or_else(|| source.changed(block.input))?;
            let range = info.first_document as usize..(info.first_document + info.documents) as usize;
            if !is_wanted[range].contains(&true) {
                return Ok(loaded);
            }
            let Worker { record, scratch } = worker;
            info.each_document(block, source, |document, line| {
                if is_wanted[document as usize] {
                    record.read(line, &fields).map_err(|_| source.changed(block.input))?;
                    method.set(&record.text, scratch);
                    loaded.shingles.extend_from_slice(&scratch.fingerprints);
                    loaded.documents.push((document, scratch.fingerprints.len() as u32));
                }
                Ok(())
            })?;
            Ok(loaded)
        },
        |loaded| {
            observer(Progress { stage: Stage::Loading, done: source.read(), total: source.total() });
            let mut start = sets.spill.end();
            for (document, length) in loaded.documents {
                sets.starts[document as usize] = start;
                sets.lengths[document as usize] = length;
                start += u64::from(length);
            }
            sets.spill.append(&loaded.shingles)
        },
    )?;
    Ok(sets)
}
