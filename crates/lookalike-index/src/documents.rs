//! Documents in memory, by their places, ids, canonical forms and keys.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use lookalike::{Method, Verify, fingerprint::Digest};

use crate::{
    error::Result,
    id::Id,
    law::{Content, Place, Verdict},
    sketched::Sketched,
};

/// A document with its decision.
#[derive(Debug, Clone)]
pub(crate) struct Document {
    pub(crate) id: Id,
    pub(crate) digest: Digest,
    /// Whether the text has no tokens.
    pub(crate) empty: bool,
    pub(crate) sketched: Sketched,
    pub(crate) verdict: Option<Verdict>,
}

/// For each column, the documents that have a key.
type Columns = Vec<HashMap<u32, Vec<Place>>>;

#[derive(Debug, Clone)]
pub(crate) struct Documents {
    pub(crate) method: Method,
    pub(crate) by_place: BTreeMap<Place, Document>,
    by_id: BTreeMap<Id, Place>,
    by_digest: HashMap<Digest, BTreeSet<Place>>,
    /// All first copies, and those that are kept. Searches for a representative need only the latter, which are few if many documents
    /// are similar.
    first_copies: Columns,
    kept: Columns,
}

impl Documents {
    pub(crate) fn new(method: Method) -> Self {
        let columns = || vec![HashMap::new(); method.columns()];
        let (first_copies, kept) = (columns(), columns());
        let (by_place, by_id, by_digest) = (BTreeMap::new(), BTreeMap::new(), HashMap::new());
        Self { method, by_place, by_id, by_digest, first_copies, kept }
    }

    pub(crate) fn place(&self, id: &Id) -> Option<Place> {
        self.by_id.get(id).copied()
    }

    fn class(&self, place: Place) -> Option<&BTreeSet<Place>> {
        self.by_digest.get(&self.by_place.get(&place)?.digest)
    }

    pub(crate) fn insert(&mut self, place: Place, document: Document) {
        self.by_id.insert(document.id.clone(), place);
        if !document.empty {
            let copies = self.by_digest.entry(document.digest).or_default();
            let before = copies.first().copied();
            copies.insert(place);
            match before {
                Some(first) if first < place => {}
                before => {
                    before.into_iter().for_each(|first| remove(&mut self.first_copies, &document.sketched, first));
                    add(&mut self.first_copies, &document.sketched, place);
                }
            }
        }
        self.by_place.insert(place, document);
    }

    pub(crate) fn remove(&mut self, place: Place) -> Option<Document> {
        let document = self.by_place.remove(&place)?;
        self.by_id.remove(&document.id);
        if document.verdict == Some(Verdict::Kept) {
            remove(&mut self.kept, &document.sketched, place);
        }
        if document.empty {
            return Some(document);
        }
        if let Some(copies) = self.by_digest.get_mut(&document.digest) {
            let was_first = copies.first() == Some(&place);
            copies.remove(&place);
            if was_first {
                remove(&mut self.first_copies, &document.sketched, place);
                match copies.first() {
                    // Copies have equal sketches.
                    Some(&next) => add(&mut self.first_copies, &document.sketched, next),
                    None => drop(self.by_digest.remove(&document.digest)),
                }
            }
        }
        Some(document)
    }

    /// Returns the similarity of two documents that share a key, if it reaches the threshold. Without verification it is 1.
    fn similarity(&self, a: &Sketched, b: &Sketched) -> Option<f64> {
        match self.method.verify() {
            Verify::None => self.method.agree(&a.bits, &b.bits).then_some(1.0),
            Verify::Exact | Verify::Sketch => a.similarity(b, &self.method),
        }
    }

    /// Returns the documents of `columns` that match a document, each once, with their similarities.
    fn matching(&self, columns: &Columns, asked: &Sketched, accept: impl Fn(Place) -> bool) -> Vec<(Place, f64)> {
        let sharing = columns.iter().zip(&asked.keys).filter_map(|(column, key)| column.get(key)).flatten();
        let candidates: BTreeSet<Place> = sharing.copied().filter(|&place| accept(place)).collect();
        let similarity = |place: Place| Some((place, self.similarity(asked, &self.by_place.get(&place)?.sketched)?));
        candidates.into_iter().filter_map(similarity).collect()
    }

    /// Returns all documents that match a text with tokens, copies included, with their similarities.
    pub(crate) fn all_matching(&self, digest: Digest, asked: &Sketched) -> Vec<(Place, f64)> {
        let same = self.by_digest.get(&digest).and_then(BTreeSet::first).copied();
        let mut found = self.matching(&self.first_copies, asked, |place| Some(place) != same);
        found.extend(same.map(|first| (first, 1.0)));
        let copies =
            |(first, similarity): (Place, f64)| self.class(first).into_iter().flatten().map(move |&copy| (copy, similarity));
        found.into_iter().flat_map(copies).collect()
    }
}

fn add(columns: &mut Columns, sketched: &Sketched, place: Place) {
    columns.iter_mut().zip(&sketched.keys).for_each(|(column, &key)| column.entry(key).or_default().push(place));
}

fn remove(columns: &mut Columns, sketched: &Sketched, place: Place) {
    for (column, key) in columns.iter_mut().zip(&sketched.keys) {
        if let Some(bucket) = column.get_mut(key) {
            bucket.retain(|&other| other != place);
            if bucket.is_empty() {
                column.remove(key);
            }
        }
    }
}

impl Content for Documents {
    fn verdict(&self, document: Place) -> Result<Option<Verdict>> {
        Ok(self.by_place.get(&document).and_then(|document| document.verdict))
    }

    fn decide(&mut self, document: Place, verdict: Verdict) -> Result<()> {
        let Some(held) = self.by_place.get_mut(&document) else { return Ok(()) };
        let was_kept = held.verdict == Some(Verdict::Kept);
        held.verdict = Some(verdict);
        match (was_kept, verdict.is_kept()) {
            (false, true) => add(&mut self.kept, &held.sketched, document),
            (true, false) => remove(&mut self.kept, &held.sketched, document),
            _ => {}
        }
        Ok(())
    }

    fn is_empty(&self, document: Place) -> Result<bool> {
        Ok(self.by_place.get(&document).is_none_or(|document| document.empty))
    }

    fn first_copy(&self, document: Place) -> Result<Place> {
        Ok(self.class(document).and_then(BTreeSet::first).copied().unwrap_or(document))
    }

    fn copies_after(&self, document: Place, after: Place) -> Result<Vec<Place>> {
        let later =
            self.class(document).map(|copies| copies.range((std::ops::Bound::Excluded(after), std::ops::Bound::Unbounded)));
        Ok(later.into_iter().flatten().copied().collect())
    }

    fn best_kept(&self, document: Place) -> Result<Option<(Place, f64)>> {
        let Some(held) = self.by_place.get(&document) else { return Ok(None) };
        let matching = self.matching(&self.kept, &held.sketched, |place| place < document);
        Ok(matching.into_iter().reduce(|best, next| if next.1 > best.1 { next } else { best }))
    }

    fn matches(&self, document: Place) -> Result<Vec<Place>> {
        let own = self.first_copy(document)?;
        let Some(held) = self.by_place.get(&document) else { return Ok(Vec::new()) };
        let matching = self.matching(&self.first_copies, &held.sketched, |place| place != own && place != document);
        Ok(matching.into_iter().map(|(place, _)| place).collect())
    }
}
