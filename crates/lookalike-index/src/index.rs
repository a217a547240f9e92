//! Documents by their keys.

use std::collections::BTreeMap;

use lookalike::{Config, Method, Scratch};

use crate::{
    error::{Error, Result},
    id::Id,
    sketched::Sketched,
};

/// A document of an index that a text is similar to.
#[derive(Debug, Clone, PartialEq)]
pub struct Match {
    /// The document's id.
    pub id: Id,
    /// How similar: the exact resemblance, or what the sketches say where `verify` is `Sketch`.
    pub similarity: f64,
}

/// Texts that can be asked for those that resemble a text.
#[derive(Debug, Clone)]
pub struct Index {
    method: Method,
    /// Documents, numbered as they came.
    documents: BTreeMap<u64, (Id, Sketched)>,
    numbers: BTreeMap<Id, u64>,
    /// For each band, who has a key.
    columns: Vec<BTreeMap<u32, Vec<u64>>>,
    next: u64,
}

impl Index {
    /// An empty index.
    ///
    /// # Errors
    /// A configuration that cannot be, or that finds candidates by no keys.
    pub fn new(config: Config) -> Result<Self> {
        let method = Method::new(config)?;
        if method.columns() == 0 {
            return Err(Error::NoKeys);
        }
        let columns = vec![BTreeMap::new(); method.columns()];
        Ok(Self { method, documents: BTreeMap::new(), numbers: BTreeMap::new(), columns, next: 0 })
    }

    /// How documents are compared; what [`Sketched::of`] needs.
    pub fn method(&self) -> &Method {
        &self.method
    }

    /// All settings.
    pub fn config(&self) -> &Config {
        self.method.config()
    }

    /// How many documents it holds.
    pub fn len(&self) -> usize {
        self.documents.len()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    /// Whether a document has this id.
    pub fn contains(&self, id: &Id) -> bool {
        self.numbers.contains_key(id)
    }

    /// The documents, in the order in which they were inserted.
    pub fn documents(&self) -> impl ExactSizeIterator<Item = &(Id, Sketched)> {
        self.documents.values()
    }

    /// Adds a text under an id. An empty text matches nothing.
    ///
    /// # Errors
    /// An id that is taken.
    pub fn insert(&mut self, id: impl Into<Id>, text: &str) -> Result<()> {
        let sketched = Sketched::of(&self.method, text, &mut Scratch::default());
        self.insert_sketched(id.into(), sketched)
    }

    /// The same of a text that was sketched by this index's [`method`](Self::method), on another thread say.
    ///
    /// # Errors
    /// An id that is taken.
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

    /// Adds many; all of them, or none when it fails.
    ///
    /// # Errors
    /// An id that is taken, or that comes twice.
    pub fn insert_all(&mut self, documents: Vec<(Id, Sketched)>) -> Result<()> {
        let mut sorted: Vec<&Id> = documents.iter().map(|(id, _)| id).collect();
        sorted.sort();
        let twice = sorted.windows(2).find(|two| two[0] == two[1]).map(|two| two[0]);
        if let Some(id) = twice.or_else(|| documents.iter().map(|(id, _)| id).find(|id| self.contains(id))) {
            return Err(Error::Taken(id.clone()));
        }
        documents.into_iter().try_for_each(|(id, sketched)| self.insert_sketched(id, sketched))
    }

    /// Takes a document out. Gives whether it was there.
    pub fn remove(&mut self, id: &Id) -> bool {
        let Some(number) = self.numbers.remove(id) else { return false };
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

    /// The documents that a text is similar to, the most similar first; those that are equally similar in the order in which they
    /// were inserted. Cost: a look at each band, and a measurement of each candidate that the sketches do not refuse.
    pub fn query(&self, text: &str) -> Vec<Match> {
        self.query_sketched(&Sketched::of(&self.method, text, &mut Scratch::default()))
    }

    /// The same of a text that was sketched by this index's [`method`](Self::method).
    pub fn query_sketched(&self, asked: &Sketched) -> Vec<Match> {
        let sharing = self.columns.iter().zip(&asked.keys).filter_map(|(column, key)| column.get(key)).flatten();
        let mut candidates: Vec<u64> = sharing.copied().collect();
        candidates.sort_unstable();
        candidates.dedup();
        let found = candidates.iter().filter_map(|number| {
            let (id, sketched) = self.documents.get(number)?;
            Some(Match { similarity: asked.similarity(sketched, &self.method)?, id: id.clone() })
        });
        let mut found: Vec<Match> = found.collect();
        // Stable: those that are equally similar stay in their order.
        found.sort_by(|a, b| b.similarity.total_cmp(&a.similarity));
        found
    }

    /// Refuses an index with other settings than these.
    ///
    /// # Errors
    /// Names both sides; `of` is what the message calls this one, besides its settings.
    pub fn refuse_unlike(&self, of: Option<&str>, other: &Config) -> Result<()> {
        if self.config() == other {
            return Ok(());
        }
        let left = describe(self.config());
        let left = of.map_or_else(|| left.clone(), |of| format!("{left} ({of})"));
        Err(Error::Unlike { left, right: describe(other) })
    }
}

/// The settings in words, for a message that compares two indexes.
fn describe(config: &Config) -> String {
    format!("an index with {}", serde_json::to_string(config).unwrap_or_default())
}
