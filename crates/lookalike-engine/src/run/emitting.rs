//! Last pass: kept lines byte for byte, decisions line by line, both in input order.

use lookalike::{Reason, Verify, verify::Measure};
use rayon::{ThreadPool, prelude::*};

use super::{
    deciding::Verdicts,
    matching::Matcher,
    pairing::Pairing,
    parallel::in_order,
    sketching::{Table, raw_id},
    summary::Summary,
};
use crate::{
    config::{Observer, Progress, Stage},
    error::{Error, ErrorKind, Result},
    read::{Blocks, Source, push_line},
    write::{DecisionLines, Likeness, Output},
};

/// Documents whose decisions one thread writes at a time.
const STRETCH: u32 = 4096;

/// All that is known at the end.
pub(crate) struct Emitting<'a> {
    pub(crate) table: &'a Table,
    pub(crate) pairing: &'a Pairing,
    pub(crate) matcher: &'a Matcher<'a>,
    pub(crate) verdicts: &'a Verdicts,
    pub(crate) pool: &'a ThreadPool,
    sizes: Vec<u32>,
}

impl<'a> Emitting<'a> {
    pub(crate) fn new(
        table: &'a Table,
        pairing: &'a Pairing,
        matcher: &'a Matcher<'a>,
        verdicts: &'a Verdicts,
        pool: &'a ThreadPool,
    ) -> Self {
        let mut sizes = vec![1; table.documents() as usize];
        (0..table.documents()).filter_map(|d| verdicts.representative(d)).for_each(|r| sizes[r as usize] += 1);
        Self { table, pairing, matcher, verdicts, pool, sizes }
    }

    /// Copies the kept lines, and checks that they are as many as were kept.
    pub(crate) fn kept_lines(&self, source: &Source, output: &mut Output, kept: u64, observer: Observer) -> Result<()> {
        let mut written = 0;
        in_order(
            self.pool,
            Blocks::again(source),
            |block, _: &mut ()| {
                let info = self.table.blocks.get(block.number).ok_or_else(|| source.changed(block.input))?;
                let (mut kept, mut lines) = (Vec::with_capacity(block.bytes().len() + 1), 0);
                info.each_document(block, source, |document, line| {
                    if self.verdicts.representative(document).is_none() {
                        lines += 1;
                        push_line(&mut kept, line);
                    }
                    Ok(())
                })?;
                Ok((kept, lines))
            },
            |(kept, lines)| {
                observer(Progress { stage: Stage::Writing, done: source.read(), total: source.total() });
                written += lines;
                output.write(kept)
            },
        )?;
        if written != kept {
            let message =
                format!("{kept} documents were kept but {written} lines found again; run again when nothing writes to the input");
            return Err(Error::new(ErrorKind::Input, message));
        }
        Ok(())
    }

    /// Writes every document's decision.
    pub(crate) fn decisions(&self, output: &mut Output) -> Result<()> {
        let documents = self.table.documents();
        let stretches: Vec<_> =
            (0..documents).step_by(STRETCH as usize).map(|d| d..documents.min(d.saturating_add(STRETCH))).collect();
        for some in stretches.chunks(4 * self.pool.current_num_threads()) {
            let lines: Result<Vec<_>> =
                self.pool.install(|| some.par_iter().map(|stretch| self.stretch(stretch.clone())).collect());
            lines?.into_iter().try_for_each(|lines| output.write(lines.bytes))?;
        }
        Ok(())
    }

    fn stretch(&self, documents: std::ops::Range<u32>) -> Result<DecisionLines> {
        let (mut ids, mut other) = (Vec::new(), Vec::new());
        let mut lines = DecisionLines::default();
        let mut start = 0;
        for (document, end) in documents.clone().zip(self.table.ids(documents, &mut ids)?) {
            let id = raw_id(&ids[start..end])?;
            start = end;
            let reason = self.reason(document);
            match self.verdicts.representative(document) {
                None => lines.kept(id, reason, self.sizes[document as usize])?,
                Some(r) => {
                    let representative = self.table.id(r, &mut other)?;
                    lines.dropped(id, reason, representative, self.likeness(document, r)?, self.sizes[r as usize])?;
                }
            }
        }
        Ok(lines)
    }

    fn reason(&self, document: u32) -> Reason {
        let near = match self.matcher.method.config().measure {
            Measure::Resemblance => Reason::Near,
            Measure::Containment => Reason::Contained,
        };
        match self.verdicts.representative(document) {
            None if self.pairing.is_empty(document) => Reason::Empty,
            None if self.sizes[document as usize] == 1 => Reason::Unique,
            None => Reason::Representative,
            Some(r) if self.same(document, r) => Reason::Exact,
            Some(_) => near,
        }
    }

    /// Whether two documents have the same canonical form.
    fn same(&self, a: u32, b: u32) -> bool {
        let of = |document: u32| (self.table.digests[document as usize], self.table.bits.get(document));
        self.matcher.method.same(of(a), of(b))
    }

    fn likeness(&self, document: u32, representative: u32) -> Result<Likeness> {
        Ok(match (self.verdicts.overlap(document), self.matcher.method.verify()) {
            _ if self.same(document, representative) => Likeness::Same,
            (Some(overlap), _) => Likeness::Counted(overlap),
            (None, Verify::Sketch) if self.matcher.method.estimates() => {
                Likeness::Estimated(self.matcher.method.config().measure, self.matcher.estimate(document, representative)?)
            }
            (None, _) => Likeness::Unknown,
        })
    }

    /// Counts the verdicts into the summary.
    pub(crate) fn count(&self, summary: &mut Summary) {
        summary.documents = u64::from(self.table.documents());
        for document in 0..self.table.documents() {
            match self.reason(document) {
                Reason::Unique => summary.kept += 1,
                Reason::Representative => {
                    summary.kept += 1;
                    summary.representatives += 1;
                }
                Reason::Empty => {
                    summary.kept += 1;
                    summary.empty += 1;
                }
                Reason::Exact => summary.dropped_exact += 1,
                Reason::Near | Reason::Contained => summary.dropped_near += 1,
            }
        }
        summary.dropped = summary.dropped_exact + summary.dropped_near;
        summary.largest_group = self.sizes.iter().copied().max().unwrap_or(0).into();
    }
}
