//! What was decided, written: kept lines byte for byte, decisions line by line, both in input order.

use std::{ops::Range, sync::Mutex};

use lookalike::{Reason, Verify, verify::Measure};
use rayon::{ThreadPool, prelude::*};

use super::{
    matching::Matcher,
    pairing::Pairing,
    parallel::{Weigh, in_order},
    summary::Summary,
    table::Table,
    verdicts::{Verdict, Verdicts},
};
use crate::{
    config::{Observer, Progress, Stage},
    error::{Error, ErrorKind, Result},
    lock::lock,
    places::{Numbering, Places},
    read::{Blocks, Room, Source},
    write::{Decided, Kept, Likeness, Output, Piece},
};

/// Documents whose decisions one thread writes at a time.
const STRETCH: u64 = 4096;

/// Is told what was decided about each document, in input order, by one thread at a time; a failure of its own ends the run.
pub type Tell<'a> = dyn FnMut(&Decided) -> Result<()> + Send + 'a;

/// All that is known at the end.
pub(crate) struct Emitting<'a> {
    table: &'a Table,
    pairing: &'a Pairing,
    matcher: &'a Matcher<'a>,
    verdicts: &'a Verdicts,
    pool: &'a ThreadPool,
    /// Documents in the group of each contender.
    sizes: Vec<u32>,
    /// Leaders that did not have to be compared, and documents in their groups.
    copied: Numbering,
    copied_sizes: Vec<u32>,
}

impl Weigh for Piece {
    fn weight(&self) -> usize {
        self.size()
    }
}

impl<'a> Emitting<'a> {
    pub(crate) fn new(
        table: &'a Table,
        pairing: &'a Pairing,
        matcher: &'a Matcher<'a>,
        verdicts: &'a Verdicts,
        pool: &'a ThreadPool,
    ) -> Result<Self> {
        let numbers = pairing.numbers()?;
        let mut sizes = vec![1u32; numbers as usize];
        (0..numbers).filter_map(|number| verdicts.of(number).representative()).for_each(|r| sizes[r as usize] += 1);
        let (mut leaders, copied) = (Vec::new(), Places::none(pairing.order.len()));
        for &(copy, leader) in &pairing.copies {
            match pairing.number(leader) {
                None => leaders.push(leader),
                Some(number) => {
                    let representative = verdicts.of(number).representative();
                    let representative = representative.and_then(|_| verdicts.of_copy(copy, number).representative());
                    sizes[representative.unwrap_or(number) as usize] += 1;
                }
            }
        }
        leaders.iter().for_each(|&leader| copied.insert(leader));
        let copied = Numbering::of(copied);
        let mut copied_sizes = vec![1; copied.len() as usize];
        leaders.iter().filter_map(|&leader| copied.number(leader)).for_each(|number| copied_sizes[number as usize] += 1);
        Ok(Self { table, pairing, matcher, verdicts, pool, sizes, copied, copied_sizes })
    }

    /// Copies the kept lines, and checks that they are as many as were kept.
    pub(crate) fn kept_lines(&self, source: &Source, output: &mut Kept, kept: u64, observer: Observer) -> Result<()> {
        let (mut written, shape) = (0, output.shape());
        // Pieces that were written, to be filled again: fresh memory is dear.
        let spare: Mutex<Vec<Piece>> = Mutex::default();
        in_order(
            self.pool,
            Blocks::again(source).whole(true),
            |block, room: &mut Room| {
                let info = self.table.info(block, source)?;
                let mut piece = lock(&spare).pop().unwrap_or_default();
                let is_kept = |document| self.pairing.is_kept(document, self.verdicts);
                shape.make(block, info, source, is_kept, room, &mut piece)?;
                Ok(piece)
            },
            |mut piece| {
                observer(Progress::new(Stage::Writing, source.read(), source.total()));
                written += piece.records;
                output.write(&mut piece)?;
                piece.clear();
                lock(&spare).push(piece);
                Ok(())
            },
        )?;
        same_number(kept, written)
    }

    /// Writes every document's decision: some while the next are made.
    pub(crate) fn decisions(&self, output: &mut Output) -> Result<()> {
        let documents = self.table.documents;
        let at_once = 2 * self.pool.current_num_threads();
        let (mut ready, mut next) = (Vec::new(), Vec::new());
        ready.resize_with(at_once, Vec::new);
        next.resize_with(at_once, Vec::new);
        // Once more than there are, for the last to be written.
        for start in (0..documents + STRETCH * at_once as u64).step_by(STRETCH as usize * at_once) {
            let make = |(number, lines): (usize, &mut Vec<u8>)| {
                let start = documents.min(start + STRETCH * number as u64);
                lines.clear();
                self.each(start..documents.min(start + STRETCH), |decided| decided.write_line(lines))
            };
            let (written, made) = self.pool.join(
                || ready.iter().try_for_each(|lines: &Vec<u8>| output.write(lines)),
                || next.par_iter_mut().enumerate().try_for_each(make),
            );
            written.and(made)?;
            std::mem::swap(&mut ready, &mut next);
        }
        Ok(())
    }

