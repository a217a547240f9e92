//! Documents that are sketched before they are added.

use lookalike::{Method, Scratch};

use crate::{
    change::NewDocument,
    id::Id,
    state::{Sketched, Store},
};

/// A document with its sketch, ready to be added to the index for which it was prepared.
#[derive(Debug, Clone)]
pub struct Prepared(pub(crate) Sketched);

impl Prepared {
    /// Returns the id.
    pub fn id(&self) -> &Id {
        &self.0.id
    }

    /// Returns the same document with another id.
    #[must_use]
    pub fn with_id(self, id: Id) -> Self {
        Self(Sketched { id, ..self.0 })
    }

    /// Returns about how much memory the document takes, in bytes.
    pub fn bytes(&self) -> usize {
        self.0.bytes()
    }
}

/// A document with the decision that a batch made about it.
#[derive(Debug, Clone)]
pub struct DecidedDocument {
    /// The document.
    pub document: Prepared,
    /// What represents it, if it is dropped.
    pub represented: Option<Represented>,
}

/// The representative of a dropped document.
#[derive(Debug, Clone)]
pub struct Represented {
    /// Its number among all documents, from 0. It can be one that is added later.
    pub number: u64,
    /// Its id.
    pub id: Id,
    /// The document's similarity to it, exact or estimated; none if it was not measured.
    pub similarity: Option<f64>,
}

/// Sketches documents for an index. Any number of threads can do this while the index changes.
#[derive(Debug, Clone)]
pub struct Preparer {
    pub(crate) method: Method,
    pub(crate) store: Store,
}

impl Preparer {
    /// Sketches a document. Cost: reading the text twice.
    pub fn prepare(&self, new: &NewDocument, scratch: &mut Scratch) -> Prepared {
        Prepared(Sketched::new(
            &self.method,
            self.store,
            new.id.clone(),
            new.key,
            new.text,
            scratch,
        ))
    }
}
