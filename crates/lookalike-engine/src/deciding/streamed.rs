//! Second and last pass where input order is keep order: a document is decided when its turn comes, and written at once.
//!
//! All that a document is compared with stands before it. So the input is read in rounds of some blocks: their contenders'
//! sets are made, decided about, and the kept lines written while they are at hand, and while the next round is made ready. Of
//! sets only those stay that a later document may have to be compared with: kept ones with somebody behind them in a bucket.

use std::ops::Range;

use lookalike::{Verify, cluster::Links};
use lookalike_io::{
    error::{ErrorKind, Result},
    read::Room,
    spill::places::Places,
    write::{Kept, Piece},
};
use rayon::prelude::*;

use super::{
    Deciding,
    found::CopiesOf,
    journal::{Settled, contenders_digest},
    rounds::{Held, Ready, Rounds},
    still_needed::awaited,
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

/// Reads the input again, decides about all contenders by the law, and writes the kept lines. Gives the number of these too.
///
/// Who reads the kept lines may have had enough of them: when other outputs are still wanted, `output` is then given up.
pub(crate) fn settle(
    pass: Pass,
    matcher: &Matcher,
    links: Links,
    output: &mut Option<Kept>,
    others_wanted: bool,
    state: Option<&mut State>,
) -> Result<(Verdicts, u64)> {
    let Pass { method, source, table, pool, observer, .. } = pass;
    let pairing = matcher.pairing;
    let numbers = pairing.numbers()?;
    let awaited = awaited(&links, pairing)?;
    let mut deciding = Deciding::new(&pass, matcher, links, Sets::new(numbers, table))?;
    if output.is_none() && (method.verify() != Verify::Exact || numbers == 0) {
        deciding.decide(0..numbers)?;
        deciding.copies(pairing.copies_of_contenders(), Some(&|_, _| Ok(())))?;
        return Ok((deciding.verdicts, 0));
    }
    let (mut state, mut done, wanted) = (state, Reached::default(), Places::none(numbers.into()));
    if let Some(state) = &mut state {
        done = restore(state, &mut deciding, table.blocks.len() as u64)?;
        awaited.iter().filter(|&number| !deciding.is_dropped(number as u32)).for_each(|number| wanted.insert(number));
        if done.blocks > 0 {
            let share = done.blocks as f64 / table.blocks.len() as f64;
            state.resumed = Some(Resumed { stage: Stage::Settling, share: Some(share) });
        }
    }
    let mut rounds = Rounds::new(pass, pairing, output.is_some())?.behind(done.blocks, &wanted);
    let ready = rounds.ready();
    let mut settling =
        Settling { deciding, pairing, ready, awaited, next: 0, done, output, others_wanted, written: 0, made: Vec::new(), state };
    let (mut round, mut spare) = (pool.install(|| rounds.next(Vec::new()))?, Vec::new());
    let mut estimating = Estimating::new();
    while let Some(now) = round {
        let (done, total) = (source.read(), source.total());
        // Of a run that goes on nobody knows what the part before took.
        let estimate = if settling.done.blocks == 0 { estimating.rest(table, done, total) } else { None };
        Progress { estimate, ..Progress::new(Stage::Settling, done, total) }.tell(observer)?;
        let room = std::mem::take(&mut spare);
        let (settled, next) = pool.install(|| rayon::join(|| settling.settle(&now), || rounds.next(room)));
        settled?;
        (round, spare) = (next?, now);
    }
    Ok((settling.deciding.verdicts, settling.written))
}

/// How far an earlier run has come.
#[derive(Default)]
struct Reached {
    /// Blocks that are settled.
    blocks: u64,
    /// The number of the next contender.
    next: u32,
}

/// Takes what an earlier run decided.
fn restore(state: &mut State, deciding: &mut Deciding, blocks: u64) -> Result<Reached> {
    // The number of a contender says who it is only among the same contenders.
    let own = contenders_digest(deciding.pairing());
    let (mut reached, mut same, mut first) = (Reached::default(), true, true);
    state.verdicts.each(|record| {
        if std::mem::take(&mut first) {
            same = Taken(record).some() == Some(own);
        } else if same {
            let settled =
                Settled::take(record).filter(|settled| settled.fits(reached.blocks..blocks, reached.next, own[0] as u32));
            let Some(settled) = settled else { return Ok(None) };
            deciding.restore(reached.next, &settled);
            reached = Reached { blocks: settled.blocks, next: settled.next };
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

struct Settling<'a> {
    deciding: Deciding<'a>,
    pairing: &'a Pairing,
    ready: Ready<'a>,
    awaited: Places,
    /// The number of the next contender.
    next: u32,
    /// What an earlier run decided: of it only sets are missing, and the kept lines.
    done: Reached,
    output: &'a mut Option<Kept>,
    others_wanted: bool,
    /// Kept lines.
    written: u64,
    /// Room for what is made of a round's blocks.
    made: Vec<(Piece, Room)>,
    state: Option<&'a mut State>,
}

impl Settling<'_> {
    /// Decides about a round's documents, and writes the kept ones.
    fn settle(&mut self, round: &[Held]) -> Result<()> {
        let Self { deciding, ready, .. } = self;
        let first = self.next;
        deciding.sets.take_fresh(first);
        for held in round {
            let mut start = 0;
            for &(number, length) in &held.documents {
                deciding.sets.push_fresh(number, &held.shingles[start..start + length as usize]);
                start += length as usize;
                self.next = number + 1;
            }
        }
        let undecided = first.max(self.done.next)..self.next.max(self.done.next);
        deciding.decide(undecided.clone())?;
        let copies = round.iter().flat_map(|held| held.copies.iter().copied());
        let copies = deciding.copies(copies, Some(&|rank, set| ready.set_of(rank, round, set)))?;
        deciding.settle_fresh(first..self.next, &self.awaited)?;
        self.record(undecided, copies, round)?;
        let written = self.write(round);
        if written.as_ref().is_err_and(|error| error.kind() == ErrorKind::BrokenPipe) && self.others_wanted {
            *self.output = None;
            return Ok(());
        }
        written
    }

    /// Records what was decided in a round.
    fn record(&mut self, decided: Range<u32>, copies: Vec<(u32, CopiesOf)>, round: &[Held]) -> Result<()> {
        let Some(state) = &mut self.state else { return Ok(()) };
        let blocks = round.last().map_or(0, |held| held.block.number as u64 + 1);
        if blocks <= self.done.blocks {
            return Ok(());
        }
        let settled = Settled { blocks, copies, ..self.deciding.settled(decided.start, decided.end) };
        state.verdicts.append(|record| settled.put(record))?;
        state.passed(round.iter().map(|held| held.block.total_size()).sum())
    }

    /// Writes a round's kept records: as they stand in their blocks, or as all threads make them of these.
    fn write(&mut self, round: &[Held]) -> Result<()> {
        let Some(output) = self.output else { return Ok(()) };
        let Self { ready, pairing, deciding, made, .. } = self;
        let (shape, source) = (output.shape(), ready.pass.source);
        let is_kept = |document| pairing.is_kept(Document(document), &deciding.verdicts);
        // References come first, and are not written.
        let first = round.partition_point(|held| held.block.tag().part < source.reference_parts());
        let round = &round[first..];
        if !round.iter().any(|held| shape.makes(&held.block)) {
            for Held { block, .. } in round {
                self.written += output.write_slices(block, &ready.info(block)?, source, is_kept)?;
            }
            return Ok(());
        }
        made.resize_with(made.len().max(round.len()), Default::default);
        made.par_iter_mut().zip(round).with_max_len(1).try_for_each(|((piece, room), Held { block, .. })| {
            piece.clear();
            shape.make(block, &ready.info(block)?, source, is_kept, room, piece)
        })?;
        for (piece, _) in &mut made[..round.len()] {
            self.written += piece.records;
            output.write(piece)?;
        }
        Ok(())
    }
}
