//! Decisions with everything that a decisions file says about them.

use lookalike::{
    Reason, Verify,
    fingerprint::Lookup,
    verify::{Measure, Overlap},
};
use lookalike_io::{
    pool::try_par_map,
    write::{self, Likeness},
};

use crate::{
    apart::apart,
    change::Decided,
    error::{Error, Result},
    id::Id,
    law::Verdict,
    state::State,
};

/// The decision about a document, as one run over all documents makes it.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// The document.
    pub id: Id,
    /// Why it is kept or dropped.
    pub reason: Reason,
    /// The kept document that represents it; none if it is kept.
    pub representative: Option<Id>,
    /// The similarity of a dropped document to its representative, exact or estimated; none if it was not measured.
    pub similarity: Option<f64>,
    /// The same with all figures. All are exact if sets can be compared.
    pub likeness: Likeness,
    /// The number of documents in its group: a kept document and those that it represents.
    pub cluster_size: u32,
}

impl Decision {
    /// Returns whether the document is kept.
    pub fn is_kept(&self) -> bool {
        self.representative.is_none()
    }

    /// Returns the decision without its reason.
    pub fn decided(&self) -> Decided {
        match &self.representative {
            None => Decided::Kept,
            Some(representative) => Decided::Dropped {
                representative: representative.clone(),
                similarity: self.similarity,
            },
        }
    }

    /// Appends the decision's line of a decisions file, as `lookalike dedup` writes it.
    ///
    /// # Errors
    /// Never fails in this release.
    pub fn write_line(&self, into: &mut Vec<u8>) -> Result<()> {
        let (id, representative) = (
            self.id.to_json(),
            self.representative.as_ref().map(Id::to_json),
        );
        let representative = representative.as_deref().map(|id| write::Representative {
            row: 0,
            id,
            place: None,
        });
        let Self {
            reason,
            likeness,
            cluster_size,
            ..
        } = *self;
        let decided = write::Decided {
            id: &id,
            reason,
            representative,
            likeness,
            cluster_size,
            overruled: false,
        };
        decided
            .write_line(into)
            .map_err(|error| Error::Write(std::io::Error::other(error)))
    }
}

/// The number of decisions that are made at the same time.
const AT_ONCE: usize = 8192;

/// For each kept document that represents others, their number.
pub(crate) type Sizes = Lookup<u64, u32>;

impl State {
    /// Returns the sizes of all groups. Cost: all verdicts are read.
    pub(crate) fn sizes(&self) -> Result<Sizes> {
        let mut sizes = Sizes::default();
        let mut count = |representative: u64| *sizes.entry(representative).or_default() += 1;
        for open in &self.segments {
            open.segment
                .each_verdict(&open.live, &mut |offset, representative| {
                    let is_as_written = !open.kept.contains(offset)
                        && !self
                            .verdicts
                            .contains_key(&(open.segment.head.base + offset));
                    if is_as_written {
                        count(representative);
                    }
                    Ok(())
                })?;
        }
        let in_memory = self
            .memory
            .all()
            .iter()
            .filter(|held| !held.gone)
            .filter_map(|held| held.verdict);
        for verdict in self.verdicts.values().copied().chain(in_memory) {
            if let Verdict::Dropped { representative, .. } = verdict {
                count(representative);
            }
        }
        Ok(sizes)
    }

    /// Returns the decision about a document. `sizes` are those of all groups.
    pub(crate) fn decision(&self, number: u64, sizes: &Sizes) -> Result<Decision> {
        let verdict = self.verdict_of(number)?.unwrap_or(Verdict::Kept);
        let id = self.id(number)?;
        let size = |kept: u64| 1 + sizes.get(&kept).copied().unwrap_or_default();
        let Verdict::Dropped {
            representative,
            similarity,
        } = verdict
        else {
            let cluster_size = size(number);
            let reason = match cluster_size {
                _ if self.is_without_text(number) => Reason::Empty,
                1 => Reason::Unique,
                _ => Reason::Representative,
            };
            return Ok(Decision {
                id,
                reason,
                representative: None,
                similarity: None,
                likeness: Likeness::Same,
                cluster_size,
            });
        };
        let (reason, likeness) = if self.same(number, representative)? {
            (Reason::Exact, Likeness::Same)
        } else {
            (
                Reason::Near,
                self.likeness(number, representative, similarity)?,
            )
        };
        let representative_id = Some(self.id(representative)?);
        let similarity = likeness.similarity(reason, Measure::Resemblance);
        Ok(Decision {
            id,
            reason,
            representative: representative_id,
            similarity,
            likeness,
            cluster_size: size(representative),
        })
    }

    /// Returns how similar a document is to its representative, whose canonical form is another one.
    fn likeness(&self, number: u64, representative: u64, similarity: f64) -> Result<Likeness> {
        Ok(match self.method.verify() {
            Verify::Exact => {
                Likeness::Counted(Overlap::of(&self.set(number)?, &self.set(representative)?))
            }
            Verify::Sketch if self.method.estimates() => {
                Likeness::Estimated(Measure::Resemblance, similarity)
            }
            Verify::Sketch | Verify::None => Likeness::Unknown,
        })
    }

    /// Calls `give` with the decisions about all documents from the number `since`, in input order.
    pub(crate) fn each_decision(
        &self,
        since: u64,
        give: &mut dyn FnMut(Decision) -> Result<()>,
    ) -> Result<()> {
        let sizes = self.sizes()?;
        let mut numbers = self
            .numbers()
            .skip_while(|&number| number < since)
            .peekable();
        while numbers.peek().is_some() {
            let some: Vec<u64> = numbers.by_ref().take(AT_ONCE).collect();
            let decide = |number| self.decision(number, &sizes);
            let decisions = apart(|| try_par_map(some, decide))?;
            decisions.into_iter().try_for_each(&mut *give)?;
        }
        Ok(())
    }

    /// Returns the decisions about all documents, in input order.
    pub(crate) fn decisions(&self) -> Result<Vec<Decision>> {
        let mut all = Vec::new();
        self.each_decision(0, &mut |decision| {
            all.push(decision);
            Ok(())
        })?;
        Ok(all)
    }
}
