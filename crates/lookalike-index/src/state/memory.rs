//! Documents that are not in a segment yet.

use lookalike::fingerprint::Digest;

use super::{chains::Chains, new::Sketched};
use crate::{id::Id, law::Verdict};

/// A document in memory.
#[derive(Debug, Clone)]
pub(crate) struct Held {
    pub(crate) id: Id,
    pub(crate) key: u64,
    pub(crate) digest: Digest,
    pub(crate) empty: bool,
    pub(crate) payload: Vec<u8>,
    pub(crate) verdict: Option<Verdict>,
    /// Whether the document was removed.
    pub(crate) gone: bool,
    /// Whether it is the document of its class of copies that is found by its keys.
    pub(crate) posted: bool,
}

/// The documents with the numbers from `base`.
#[derive(Debug, Clone)]
pub(crate) struct Memory {
    pub(crate) base: u64,
    bands: usize,
    stride: usize,
    documents: Vec<Held>,
    keys: Vec<u32>,
    sketches: Vec<u8>,
    /// The documents by the hashes of their digests and of their ids.
    names: Chains,
    bytes: usize,
    /// If it was made already: the dictionary with which the documents are compressed.
    pub(crate) dictionary: Option<Vec<u8>>,
}

/// The two columns of `names`.
const DIGESTS: usize = 0;
const IDS: usize = 1;

impl Memory {
    pub(crate) fn new(base: u64, bands: usize, stride: usize) -> Self {
        let (documents, keys, sketches) = (Vec::new(), Vec::new(), Vec::new());
        Self {
            base,
            bands,
            stride,
            documents,
            keys,
            sketches,
            names: Chains::new(2),
            bytes: 0,
            dictionary: None,
        }
    }

    /// Sets the number of the first document, if there are none.
    pub(crate) fn begin_at(&mut self, base: u64) {
        if self.documents.is_empty() {
            self.base = base;
        }
    }

    /// Returns the number of the next document.
    pub(crate) fn next(&self) -> u64 {
        self.base + self.documents.len() as u64
    }

    /// Returns how much memory the documents take, in bytes, without their postings.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns all documents, removed ones included.
    pub(crate) fn all(&self) -> &[Held] {
        &self.documents
    }

    /// Returns a document; none if it is not in memory, or was removed.
    pub(crate) fn get(&self, number: u64) -> Option<&Held> {
        let at = number.checked_sub(self.base)?;
        self.documents
            .get(at as usize)
            .filter(|document| !document.gone)
    }

    pub(crate) fn get_mut(&mut self, number: u64) -> Option<&mut Held> {
        let at = number.checked_sub(self.base)?;
        self.documents
            .get_mut(at as usize)
            .filter(|document| !document.gone)
    }

    pub(crate) fn sketch(&self, number: u64) -> &[u8] {
        &self.sketches[(number - self.base) as usize * self.stride..][..self.stride]
    }

    pub(crate) fn keys(&self, number: u64) -> &[u32] {
        &self.keys[(number - self.base) as usize * self.bands..][..self.bands]
    }

    /// Makes room for more documents.
    pub(crate) fn reserve(&mut self, documents: usize) {
        self.documents.reserve(documents);
        self.keys.reserve(documents * self.bands);
        self.sketches.reserve(documents * self.stride);
        self.names.reserve(documents);
    }

    /// Adds a document under the next number.
    pub(crate) fn push(&mut self, new: Sketched, posted: bool) -> u64 {
        let number = self.next();
        let Sketched {
            id,
            key,
            digest,
            empty,
            keys,
            bits,
            payload,
        } = new;
        self.names.add(&[digest as u32, id.hash()], number);
        self.bytes += payload.len() + 4 * keys.len() + bits.len() + size_of::<Held>() + id.len();
        self.keys.extend(keys);
        self.sketches.extend(bits);
        self.documents.push(Held {
            id,
            key,
            digest,
            empty,
            payload,
            verdict: None,
            gone: false,
            posted,
        });
        number
    }

    /// Removes a document. Its number is not used again.
    pub(crate) fn remove(&mut self, number: u64) {
        if let Some(held) = self.get_mut(number) {
            held.gone = true;
            held.payload = Vec::new();
        }
    }

    /// Returns the documents with a digest.
    pub(crate) fn with_digest(&self, digest: Digest) -> impl Iterator<Item = u64> + '_ {
        let same = move |number: &u64| {
            self.get(*number)
                .is_some_and(|held| held.digest == digest && !held.empty)
        };
        self.names.find(DIGESTS, digest as u32).filter(same)
    }

    /// Returns the document with an id.
    pub(crate) fn with_id(&self, id: &Id) -> Option<u64> {
        self.names
            .find(IDS, id.hash())
            .find(|&number| self.get(number).is_some_and(|held| held.id == *id))
    }
}
