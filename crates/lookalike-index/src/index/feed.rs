//! The change feed of an index.

use super::folder::Index;
use crate::{
    change::Change,
    error::Result,
    files::{damaged, feed},
};

impl Index {
    /// Returns at most `limit` changed decisions with their numbers, beginning after the change with the number `after`. Changes are
    /// numbered from 1.
    ///
    /// # Errors
    /// Fails if the index was opened for writing and a write failed, if a file cannot be read, or if it is damaged.
    pub fn changes(&self, after: u64, limit: usize) -> Result<Vec<(u64, Change)>> {
        let mut found = Vec::new();
        self.each_change(after, &mut |number, change| {
            if found.len() < limit {
                found.push((number, change));
            }
            Ok(found.len() < limit)
        })?;
        Ok(found)
    }

    /// Calls `give` with all changed decisions after the one with the number `after`, until it returns false. Memory: one part of the
    /// feed.
    ///
    /// # Errors
    /// Fails for the same reasons as [`changes`](Self::changes), or with any error of `give`.
    pub fn each_change(
        &self,
        after: u64,
        give: &mut dyn FnMut(u64, Change) -> Result<bool>,
    ) -> Result<()> {
        self.each_part(after, &mut |first, changes| {
            let numbered = (first..).zip(changes);
            for (number, change) in numbered.filter(|(number, _)| *number > after) {
                if !give(number, change)? {
                    return Ok(false);
                }
            }
            Ok(true)
        })
    }

    /// Calls `give` with the changes of each part of the feed that has changes after `after`, and with the number of the first of them,
    /// until it returns false. The last part is in memory.
    pub(super) fn each_part(
        &self,
        after: u64,
        give: &mut dyn FnMut(u64, Vec<Change>) -> Result<bool>,
    ) -> Result<()> {
        let feed = self.feed()?;
        let in_memory = feed.in_memory();
        let missing = |number| {
            let what = format!("changes from number {number} on are missing");
            Err(damaged(&self.folder, &what))
        };
        let mut next = 1;
        for (at, part) in feed.parts.iter().enumerate() {
            let (first, end) = (
                feed::first(part),
                feed.parts.get(at + 1).map_or(in_memory, feed::first),
            );
            if end <= after.saturating_add(1) {
                next = end;
                continue;
            }
            if first > next {
                return missing(next);
            }
            let changes = feed::read(&self.folder, part)?;
            next = first + changes.len() as u64;
            if next != end {
                return missing(next.min(end));
            }
            if !give(first, changes)? {
                return Ok(());
            }
        }
        if next != in_memory {
            return missing(next);
        }
        give(in_memory, feed.pending).map(|_| ())
    }
}
