//! The law's view of the documents.

use std::sync::Arc;

use super::documents::{State, with_buffers};
use crate::{
    error::Result,
    law::{Content, Place, Verdict},
};

/// Returns the more similar of two documents; of equally similar ones, the first in keep order.
fn better(a: (Place, f64), b: (Place, f64)) -> (Place, f64) {
    if b.1 > a.1 || b.1 == a.1 && b.0 < a.0 {
        b
    } else {
        a
    }
}

impl State {
    /// Returns the posted documents that have a key of `keys`, in order. With `only_leading`, those whose first copies are dropped
    /// can be missing. Cost: a read for each key and segment.
    pub(crate) fn candidates(&self, keys: &[u32], only_leading: bool) -> Result<Vec<u64>> {
        let mut found = self.candidates_in_segments(keys, only_leading)?;
        self.add_candidates_in_memory(keys, only_leading, &mut found);
        Ok(found)
    }

    fn candidates_in_segments(&self, keys: &[u32], only_leading: bool) -> Result<Vec<u64>> {
        let (mut found, mut offsets) = (Vec::new(), Vec::new());
        for open in &self.segments {
            offsets.clear();
            for (column, &key) in keys.iter().enumerate() {
                let postings = open.segment.postings(column)?;
                with_buffers(|buffers| {
                    postings.find(key, only_leading, &mut buffers.blocks, &mut offsets)
                })?;
            }
            found.extend(
                offsets
                    .iter()
                    .map(|&offset| open.segment.head.base + u64::from(offset)),
            );
        }
        Ok(found)
    }

    /// Adds the candidates that are found in memory, and removes those that no longer exist.
    fn add_candidates_in_memory(&self, keys: &[u32], only_leading: bool, found: &mut Vec<u64>) {
        for (column, &key) in keys.iter().enumerate() {
            found.extend(self.leading.find(column, key));
            if !only_leading {
                found.extend(self.following.find(column, key));
            }
        }
        found.sort_unstable();
        found.dedup();
        found.retain(|&number| self.is_live(number));
    }

    /// Returns the candidates of a document. If the best one in segments is known, the others in segments are left out.
    fn candidates_of(&self, number: u64, only_leading: bool) -> Result<Vec<u64>> {
        let mut found = Vec::new();
        if let Some(mates) = &self.mates {
            mates.find(number, &mut found);
        }
        let is_known = only_leading && self.ahead.best(number).is_some();
        if is_known && found.is_empty() && self.leading.numbers().is_empty() {
            return Ok(found);
        }
        let mut keys = Vec::with_capacity(self.shape.bands);
        self.keys(number, &mut keys)?;
        match self.ahead.candidates(number).filter(|_| only_leading) {
            Some(ahead) => found.extend(ahead),
            None if is_known => {}
            None => found.extend(self.candidates_in_segments(&keys, only_leading)?),
        }
        self.add_candidates_in_memory(&keys, only_leading, &mut found);
        Ok(found)
    }

    /// Returns the best of the kept documents among candidates that match a document and come before it, and its similarity.
    pub(super) fn best_of(
        &self,
        candidates: &[u64],
        document: Place,
        bits: &[u8],
        set: &mut dyn FnMut() -> Result<Arc<[u64]>>,
    ) -> Result<Option<(Place, f64)>> {
        let mut best = None;
        for &posted in candidates {
            // Kept documents are the first copies of their classes: a kept document also represents its copies.
            let first = self.first_of_posted(posted);
            if !self.is_kept(first) {
                continue;
            }
            let place = self.place(first)?;
            if place < document
                && let Some(similarity) = self.similarity(bits, set, posted)?
            {
                let found = (place, similarity);
                best = Some(best.map_or(found, |best| better(best, found)));
            }
        }
        Ok(best)
    }

    fn sketch(&self, number: u64) -> Result<Vec<u8>> {
        self.with_sketch(number, <[u8]>::to_vec)
    }
}

impl Content for State {
    fn verdict(&self, document: Place) -> Result<Option<Verdict>> {
        self.verdict_of(document.number)
    }

    fn decide(&mut self, document: Place, verdict: Verdict) -> Result<()> {
        let number = document.number;
        match self.memory.get_mut(number) {
            Some(held) => held.verdict = Some(verdict),
            None => {
                if let Some((open, offset)) = self.in_segment_mut(number) {
                    open.kept.set(offset, verdict.is_kept());
                    self.verdicts.insert(number, verdict);
                    self.note(number);
                }
            }
        }
        self.last_decided = self.last_decided.max(Some(document));
        if self.is_without_text(number) {
            return Ok(());
        }
        let (posted, first) = self.class_of(number)?;
        if first == number {
            self.chain(posted, verdict.is_kept())
        } else {
            Ok(())
        }
    }

    fn last_decided(&self) -> Option<Place> {
        self.last_decided
    }

    fn is_empty(&self, document: Place) -> Result<bool> {
        Ok(self.is_without_text(document.number))
    }

    fn first_copy(&self, document: Place) -> Result<Place> {
        let (_, first) = self.class_of(document.number)?;
        self.place(first)
    }

    fn copies_after(&self, document: Place, after: Place) -> Result<Vec<Place>> {
        let mut copies = Vec::new();
        for number in self.with_digest(self.digest(document.number)?)? {
            let place = self.place(number)?;
            if place > after {
                copies.push(place);
            }
        }
        Ok(copies)
    }

    fn best_kept(&self, document: Place) -> Result<Option<(Place, f64)>> {
        let mut best = self.ahead.best(document.number).flatten();
        let candidates = self.candidates_of(document.number, true)?;
        if !candidates.is_empty() {
            let bits = self.sketch(document.number)?;
            let others = self.best_of(&candidates, document, &bits, &mut || {
                self.set(document.number)
            })?;
            best = [best, others].into_iter().flatten().reduce(better);
        }
        Ok(best)
    }

    fn matches(&self, document: Place) -> Result<Vec<Place>> {
        let (own, _) = self.class_of(document.number)?;
        let bits = self.sketch(document.number)?;
        let mut matches = Vec::new();
        for posted in self.candidates_of(document.number, false)? {
            if posted != own
                && self
                    .similarity(&bits, &mut || self.set(document.number), posted)?
                    .is_some()
            {
                matches.push(self.place(self.first_of_posted(posted))?);
            }
        }
        Ok(matches)
    }
}
