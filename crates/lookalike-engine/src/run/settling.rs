//! Second and last pass where input order is keep order: a document is decided when its turn comes, and written at once.
//!
//! All that a document is compared with stands before it. So the input is read in rounds of some blocks: their contenders'
//! sets are made, decided about, and the kept lines written while they are at hand. Of sets only those stay that a later
//! document may have to be compared with: kept ones with somebody behind them in a bucket.

use std::{collections::BTreeMap, sync::Mutex};

use lookalike::{Scratch, Verify, cluster::Links, lsh::NONE};
use rayon::prelude::*;

use super::{
    deciding::Deciding,
    emitting::kept_lines,
    loading::{Pass, Sets},
    matching::Matcher,
    pairing::Pairing,
    parallel::caught,
    sketching::fields,
    verdicts::Verdicts,
};
use crate::{
    config::{Progress, Stage},
    error::{Error, ErrorKind, Result},
    lock::lock,
    places::Places,
    read::{Block, BlockInfo, Blocks, Fields, Record},
    write::Output,
};

/// Blocks of a round, a thread, where memory allows: enough that threads seldom wait for each other.
const BLOCKS: usize = 8;

/// What a block takes while it is held: itself, its sets, its kept lines.
const BLOCK_MEMORY: usize = 4 << 20;

/// Contenders whose sets are asked for after their turn: others come behind them in their buckets, or copies of one before them,
/// which look for a better representative than their leader had.
fn awaited(links: &Links, pairing: &Pairing) -> Result<Places> {
    let numbers = pairing.numbers()?;
    let awaited = Places::none(numbers.into());
    // Before which number the last copy of each contender comes.
    let mut copied = vec![0u32; numbers as usize];
    for &(copy, leader) in &pairing.copies {
        if let Some(number) = pairing.number(leader) {
            copied[number as usize] = pairing.contenders.below(copy) as u32;
        }
    }
    match links {
        Links::Buckets(buckets) => {
            for column in buckets.columns() {
                // For each bucket, its last member, or the number before which the last copy of a member comes.
                let mut until: Vec<u32> = Vec::new();
                let members = || (0..numbers).zip(column).filter(|(_, bucket)| **bucket != NONE);
                for (number, &bucket) in members() {
                    let bucket = bucket as usize;
                    until.resize(until.len().max(bucket + 1), 0);
                    until[bucket] = until[bucket].max(number).max(copied[number as usize]);
                }
                members()
                    .filter(|&(number, &bucket)| until[bucket as usize] > number)
                    .for_each(|(n, _)| awaited.insert(n.into()));
            }
        }
        Links::Listed(listed) => {
            for number in 0..numbers {
                let others = listed.of(number);
                if others.iter().any(|&other| other > number || copied[other as usize] > number) {
                    awaited.insert(number.into());
                }
            }
        }
    }
    Ok(awaited)
}

/// A block that is being settled.
#[derive(Default)]
struct Held {
    block: Block,
    /// Its contenders' sets: numbers and lengths, one after the other.
    documents: Vec<(u32, u32)>,
    shingles: Vec<u64>,
    /// Copies of contenders: rank and the leader's number.
    copies: Vec<(u64, u32)>,
    /// Kept lines.
    kept: Vec<u8>,
    lines: u64,
}

#[derive(Default)]
struct Worker {
    room: String,
    scratch: Scratch,
}

/// Reads the input again, decides about all contenders by the law, and writes the kept lines. Gives the number of these too.
///
/// Who reads the kept lines may have had enough of them: when other outputs are still wanted, `output` is then given up.
pub(crate) fn settle(
    pass: Pass,
    matcher: &Matcher,
    links: Links,
    output: &mut Option<Output>,
    others_wanted: bool,
) -> Result<(Verdicts, u64)> {
    let Pass { config, method, source, table, pool, observer } = pass;
    let pairing = matcher.pairing;
    let numbers = pairing.numbers()?;
    let awaited = awaited(&links, pairing)?;
    let mut deciding = Deciding::new(matcher, links, Sets::new(numbers, table), pool)?;
    let exact = method.verify() == Verify::Exact;
    if output.is_none() && (!exact || numbers == 0) {
        deciding.decide(0..numbers)?;
        let copies = pairing.copies.iter().filter_map(|&(rank, leader)| Some((rank, pairing.number(leader)?)));
        deciding.copies(copies, Some(&|_, _| Ok(())))?;
        return Ok((deciding.verdicts, 0));
    }
    let settling = Settling { pass, pairing, fields: fields(config)?, exact };
    let threads = pool.current_num_threads();
    let most = threads * (table.budget.room() / 2 / BLOCK_MEMORY / threads).clamp(1, BLOCKS);
    let mut turns = Turns { blocks: Blocks::again(source).at_most(most), most, due: (0, 0), waiting: BTreeMap::new() };
    let workers: Vec<Mutex<Worker>> = (0..pool.current_num_threads()).map(|_| Mutex::default()).collect();
    let spare: Mutex<Vec<Held>> = Mutex::default();
    let (mut next, mut written) = (0, 0);
    loop {
        let one = |_| -> Result<Option<Held>> {
            let mut held = lock(&spare).pop().unwrap_or_default();
            if !turns.blocks.take(&mut held.block)? {
                return Ok(None);
            }
            let thread = pool.current_thread_index().unwrap_or(0);
            let loaded = caught(|| settling.load(&mut held, &mut lock(&workers[thread])));
            let loaded = loaded.unwrap_or_else(|panicked| Err(panicked.on_line(&held.block)));
            loaded.map_err(|error| settling.placed(error, &held.block))?;
            Ok(Some(held))
        };
        let taken: Vec<Result<Option<Held>>> =
            pool.install(|| (0..turns.free()).into_par_iter().with_max_len(1).map(one).collect());
        let taken: Vec<Held> = taken.into_iter().filter_map(Result::transpose).collect::<Result<_>>()?;
        if taken.is_empty() {
            return Ok((deciding.verdicts, written));
        }
        let mut round = turns.those_due(taken)?;
        observer(Progress { stage: Stage::Settling, done: source.read(), total: source.total() });

        let first = next;
        deciding.sets.take_fresh(first);
        for held in &round {
            let mut start = 0;
            for &(number, length) in &held.documents {
                deciding.sets.push_fresh(number, &held.shingles[start..start + length as usize]);
                start += length as usize;
                next = number + 1;
            }
        }
        deciding.decide(first..next)?;
        let copies = round.iter().flat_map(|held| held.copies.iter().copied());
        deciding.copies(copies, Some(&|rank, set| settling.set_of(rank, &round, set)))?;
        deciding.settle_fresh(first..next, &awaited)?;

        if let Some(out) = output {
            let verdicts = &deciding.verdicts;
            let copy = |held: &mut Held| -> Result<()> {
                let is_kept = |document| pairing.is_kept(document, verdicts);
                held.kept.clear();
                held.lines = kept_lines(&held.block, settling.info(&held.block)?, source, is_kept, &mut held.kept)?;
                Ok(())
            };
            pool.install(|| round.par_iter_mut().with_max_len(1).try_for_each(copy))?;
            let write = round.iter().try_for_each(|held| {
                written += held.lines;
                out.write(&held.kept)
            });
            if write.as_ref().is_err_and(|error| error.kind() == ErrorKind::BrokenPipe) && others_wanted {
                *output = None;
            } else {
                write?;
            }
        }
        lock(&spare).extend(round);
    }
}

