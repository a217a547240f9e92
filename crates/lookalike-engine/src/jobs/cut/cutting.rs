//! The pass that decides: reads the units of all documents on all threads, and cuts the documents one after another, in keep order.

use lookalike::{
    Simd,
    cut::{Anchor, Anchoring, CutConfig, Cutter, Outcome, Piece, UnitReader, Units, Within},
};
use lookalike_io::{
    error::Result,
    read::{Blocks, Scratch as ReadScratch},
    spill::Spill,
};

use super::{outcomes::Outcomes, summary::Counts};
use crate::{
    config::{Progress, Stage},
    matching::sets::Pass,
    numbers::{Document, Rank},
    pass::parallel::{Weigh, in_order},
    sketching::order::Order,
};

/// The anchors of a document, and whether they repeat.
type Anchors<'a> = (&'a [Anchor], bool);

/// The units of a block's documents.
#[derive(Default)]
struct Loaded {
    hashes: Vec<u64>,
    /// The numbers of tokens in the units; empty if each unit is a token.
    tokens: Vec<u32>,
    /// The lines of the units; empty unless only whole lines are cut.
    lines: Vec<u32>,
    anchors: Vec<Anchor>,
    /// For each document, the numbers of units and of anchors, and whether the anchors repeat.
    lengths: Vec<(u32, u32, bool)>,
}

impl Weigh for Loaded {
    fn weight(&self) -> usize {
        self.hashes.weight() + self.tokens.weight() + self.lines.weight() + self.anchors.weight() + self.lengths.weight()
    }
}

impl Loaded {
    fn push(&mut self, units: Units, (anchors, repeats): (&[Anchor], bool)) {
        let Units { hashes, tokens, lines } = units;
        self.hashes.extend_from_slice(hashes);
        self.tokens.extend_from_slice(tokens.unwrap_or_default());
        self.lines.extend_from_slice(lines.unwrap_or_default());
        self.anchors.extend_from_slice(anchors);
        self.lengths.push((hashes.len() as u32, anchors.len() as u32, repeats));
    }

    /// Passes the units and the anchors of each document to `give`.
    fn each(&self, mut give: impl FnMut(Units, Anchors) -> Result<()>) -> Result<()> {
        let (mut start, mut first) = (0, 0);
        self.lengths.iter().try_for_each(|&(length, count, repeats)| {
            let range = start..start + length as usize;
            let anchors = &self.anchors[first..first + count as usize];
            (start, first) = (range.end, first + count as usize);
            let units = Units {
                hashes: &self.hashes[range.clone()],
                tokens: (!self.tokens.is_empty()).then(|| &self.tokens[range.clone()]),
                lines: (!self.lines.is_empty()).then(|| &self.lines[range]),
            };
            give(units, (anchors, repeats))
        })
    }
}

#[derive(Default)]
struct Worker {
    read_scratch: ReadScratch,
    reader: UnitReader,
    anchoring: Anchoring,
}

/// Cuts all documents.
pub(super) struct Deciding<'a> {
    pub(super) pass: Pass<'a>,
    pub(super) config: &'a CutConfig,
    pub(super) order: &'a Order,
    pub(super) cutter: Cutter,
    pub(super) outcomes: Outcomes,
    pub(super) counts: Counts,
    /// The memory of the cutter that is counted in the budget.
    held: usize,
}

impl<'a> Deciding<'a> {
    pub(super) fn new(pass: Pass<'a>, config: &'a CutConfig, order: &'a Order) -> Result<Self> {
        let cutter = Cutter::new(config.rules()?)?;
        let outcomes = Outcomes::new(pass.table.documents, order.is_input(), &pass.table.budget);
        Ok(Self { pass, config, order, cutter, outcomes, counts: Counts::default(), held: 0 })
    }

