//! Searches for many documents at once, before they are added.

use std::ops::Range;

use lookalike::fingerprint::{Digest, Lookup};
use rayon::prelude::*;

use super::{
    documents::{Ahead, State},
    new::Sketched,
};
use crate::{apart::apart, error::Result, id::Id};

/// At most this many candidates are remembered, 8 bytes each, and at most as many are found at a time, 16 bytes each.
const MOST: usize = 4 << 20;

impl State {
    /// Searches segments for the candidates and the copies of documents that are added next, in this order. Each block of postings is read
    /// once, unless there are too many candidates. Cost: up to one read of all postings.
    pub(crate) fn search_ahead(&mut self, added: &[Sketched]) -> Result<()> {
        if self.segments.is_empty() {
            return Ok(());
        }
        let (mut candidates, mut left) = (vec![None; added.len()], MOST);
        self.candidates_ahead(added, 0..added.len(), MOST, &mut left, &mut candidates)?;
        let mut digests: Vec<Digest> = added.iter().filter(|new| !new.empty).map(|new| new.digest).collect();
        digests.sort_unstable();
        digests.dedup();
        let hashes = (0..).zip(&digests).map(|(at, &digest)| (digest as u32, at)).collect();
        let mut posted = Lookup::default();
        for (at, _) in self.found_in_column(self.shape.digests(), hashes, true, usize::MAX - 1)?.unwrap_or_default() {
            let digest = digests[at as usize];
            if !posted.contains_key(&digest)
                && let Some(number) = self.posted_of(digest)?
            {
                posted.insert(digest, number);
            }
        }
        self.ahead = Ahead { first: self.memory.next(), candidates, posted };
        Ok(())
    }

    /// Searches for the candidates of some of the documents. Pages with one template can have as many candidates as there are documents, so
    /// the search is given up if it finds more than `most`; then each half is searched. What does not fit into `left` is not remembered:
    /// the candidates of these documents are searched for one document at a time.
    fn candidates_ahead(
        &self,
        added: &[Sketched],
        range: Range<usize>,
        most: usize,
        left: &mut usize,
        candidates: &mut [Option<Vec<u64>>],
    ) -> Result<()> {
        let with_text = || range.clone().filter(|&at| !added[at].empty);
        let column = |column: usize| {
            let keys = with_text().map(|at| (added[at].keys[column], at as u32)).collect();
            self.found_in_column(column, keys, false, most / self.shape.bands)
        };
        let columns: Result<Option<Vec<_>>> = apart(|| (0..self.shape.bands).into_par_iter().map(column).collect());
        match columns? {
            Some(columns) => {
                range.clone().for_each(|at| candidates[at] = Some(Vec::new()));
                for (at, number) in columns.into_iter().flatten() {
                    candidates[at as usize].get_or_insert_default().push(number);
                }
                for found in &mut candidates[range] {
                    let kept = found.as_mut().map_or(0, |found| {
                        found.sort_unstable();
                        found.dedup();
                        found.shrink_to_fit();
                        found.len()
                    });
                    match left.checked_sub(kept) {
                        Some(rest) => *left = rest,
                        None => *found = None,
                    }
                }
                Ok(())
            }
            None if range.len() > 1 && *left > 0 => {
                let middle = range.start + range.len() / 2;
                self.candidates_ahead(added, range.start..middle, most, left, candidates)?;
                self.candidates_ahead(added, middle..range.end, most, left, candidates)
            }
            None => Ok(()),
        }
    }

    /// Returns the documents with these ids, in the order of the ids.
    pub(crate) fn with_ids(&self, ids: &[&Id]) -> Result<Vec<Option<u64>>> {
        let mut numbers: Vec<Option<u64>> = ids.iter().map(|id| self.memory.with_id(id)).collect();
        let missing = (0..).zip(ids).filter(|(at, _)| numbers[*at as usize].is_none());
        let hashes = missing.map(|(at, id)| (id.hash(), at)).collect();
        for (at, number) in self.found_in_column(self.shape.ids(), hashes, false, usize::MAX - 1)?.unwrap_or_default() {
            if numbers[at as usize].is_none() && self.id(number)? == *ids[at as usize] {
                numbers[at as usize] = Some(number);
            }
        }
        Ok(numbers)
    }

