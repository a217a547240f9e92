//! The second and last pass of a run in which keep order (the order in which documents are considered) is input order. Each
//! document is decided when it is read, and written immediately.
//!
//! A document is only compared with earlier documents. So the input is read in rounds of several blocks. For each round the sets
//! of its contenders (the documents that have to be compared) are made, its documents are decided, and its kept lines are written
//! while they are in memory. Meanwhile the next round is prepared. Only sets that a later document may need remain in memory.
//! These are the sets of kept documents that share a bucket with a later document.

use std::ops::Range;

use lookalike::{Verify, cluster::Links};
use lookalike_io::{
    error::Result,
    pool::{install, try_par_map},
    read::Scratch,
    spill::places::Places,
    write::{Kept, Piece},
};

use super::{
    Deciding,
    found::CopiesOf,
    journal::{DecidedRound, contenders_digest},
    rounds::{Held, Ready, Rounds},
    search::FieldSearch,
    still_needed::still_needed,
};
use crate::{
    config::{Progress, Stage},
    matching::{
        Matcher,
        sets::{Pass, Sets},
    },
    numbers::Document,
    pairing::{Pairing, verdicts::Verdicts},
    sketching::estimate::Estimating,
    state::{Resumed, State, Taken, put},
};

/// Reads the input again, decides all contenders by the law (the rule for what is dropped), and writes the kept lines. Returns
/// the verdicts and the number of kept lines.
pub(crate) fn decide_rounds(
    pass: Pass,
    matcher: &Matcher,
    links: Links,
    output: &mut Option<Kept>,
    state: Option<&mut State>,
) -> Result<(Verdicts, u64)> {
    let Pass {
        method,
        source,
        table,
        pool,
        observer,
        ..
    } = pass;
    let pairing = matcher.pairing;
    let numbers = pairing.numbers()?;
    let still_needed = still_needed(&links, pairing)?;
    let search = FieldSearch::new(&pass, matcher, links, Sets::new(numbers, table))?;
    let mut deciding = Deciding::new(pool, vec![search])?;
    if output.is_none() && (method.verify() != Verify::Exact || numbers == 0) {
        deciding.decide(0..numbers)?;
        deciding.copies(pairing.copies_of_contenders(), Some(&|_, _| Ok(())))?;
        return Ok((deciding.verdicts, 0));
    }
    let (mut state, mut done, wanted) = (state, Reached::default(), Places::none(numbers.into()));
    if let Some(state) = &mut state {
        done = restore(state, &mut deciding, table.blocks.len() as u64)?;
        still_needed
            .iter()
            .filter(|&number| !deciding.is_dropped(number as u32))
            .for_each(|number| wanted.insert(number));
        if done.blocks > 0 {
            let share = done.blocks as f64 / table.blocks.len() as f64;
            state.resumed = Some(Resumed {
                stage: Stage::Streaming,
                share: Some(share),
            });
        }
    }
    let mut rounds = Rounds::new(pass, pairing, output.is_some())?.after(done.blocks, &wanted);
    let ready = rounds.ready();
    let mut streaming = Streaming {
        deciding,
        pairing,
        ready,
        still_needed,
        next: 0,
        done,
        output,
        written: 0,
        made: Vec::new(),
        state,
    };
    let (mut round, mut spare) = (install(pool, || rounds.next(Vec::new()))?, Vec::new());
    let mut estimating = Estimating::new();
    while let Some(now) = round {
        let (done, total) = (source.read(), source.total());
        // A resumed run has no timing for the part it skipped.
        let estimate = if streaming.done.blocks == 0 {
            estimating.rest(table, done, total)
        } else {
            None
        };
        Progress {
            estimate,
            ..Progress::new(Stage::Streaming, done, total)
        }
        .tell(observer)?;
        let scratch = std::mem::take(&mut spare);
        let (decided, next) = install(pool, || {
            rayon::join(|| streaming.decide_rounds(&now), || rounds.next(scratch))
        });
        decided?;
        (round, spare) = (next?, now);
    }
    Ok((streaming.deciding.verdicts, streaming.written))
}

/// The progress of an earlier run.
#[derive(Default)]
struct Reached {
    /// The number of decided blocks.
    blocks: u64,
    /// The number of the next contender.
    next: u32,
}