    /// Reads and cuts all documents.
    pub(super) fn all(&mut self) -> Result<()> {
        let references = self.pass.table.references.documents;
        let mut next = 0;
        self.read(Blocks::of_references(self.pass.source), |deciding, units, _| {
            deciding.cutter.keep(units, deciding.group(next));
            next += 1;
            Ok(())
        })?;
        debug_assert_eq!(next, references);
        if self.order.is_input() {
            return self.read(Blocks::after_references(self.pass.source), |deciding, units, anchors| {
                next += 1;
                deciding.decide(Document(next - 1), units, Some(anchors))
            });
        }
        let budget = &self.pass.table.budget;
        let (mut hashes, mut tokens, mut lines) = (Spill::new(budget), Spill::new(budget), Spill::new(budget));
        let mut starts = vec![0u64];
        budget.hold(8 * (self.order.len() - references) as usize);
        self.read(Blocks::after_references(self.pass.source), |_, units, _| {
            hashes.append(units.hashes)?;
            tokens.append(units.tokens.unwrap_or_default())?;
            lines.append(units.lines.unwrap_or_default())?;
            starts.push(hashes.len());
            Ok(())
        })?;
        let (mut scratch, mut of_tokens, mut of_lines) = (Vec::new(), Vec::new(), Vec::new());
        for rank in references..self.order.len() {
            let document = self.order.document(Rank(rank));
            let at = (document.0 - references) as usize;
            let range = starts[at]..starts[at + 1];
            let (has_tokens, has_lines) = (tokens.len() > 0, lines.len() > 0);
            let hashes = hashes.get(range.clone(), &mut scratch)?;
            let tokens = has_tokens.then(|| tokens.get(range.clone(), &mut of_tokens)).transpose()?;
            let lines = has_lines.then(|| lines.get(range, &mut of_lines)).transpose()?;
            self.decide(document, Units { hashes, tokens, lines }, None)?;
        }
        Ok(())
    }

    fn decide(&mut self, document: Document, units: Units, anchors: Option<Anchors>) -> Result<()> {
        let group = self.group(document.0);
        let Outcome { pieces, is_dropped } = match anchors {
            Some(anchors) => self.cutter.cut_anchored(units, anchors, group),
            None => self.cutter.cut(units, group),
        };
        let order = self.order;
        self.counts.add(&units, &pieces, is_dropped);
        let tokens = |piece: &Piece| units.tokens(piece.start..piece.end);
        self.outcomes.add(document, (&pieces, tokens), is_dropped, |rank| order.document(Rank(rank as u64)))
    }

    /// Returns the group of a document.
    fn group(&self, document: u64) -> u64 {
        match self.config.within {
            Within::Document => document + 1,
            Within::All => {
                self.pass.table.labels.get(document as usize).map_or(0, |label| label.map_or(0, |label| label.get() as u64))
            }
        }
    }

    /// Passes the units of all documents of a pass to `give`, in input order.
    fn read(&mut self, blocks: Blocks, mut give: impl FnMut(&mut Self, Units, Anchors) -> Result<()> + Send) -> Result<()> {
        let Pass { source, table, pool, observer, .. } = self.pass;
        let (config, window, simd) = (self.config, self.config.window(), Simd::detect());
        let deciding = &mut *self;
        in_order(
            pool,
            blocks,
            |block, worker: &mut Worker| {
                let mut loaded = Loaded::default();
                let Worker { read_scratch, reader, anchoring } = worker;
                table.info(block, source)?.each_document(block, source, |_, at| {
                    let record = source.same_record(block, at, read_scratch)?;
                    let units = reader.units(simd, record.text, config);
                    loaded.push(units, anchoring.of_text(units.hashes, window)?);
                    Ok(())
                })?;
                Ok(loaded)
            },
            move |loaded| {
                Progress::new(Stage::Cutting, source.read(), source.total()).tell(observer)?;
                loaded.each(|units, anchors| give(deciding, units, anchors))?;
                let held = deciding.cutter.memory();
                table.budget.hold(held.saturating_sub(deciding.held));
                deciding.held = held;
                Ok(())
            },
        )
    }
}
