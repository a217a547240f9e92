//! A collection in memory whose decisions are always those of a batch.

use lookalike::{Candidates, Cluster, Config, Method, Scratch, verify::Measure};

use crate::{
    change::{Change, Decided, NewDocument},
    decision::Decision,
    error::{Error, Result},
    id::Id,
    query::Found,
    state::{Sketched, State, Store},
};

/// A collection of texts with the decisions about them, in memory.
///
/// After any sequence of additions, replacements and deletions, the decisions are those that [`lookalike::decide`] makes about the
/// documents that the collection holds, in the order in which they were added. Each change returns every decision that it changed.
///
/// Candidates must depend on two texts alone: bands, SimHashes, sentences or equal texts. Memory: the texts, 8 bytes per band, and 300
/// bytes for each.
#[derive(Debug)]
pub struct Collection {
    state: State,
}

impl Collection {
    /// Creates an empty collection.
    ///
    /// # Errors
    /// Fails if the configuration is invalid, or if its decisions cannot be kept up to date: candidates by shared shingles depend on
    /// all documents, and so do components and greedy clusters.
    pub fn new(config: Config) -> Result<Self> {
        Ok(Self {
            state: State::new(method(config)?, Store::Texts),
        })
    }

    /// Returns the method by which documents are compared.
    pub fn method(&self) -> &Method {
        &self.state.method
    }

    /// Returns the number of documents, dropped ones included.
    pub fn len(&self) -> usize {
        self.state.len() as usize
    }

    /// Returns whether the collection has no documents.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns whether a document has this id.
    ///
    /// # Errors
    /// Never fails in this release.
    pub fn contains(&self, id: &Id) -> Result<bool> {
        Ok(self.state.with_id(id)?.is_some())
    }

    /// Adds documents at the end of the collection, and decides about them. Returns the changed decisions in keep order. A document
    /// that comes after all others in keep order changes no other decision. Cost: sketching, a search for kept matches for each
    /// document, and the searches for those whose decisions change.
    ///
    /// # Errors
    /// Fails if an id is taken or occurs twice; then no document is added.
    pub fn add(&mut self, documents: &[NewDocument]) -> Result<Vec<Change>> {
        self.state.refuse_taken(&ids(documents), false)?;
        self.change(&[], documents)
    }

    /// Adds documents at the end of the collection. Documents that have the same ids are removed before, in the same step.
    ///
    /// # Errors
    /// Fails if an id occurs twice in `documents`; then nothing changes.
    pub fn replace(&mut self, documents: &[NewDocument]) -> Result<Vec<Change>> {
        let ids = ids(documents);
        self.state.refuse_taken(&ids, true)?;
        let removed = self.state.numbers_of(&ids)?;
        self.change(&removed, documents)
    }

    /// Removes documents. Ids that no document has are ignored. Documents that were dropped because of a removed one are decided again.
    /// Returns the changed decisions, those about removed documents first.
    ///
    /// # Errors
    /// Never fails in this release.
    pub fn delete(&mut self, ids: &[Id]) -> Result<Vec<Change>> {
        let removed = self.state.numbers_of(&ids.iter().collect::<Vec<_>>())?;
        self.change(&removed, &[])
    }

    /// Returns the decision about a document; none if no document has this id.
    ///
    /// # Errors
    /// Never fails in this release.
    pub fn get(&self, id: &Id) -> Result<Option<Decided>> {
        self.state.decided(id)
    }

    /// Returns all documents that are similar to a text, kept or dropped, the most similar first, and equally similar ones in keep
    /// order.
    ///
    /// # Errors
    /// Never fails in this release.
    pub fn query(&self, text: &str) -> Result<Vec<Found>> {
        self.state.query(text)
    }

    /// Returns the decisions about all documents, in the order in which they were added. Cost: the sets of all documents that are dropped
    /// as near-duplicates are compared again.
    ///
    /// # Errors
    /// Never fails in this release.
    pub fn decisions(&self) -> Result<Vec<Decision>> {
        self.state.decisions()
    }

    fn change(&mut self, removed: &[u64], added: &[NewDocument]) -> Result<Vec<Change>> {
        let mut scratch = Scratch::default();
        let State { method, store, .. } = &self.state;
        let sketch = |new: &NewDocument| {
            Sketched::new(
                method,
                *store,
                new.id.clone(),
                new.key,
                new.text,
                &mut scratch,
            )
        };
        let added = added.iter().map(sketch).collect();
        Ok(self.state.apply(removed, added)?.changes)
    }
}

fn ids<'a>(documents: &'a [NewDocument]) -> Vec<&'a Id> {
    documents.iter().map(|document| &document.id).collect()
}

/// Returns the method of a collection.
pub(crate) fn method(config: Config) -> Result<Method> {
    let what = match (&config.candidates, config.cluster, config.measure) {
        _ if config.min_containment.is_some() => return Err(Error::MinContainment),
        (.., Measure::Containment) => Some("decisions by containment"),
        (Candidates::Shared(_), ..) => Some("candidates that share sampled shingles"),
        (Candidates::All, ..) => Some("exact joins of all sets"),
        (_, Cluster::Components, _) => Some("connected components"),
        (_, Cluster::Greedy(_), _) => Some("greedy clusters"),
        _ => None,
    };
    match what {
        Some(what) => Err(Error::DependsOnAll(what)),
        None => Ok(Method::new(config)?),
    }
}

impl State {
    /// Returns the decision about the document with an id.
    pub(crate) fn decided(&self, id: &Id) -> Result<Option<Decided>> {
        let Some(number) = self.with_id(id)? else {
            return Ok(None);
        };
        self.verdict_of(number)?
            .map(|verdict| self.named(number, verdict))
            .transpose()
    }
}
