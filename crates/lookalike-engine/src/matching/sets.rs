//! The shingle sets of documents that will be compared, made again from their texts and spilled, eight bytes a shingle.

use lookalike::{Method, Scratch, Verify};
use lookalike_io::{
    error::Result,
    read::{Blocks, Room, Source},
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

/// The sets of some numbered documents. Twelve bytes of memory each besides the sets.
pub(crate) struct Sets {
    spill: Spill<u64>,
    starts: Vec<u64>,
    lengths: Vec<u32>,
    /// Sets that are not yet known to be needed for long, of consecutive numbers from [`fresh_from`](Self::fresh_from).
    fresh: Vec<u64>,
    fresh_from: u32,
}

impl Sets {
    /// Of `numbers` documents, all of them empty yet.
    pub(crate) fn new(numbers: u32, table: &Table) -> Self {
        let numbers = numbers as usize;
        let spill = Spill::new(&table.budget);
        Self { spill, starts: vec![0; numbers], lengths: vec![0; numbers], fresh: Vec::new(), fresh_from: numbers as u32 }
    }

    /// A document's set, sorted; empty for one that was not wanted. `room` holds what has to be read.
    pub(crate) fn get<'a>(&'a self, number: u32, room: &'a mut Vec<u64>) -> Result<&'a [u64]> {
        let (start, length) = (self.starts[number as usize], self.len(number));
        if number >= self.fresh_from {
            return Ok(&self.fresh[start as usize..start as usize + length]);
        }
        self.spill.get(start..start + length as u64, room)
    }

    /// The number of shingles in a document's set.
    pub(crate) fn len(&self, number: u32) -> usize {
        self.lengths[number as usize] as usize
    }

    /// Lets all go to the file where others that cannot go there have taken the memory.
    pub(crate) fn make_room(&mut self) -> Result<()> {
        self.spill.make_room()
    }

    /// Takes sets for good, each as (number, length), one after the other.
    fn append(&mut self, documents: &[(u32, u32)], shingles: &[u64]) -> Result<()> {
        let mut start = self.spill.len();
        for &(number, length) in documents {
            (self.starts[number as usize], self.lengths[number as usize]) = (start, length);
            start += u64::from(length);
        }
        self.spill.append(shingles)
    }

    /// Takes the sets of the documents that come next, for now. All numbers from `first` on are new.
    pub(crate) fn take_fresh(&mut self, first: u32) {
        self.fresh_from = first;
    }

    /// Adds one to those.
    pub(crate) fn push_fresh(&mut self, number: u32, set: &[u64]) {
        (self.starts[number as usize], self.lengths[number as usize]) = (self.fresh.len() as u64, set.len() as u32);
        self.fresh.extend_from_slice(set);
    }

    /// Keeps of those the ones that are still `needed`, and forgets the others.
    pub(crate) fn settle_fresh(&mut self, numbers: std::ops::Range<u32>, needed: impl Fn(u32) -> bool) -> Result<()> {
        for number in numbers {
            let start = self.starts[number as usize] as usize;
            if needed(number) {
                self.starts[number as usize] = self.spill.len();
                self.spill.append(&self.fresh[start..start + self.lengths[number as usize] as usize])?;
            } else {
                self.lengths[number as usize] = 0;
            }
        }
        self.fresh.clear();
        self.fresh_from = self.lengths.len() as u32;
        Ok(())
    }
}

/// One block's sets, one after the other.
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
    room: Room,
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

/// The sets of the contenders: made where they are counted, else empty.
pub(crate) fn of_contenders(pass: Pass, pairing: &Pairing) -> Result<Sets> {
    match pass.method.verify() {
        Verify::Exact => load_contenders(pass, pairing),
        Verify::Sketch | Verify::None => Ok(Sets::new(pairing.numbers()?, pass.table)),
    }
}

/// Makes the sets of the contenders.
fn load_contenders(pass: Pass, pairing: &Pairing) -> Result<Sets> {
    load(pass, pairing.numbers()?, |document| pairing.number(pairing.order.rank(Document(document))).map(|contender| contender.0))
}

/// Makes the sets of those documents that have a number.
pub(crate) fn load(pass: Pass, numbers: u32, number_of: impl Fn(u64) -> Option<u32> + Sync) -> Result<Sets> {
    let Pass { method, source, table, pool, observer, .. } = pass;
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
            if !info.documents().any(|document| number_of(document).is_some()) {
                return Ok(loaded);
            }
            let Worker { room, scratch } = worker;
            info.each_document(block, source, |document, at| {
                if let Some(number) = number_of(document) {
                    let record = source.same_record(block, at, room)?;
                    method.set(record.text, scratch);
                    loaded.shingles.extend_from_slice(&scratch.fingerprints);
                    loaded.documents.push((number, scratch.fingerprints.len() as u32));
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
