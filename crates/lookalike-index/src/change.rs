//! Changes of a collection, and what they change.

use std::collections::{BTreeMap, BTreeSet};

use lookalike::{Verify, fingerprint::Digest};
use lookalike_io::pool::try_par_map;

use crate::{
    apart::apart,
    error::{Error, Result},
    id::Id,
    law::{self, Place, Settled, Verdict},
    state::{Sketched, State},
};

/// The decision about a document.
#[derive(Debug, Clone, PartialEq)]
pub enum Decided {
    /// The document is kept.
    Kept,
    /// The document is dropped.
    Dropped {
        /// The kept document that represents it.
        representative: Id,
        /// Its similarity to the representative, exact or estimated; none if it was not measured.
        similarity: Option<f64>,
    },
}

/// A decision that a change of a collection changed.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// The document.
    pub id: Id,
    /// The decision before; none if the document was not there.
    pub before: Option<Decided>,
    /// The decision now; none if the document is no longer there.
    pub after: Option<Decided>,
}

/// A document to add to a collection.
#[derive(Debug, Clone)]
pub struct NewDocument<'a> {
    /// The id, which no other document of the collection has.
    pub id: Id,
    /// The text.
    pub text: &'a str,
    /// The key of its place in keep order: the document with the largest key is kept; of documents with equal keys, the one that was
    /// added first.
    pub key: u64,
}

/// What is known of a document that is named in a change.
struct Named {
    id: Id,
    digest: Digest,
    bits: Vec<u8>,
}

/// Fewer changes are described by one thread.
const MANY: usize = 1000;

impl State {
    fn known(&self, number: u64) -> Result<Named> {
        Ok(Named {
            id: self.id(number)?,
            digest: self.digest(number)?,
            bits: self.with_sketch(number, <[u8]>::to_vec)?,
        })
    }

    /// Returns whether two documents have the same canonical form.
    pub(crate) fn same(&self, a: u64, b: u64) -> Result<bool> {
        let (a, b) = (self.known(a)?, self.known(b)?);
        Ok(self.method.same((a.digest, &a.bits), (b.digest, &b.bits)))
    }

    /// Returns the decision about a document as callers see it.
    pub(crate) fn named(&self, number: u64, verdict: Verdict) -> Result<Decided> {
        self.named_with(number, verdict, &BTreeMap::new())
    }

    /// Does the same if the representative can be one of the documents that are gone.
    fn named_with(
        &self,
        number: u64,
        verdict: Verdict,
        gone: &BTreeMap<u64, Named>,
    ) -> Result<Decided> {
        let Verdict::Dropped {
            representative,
            similarity,
        } = verdict
        else {
            return Ok(Decided::Kept);
        };
        let found;
        let other = match gone.get(&representative) {
            Some(other) => other,
            None => {
                found = self.known(representative)?;
                &found
            }
        };
        let digest = self.digest(number)?;
        let is_same = self.with_sketch(number, |bits| {
            self.method
                .same((digest, bits), (other.digest, &other.bits))
        })?;
        let is_measured = match self.method.verify() {
            Verify::Exact => true,
            Verify::Sketch => self.method.estimates(),
            Verify::None => false,
        };
        let similarity = if is_same {
            Some(1.0)
        } else {
            Some(similarity).filter(|_| is_measured)
        };
        Ok(Decided::Dropped {
            representative: other.id.clone(),
            similarity,
        })
    }

    /// Removes and adds documents in one step, and decides again what this affects. Returns the changed decisions: those about
    /// documents that are gone, then the others in keep order. A replaced document is one of the others.
    ///
    /// If this fails, the state is in the middle of the change.
    pub(crate) fn apply(&mut self, removed: &[u64], added: Vec<Sketched>) -> Result<Applied> {
        let mut waiting = BTreeSet::new();
        let mut gone = BTreeMap::new();
        let mut before = BTreeMap::new();
        for &number in removed {
            waiting.extend(law::affected_by_removing(self, self.place(number)?)?);
            let known = self.known(number)?;
            if let Some(verdict) = self.verdict_of(number)? {
                before.insert(known.id.clone(), self.named(number, verdict)?);
            }
            gone.insert(number, known);
        }
        for &number in removed {
            waiting.remove(&self.place(number)?);
        }
        self.remove(removed)?;
        let mut again = BTreeSet::new();
        for new in added {
            if before.contains_key(&new.id) {
                again.insert(new.id.clone());
            }
            let number = self.insert(new)?;
            waiting.insert(self.place(number)?);
        }
        let settled = law::settle(self, waiting)?;
        let mut changes = Vec::new();
        for number in removed {
            let id = &gone[number].id;
            if !again.contains(id) {
                changes.push(Change {
                    id: id.clone(),
                    before: before.remove(id),
                    after: None,
                });
            }
        }
        let named = |settled: &Settled| -> Result<Change> {
            let number = settled.document.number;
            let before = settled
                .before
                .map(|verdict| self.named_with(number, verdict, &gone))
                .transpose()?;
            Ok(Change {
                id: self.id(number)?,
                before,
                after: Some(self.named(number, settled.after)?),
            })
        };
        let all: Result<Vec<Change>> = if settled.len() < MANY {
            settled.iter().map(named).collect()
        } else {
            apart(|| try_par_map(&settled, named))
        };
        let all = all?;
        changes.reserve(all.len());
        changes.extend(all.into_iter().filter_map(|mut change| {
            // The document may replace one with its id.
            change.before = change.before.or_else(|| before.remove(&change.id));
            Some(change).filter(|change| change.before != change.after)
        }));
        let verdicts = settled
            .iter()
            .map(|settled| (settled.document, settled.after))
            .collect();
        Ok(Applied { changes, verdicts })
    }

    /// Returns the numbers of the documents with these ids, each once, in order. Ids that no document has are ignored.
    pub(crate) fn numbers_of(&self, ids: &[&Id]) -> Result<Vec<u64>> {
        let numbers: BTreeSet<u64> = self.with_ids(ids)?.into_iter().flatten().collect();
        Ok(numbers.into_iter().collect())
    }

    /// Refuses new documents whose ids occur twice, or are taken.
    pub(crate) fn refuse_taken(&self, ids: &[&Id], may_exist: bool) -> Result<()> {
        let mut seen = BTreeSet::new();
        if let Some(twice) = ids.iter().find(|id| !seen.insert(**id)) {
            return Err(Error::Taken((*twice).clone()));
        }
        if may_exist {
            return Ok(());
        }
        match ids
            .iter()
            .zip(self.with_ids(ids)?)
            .find(|(_, number)| number.is_some())
        {
            Some((id, _)) => Err(Error::Taken((*id).clone())),
            None => Ok(()),
        }
    }
}

/// What a change changed.
pub(crate) struct Applied {
    pub(crate) changes: Vec<Change>,
    /// The same for programs: the documents that were decided otherwise than before, and the decisions.
    pub(crate) verdicts: Vec<(Place, Verdict)>,
}