    /// Searches the segments' postings for keys, each with a number. Returns these numbers with the documents that have the keys; none if
    /// there are more than `most`. In bands, documents that do not lead can be missing. With `once`, one document per key and segment is
    /// enough.
    fn found_in_column(
        &self,
        column: usize,
        mut keys: Vec<(u32, u32)>,
        once: bool,
        most: usize,
    ) -> Result<Option<Vec<(u32, u64)>>> {
        keys.sort_unstable();
        let (mut found, mut offsets) = (Vec::new(), Vec::new());
        for open in &self.segments {
            let mut postings = open.segment.postings(column)?.cursor();
            let mut before = None;
            for &(key, at) in &keys {
                if before != Some(key) {
                    offsets.clear();
                    postings.find(key, column < self.shape.bands, &mut offsets)?;
                    before = Some(key);
                }
                let live = offsets.iter().map(|&offset| u64::from(offset)).filter(|&offset| open.live.contains(offset));
                let live = live.take(if once { 1 } else { usize::MAX });
                found.extend(live.take(most + 1 - found.len()).map(|offset| (at, open.segment.head.base + offset)));
                if found.len() > most {
                    return Ok(None);
                }
            }
        }
        Ok(Some(found))
    }
}

#[cfg(test)]
mod tests {
    use lookalike::{Config, Method, Scratch};

    use super::{super::store::Store, *};

    #[test]
    fn few_candidates_are_remembered_and_few_copies_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let method = Method::new(Config { shingle: Some(1), ..Config::default() }).unwrap();
        let mut state = State::new(method.clone(), Store::Texts);
        let mut scratch = Scratch::default();
        let mut new = |id: i64, text: &str| Sketched::new(&method, Store::Texts, Id::Number(id), 0, text, &mut scratch);
        const WORDS: &str = "a page of one template that has many words in common with all the other pages of this site but one";
        // All pages are kept, because each has a few words of its own, and 50 pages have copies.
        let page = |id: i64| format!("{WORDS} {id}a {id}b {id}c {id}d {id}e {id}f {id}g");
        let held = (0..400).map(|id| new(id, &page(if id < 350 { id } else { 0 }))).collect();
        state.apply(&[], held).unwrap();
        let flushed = state.flushed(folder.path()).unwrap();
        state.use_flushed(flushed).unwrap();
        let added: Vec<Sketched> = (1000..1100).map(|id| new(id, &page(if id % 2 == 0 { 0 } else { id }))).collect();
        let alone: Vec<Vec<u64>> = added.iter().map(|new| state.candidates(&new.keys, true).unwrap()).collect();
        let total: usize = alone.iter().map(Vec::len).sum();
        assert!(total > 100 * added.len(), "{total}");
        // Enough for all, for some of them, and for none.
        for most in [100 * total, total / 4, total / 20, 10] {
            let mut candidates = vec![None; added.len()];
            state.candidates_ahead(&added, 0..added.len(), most, &mut most.clone(), &mut candidates).unwrap();
            let some = || candidates.iter().zip(&alone).filter_map(|(found, alone)| Some((found.as_ref()?, alone)));
            assert!(some().all(|(found, alone)| found == alone));
            assert!(some().map(|(found, _)| found.len()).sum::<usize>() <= most);
            assert_eq!(some().count() == added.len(), most > total, "{most}");
        }
        state.search_ahead(&added).unwrap();
        assert_eq!(state.ahead.posted.len(), 1);
        let digests = |once| {
            let keys = (0..).zip(&added).map(|(at, new)| (new.digest as u32, at)).collect();
            state.found_in_column(state.shape.digests(), keys, once, 1 << 20).unwrap().unwrap().len()
        };
        assert_eq!((digests(false), digests(true)), (50 * 51, 50));
    }
}
