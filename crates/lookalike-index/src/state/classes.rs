//! Classes of copies: which of their documents is posted, and which comes first in keep order.

use lookalike::fingerprint::Digest;

use super::{documents::State, new::Sketched};
use crate::error::Result;

impl State {
    /// Returns whether a document is posted.
    pub(crate) fn is_posted(&self, number: u64) -> bool {
        match self.memory.get(number) {
            Some(held) => held.posted,
            None => self
                .in_segment(number)
                .is_some_and(|(open, offset)| open.segment.posted().contains(offset) || self.late.contains(&number)),
        }
    }

    /// Returns the posted document of a class; none if no document has this digest.
    pub(crate) fn posted_of(&self, digest: Digest) -> Result<Option<u64>> {
        match self.posted.get(&digest) {
            Some(&posted) => Ok(Some(posted)),
            None => Ok(self.with_digest(digest)?.into_iter().find(|&number| self.is_posted(number))),
        }
    }

    /// Returns the first copy of the class of a posted document.
    pub(crate) fn first_of_posted(&self, posted: u64) -> u64 {
        self.firsts.get(&posted).copied().unwrap_or(posted)
    }

    /// Returns the posted document of a document's class, and its first copy.
    pub(crate) fn class_of(&self, number: u64) -> Result<(u64, u64)> {
        // Most documents have no copies.
        if self.is_posted(number) {
            return Ok((number, self.first_of_posted(number)));
        }
        let posted = self.posted_of(self.digest(number)?)?.ok_or_else(|| Self::missing(number))?;
        Ok((posted, self.first_of_posted(posted)))
    }

    /// Adds a document under the next number. It is not decided.
    pub(crate) fn insert(&mut self, new: Sketched) -> Result<u64> {
        if new.empty {
            return Ok(self.memory.push(new, false));
        }
        let digest = new.digest;
        let posted = match (self.posted.get(&digest), self.ahead.posted(self.memory.next(), digest)) {
            (Some(&posted), _) => Some(posted),
            (None, Some(None)) => None,
            (None, Some(Some(posted))) if self.is_live(posted) && self.is_posted(posted) => Some(posted),
            (None, _) => self.posted_of(digest)?,
        };
        match posted {
            None => {
                let number = self.memory.push(new, true);
                self.posted.insert(digest, number);
                Ok(number)
            }
            Some(posted) => {
                let number = self.memory.push(new, false);
                self.posted.insert(digest, posted);
                if self.place(number)? < self.place(self.first_of_posted(posted))? {
                    self.firsts.insert(posted, number);
                }
                Ok(number)
            }
        }
    }

    /// Removes a document.
    pub(crate) fn remove(&mut self, number: u64) -> Result<()> {
        if self.is_without_text(number) {
            self.forget(number);
            return Ok(());
        }
        let digest = self.digest(number)?;
        let (posted, first) = self.class_of(number)?;
        self.forget(number);
        if number != posted && number != first {
            return Ok(());
        }
        let mut copies = Vec::new();
        for copy in self.with_digest(digest)? {
            copies.push(self.place(copy)?);
        }
        self.firsts.remove(&posted);
        match copies.into_iter().min() {
            None => {
                self.posted.remove(&digest);
            }
            Some(next) if number == posted => self.post(digest, next.number)?,
            Some(next) if next.number != posted => {
                self.firsts.insert(posted, next.number);
            }
            Some(_) => {}
        }
        Ok(())
    }

    /// Marks a document as removed.
    fn forget(&mut self, number: u64) {
        self.verdicts.remove(&number);
        self.late.remove(&number);
        if let Some((open, offset)) = self.in_segment_mut(number) {
            open.live.remove(offset);
            open.kept.remove(offset);
        }
        self.memory.remove(number);
    }

    /// Makes a document the posted one of its class.
    fn post(&mut self, digest: Digest, number: u64) -> Result<()> {
        match self.memory.get_mut(number) {
            Some(held) => held.posted = true,
            None => {
                self.late.insert(number);
            }
        }
        if self.posted.contains_key(&digest) {
            self.posted.insert(digest, number);
        }
        self.chain(number, self.is_kept(number))
    }

    /// Adds the keys of a posted document to the postings in memory, unless they are there, or in its segment.
    pub(crate) fn chain(&mut self, posted: u64, is_kept: bool) -> Result<()> {
        let in_segment = self.in_segment(posted).filter(|(open, offset)| open.segment.posted().contains(*offset));
        let is_there = match (in_segment, is_kept) {
            (Some((open, offset)), true) => open.segment.leading().contains(offset) || self.in_leading.contains_key(&posted),
            (Some(_), false) => true,
            (None, true) => self.in_leading.contains_key(&posted),
            (None, false) => self.in_following.contains_key(&posted),
        };
        if is_there {
            return Ok(());
        }
        let mut keys = Vec::with_capacity(self.shape.bands);
        self.keys(posted, &mut keys)?;
        let (chains, numbers) = match is_kept {
            true => (&mut self.leading, &mut self.in_leading),
            false => (&mut self.following, &mut self.in_following),
        };
        chains.add(&keys, posted);
        numbers.insert(posted, ());
        Ok(())
    }
}
