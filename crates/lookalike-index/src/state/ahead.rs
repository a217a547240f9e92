//! Searches for many documents at once, before they are added.

use lookalike::fingerprint::Lookup;
use rayon::prelude::*;

use super::{
    documents::{Ahead, State},
    new::Sketched,
};
use crate::{error::Result, id::Id};

impl State {
    /// Searches segments for the candidates and the copies of documents that are added next, in this order. Each block of postings is read
    /// once. Cost: up to one read of all postings.
    pub(crate) fn search_ahead(&mut self, added: &[Sketched]) -> Result<()> {
        if self.segments.is_empty() {
            return Ok(());
        }
        let with_text = || (0..).zip(added).filter(|(_, new)| !new.empty);
        let column = |column: usize| self.found_in_column(column, with_text().map(|(at, new)| (new.keys[column], at)).collect());
        let columns: Vec<Vec<(u32, u64)>> = (0..self.shape.bands).into_par_iter().map(column).collect::<Result<_>>()?;
        let mut candidates = vec![Vec::new(); added.len()];
        for (at, number) in columns.into_iter().flatten() {
            candidates[at as usize].push(number);
        }
        let mut posted = Lookup::default();
        let digests = with_text().map(|(at, new)| (new.digest as u32, at)).collect();
        for (at, _) in self.found_in_column(self.shape.digests(), digests)? {
            let digest = added[at as usize].digest;
            if !posted.contains_key(&digest)
                && let Some(number) = self.posted_of(digest)?
            {
                posted.insert(digest, number);
            }
        }
        self.ahead = Ahead { first: self.memory.next(), candidates, posted };
        Ok(())
    }

    /// Returns the documents with these ids, in the order of the ids.
    pub(crate) fn with_ids(&self, ids: &[&Id]) -> Result<Vec<Option<u64>>> {
        let mut numbers: Vec<Option<u64>> = ids.iter().map(|id| self.memory.with_id(id)).collect();
        let missing = (0..).zip(ids).filter(|(at, _)| numbers[*at as usize].is_none());
        let hashes = missing.map(|(at, id)| (id.hash(), at)).collect();
        for (at, number) in self.found_in_column(self.shape.ids(), hashes)? {
            if numbers[at as usize].is_none() && self.id(number)? == *ids[at as usize] {
                numbers[at as usize] = Some(number);
            }
        }
        Ok(numbers)
    }

    /// Searches the segments' postings for keys, each with a number. Returns these numbers with the documents that have the keys. In bands,
    /// documents that do not lead can be missing.
    fn found_in_column(&self, column: usize, mut keys: Vec<(u32, u32)>) -> Result<Vec<(u32, u64)>> {
        keys.sort_unstable();
        let (mut found, mut offsets) = (Vec::new(), Vec::new());
        for open in &self.segments {
            let mut postings = open.segment.postings(column)?.cursor();
            for &(key, at) in &keys {
                offsets.clear();
                postings.find(key, column < self.shape.bands, &mut offsets)?;
                let live = offsets.iter().map(|&offset| u64::from(offset)).filter(|&offset| open.live.contains(offset));
                found.extend(live.map(|offset| (at, open.segment.head.base + offset)));
            }
        }
        Ok(found)
    }
}
