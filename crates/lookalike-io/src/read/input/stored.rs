//! Records that another part of the program stores.

use std::{fmt, io::Read};

use crate::error::Result;

/// Records that are stored somewhere else than in a file of a known format, such as in an index. A run reads them as JSON Lines, as often
/// as it needs. They must not change during the run.
pub trait StoredRecords: fmt::Debug + Send + Sync {
    /// Returns the name for messages and places.
    fn name(&self) -> &str;

    /// Returns about how many bytes the records have.
    fn bytes(&self) -> u64;

    /// Returns a text that differs if the records differ.
    ///
    /// # Errors
    /// Fails if the records cannot be read.
    fn version(&self) -> Result<String>;

    /// Returns the records as JSON Lines, with the ids and the texts in fields of these names. With `sets`, texts are arrays.
    ///
    /// # Errors
    /// Fails if the records cannot be read, or if they are not texts, or not sets.
    fn open(&self, id: &str, text: &str, sets: bool) -> Result<Box<dyn Read + Send>>;
}
