//! Documents by their keys.

use std::collections::BTreeMap;

use lookalike::{Method, Scratch, Verify};
use pyo3::{FromPyObject, IntoPyObject};

/// What a document is called.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, FromPyObject, IntoPyObject)]
pub enum Id {
    #[pyo3(transparent)]
    Text(String),
    #[pyo3(transparent)]
    Number(i64),
}

/// What is kept of a text.
#[derive(Debug, Clone, Default)]
pub struct Sketched {
    /// One for each column; none for an empty text, so that it meets nothing.
    pub keys: Vec<u32>,
    /// The fixed-size sketch.
    pub bits: Vec<u8>,
    /// The shingle set, where similarity is measured.
    pub set: Vec<u64>,
}

impl Sketched {
    pub fn of(method: &Method, text: &str, scratch: &mut Scratch) -> Self {
        method.sketch(text, scratch);
        if scratch.fingerprints.is_empty() {
            return Self::default();
        }
        let (keys, bits) = (scratch.keys.clone(), scratch.bits.clone());
        let set = match method.verify() {
            Verify::Exact => {
                method.make_set(scratch);
                scratch.fingerprints.clone()
            }
            Verify::Sketch | Verify::None => Vec::new(),
        };
        Self { keys, bits, set }
    }

    /// Whether it can be of a method with so many columns and bytes.
    pub fn fits(&self, columns: usize, stride: usize) -> bool {
        let empty = self.keys.is_empty() && self.bits.is_empty() && self.set.is_empty();
        empty || self.keys.len() == columns && self.bits.len() == stride && self.set.is_sorted_by(|a, b| a < b)
    }
}

/// A document that was found.
pub struct Found {
    pub id: Id,
    pub similarity: f64,
}

/// The documents, numbered as they came, and for each column who has a key.
pub struct Buckets {
    documents: BTreeMap<u64, (Id, Sketched)>,
    numbers: BTreeMap<Id, u64>,
    columns: Vec<BTreeMap<u32, Vec<u64>>>,
    next: u64,
}

impl Buckets {
    pub fn new(columns: usize) -> Self {
        Self { documents: BTreeMap::new(), numbers: BTreeMap::new(), columns: vec![BTreeMap::new(); columns], next: 0 }
    }

    pub fn len(&self) -> usize {
        self.documents.len()
    }

    pub fn contains(&self, id: &Id) -> bool {
        self.numbers.contains_key(id)
    }

    /// In the order in which they came.
    pub fn documents(&self) -> impl ExactSizeIterator<Item = &(Id, Sketched)> {
        self.documents.values()
    }

    /// Adds a document; gives the id back where it is taken.
    pub fn insert(&mut self, id: Id, sketched: Sketched) -> Result<(), Id> {
        if self.contains(&id) {
            return Err(id);
        }
        for (column, &key) in self.columns.iter_mut().zip(&sketched.keys) {
            column.entry(key).or_default().push(self.next);
        }
        self.numbers.insert(id.clone(), self.next);
        self.documents.insert(self.next, (id, sketched));
        self.next += 1;
        Ok(())
    }

    /// Adds all, or none and gives back an id that is taken.
    pub fn insert_all(&mut self, ids: Vec<Id>, sketched: Vec<Sketched>) -> Result<(), Id> {
        let mut sorted: Vec<&Id> = ids.iter().collect();
        sorted.sort();
        let twice = sorted.windows(2).find(|two| two[0] == two[1]).map(|two| two[0]);
        if let Some(id) = twice.or_else(|| ids.iter().find(|id| self.contains(id))) {
            return Err(id.clone());
        }
        ids.into_iter().zip(sketched).try_for_each(|(id, sketched)| self.insert(id, sketched))
    }

    /// Takes a document out; whether it was there.
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

    /// The matches of a text, most similar first, then in the order in which they came.
    pub fn query(&self, method: &Method, asked: &Sketched) -> Vec<Found> {
        let meeting = self.columns.iter().zip(&asked.keys).filter_map(|(column, key)| column.get(key)).flatten();
        let mut candidates: Vec<u64> = meeting.copied().collect();
        candidates.sort_unstable();
        candidates.dedup();
        let mut found: Vec<Found> = Vec::new();
        for number in candidates {
            let Some((id, sketched)) = self.documents.get(&number) else { continue };
            if let Some(similarity) = similarity(method, asked, sketched) {
                found.push(Found { id: id.clone(), similarity });
            }
        }
        // Stable: those that are equally similar stay in their order.
        found.sort_by(|a, b| b.similarity.total_cmp(&a.similarity));
        found
    }
}

/// How similar two documents that share a key are, where that is enough.
fn similarity(method: &Method, asked: &Sketched, other: &Sketched) -> Option<f64> {
    if !method.agree(&asked.bits, &other.bits) {
        return None;
    }
    match method.verify() {
        Verify::Exact => {
            let measure = method.config().measure;
            measure.at_least(&asked.set, &other.set, method.config().threshold).map(|overlap| measure.of(overlap))
        }
        Verify::Sketch => Some(method.estimate(&asked.bits, &other.bits)).filter(|estimate| *estimate >= method.least()),
        Verify::None => Some(method.estimate(&asked.bits, &other.bits)),
    }
}
