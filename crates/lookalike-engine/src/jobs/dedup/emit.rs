//! Writes the result: kept lines byte for byte and decisions line by line, both in input order.

use std::{collections::BTreeMap, ops::Range};

use lookalike::{Reason, fingerprint::finish};
use lookalike_io::{
    error::Result,
    read::{Block, Source},
    spill::places::{Numbering, Places},
    write::{Decided, Kept, Likeness, Representative},
};
use rayon::ThreadPool;

use super::{evidence::Evidence, summary::Summary};
use crate::{
    config::Observer,
    numbers::{Contender, Document, Rank},
    pairing::{Pairing, verdicts::Verdicts},
    pass::copy::copy_kept,
    reporting::collecting::{NotListed, Row},
    sketching::table::Table,
};
#[cfg(feature = "tables")]
use lookalike_io::write::{IdKind, Kinds};

/// The maximum number of documents that a report lists because they are in groups, approximately.
const MOST_ROWS: u64 = 1_000_000;

/// A callback that receives the decision about each document, in input order and from one thread at a time. An error that it
/// returns ends the run.
pub type Tell<'a> = dyn FnMut(&Decided) -> Result<()> + Send + 'a;

/// All the data that is known at the end of a run.
pub(crate) struct Emitting<'a> {
    pub(super) table: &'a Table,
    pairing: &'a Pairing,
    evidence: &'a dyn Evidence,
    verdicts: &'a Verdicts,
    pub(super) pool: &'a ThreadPool,
    /// For each contender (document that had to be compared), the number of documents in its group.
    sizes: Vec<u32>,
    /// The first copies (the first of several identical documents) that did not have to be compared, and the number of documents
    /// in each one's group.
    copied: Numbering,
    copied_sizes: Vec<u32>,
    /// The documents whose verdict is the opposite of the law's; `None` if there are none.
    overruled: Option<Places>,
}

