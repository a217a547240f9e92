//! The blocks of the pass that settles, taken and made ready in parallel, given in rounds and in their turn.

use std::{collections::BTreeMap, sync::Mutex};

use lookalike::{Scratch, Verify};
use lookalike_io::{
    error::{Error, Result},
    lock::lock,
    read::{Block, BlockInfo, Blocks, Room},
    spill::places::Places,
};
use rayon::prelude::*;

use crate::{
    matching::sets::Pass,
    numbers::{Contender, Document, Rank},
    pairing::Pairing,
    pass::parallel::caught,
};

/// Blocks of a round, a thread, where memory allows: enough that threads seldom wait for each other.
const BLOCKS: usize = 8;

/// What a block takes while it is held, with its sets.
const BLOCK_MEMORY: usize = 1 << 20;

/// A block that is being settled.
#[derive(Default)]
pub(super) struct Held {
    pub(super) block: Block,
    /// Its contenders' sets: numbers and lengths, one after the other.
    pub(super) documents: Vec<(u32, u32)>,
    pub(super) shingles: Vec<u64>,
    /// Copies of contenders, each with its leader.
    pub(super) copies: Vec<(Rank, Contender)>,
}

#[derive(Default)]
struct Worker {
    room: Room,
    scratch: Scratch,
}

/// Blocks in their turn: of several streams that are read at the same time those of later ones wait.
pub(super) struct Rounds<'a> {
    ready: Ready<'a>,
    blocks: Blocks<'a>,
    most: usize,
    /// The block, by input and index, whose turn is next.
    due: (usize, u64),
    waiting: BTreeMap<(usize, u64), Held>,
    workers: Vec<Mutex<Worker>>,
    spare: Mutex<Vec<Held>>,
}

impl<'a> Rounds<'a> {
    /// Of all blocks; of tables all columns where records are to be written, as `whole` as they came.
    pub(super) fn new(pass: Pass<'a>, pairing: &'a Pairing, whole: bool) -> Result<Self> {
        let ready = Ready { pass, pairing, exact: pass.method.verify() == Verify::Exact, settled: None };
        let threads = pass.pool.current_num_threads();
        // Two rounds are at hand: one is settled while the next is made ready.
        let most = threads * (pass.table.budget.room() / 4 / BLOCK_MEMORY / threads).clamp(1, BLOCKS);
        let blocks = Blocks::again(pass.source).whole(whole).at_most(most).readers(threads);
        let workers = (0..threads).map(|_| Mutex::default()).collect();
        Ok(Self { ready, blocks, most, due: (0, 0), waiting: BTreeMap::new(), workers, spare: Mutex::default() })
    }

    /// The same, where of the first blocks so many are settled: of their contenders only the sets of these are `wanted`.
    pub(super) fn behind(mut self, settled: u64, wanted: &'a Places) -> Self {
        self.ready.settled = Some((settled, wanted));
        self
    }

    pub(super) fn ready(&self) -> Ready<'a> {
        self.ready.clone()
    }

    /// The blocks whose turn is next, their contenders' sets made; none at the end. `settled` is room. To be called on the pool.
    pub(super) fn next(&mut self, settled: Vec<Held>) -> Result<Option<Vec<Held>>> {
        lock(&self.spare).extend(settled);
        loop {
            let one = |_| self.take();
            // As many as can be taken without waiting for one to be passed on.
            let free = (self.most - self.waiting.len().min(self.most)).max(1);
            let taken: Vec<Result<Option<Held>>> = (0..free).into_par_iter().with_max_len(1).map(one).collect();
            let taken: Vec<Held> = taken.into_iter().filter_map(Result::transpose).collect::<Result<_>>()?;
            if taken.is_empty() {
                return Ok(None);
            }
            let due = self.those_due(taken)?;
            if !due.is_empty() {
                return Ok(Some(due));
            }
        }
    }

    fn take(&self) -> Result<Option<Held>> {
        let mut held = lock(&self.spare).pop().unwrap_or_default();
        if !self.blocks.take(&mut held.block)? {
            return Ok(None);
        }
        let thread = rayon::current_thread_index().unwrap_or(0);
        let loaded = caught(|| self.ready.load(&mut held, &mut lock(&self.workers[thread])));
        let loaded = loaded.unwrap_or_else(|panicked| Err(panicked.on_line(&held.block)));
        loaded.map_err(|error| self.ready.placed(error, &held.block))?;
        Ok(Some(held))
    }

    /// Of these and of those that wait, the ones whose turn it is, in order.
    fn those_due(&mut self, taken: Vec<Held>) -> Result<Vec<Held>> {
        self.waiting.extend(taken.into_iter().map(|held| ((held.block.tag().part, held.block.tag().index), held)));
        let mut due = Vec::new();
        while let Some(held) = self.waiting.remove(&self.due) {
            let tag = held.block.tag();
            if tag.last {
                // Nobody wrote to the input while this pass read it.
                self.blocks.source().ended(tag.part, tag.index + 1)?;
            }
            self.due = tag.next();
            self.blocks.passed(tag);
            due.push(held);
        }
        Ok(due)
    }
}

