//! Classes of copies: which of their documents is posted, and which comes first in keep order. A
//! document is *posted* if it is found by its keys.

use std::{collections::BTreeMap, mem};

use lookalike::fingerprint::Digest;
use lookalike_io::lock::lock;

use super::{
    documents::{State, with_buffers},
    new::Sketched,
};
use crate::{
    apart::apart,
    error::{Error, Result},
    law::{Place, Verdict},
};

/// The posted document of a class is remembered if a search for it found this many documents.
const LARGE: usize = 8;

/// At most this many classes are remembered.
const MOST: usize = 1 << 18;

impl State {
    /// Returns whether a document is posted.
    pub(crate) fn is_posted(&self, number: u64) -> bool {
        match self.memory.get(number) {
            Some(held) => held.posted,
            None => self.in_segment(number).is_some_and(|(open, offset)| {
                open.segment.posted().contains(offset) || self.late.contains(&number)
            }),
        }
    }

    /// Returns the posted document of a class; none if no document has this digest.
    pub(crate) fn posted_of(&self, digest: Digest) -> Result<Option<u64>> {
        if let Some(&posted) = self.posted.get(&digest) {
            return Ok(Some(posted));
        }
        let in_memory = self
            .memory
            .with_digest(digest)
            .find(|&number| self.is_posted(number));
        if in_memory.is_some() || self.segments.is_empty() {
            return Ok(in_memory);
        }
        if let Some(&posted) = lock(&self.large).get(&digest) {
            return Ok(Some(posted));
        }
        let (mut found, mut size) = (Vec::new(), 0);
        for open in &self.segments {
            self.with_hash(open, digest, &mut found)?;
            size += found.len();
            for &offset in &found {
                let (offset, number) = (
                    u64::from(offset),
                    open.segment.head.base + u64::from(offset),
                );
                if self.is_posted(number)
                    && with_buffers(|buffers| {
                        Ok::<_, Error>(open.segment.digest(offset, buffers)? == digest)
                    })?
                {
                    if size >= LARGE {
                        let mut large = lock(&self.large);
                        if large.len() >= MOST {
                            large.clear();
                        }
                        large.insert(digest, number);
                    }
                    return Ok(Some(number));
                }
            }
        }
        Ok(None)
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
        let posted = self
            .posted_of(self.digest(number)?)?
            .ok_or_else(|| Self::missing(number))?;
        Ok((posted, self.first_of_posted(posted)))
    }

