//! Reads the blocks of the streaming pass, prepares them in parallel, and returns them in input order, several blocks (a round)
//! at a time.

use std::sync::Mutex;

use lookalike::{Scratch, Verify};
use lookalike_io::{
    error::{Error, Result},
    lock::lock,
    pool::par_map,
    read::{Block, BlockInfo, Blocks, Position, Scratch as ReadScratch},
    spill::places::Places,
};

use crate::{
    matching::sets::Pass,
    numbers::{Contender, Document, Rank},
    pairing::Pairing,
    pass::{parallel::caught, waiting::Waiting},
};

/// The number of blocks per thread in a round, if there is enough memory. With this number of blocks, threads seldom wait for
/// each other.
const BLOCKS: usize = 8;

/// The bytes of memory that a block takes while it is held, including its sets.
const BLOCK_MEMORY: usize = 1 << 20;

/// A block in memory, with what is needed to decide its documents.
#[derive(Default)]
pub(super) struct Held {
    pub(super) block: Block,
    /// The numbers of the block's contenders (the documents that have to be compared) and the lengths of their sets, in the order
    /// of `shingles`.
    pub(super) documents: Vec<(u32, u32)>,
    pub(super) shingles: Vec<u64>,
    /// Copies of contenders, each with the contender that has the same digest (its first copy).
    pub(super) copies: Vec<(Rank, Contender)>,
}

#[derive(Default)]
struct Worker {
    read_scratch: ReadScratch,
    scratch: Scratch,
}

/// Reads blocks in input order. If several streams are read at the same time, the blocks of later streams wait.
pub(super) struct Rounds<'a> {
    ready: Ready<'a>,
    blocks: Blocks<'a>,
    most: usize,
    /// The next block, by input and index.
    due: Position,
    waiting: Waiting<Held>,
    workers: Vec<Mutex<Worker>>,
    spare: Mutex<Vec<Held>>,
}

impl<'a> Rounds<'a> {
    /// Prepares to read all blocks. If records are written `whole`, as they are in the input, all columns of tables are read.
    pub(super) fn new(pass: Pass<'a>, pairing: &'a Pairing, whole: bool) -> Result<Self> {
        let ready = Ready {
            pass,
            pairing,
            exact: pass.method.verify() == Verify::Exact,
            decided: None,
        };
        let threads = pass.pool.current_num_threads();
        // Two rounds are in memory at the same time: one is decided while the next is prepared.
        let most =
            threads * (pass.table.budget.left() / 4 / BLOCK_MEMORY / threads).clamp(1, BLOCKS);
        let blocks = Blocks::again(pass.source)
            .whole(whole)
            .at_most(most)
            .readers(threads);
        let workers = (0..threads).map(|_| Mutex::default()).collect();
        Ok(Self {
            ready,
            blocks,
            most,
            due: (0, 0),
            waiting: Waiting::new(),
            workers,
            spare: Mutex::default(),
        })
    }

    /// Continues after an earlier run, which has decided the first `decided` blocks. In these blocks, only the `wanted`
    /// contenders get sets.
    pub(super) fn after(mut self, decided: u64, wanted: &'a Places) -> Self {
        self.ready.decided = Some((decided, wanted));
        self
    }

    pub(super) fn ready(&self) -> Ready<'a> {
        self.ready.clone()
    }

    /// Returns the next blocks in order, with their contenders' sets, or `None` at the end. The buffers of `decided` are reused.
    /// Call this on the thread pool.
    pub(super) fn next(&mut self, decided: Vec<Held>) -> Result<Option<Vec<Held>>> {
        lock(&self.spare).extend(decided);
        loop {
            let one = |_| self.take();
            // Take as many blocks as a round may have, less the blocks that are already waiting, but at least one. With more
            // blocks, this step could wait for earlier blocks to be returned, which happens only after this step.
            let free = (self.most - self.waiting.len().min(self.most)).max(1);
            let taken: Vec<Result<Option<Held>>> = par_map(0..free, one);
            let taken: Vec<Held> = taken
                .into_iter()
                .filter_map(Result::transpose)
                .collect::<Result<_>>()?;
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

    /// Takes the blocks that were read and those that are waiting. Returns the blocks that come next, in order.
    fn those_due(&mut self, taken: Vec<Held>) -> Result<Vec<Held>> {
        for held in taken {
            self.waiting.insert(held.block.tag().position(), held);
        }
        let mut due = Vec::new();
        while let Some(held) = self.waiting.remove(self.due) {
            let tag = held.block.tag();
            if tag.last {
                // Check that nothing wrote to the input while this pass read it.
                self.blocks.source().ended(tag.part, tag.index + 1)?;
            }
            self.due = tag.next();
            self.blocks.passed(tag);
            due.push(held);
        }
        Ok(due)
    }
}

/// What is needed to prepare a block.
#[derive(Clone)]
pub(super) struct Ready<'a> {
    pub(super) pass: Pass<'a>,
    pairing: &'a Pairing,
    exact: bool,
    /// The number of blocks that an earlier run has decided, and the contenders in these blocks that need sets nevertheless.
    decided: Option<(u64, &'a Places)>,
}

impl Ready<'_> {
    pub(super) fn info(&self, block: &Block) -> Result<BlockInfo> {
        self.pass.table.info(block, self.pass.source)
    }

    /// Adds the input and the line number to an error that a record of the block caused.
    fn placed(&self, error: Error, block: &Block) -> Error {
        let first_line = self.info(block).map_or(1, |info| info.first_line);
        error.placed(|record| self.pass.source.place(block.part, first_line + record))
    }

    /// Makes the sets of a block's contenders, and lists the documents of the block that are copies of contenders.
    fn load(&self, held: &mut Held, worker: &mut Worker) -> Result<()> {
        let Held {
            block,
            documents,
            shingles,
            copies,
            ..
        } = held;
        documents.clear();
        shingles.clear();
        copies.clear();
        let decided = self
            .decided
            .filter(|&(blocks, _)| (block.number as u64) < blocks)
            .map(|(_, wanted)| wanted);
        self.info(block)?
            .each_document(block, self.pass.source, |document, at| {
                let rank = self.pairing.order.rank(Document(document));
                if let Some(number) = self.pairing.number(rank) {
                    if decided.is_some_and(|wanted| !wanted.contains(number.into())) {
                        return Ok(());
                    }
                    if self.exact {
                        shingles.extend_from_slice(self.set(at, block, worker)?);
                    }
                    documents.push((
                        number.0,
                        if self.exact {
                            worker.scratch.fingerprints.len() as u32
                        } else {
                            0
                        },
                    ));
                } else if decided.is_none() {
                    let first_copy = self
                        .pairing
                        .first_copy(rank)
                        .and_then(|first_copy| self.pairing.number(first_copy));
                    copies.extend(first_copy.map(|first_copy| (rank, first_copy)));
                }
                Ok(())
            })
    }

    fn set<'b>(&self, at: usize, block: &Block, worker: &'b mut Worker) -> Result<&'b [u64]> {
        let Worker {
            read_scratch,
            scratch,
        } = worker;
        let record = self.pass.source.same_record(block, at, read_scratch)?;
        self.pass.method.set(record.text, scratch);
        Ok(&scratch.fingerprints)
    }

    /// Computes the set of one document of a round.
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