impl<'a> Emitting<'a> {
    pub(crate) fn new(
        table: &'a Table,
        pairing: &'a Pairing,
        evidence: &'a dyn Evidence,
        verdicts: &'a Verdicts,
        (pool, per_group): (&'a ThreadPool, u32),
    ) -> Result<Self> {
        let numbers = pairing.numbers()?;
        let mut sizes = vec![1u32; numbers as usize];
        let representatives =
            (0..numbers).filter_map(|number| verdicts.of(Contender(number)).representative());
        representatives.for_each(|representative| sizes[representative.index()] += 1);
        let (mut first_copies, copied) = (Vec::new(), Places::none(pairing.order.len()));
        for &(copy, first_copy) in pairing
            .copies
            .iter()
            .filter(|&&(copy, _)| !pairing.references.contains(copy))
        {
            let can_represent = pairing.references.may_represent(first_copy);
            match pairing.number(first_copy) {
                None if can_represent => first_copies.push(first_copy),
                None => {}
                Some(number) => {
                    let representative = verdicts.of(number).representative();
                    let representative = representative
                        .and_then(|_| verdicts.of_copy(copy, number).representative());
                    if let Some(representative) = representative.or(can_represent.then_some(number))
                    {
                        sizes[representative.index()] += 1;
                    }
                }
            }
        }
        first_copies
            .iter()
            .for_each(|first_copy: &Rank| copied.insert(first_copy.0));
        let copied = Numbering::of(copied);
        let mut copied_sizes = vec![1; copied.len() as usize];
        first_copies
            .iter()
            .filter_map(|first_copy| copied.number(first_copy.0))
            .for_each(|number| copied_sizes[number as usize] += 1);
        let mut new = Self {
            table,
            pairing,
            evidence,
            verdicts,
            pool,
            sizes,
            copied,
            copied_sizes,
            overruled: None,
        };
        new.overruled = overruled(&new, per_group)?;
        Ok(new)
    }

    /// Returns the documents in keep order, without references.
    pub(super) fn in_keep_order(&self) -> impl Iterator<Item = Document> {
        (self.table.references.documents..self.table.documents)
            .map(|rank| self.pairing.order.document(Rank(rank)))
    }

    /// Returns whether the verdict about a document is the opposite of the law's.
    fn is_overruled(&self, document: Document) -> bool {
        self.overruled
            .as_ref()
            .is_some_and(|overruled| overruled.contains(document.0))
    }

    /// Copies the kept lines, and checks that their number equals the number of kept documents.
    pub(crate) fn kept_lines(
        &self,
        source: &Source,
        output: &mut Kept,
        kept: u64,
        observer: Observer,
    ) -> Result<()> {
        let info = |block: &Block| self.table.info(block, source);
        let is_kept = |document| {
            let document = Document(document);
            self.pairing.is_kept(document, self.verdicts) != self.is_overruled(document)
        };
        copy_kept(self.pool, source, info, is_kept, (output, kept), observer)
    }

    /// Returns which kinds of ids (strings, numbers) the documents have, and which kinds the representatives have.
    #[cfg(feature = "tables")]
    pub(super) fn kinds_of_ids(&self) -> Result<Kinds> {
        let (references, documents) = (self.table.references.documents, self.table.documents);
        let kind = |range: Range<u64>| -> Result<Option<IdKind>> {
            let (mut kind, mut scratch) = (None::<IdKind>, Vec::new());
            self.table.ids.each(range, &mut scratch, |id| {
                let own = IdKind::of(id);
                kind = Some(kind.map_or(own, |kind| kind.with(own)));
                Ok(())
            })?;
            Ok(kind)
        };
        let own = kind(references..documents)?.unwrap_or(IdKind::Strings);
        let others = kind(0..references)?.map_or(own, |kind| kind.with(own));
        Ok(Kinds {
            documents: own,
            representatives: others,
            references: references > 0,
        })
    }

    /// Passes every document's decision, except for references, to `tell` in input order.
    pub(crate) fn tell(&self, source: &Source, tell: &mut Tell) -> Result<()> {
        let documents = self.table.references.documents..self.table.documents;
        self.each(source, documents, tell)
    }

    /// Returns the decisions about the documents that are not unique, except for references. If many documents are dropped, only
    /// some of the groups are listed, each completely. They are chosen by a hash of their kept documents.
    pub(crate) fn rows(&self, dropped: u64) -> Result<(Vec<Row>, NotListed)> {
        let share = (MOST_ROWS as f64 / dropped.max(1) as f64).min(1.0);
        let is_listed =
            |group: Document| share >= 1.0 || (finish(group.0) as f64) < share * u64::MAX as f64;
        let (mut rows, mut not_listed) = (Vec::new(), NotListed::default());
        for document in (self.table.references.documents..self.table.documents).map(Document) {
            let Decision {
                reason,
                representative,
                likeness,
                ..
            } = self.decision(document)?;
            if reason == Reason::Unique {
                continue;
            }
            if is_listed(representative.unwrap_or(document)) {
                rows.push(Row {
                    document,
                    reason,
                    representative,
                    likeness,
                });
            } else {
                not_listed.dropped += u64::from(representative.is_some());
                not_listed.groups += u64::from(reason == Reason::Representative);
                not_listed.exact += u64::from(reason == Reason::Exact);
            }
        }
        Ok((rows, not_listed))
    }

    /// Passes the decisions about consecutive documents to `give`.
    pub(super) fn each(
        &self,
        source: &Source,
        documents: Range<u64>,
        mut give: impl FnMut(&Decided) -> Result<()>,
    ) -> Result<()> {
        let (mut ids, mut other) = (Vec::new(), Vec::new());
        let mut document = Document(documents.start);
        self.table.ids.each(documents, &mut ids, |id| {
            let Decision {
                reason,
                representative,
                likeness,
                size: cluster_size,
                overruled,
            } = self.decision(document)?;
            document.0 += 1;
            let references = &self.table.references;
            let place = |r: Document| self.table.place(r.0, source).map(|place| place.to_string());
            let place = representative
                .filter(|&r| references.contains(r))
                .map(place)
                .transpose()?;
            let representative = match representative {
                None => None,
                Some(r) => {
                    let row = if place.is_some() {
                        r.0
                    } else {
                        r.0 - references.documents
                    };
                    Some(Representative {
                        row,
                        id: self.table.ids.get(r.0, &mut other)?,
                        place: place.as_deref(),
                    })
                }
            };
            give(&Decided {
                id,
                reason,
                representative,
                likeness,
                cluster_size,
                overruled,
            })
        })
    }

    pub(super) fn decision(&self, document: Document) -> Result<Decision> {
        let Pairing { order, empty, .. } = self.pairing;
        let rank = order.rank(document);
        let overruled = self.is_overruled(document);
        let kept = |reason, size| Decision {
            reason,
            representative: None,
            likeness: Likeness::Same,
            size,
            overruled,
        };
        let of_size = |size| {
            if size == 1 {
                Reason::Unique
            } else {
                Reason::Representative
            }
        };
        if empty.contains(rank.0) {
            return Ok(kept(Reason::Empty, 1));
        }
        let first_copy = self.pairing.first_copy(rank).unwrap_or(rank);
        let number = self.pairing.number(first_copy);
        let size = match number {
            Some(number) => self.sizes[number.index()],
            None => self
                .copied
                .number(first_copy.0)
                .map_or(1, |number| self.copied_sizes[number as usize]),
        };
        let dropped = number.filter(|&number| self.verdicts.of(number).representative().is_some());
        let Some(number) = dropped else {
            if first_copy == rank || !self.pairing.references.may_represent(first_copy) {
                return Ok(kept(of_size(size), size));
            }
            let representative = Some(order.document(first_copy));
            return Ok(Decision {
                reason: Reason::Exact,
                representative,
                likeness: Likeness::Same,
                size,
                overruled,
            });
        };
        let verdict = if first_copy == rank {
            self.verdicts.of(number)
        } else {
            self.verdicts.of_copy(rank, number)
        };
        let representative = verdict.representative().unwrap_or(number);
        let (reason, likeness) = self.evidence.likeness(number, representative, verdict)?;
        let size = self.sizes[representative.index()];
        Ok(Decision {
            reason,
            representative: Some(self.pairing.document(representative)),
            likeness,
            size,
            overruled,
        })
    }

    /// Returns the similarity of a dropped document and its representative. This is the figure that reached the threshold.
    pub(super) fn similarity(&self, decision: &Decision) -> Option<f64> {
        decision
            .likeness
            .similarity(decision.reason, self.evidence.measure())
    }

    /// Counts the verdicts for the summary.
    pub(crate) fn count(&self, summary: &mut Summary) -> Result<()> {
        let Pairing {
            references, empty, ..
        } = self.pairing;
        let first = Contender(self.pairing.reference_numbers());
        summary.documents = self.table.documents - references.documents;
        summary.empty = empty
            .iter()
            .filter(|&rank| !references.contains(rank))
            .count() as u64;
        let mut for_references = 0;
        let mut dropped = |reason, for_reference| {
            for_references += u64::from(for_reference);
            match reason {
                Reason::Exact => summary.dropped_exact += 1,
                _ => summary.dropped_near += 1,
            }
        };
        for number in (first.0..self.sizes.len() as u32).map(Contender) {
            if let Some(representative) = self.verdicts.of(number).representative() {
                dropped(
                    self.evidence
                        .likeness(number, representative, self.verdicts.of(number))?
                        .0,
                    representative < first,
                );
            } else {
                summary.representatives += u64::from(self.sizes[number.index()] > 1);
            }
        }
        for &(copy, first_copy) in self
            .pairing
            .copies
            .iter()
            .filter(|&&(copy, _)| !references.contains(copy))
        {
            let number = self.pairing.number(first_copy);
            let verdict = number.map(|number| (number, self.verdicts.of_copy(copy, number)));
            match verdict
                .and_then(|(number, verdict)| Some((number, verdict.representative()?, verdict)))
            {
                None if references.may_represent(first_copy) => {
                    dropped(Reason::Exact, references.contains(first_copy))
                }
                None => {}
                Some((number, representative, verdict)) => {
                    dropped(
                        self.evidence.likeness(number, representative, verdict)?.0,
                        representative < first,
                    );
                }
            }
        }
        if let Some(against) = &mut summary.against {
            (against.documents, against.dropped) = (references.documents, for_references);
        }
        let copied = self.copied.below(references.documents);
        summary.representatives += self.copied.len() - copied;
        let dropped = summary.dropped_exact + summary.dropped_near;
        self.count_overruled(summary)?;
        summary.dropped = summary.dropped_exact
            + summary.dropped_near
            + summary.per_group.map_or(0, |groups| groups.dropped_too);
        summary.kept = summary.documents - summary.dropped;
        let (of_contenders, of_others) = (
            &self.sizes[first.index()..],
            &self.copied_sizes[copied as usize..],
        );
        let largest = of_contenders
            .iter()
            .chain(of_others)
            .copied()
            .max()
            .unwrap_or(1);
        summary.largest_group = if summary.documents == dropped {
            0
        } else {
            largest.into()
        };
        Ok(())
    }

    /// Counts the documents whose verdict is the opposite of the law's.
    fn count_overruled(&self, summary: &mut Summary) -> Result<()> {
        let Some((overruled, groups)) = self.overruled.as_ref().zip(summary.per_group.as_mut())
        else {
            return Ok(());
        };
        for document in overruled.iter().map(Document) {
            match self.decision(document)? {
                Decision {
                    representative: None,
                    ..
                } => groups.dropped_too += 1,
                Decision { reason, .. } => {
                    groups.kept_too += 1;
                    let dropped = if reason == Reason::Exact {
                        &mut summary.dropped_exact
                    } else {
                        &mut summary.dropped_near
                    };
                    *dropped -= 1;
                }
            }
        }
        Ok(())
    }
}

/// The decision about one document: the law's, except that the verdict may be the opposite.
pub(super) struct Decision {
    reason: Reason,
    pub(super) representative: Option<Document>,
    pub(super) likeness: Likeness,
    pub(super) size: u32,
    pub(super) overruled: bool,
}

/// Returns the documents whose verdict changes if at most `most` documents of each group are kept: the first ones in keep order.
/// Memory: one bit for each document, and about 24 bytes for each group if `most` is greater than 1.
fn overruled(emitting: &Emitting, most: u32) -> Result<Option<Places>> {
    if most == 1 {
        return Ok(None);
    }
    let (changed, mut kept_of) = (Places::none(emitting.table.documents), BTreeMap::new());
    for document in emitting.in_keep_order() {
        let decision = emitting.decision(document)?;
        let Some(representative) = decision.representative else {
            if most == 0 && decision.size > 1 {
                changed.insert(document.0);
            }
            continue;
        };
        if most == 0 {
            continue;
        }
        // The representative is the first document of its group.
        let kept = kept_of.entry(representative.0).or_insert(1);
        if *kept < most {
            *kept += 1;
            changed.insert(document.0);
        }
    }
    Ok(Some(changed))
}
