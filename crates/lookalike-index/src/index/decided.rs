//! Documents that a batch decided.

use super::{
    folder::Index,
    writing::{MOST, refuse_large},
};
use crate::{
    change::{Change, Decided},
    error::Result,
    id::Id,
    law::Verdict,
    prepared::{DecidedDocument, Prepared, Represented},
    state::State,
};

impl Index {
    /// Adds documents with the decisions that one batch over all documents of this index made, in input order. Nothing is
    /// compared. Until the last document is added, decisions can name representatives that are not
    /// there, so use a folder that others do not know yet, and then rename it. [`check`](Self::check) can verify the decisions.
    ///
    /// # Errors
    /// Fails if an id is taken or occurs twice, or if the index cannot be written. Then nothing changes.
    pub fn add_decided(&self, documents: Vec<DecidedDocument>) -> Result<()> {
        let ids: Vec<&Id> = documents
            .iter()
            .map(|decided| decided.document.id())
            .collect();
        let mut writer = self.exclusive()?;
        self.read().refuse_taken(&ids, false)?;
        refuse_large(documents.iter().map(|decided| &decided.document.0), MOST)?;
        self.guarded(&mut writer, |writer| {
            let changes = self.write().apply_decided(documents)?;
            writer.next += changes.len() as u64;
            writer.pending.extend(changes);
            self.publish(writer)
        })
    }
}

impl State {
    /// Adds documents that were decided already, and describes these decisions. Their representatives can follow. Their postings are not
    /// made, so they must be written as a segment before anything is searched.
    fn apply_decided(&mut self, added: Vec<DecidedDocument>) -> Result<Vec<Change>> {
        let mut changes = Vec::with_capacity(added.len());
        for DecidedDocument {
            document: Prepared(new),
            represented,
        } in added
        {
            let (verdict, after) = match represented {
                None => (Verdict::Kept, Decided::Kept),
                Some(Represented {
                    number,
                    id,
                    similarity,
                }) => (
                    // Where a similarity is not measured, all count as 1.
                    Verdict::Dropped {
                        representative: number,
                        similarity: similarity.unwrap_or(1.0),
                    },
                    Decided::Dropped {
                        representative: id,
                        similarity,
                    },
                ),
            };
            changes.push(Change {
                id: new.id.clone(),
                before: None,
                after: Some(after),
            });
            self.insert_decided(new, verdict)?;
        }
        Ok(changes)
    }
}