/// Restores what an earlier run decided.
fn restore(state: &mut State, deciding: &mut Deciding, blocks: u64) -> Result<Reached> {
    // In two runs, the contender numbers identify the same documents only if the set of contenders is the same.
    let own = contenders_digest(deciding.pairing());
    let (mut reached, mut same, mut first) = (Reached::default(), true, true);
    state.verdicts.each(|record| {
        if std::mem::take(&mut first) {
            same = Taken(record).some() == Some(own);
        } else if same {
            let decided = DecidedRound::take(record).filter(|decided| {
                decided.fits(reached.blocks..blocks, reached.next, own[0] as u32)
            });
            let Some(decided) = decided else {
                return Ok(None);
            };
            deciding.restore(reached.next, &decided);
            reached = Reached {
                blocks: decided.blocks,
                next: decided.next,
            };
        }
        Ok(Some(()))
    })?;
    if !same {
        state.forget_verdicts()?;
    }
    if state.verdicts.len() == 0 {
        state.verdicts.append(|record| put(record, &own))?;
    }
    Ok(reached)
}

struct Streaming<'a> {
    deciding: Deciding<'a>,
    pairing: &'a Pairing,
    ready: Ready<'a>,
    still_needed: Places,
    /// The number of the next contender.
    next: u32,
    /// The progress of an earlier run. Documents that the earlier run decided are not decided again. Only their kept lines, and
    /// those of their sets that are still needed, have to be made.
    done: Reached,
    output: &'a mut Option<Kept>,
    /// The number of kept lines.
    written: u64,
    /// Scratch buffers for the records made from a round's blocks.
    made: Vec<(Piece, Scratch)>,
    state: Option<&'a mut State>,
}

impl Streaming<'_> {
    /// Decides a round's documents, and writes the kept documents.
    fn decide_rounds(&mut self, round: &[Held]) -> Result<()> {
        let Self {
            deciding, ready, ..
        } = self;
        let first = self.next;
        deciding.sets().take_fresh(first);
        for held in round {
            let mut start = 0;
            for &(number, length) in &held.documents {
                deciding
                    .sets()
                    .push_fresh(number, &held.shingles[start..start + length as usize]);
                start += length as usize;
                self.next = number + 1;
            }
        }
        let undecided = first.max(self.done.next)..self.next.max(self.done.next);
        deciding.decide(undecided.clone())?;
        let copies = round.iter().flat_map(|held| held.copies.iter().copied());
        let copies = deciding.copies(copies, Some(&|rank, set| ready.set_of(rank, round, set)))?;
        deciding.keep_fresh(first..self.next, &self.still_needed)?;
        self.record(undecided, copies, round)?;
        self.write(round)
    }

    /// Records the decisions of a round.
    fn record(
        &mut self,
        decided: Range<u32>,
        copies: Vec<(u32, CopiesOf)>,
        round: &[Held],
    ) -> Result<()> {
        let Some(state) = &mut self.state else {
            return Ok(());
        };
        let blocks = round.last().map_or(0, |held| held.block.number as u64 + 1);
        if blocks <= self.done.blocks {
            return Ok(());
        }
        let decided = DecidedRound {
            blocks,
            copies,
            ..self.deciding.decided(decided.start, decided.end)
        };
        state.verdicts.append(|record| decided.put(record))?;
        state.passed(round.iter().map(|held| held.block.total_size()).sum())
    }

    /// Writes a round's kept records. The records are copied unchanged from their blocks, or converted by all threads.
    fn write(&mut self, round: &[Held]) -> Result<()> {
        let Some(output) = self.output else {
            return Ok(());
        };
        let Self {
            ready,
            pairing,
            deciding,
            made,
            ..
        } = self;
        let (shapes, source) = (output.shapes(), ready.pass.source);
        let is_kept = |document| pairing.is_kept(Document(document), &deciding.verdicts);
        // References come first, and are not written.
        let first = round.partition_point(|held| held.block.tag().part < source.reference_parts());
        let round = &round[first..];
        let is_limited = output.is_limited();
        if !is_limited && !round.iter().any(|held| shapes.makes(source, &held.block)) {
            for Held { block, .. } in round {
                self.written += output.write_slices(block, &ready.info(block)?, source, is_kept)?;
            }
            return Ok(());
        }
        made.resize_with(made.len().max(round.len()), || {
            (Piece::new(is_limited), Scratch::default())
        });
        let make = |((piece, scratch), held): (&mut (Piece, Scratch), &Held)| {
            let block = &held.block;
            piece.clear();
            let shape = shapes.of(source, block);
            shape.make(block, &ready.info(block)?, source, is_kept, scratch, piece)?;
            shapes.convert(source, block, piece)
        };
        try_par_map(made.iter_mut().zip(round), make)?;
        for (piece, _) in &mut made[..round.len()] {
            self.written += piece.records;
            output.write(source, piece)?;
        }
        Ok(())
    }
}
