//! A collection in memory whose decisions are always those of a batch.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use lookalike::{Candidates, Cluster, Config, Method, Reason, Scratch, Verify, fingerprint::Digest, verify::Measure};

use crate::{
    documents::{Document, Documents},
    error::{Error, Result},
    id::Id,
    index::Match,
    law::{self, Place, Settled, Verdict},
    sketched::Sketched,
};

/// The decision about a document of a [`Collection`].
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

/// A collection of texts with the decisions about them, in memory.
///
/// After any sequence of additions, replacements and deletions, the decisions are those that [`lookalike::decide`] makes about the
/// documents that the collection holds, in the order in which they were added. Each change returns every decision that it changed.
///
/// Candidates must depend on two texts alone: bands, SimHashes, sentences or equal texts. Memory: as for [`Index`](crate::Index).
#[derive(Debug, Clone)]
pub struct Collection {
    documents: Documents,
    next: u64,
}

impl Collection {
    /// Creates an empty collection.
    ///
    /// # Errors
    /// Fails if the configuration is invalid, or if its decisions cannot be kept up to date: candidates by shared shingles depend on
    /// all documents, and so do components and greedy clusters.
    pub fn new(config: Config) -> Result<Self> {
        let what = match (&config.candidates, config.cluster, config.measure) {
            (Candidates::Shared(_), ..) => Some("candidates that share sampled shingles"),
            (Candidates::All, ..) => Some("exact joins of all sets"),
            (_, Cluster::Components, _) => Some("connected components"),
            (_, Cluster::Greedy(_), _) => Some("greedy clusters"),
            (.., Measure::Containment) => Some("containments"),
            _ => None,
        };
        match what {
            Some(what) => Err(Error::DependsOnAll(what)),
            None => Ok(Self { documents: Documents::new(Method::new(config)?), next: 0 }),
        }
    }

    /// Returns the method by which documents are compared.
    pub fn method(&self) -> &Method {
        &self.documents.method
    }

    /// Returns the number of documents, dropped ones included.
    pub fn len(&self) -> usize {
        self.documents.by_place.len()
    }

    /// Returns whether the collection has no documents.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns whether a document has this id.
    pub fn contains(&self, id: &Id) -> bool {
        self.documents.place(id).is_some()
    }

    /// Adds documents at the end of the collection, and decides about them. Returns the changed decisions in keep order. A document
    /// that comes after all others in keep order changes no other decision. Cost: sketching, a search for kept matches for each
    /// document, and the searches for those whose decisions change.
    ///
    /// # Errors
    /// Fails if an id is taken or occurs twice; then no document is added.
    pub fn add(&mut self, documents: &[NewDocument]) -> Result<Vec<Change>> {
        self.refuse_taken(documents, false)?;
        self.change(&[], documents)
    }

    /// Adds documents at the end of the collection. Documents that have the same ids are removed before, in the same step.
    ///
    /// # Errors
    /// Fails if an id occurs twice in `documents`; then nothing changes.
    pub fn replace(&mut self, documents: &[NewDocument]) -> Result<Vec<Change>> {
        self.refuse_taken(documents, true)?;
        let removed: Vec<Place> = documents.iter().filter_map(|document| self.documents.place(&document.id)).collect();
        self.change(&removed, documents)
    }

    /// Removes documents. Ids that no document has are ignored. Documents that were dropped because of a removed one are decided again.
    /// Returns the changed decisions, those about removed documents first.
    ///
    /// # Errors
    /// Never fails in this release.
    pub fn delete(&mut self, ids: &[Id]) -> Result<Vec<Change>> {
        let removed: BTreeSet<Place> = ids.iter().filter_map(|id| self.documents.place(id)).collect();
        self.change(&removed.into_iter().collect::<Vec<_>>(), &[])
    }

    /// Returns the decision about a document; none if no document has this id.
    pub fn get(&self, id: &Id) -> Option<Decided> {
        let place = self.documents.place(id)?;
        let document = self.documents.by_place.get(&place)?;
        Some(self.named(document, document.verdict?, &HashMap::new()))
    }

    /// Returns all documents that are similar to a text, kept or dropped, the most similar first, and equally similar ones in keep
    /// order.
    pub fn query(&self, text: &str) -> Vec<Match> {
        let (digest, asked, empty) = self.sketch(text, &mut Scratch::default());
        if empty {
            return Vec::new();
        }
        let mut found = self.documents.all_matching(digest, &asked);
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let id = |place: Place| Some(self.documents.by_place.get(&place)?.id.clone());
        found.into_iter().filter_map(|(place, similarity)| Some(Match { id: id(place)?, similarity })).collect()
    }

