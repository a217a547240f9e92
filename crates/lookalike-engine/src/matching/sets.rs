//! Holds the shingle sets of the documents that will be compared. The first pass does not store sets, so they are made again from
//! the texts. Sets may be spilled, and take eight bytes per shingle.

use lookalike::{Method, Scratch, Verify};
use lookalike_io::{
    error::Result,
    read::{Blocks, Scratch as ReadScratch, Source},
    spill::Spill,
};
use rayon::ThreadPool;

use crate::{
    config::{Observer, Progress, RunConfig, Stage},
    numbers::Document,
    pairing::Pairing,
    pass::parallel::{Weigh, in_order},
    sketching::table::Table,
};

/// The sets of some numbered documents. In addition to the sets, each document takes twelve bytes of memory.
pub(crate) struct Sets {
    spill: Spill<u64>,
    starts: Vec<u64>,
    lengths: Vec<u32>,
    /// Temporary sets. It is not known yet whether they are still needed after the current documents are decided. They belong to
    /// consecutive numbers, beginning with [`fresh_from`](Self::fresh_from).
    fresh: Vec<u64>,
    fresh_from: u32,
}

impl Sets {
    /// Creates empty sets for `numbers` documents.
    pub(crate) fn new(numbers: u32, table: &Table) -> Self {
        let numbers = numbers as usize;
        let spill = Spill::new(&table.budget);
        Self {
            spill,
            starts: vec![0; numbers],
            lengths: vec![0; numbers],
            fresh: Vec::new(),
            fresh_from: numbers as u32,
        }
    }

    /// Returns a document's set, sorted; empty if no set was made for it. `scratch` receives the set if it has to be read from a
    /// file.
    pub(crate) fn get<'a>(&'a self, number: u32, scratch: &'a mut Vec<u64>) -> Result<&'a [u64]> {
        let (start, length) = (self.starts[number as usize], self.len(number));
        if number >= self.fresh_from {
            return Ok(&self.fresh[start as usize..start as usize + length]);
        }
        self.spill.get(start..start + length as u64, scratch)
    }

    /// Returns the number of shingles in a document's set.
    pub(crate) fn len(&self, number: u32) -> usize {
        self.lengths[number as usize] as usize
    }

    /// Moves all sets to the file if data that cannot be spilled needs the memory.
    pub(crate) fn make_room(&mut self) -> Result<()> {
        self.spill.make_room()
    }

    /// Adds permanent sets. Each is given as (number, length), and their shingles are concatenated.
    fn append(&mut self, documents: &[(u32, u32)], shingles: &[u64]) -> Result<()> {
        let mut start = self.spill.len();
        for &(number, length) in documents {
            (self.starts[number as usize], self.lengths[number as usize]) = (start, length);
            start += u64::from(length);
        }
        self.spill.append(shingles)
    }

    /// From now on, sets that are added are temporary. They belong to documents numbered from `first`; no set of a document with
    /// such a number may have been added before.
    pub(crate) fn take_fresh(&mut self, first: u32) {
        self.fresh_from = first;
    }

    /// Adds a temporary set.
    pub(crate) fn push_fresh(&mut self, number: u32, set: &[u64]) {
        (self.starts[number as usize], self.lengths[number as usize]) =
            (self.fresh.len() as u64, set.len() as u32);
        self.fresh.extend_from_slice(set);
    }

    /// Makes the temporary sets that are still `needed` permanent, and drops the other temporary sets.
    pub(crate) fn keep_fresh(
        &mut self,
        numbers: std::ops::Range<u32>,
        needed: impl Fn(u32) -> bool,
    ) -> Result<()> {
        for number in numbers {
            let start = self.starts[number as usize] as usize;
            if needed(number) {
                self.starts[number as usize] = self.spill.len();
                self.spill
                    .append(&self.fresh[start..start + self.lengths[number as usize] as usize])?;
            } else {
                self.lengths[number as usize] = 0;
            }
        }
        self.fresh.clear();
        self.fresh_from = self.lengths.len() as u32;
        Ok(())
    }
}

/// One block's sets, concatenated.
#[derive(Default)]
struct Loaded {
    shingles: Vec<u64>,
    documents: Vec<(u32, u32)>,
}

impl Weigh for Loaded {
    fn weight(&self) -> usize {
        self.shingles.weight() + self.documents.weight()
    }
}

#[derive(Default)]
struct Worker {
    read_scratch: ReadScratch,
    scratch: Scratch,
}

/// What a pass over the input needs.
#[derive(Clone, Copy)]
pub(crate) struct Pass<'a> {
    pub(crate) config: &'a RunConfig,
    pub(crate) method: &'a Method,
    pub(crate) source: &'a Source,
    pub(crate) table: &'a Table,
    pub(crate) pool: &'a ThreadPool,
    pub(crate) observer: Observer<'a>,
}

/// Returns the sets of the contenders (the documents that have to be compared). The sets are loaded if similarity is counted from
/// sets; otherwise they are empty.
pub(crate) fn of_contenders(pass: Pass, pairing: &Pairing) -> Result<Sets> {
    match pass.method.verify() {
        Verify::Exact => load_contenders(pass, pairing),
        Verify::Sketch | Verify::None => Ok(Sets::new(pairing.numbers()?, pass.table)),
    }
}

/// Makes the sets of the contenders.
fn load_contenders(pass: Pass, pairing: &Pairing) -> Result<Sets> {
    load(pass, pairing.numbers()?, |document| {
        pairing
            .number(pairing.order.rank(Document(document)))
            .map(|contender| contender.0)
    })
}

/// Makes the sets of the documents for which `number_of` returns a number.
pub(crate) fn load(
    pass: Pass,
    numbers: u32,
    number_of: impl Fn(u64) -> Option<u32> + Sync,
) -> Result<Sets> {
    let Pass {
        method,
        source,
        table,
        pool,
        observer,
        ..
    } = pass;
    let mut sets = Sets::new(numbers, table);
    if numbers == 0 {
        return Ok(sets);
    }
    in_order(
        pool,
        Blocks::again(source),
        |block, worker: &mut Worker| {
            let mut loaded = Loaded::default();
            let info = table.info(block, source)?;
            if !info
                .documents()
                .any(|document| number_of(document).is_some())
            {
                return Ok(loaded);
            }
            let Worker {
                read_scratch,
                scratch,
            } = worker;
            info.each_document(block, source, |document, at| {
                if let Some(number) = number_of(document) {
                    let record = source.same_record(block, at, read_scratch)?;
                    method.set(record.text, scratch);
                    loaded.shingles.extend_from_slice(&scratch.fingerprints);
                    loaded
                        .documents
                        .push((number, scratch.fingerprints.len() as u32));
                }
                Ok(())
            })?;
            Ok(loaded)
        },
        |loaded| {
            Progress::new(Stage::Loading, source.read(), source.total()).tell(observer)?;
            sets.append(&loaded.documents, &loaded.shingles)
        },
    )?;
    Ok(sets)
}
