//! An index of documents by their keys. It has no threads and no locks: its users provide them.

use std::collections::BTreeMap;

use lookalike::{Config, Method, Scratch};

use crate::{
    error::{Error, Result},
    id::Id,
    query::Match,
    sketched::Sketched,
};

/// A collection of texts, in memory, that can be searched for the texts that are similar to a given text.
///
/// Memory: each text takes 4 bytes per band, 128 bytes for the sketch, and 8 bytes per shingle. Shingles are not stored if `verify` is
/// `Sketch` or `None`. In addition, each band has a map from its keys to the texts that have the key. A key that only one text has takes
/// at least 60 bytes of this map.
#[derive(Debug, Clone)]
pub struct LshIndex {
    method: Method,
    /// The documents, numbered in insertion order.
    documents: BTreeMap<u64, (Id, Sketched)>,
    numbers: BTreeMap<Id, u64>,
    /// For each band, a map from each key to the documents that have it.
    columns: Vec<BTreeMap<u32, Vec<u64>>>,
    next: u64,
}

impl LshIndex {
    /// Creates an empty index.
    ///
    /// # Errors
    /// Fails if the configuration is invalid, or if its method of finding candidates has no keys.
    pub fn new(config: Config) -> Result<Self> {
        let method = Method::new(config)?;
        if method.columns() == 0 {
            return Err(Error::NoKeys);
        }
        let columns = vec![BTreeMap::new(); method.columns()];
        Ok(Self {
            method,
            documents: BTreeMap::new(),
            numbers: BTreeMap::new(),
            columns,
            next: 0,
        })
    }

    /// Returns the method by which documents are compared; [`Sketched::of`] requires it.
    pub fn method(&self) -> &Method {
        &self.method
    }

    /// Returns all settings.
    pub fn config(&self) -> &Config {
        self.method.config()
    }

    /// Returns the number of documents.
    pub fn len(&self) -> usize {
        self.documents.len()
    }

    /// Returns whether the index has no documents.
    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    /// Returns whether a document has this id.
    pub fn contains(&self, id: &Id) -> bool {
        self.numbers.contains_key(id)
    }

    /// Returns the documents in insertion order.
    pub fn documents(&self) -> impl ExactSizeIterator<Item = &(Id, Sketched)> {
        self.documents.values()
    }

    /// Adds a text under an id. An empty text can be added, but never matches.
    ///
    /// # Errors
    /// Fails if the id is already in the index.
    pub fn insert(&mut self, id: impl Into<Id>, text: &str) -> Result<()> {
        let sketched = Sketched::of(&self.method, text, &mut Scratch::default());
        self.insert_sketched(id.into(), sketched)
    }

    /// Adds a text that was sketched by this index's [`method`](Self::method), for example on another thread.
    ///
    /// # Errors
    /// Fails if the id is already in the index.
    pub fn insert_sketched(&mut self, id: Id, sketched: Sketched) -> Result<()> {
        if self.contains(&id) {
            return Err(Error::Taken(id));
        }
        for (column, &key) in self.columns.iter_mut().zip(&sketched.keys) {
            column.entry(key).or_default().push(self.next);
        }
        self.numbers.insert(id.clone(), self.next);
        self.documents.insert(self.next, (id, sketched));
        self.next += 1;
        Ok(())
    }

    /// Adds many documents. If this fails, none of them is added.
    ///
    /// # Errors
    /// Fails if an id is already in the index, or occurs twice.
    pub fn insert_all(&mut self, documents: Vec<(Id, Sketched)>) -> Result<()> {
        let mut sorted: Vec<&Id> = documents.iter().map(|(id, _)| id).collect();
        sorted.sort();
        let twice = sorted
            .windows(2)
            .find(|two| two[0] == two[1])
            .map(|two| two[0]);
        if let Some(id) = twice.or_else(|| {
            documents
                .iter()
                .map(|(id, _)| id)
                .find(|id| self.contains(id))
        }) {
            return Err(Error::Taken(id.clone()));
        }
        documents
            .into_iter()
            .try_for_each(|(id, sketched)| self.insert_sketched(id, sketched))
    }

    /// Removes a document. Returns whether it existed.
    pub fn remove(&mut self, id: &Id) -> bool {
        let Some(number) = self.numbers.remove(id) else {
            return false;
        };
        if let Some((_, sketched)) = self.documents.remove(&number) {
            for (column, key) in self.columns.iter_mut().zip(sketched.keys) {
                if let Some(bucket) = column.get_mut(&key) {
                    bucket.retain(|&other| other != number);
                    if bucket.is_empty() {
                        column.remove(&key);
                    }
                }
            }
        }
        true
    }

    /// Returns the documents that are similar to a text, the most similar first, and equally similar ones in insertion order.
    /// Cost: a lookup for each band, and an exact comparison for each candidate that the sketches do not rule out.
    pub fn query(&self, text: &str) -> Vec<Match> {
        self.query_sketched(&Sketched::of(&self.method, text, &mut Scratch::default()))
    }

    /// Does the same as [`query`](Self::query) for a text that was sketched by this index's [`method`](Self::method).
    pub fn query_sketched(&self, asked: &Sketched) -> Vec<Match> {
        let sharing = self
            .columns
            .iter()
            .zip(&asked.keys)
            .filter_map(|(column, key)| column.get(key))
            .flatten();
        let mut candidates: Vec<u64> = sharing.copied().collect();
        candidates.sort_unstable();
        candidates.dedup();
        let found = candidates.iter().filter_map(|number| {
            let (id, sketched) = self.documents.get(number)?;
            Some(Match {
                similarity: asked.similarity(sketched, &self.method)?,
                id: id.clone(),
            })
        });
        let mut found: Vec<Match> = found.collect();
        // The sort is stable, so equally similar documents remain in insertion order.
        found.sort_by(|a, b| b.similarity.total_cmp(&a.similarity));
        found
    }

    /// Rejects settings that differ from those of this index.
    ///
    /// # Errors
    /// Fails if the settings differ; the error contains both settings. `of` is the name of this index, which the message shows in
    /// addition to this index's settings.
    pub fn refuse_unlike(&self, of: Option<&str>, other: &Config) -> Result<()> {
        if self.config() == other {
            return Ok(());
        }
        let left = describe(self.config());
        let left = of.map_or_else(|| left.clone(), |of| format!("{left} ({of})"));
        Err(Error::Unlike {
            left,
            right: describe(other),
        })
    }
}

/// Returns the settings in words, for a message that compares two indexes.
fn describe(config: &Config) -> String {
    format!(
        "an index with {}",
        serde_json::to_string(config).unwrap_or_default()
    )
}