    /// Adds a document under the next number. It is not decided.
    pub(crate) fn insert(&mut self, new: Sketched) -> Result<u64> {
        if new.empty {
            return Ok(self.memory.push(new, false));
        }
        let digest = new.digest;
        let posted = match (
            self.posted.get(&digest),
            self.ahead.posted(self.memory.next(), digest),
        ) {
            (Some(&posted), _) => Some(posted),
            (None, Some(None)) => None,
            (None, Some(Some(posted))) if self.is_live(posted) && self.is_posted(posted) => {
                Some(posted)
            }
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

    /// Adds a document under the next number, with the decision about it. Its postings are not made, so it must be written as a segment
    /// before anything is searched.
    pub(crate) fn insert_decided(&mut self, new: Sketched, verdict: Verdict) -> Result<()> {
        let is_empty = new.empty;
        let number = self.insert(new)?;
        if let Some(held) = self.memory.get_mut(number) {
            held.verdict = Some(verdict);
        }
        self.last_decided = self.last_decided.max(Some(self.place(number)?));
        if is_empty {
            return Ok(());
        }
        let (posted, first) = self.class_of(number)?;
        // The segment of an earlier copy may say that the first copy is dropped.
        if first == number && self.in_segment(posted).is_some() {
            self.chain(posted, verdict.is_kept())
        } else {
            Ok(())
        }
    }

    /// Removes documents. Each class of copies is repaired once, after all are gone: a class of a million copies that are removed together
    /// would be listed a million times otherwise.
    pub(crate) fn remove(&mut self, removed: &[u64]) -> Result<()> {
        // The posted documents of the classes that lose it or their first copy.
        let mut classes = BTreeMap::new();
        for &number in removed {
            if !self.is_live(number) {
                return Err(Self::missing(number));
            }
            if self.is_without_text(number) {
                continue;
            }
            let (posted, first) = self.class_of(number)?;
            if number == posted || number == first {
                classes.insert(self.digest(number)?, posted);
            }
        }
        removed.iter().for_each(|&number| self.forget(number));
        for (digest, posted) in classes {
            self.mend(digest, posted)?;
        }
        Ok(())
    }

    /// Chooses the posted document and the first copy of a class again, after documents of it were removed.
    fn mend(&mut self, digest: Digest, posted: u64) -> Result<()> {
        let (mut next, mut count): (Option<Place>, usize) = (None, 0);
        for copy in self.with_digest(digest)? {
            let place = self.place(copy)?;
            next = Some(next.map_or(place, |next| next.min(place)));
            count += 1;
        }
        self.firsts.remove(&posted);
        let is_posted = self.is_live(posted);
        if !is_posted {
            lock(&self.large).remove(&digest);
        }
        match next.map(|place| place.number) {
            None => {
                self.posted.remove(&digest);
            }
            Some(next) if !is_posted => {
                if count >= LARGE || self.posted.contains_key(&digest) {
                    self.posted.insert(digest, next);
                }
                self.post(next)?;
            }
            Some(next) if next != posted => {
                self.firsts.insert(posted, next);
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
            self.note(number);
        }
        self.memory.remove(number);
    }

    /// Makes a document the posted one of its class.
    fn post(&mut self, number: u64) -> Result<()> {
        match self.memory.get_mut(number) {
            Some(held) => held.posted = true,
            None => {
                self.late.insert(number);
            }
        }
        self.chain(number, self.is_kept(number))
    }

    /// Adds the keys of a posted document to the postings in memory, unless they are there, or in its segment.
    pub(crate) fn chain(&mut self, posted: u64, is_kept: bool) -> Result<()> {
        self.note(posted);
        let in_segment = self
            .in_segment(posted)
            .filter(|(open, offset)| open.segment.posted().contains(*offset));
        let is_there = match (in_segment, is_kept) {
            (Some((open, offset)), true) => {
                open.segment.leading().contains(offset) || self.in_leading.contains_key(&posted)
            }
            (Some(_), false) => true,
            (None, true) => self.in_leading.contains_key(&posted),
            (None, false) => self.in_following.contains_key(&posted),
        };
        if is_there {
            return Ok(());
        }
        if is_kept {
            self.in_leading.insert(posted, ())
        } else {
            self.in_following.insert(posted, ())
        };
        if self
            .mates
            .as_ref()
            .is_some_and(|mates| mates.contains(posted))
        {
            // The other postings of the change are made later, together.
            self.unchained[usize::from(is_kept)].push(posted);
            self.mates
                .iter_mut()
                .filter(|_| is_kept)
                .for_each(|mates| mates.post(posted));
            return Ok(());
        }
        let mut keys = Vec::with_capacity(self.shape.bands);
        self.keys(posted, &mut keys)?;
        if is_kept {
            self.leading.add(&keys, posted)
        } else {
            self.following.add(&keys, posted)
        }
        Ok(())
    }

    /// Makes the postings of a change whose documents were found as [`Mates`](super::mates::Mates) while they were decided.
    pub(crate) fn end_mates(&mut self) {
        if self.mates.take().is_none() {
            return;
        }
        let (memory, [following, leading]) = (&self.memory, mem::take(&mut self.unchained));
        let chains = (&mut self.leading, &mut self.following);
        apart(|| {
            chains.0.add_all(&leading, |number| memory.keys(number));
            chains.1.add_all(&following, |number| memory.keys(number));
        });
    }
}