    /// Returns all documents in the order in which they were added, with the decisions and their reasons.
    pub fn decisions(&self) -> Vec<(Id, Decided, Reason)> {
        let mut represented: BTreeSet<Place> = BTreeSet::new();
        for document in self.documents.by_place.values() {
            if let Some(Verdict::Dropped { representative, .. }) = document.verdict {
                represented.insert(representative);
            }
        }
        let mut all: Vec<(u64, (Id, Decided, Reason))> = Vec::new();
        for (place, document) in &self.documents.by_place {
            let verdict = document.verdict.unwrap_or(Verdict::Kept);
            let reason = match verdict {
                Verdict::Kept if document.empty => Reason::Empty,
                Verdict::Kept if represented.contains(place) => Reason::Representative,
                Verdict::Kept => Reason::Unique,
                Verdict::Dropped { representative, .. } => {
                    let representative = self.documents.by_place.get(&representative);
                    match representative.is_some_and(|representative| self.same(document, representative)) {
                        true => Reason::Exact,
                        false => Reason::Near,
                    }
                }
            };
            all.push((place.number, (document.id.clone(), self.named(document, verdict, &HashMap::new()), reason)));
        }
        all.sort_unstable_by_key(|(number, _)| *number);
        all.into_iter().map(|(_, decision)| decision).collect()
    }

    /// Returns the digest and the sketch of a text, and whether it has no tokens.
    fn sketch(&self, text: &str, scratch: &mut Scratch) -> (Digest, Sketched, bool) {
        let sketched = Sketched::of(self.method(), text, scratch);
        (scratch.digest, sketched, scratch.fingerprints.is_empty())
    }

    fn refuse_taken(&self, documents: &[NewDocument], may_exist: bool) -> Result<()> {
        let mut seen = BTreeSet::new();
        let taken = |id: &Id| !may_exist && self.contains(id);
        match documents.iter().find(|document| !seen.insert(&document.id) || taken(&document.id)) {
            Some(document) => Err(Error::Taken(document.id.clone())),
            None => Ok(()),
        }
    }

    /// Removes and adds documents in one step.
    fn change(&mut self, removed: &[Place], added: &[NewDocument]) -> Result<Vec<Change>> {
        let mut waiting = BTreeSet::new();
        for &place in removed {
            waiting.extend(law::affected_by_removing(&self.documents, place)?);
        }
        let mut gone: HashMap<Place, Document> = HashMap::new();
        for &place in removed {
            waiting.remove(&place);
            gone.extend(self.documents.remove(place).map(|document| (place, document)));
        }
        let mut scratch = Scratch::default();
        for document in added {
            let (digest, sketched, empty) = self.sketch(document.text, &mut scratch);
            let place = Place::new(document.key, self.next);
            self.next += 1;
            self.documents.insert(place, Document { id: document.id.clone(), digest, empty, sketched, verdict: None });
            waiting.insert(place);
        }
        let settled = law::settle(&mut self.documents, waiting)?;
        Ok(self.changes(removed, &settled, &gone))
    }

    /// Returns the changes of documents that are gone, then those of the others. A replaced document is one of the others.
    fn changes(&self, removed: &[Place], settled: &[Settled], gone: &HashMap<Place, Document>) -> Vec<Change> {
        let mut before: BTreeMap<&Id, Decided> = BTreeMap::new();
        for document in gone.values() {
            before.extend(document.verdict.map(|verdict| (&document.id, self.named(document, verdict, gone))));
        }
        let mut changes = Vec::new();
        for document in removed.iter().filter_map(|place| gone.get(place)) {
            if !self.contains(&document.id) {
                changes.push(Change { id: document.id.clone(), before: before.get(&document.id).cloned(), after: None });
            }
        }
        for one in settled {
            let Some(document) = self.documents.by_place.get(&one.document) else { continue };
            let named = one.before.map(|verdict| self.named(document, verdict, gone));
            let before = named.or_else(|| before.get(&document.id).cloned());
            let after = Some(self.named(document, one.after, gone));
            if before != after {
                changes.push(Change { id: document.id.clone(), before, after });
            }
        }
        changes
    }

    /// Returns whether two documents have the same canonical form.
    fn same(&self, a: &Document, b: &Document) -> bool {
        self.method().same((a.digest, &a.sketched.bits), (b.digest, &b.sketched.bits))
    }

    /// Returns the decision about a document, with the id of the representative, which may be gone.
    fn named(&self, document: &Document, verdict: Verdict, gone: &HashMap<Place, Document>) -> Decided {
        let Verdict::Dropped { representative, similarity } = verdict else { return Decided::Kept };
        let representative = self.documents.by_place.get(&representative).or_else(|| gone.get(&representative));
        // Documents whose representatives go are decided again, so each representative is in one of the two.
        let Some(representative) = representative else { return Decided::Kept };
        let measured = match self.method().verify() {
            Verify::Exact => true,
            Verify::Sketch => self.method().estimates(),
            Verify::None => false,
        };
        let similarity = match self.same(document, representative) {
            true => Some(1.0),
            false => Some(similarity).filter(|_| measured),
        };
        Decided::Dropped { representative: representative.id.clone(), similarity }
    }
}