/// Blocks in their turn: of several streams that are read at the same time those of later ones wait.
struct Turns<'a> {
    blocks: Blocks<'a>,
    most: usize,
    /// The block, by input and index, whose turn is next.
    due: (usize, u64),
    waiting: BTreeMap<(usize, u64), Held>,
}

impl Turns<'_> {
    /// How many blocks can be taken without waiting for one to be passed on.
    fn free(&self) -> usize {
        (self.most - self.waiting.len().min(self.most)).max(1)
    }

    /// Of these and of those that wait, the ones whose turn it is, in order.
    fn those_due(&mut self, taken: Vec<Held>) -> Result<Vec<Held>> {
        self.waiting.extend(taken.into_iter().map(|held| ((held.block.tag().input, held.block.tag().index), held)));
        let mut due = Vec::new();
        while let Some(held) = self.waiting.remove(&self.due) {
            let tag = held.block.tag();
            if tag.last {
                // Nobody wrote to the input while this pass read it.
                self.blocks.source().ended(tag.input, tag.index + 1)?;
            }
            self.due = if tag.last { (tag.input + 1, 0) } else { (tag.input, tag.index + 1) };
            self.blocks.passed(tag);
            due.push(held);
        }
        Ok(due)
    }
}

struct Settling<'a> {
    pass: Pass<'a>,
    pairing: &'a Pairing,
    fields: Fields,
    exact: bool,
}

impl Settling<'_> {
    fn info(&self, block: &Block) -> Result<&BlockInfo> {
        self.pass.table.blocks.get(block.number).ok_or_else(|| self.pass.source.changed(block.input))
    }

    /// The failure of a block's line, told with its place.
    fn placed(&self, error: Error, block: &Block) -> Error {
        let first_line = self.info(block).map_or(1, |info| info.first_line);
        error.placed(&self.pass.source.inputs()[block.input].name(), first_line)
    }

    /// Makes the sets of a block's contenders, and tells its copies of contenders.
    fn load(&self, held: &mut Held, worker: &mut Worker) -> Result<()> {
        let Held { block, documents, shingles, copies, .. } = held;
        documents.clear();
        shingles.clear();
        copies.clear();
        self.info(block)?.each_document(block, self.pass.source, |document, line| {
            if let Some(number) = self.pairing.number(document) {
                if self.exact {
                    shingles.extend_from_slice(self.set(line, block, worker)?);
                }
                documents.push((number, if self.exact { worker.scratch.fingerprints.len() as u32 } else { 0 }));
            } else if self.pairing.is_copy.contains(document) {
                let leader = self.pairing.leader(document).and_then(|leader| self.pairing.number(leader));
                copies.extend(leader.map(|leader| (document, leader)));
            }
            Ok(())
        })
    }

    fn set<'b>(&self, line: &[u8], block: &Block, worker: &'b mut Worker) -> Result<&'b [u64]> {
        let Worker { room, scratch } = worker;
        let record = Record::read(line, &self.fields, room).map_err(|_| self.pass.source.changed(block.input))?;
        self.pass.method.set(record.text, scratch);
        Ok(&scratch.fingerprints)
    }

    /// The set of one document of a round.
    fn set_of(&self, document: u64, round: &[Held], set: &mut Vec<u64>) -> Result<()> {
        set.clear();
        if !self.exact {
            return Ok(());
        }
        let mut worker = Worker::default();
        for Held { block, .. } in round {
            let info = self.info(block)?;
            if info.documents().contains(&document) {
                info.each_document(block, self.pass.source, |at, line| {
                    if at == document {
                        set.extend_from_slice(self.set(line, block, &mut worker)?);
                    }
                    Ok(())
                })?;
            }
        }
        Ok(())
    }
}