    /// Tells every document's decision, in input order.
    pub(crate) fn tell(&self, tell: &mut Tell) -> Result<()> {
        let documents = self.table.documents;
        (0..documents)
            .step_by(STRETCH as usize)
            .try_for_each(|start| self.each(start..documents.min(start + STRETCH), &mut *tell))
    }

    /// Gives the decisions about consecutive documents.
    fn each(&self, documents: Range<u64>, mut give: impl FnMut(&Decided) -> Result<()>) -> Result<()> {
        let (mut ids, mut other) = (Vec::new(), Vec::new());
        let mut document = documents.start;
        self.table.ids.each(documents, &mut ids, |id| {
            let Decision { reason, representative, likeness, size: cluster_size } = self.decision(document)?;
            document += 1;
            let representative = match representative {
                None => None,
                Some(document) => Some((document, self.table.ids.get(document, &mut other)?)),
            };
            give(&Decided { id, reason, representative, likeness, cluster_size })
        })
    }

    fn decision(&self, document: u64) -> Result<Decision> {
        let Pairing { order, empty, .. } = self.pairing;
        let rank = order.rank(document);
        let kept = |reason, size| Decision { reason, representative: None, likeness: Likeness::Same, size };
        let of_size = |size| if size == 1 { Reason::Unique } else { Reason::Representative };
        if empty.contains(rank) {
            return Ok(kept(Reason::Empty, 1));
        }
        let leader = self.pairing.leader(rank).unwrap_or(rank);
        let number = self.pairing.number(leader);
        let size = match number {
            Some(number) => self.sizes[number as usize],
            None => self.copied.number(leader).map_or(1, |number| self.copied_sizes[number as usize]),
        };
        let dropped = number.filter(|&number| self.verdicts.of(number).representative().is_some());
        let Some(number) = dropped else {
            if leader == rank {
                return Ok(kept(of_size(size), size));
            }
            let representative = Some(order.document(leader));
            return Ok(Decision { reason: Reason::Exact, representative, likeness: Likeness::Same, size });
        };
        let verdict = if leader == rank { self.verdicts.of(number) } else { self.verdicts.of_copy(rank, number) };
        let representative = verdict.representative().unwrap_or(number);
        let (reason, likeness) = self.likeness(number, representative, verdict)?;
        let size = self.sizes[representative as usize];
        Ok(Decision { reason, representative: Some(self.pairing.document(representative)), likeness, size })
    }

    /// Why a contender goes for another, and how like it it is.
    fn likeness(&self, number: u32, representative: u32, verdict: Verdict) -> Result<(Reason, Likeness)> {
        let method = self.matcher.method;
        if self.matcher.same(number, representative)? {
            return Ok((Reason::Exact, Likeness::Same));
        }
        let reason = match method.config().measure {
            Measure::Resemblance => Reason::Near,
            Measure::Containment => Reason::Contained,
        };
        let likeness = match (verdict.overlap(), method.verify()) {
            (Some(overlap), _) => Likeness::Counted(overlap),
            (None, Verify::Sketch) if method.estimates() => {
                Likeness::Estimated(method.config().measure, self.matcher.estimate(number, representative)?)
            }
            (None, _) => Likeness::Unknown,
        };
        Ok((reason, likeness))
    }

    /// Counts the verdicts into the summary.
    pub(crate) fn count(&self, summary: &mut Summary) -> Result<()> {
        summary.documents = self.table.documents;
        summary.empty = self.pairing.empty.iter().count() as u64;
        let mut dropped = |reason| match reason {
            Reason::Exact => summary.dropped_exact += 1,
            _ => summary.dropped_near += 1,
        };
        for number in 0..self.sizes.len() as u32 {
            if let Some(representative) = self.verdicts.of(number).representative() {
                dropped(self.likeness(number, representative, self.verdicts.of(number))?.0);
            } else {
                summary.representatives += u64::from(self.sizes[number as usize] > 1);
            }
        }
        for &(copy, leader) in &self.pairing.copies {
            let number = self.pairing.number(leader);
            let verdict = number.map(|number| (number, self.verdicts.of_copy(copy, number)));
            match verdict.and_then(|(number, verdict)| Some((number, verdict.representative()?, verdict))) {
                None => dropped(Reason::Exact),
                Some((number, representative, verdict)) => dropped(self.likeness(number, representative, verdict)?.0),
            }
        }
        summary.representatives += self.copied.len();
        summary.dropped = summary.dropped_exact + summary.dropped_near;
        summary.kept = summary.documents - summary.dropped;
        summary.largest_group = self.sizes.iter().chain(&self.copied_sizes).copied().max().unwrap_or(1).into();
        Ok(())
    }
}

/// What is said about one document.
struct Decision {
    reason: Reason,
    representative: Option<u64>,
    likeness: Likeness,
    size: u32,
}

/// Refuses an input of which other lines were found than were kept.
pub(crate) fn same_number(kept: u64, written: u64) -> Result<()> {
    if written == kept {
        return Ok(());
    }
    let message =
        format!("{kept} documents were kept but {written} lines found again; run again when nothing writes to the input");
    Err(Error::new(ErrorKind::Input, message))
}