/// What a block is made ready with.
#[derive(Clone)]
pub(super) struct Ready<'a> {
    pub(super) pass: Pass<'a>,
    pairing: &'a Pairing,
    exact: bool,
    /// Blocks of the source that an earlier run has settled, and of whom in these the sets are wanted all the same.
    settled: Option<(u64, &'a Places)>,
}

impl Ready<'_> {
    pub(super) fn info(&self, block: &Block) -> Result<BlockInfo> {
        self.pass.table.info(block, self.pass.source)
    }

    /// The failure of a block's line, told with its place.
    fn placed(&self, error: Error, block: &Block) -> Error {
        let first_line = self.info(block).map_or(1, |info| info.first_line);
        error.placed(|record| self.pass.source.place(block.part, first_line + record))
    }

    /// Makes the sets of a block's contenders, and tells its copies of contenders.
    fn load(&self, held: &mut Held, worker: &mut Worker) -> Result<()> {
        let Held { block, documents, shingles, copies, .. } = held;
        documents.clear();
        shingles.clear();
        copies.clear();
        let settled = self.settled.filter(|&(blocks, _)| (block.number as u64) < blocks).map(|(_, wanted)| wanted);
        self.info(block)?.each_document(block, self.pass.source, |document, at| {
            let rank = self.pairing.order.rank(Document(document));
            if let Some(number) = self.pairing.number(rank) {
                if settled.is_some_and(|wanted| !wanted.contains(number.into())) {
                    return Ok(());
                }
                if self.exact {
                    shingles.extend_from_slice(self.set(at, block, worker)?);
                }
                documents.push((number.0, if self.exact { worker.scratch.fingerprints.len() as u32 } else { 0 }));
            } else if settled.is_none() {
                let leader = self.pairing.leader(rank).and_then(|leader| self.pairing.number(leader));
                copies.extend(leader.map(|leader| (rank, leader)));
            }
            Ok(())
        })
    }

    fn set<'b>(&self, at: usize, block: &Block, worker: &'b mut Worker) -> Result<&'b [u64]> {
        let Worker { room, scratch } = worker;
        let record = self.pass.source.same_record(block, at, room)?;
        self.pass.method.set(record.text, scratch);
        Ok(&scratch.fingerprints)
    }

    /// The set of one document of a round.
    pub(super) fn set_of(&self, rank: Rank, round: &[Held], set: &mut Vec<u64>) -> Result<()> {
        set.clear();
        if !self.exact {
            return Ok(());
        }
        let Document(document) = self.pairing.order.document(rank);
        let mut worker = Worker::default();
        for Held { block, .. } in round {
            let info = self.info(block)?;
            if info.documents().contains(&document) {
                info.each_document(block, self.pass.source, |other, at| {
                    if other == document {
                        set.extend_from_slice(self.set(at, block, &mut worker)?);
                    }
                    Ok(())
                })?;
            }
        }
        Ok(())
    }
}
