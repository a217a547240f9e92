//! Finds the documents that a result names.

use lookalike::shown::cut;
use lookalike_io::error::{Error, Result};

use crate::sketching::{
    ids::{hash_label, hash_name},
    table::Table,
};

/// All documents by their ids. Programs often turn numbers into strings or back, and CSV has only strings, so 7 and "7" name the same
/// document unless the inputs have both. Memory: 32 bytes per document.
pub(in crate::jobs::audit) struct IdIndex<'a> {
    /// Pairs of the hash of an id's text and the document, sorted. Empty if documents are named by position.
    rows: Vec<(u128, u64)>,
    table: &'a Table,
}

impl<'a> IdIndex<'a> {
    pub(in crate::jobs::audit) fn new(table: &'a Table, by_position: bool) -> Result<Self> {
        let rows = if by_position {
            Vec::new()
        } else {
            table.ids.by_hash(table.documents, hash_label)?
        };
        Ok(Self { rows, table })
    }

    /// Returns the number of documents.
    pub(super) fn documents(&self) -> u32 {
        self.table.documents as u32
    }

    /// Returns the document with an id, which is given as JSON; `None` if there is none.
    ///
    /// # Errors
    /// Fails if several documents have the id.
    pub(super) fn find(&self, id: &str) -> Result<Option<u32>> {
        let hash = hash_label(id);
        let start = self.rows.partition_point(|row| row.0 < hash);
        let of_text: Vec<u32> = self.rows[start..]
            .iter()
            .take_while(|row| row.0 == hash)
            .map(|row| row.1 as u32)
            .collect();
        if let [] | [_] = &*of_text {
            return Ok(of_text.first().copied());
        }
        // The inputs have the number and the string as ids, or several documents with the same id.
        let (mut found, mut scratch) = (None, Vec::new());
        for document in of_text {
            if hash_name(self.table.ids.get(document.into(), &mut scratch)?) != hash_name(id) {
                continue;
            }
            if found.replace(document).is_some() {
                let what = format!("several documents of the texts have the id {}", cut(id));
                let advice = "make ids unique, or give $by_position if the result numbers documents by position";
                return Err(Error::record(what).advise(advice));
            }
        }
        Ok(found)
    }
}
