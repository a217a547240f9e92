//! Searches for many documents at once, before they are added.

use std::ops::Range;

use lookalike::fingerprint::{Digest, Lookup};
use lookalike_io::pool::{par_map, try_par_map};

use super::{
    documents::State,
    found::{Ahead, Found},
    mates::Mates,
    new::Sketched,
};
use crate::{apart::apart, error::Result, id::Id, law::Place};

/// At most this many candidates are remembered, 8 bytes each, and at most as many are found at a time, 16 bytes each.
const MOST: usize = 4 << 20;

impl State {
    /// Searches segments for the candidates and the copies of documents that are added next, in this order. Each block of postings is read
    /// once, unless there are too many candidates. If the documents come after all others in keep order, no decision about a document in a
    /// segment changes, and with `only_adds`, their best kept candidates are chosen, too. Cost: up to one read of all postings, and
    /// a comparison for each kept candidate.
    pub(crate) fn search_ahead(&mut self, added: &[Sketched], only_adds: bool) -> Result<()> {
        let (first, largest) = (
            self.memory.next(),
            added.iter().map(|new| new.key).max().unwrap_or(0),
        );
        let chooses = only_adds && self.last_decided < Some(Place::new(largest, first));
        if self.segments.is_empty() && !chooses {
            return Ok(());
        }
        let mut digests: Vec<Digest> = added
            .iter()
            .filter(|new| !new.empty)
            .map(|new| new.digest)
            .collect();
        digests.sort_unstable();
        digests.dedup();
        let mut hashes: Vec<(u32, u32)> = (0..)
            .zip(&digests)
            .map(|(at, &digest)| (digest as u32, at))
            .collect();
        hashes.sort_unstable();
        let mut posted = Lookup::default();
        for (at, _) in self
            .found_in_column(self.shape.digests(), hashes, true, usize::MAX - 1)?
            .unwrap_or_default()
        {
            let digest = digests[at as usize];
            if !posted.contains_key(&digest)
                && let Some(number) = self.posted_of(digest)?
            {
                posted.insert(digest, number);
            }
        }
        let columns = sorted(added, self.shape.bands);
        if chooses {
            self.mates = Some(Mates::new(first, added.len(), &columns));
        }
        let found = vec![Found::NotSearched; added.len()];
        let mut search = Search {
            state: self,
            added,
            columns: &columns,
            posted: &posted,
            chooses,
            left: MOST,
            found,
        };
        search.range(0..added.len(), MOST)?;
        let found = search.found;
        self.ahead = Ahead {
            first,
            found,
            posted,
        };
        Ok(())
    }
}

/// Returns the keys of each column in order, each with the number of a document.
fn sorted(added: &[Sketched], bands: usize) -> Vec<Vec<(u32, u32)>> {
    let of_column = |column: usize| {
        let with_text = (0..).zip(added).filter(|(_, new)| !new.empty);
        let mut keys: Vec<(u32, u32)> = with_text.map(|(at, new)| (new.keys[column], at)).collect();
        keys.sort_unstable();
        keys
    };
    apart(|| par_map(0..bands, of_column))
}

/// A search for candidates.
struct Search<'a> {
    state: &'a State,
    added: &'a [Sketched],
    /// The keys of each column in order, each with the number of a document of `added`.
    columns: &'a [Vec<(u32, u32)>],
    posted: &'a Lookup<Digest, u64>,
    /// Whether the best kept candidate is chosen.
    chooses: bool,
    /// How many candidates can still be remembered.
    left: usize,
    found: Vec<Found>,
}

impl Search<'_> {
    /// Searches for the candidates of some of the documents. Pages with one template can have as many candidates as there are documents, so
    /// the search is given up if it finds more than `most`; then each half is searched. What does not fit into `left` is not remembered:
    /// the candidates of these documents are searched for one document at a time.
    fn range(&mut self, range: Range<usize>, most: usize) -> Result<()> {
        let bands = self.state.shape.bands;
        let column = |column: usize| {
            let keys = self.columns[column]
                .iter()
                .copied()
                .filter(|(_, at)| range.contains(&(*at as usize)));
            self.state
                .found_in_column(column, keys, false, most / bands)
        };
        let columns = apart(|| try_par_map(0..bands, column))?;
        match columns.into_iter().collect::<Option<Vec<_>>>() {
            Some(columns) => {
                let mut candidates = vec![Vec::new(); range.len()];
                for (at, number) in columns.into_iter().flatten() {
                    candidates[at as usize - range.start].push(number);
                }
                for found in &mut candidates {
                    found.sort_unstable();
                    found.dedup();
                }
                if self.chooses {
                    self.choose(range, &candidates)?
                } else {
                    self.remember(range, candidates)
                }
                Ok(())
            }
            None if range.len() > 1 && self.left > 0 => {
                let middle = range.start + range.len() / 2;
                self.range(range.start..middle, most)?;
                self.range(middle..range.end, most)
            }
            None => Ok(()),
        }
    }

    fn remember(&mut self, range: Range<usize>, candidates: Vec<Vec<u64>>) {
        for (at, mut found) in range.zip(candidates) {
            if let Some(rest) = self.left.checked_sub(found.len()) {
                self.left = rest;
                found.shrink_to_fit();
                self.found[at] = Found::Candidates(found);
            }
        }
    }

    /// Chooses the best kept candidate of each document. Documents are not compared if their first copy is kept, because they are
    /// represented by it.
    fn choose(&mut self, range: Range<usize>, candidates: &[Vec<u64>]) -> Result<()> {
        let state = self.state;
        // Copies have the same best candidate, so only one of them is compared.
        let mut same: Lookup<Digest, usize> = Lookup::default();
        let mut compared = Vec::new();
        for at in range.clone().filter(|&at| !self.added[at].empty) {
            let digest = self.added[at].digest;
            let is_decided = self
                .posted
                .get(&digest)
                .is_some_and(|&posted| state.is_kept(state.first_of_posted(posted)));
            if !is_decided && same.insert(digest, at).is_none() {
                compared.push(at);
            }
        }
        let best = |&at: &usize| -> Result<_> {
            let (new, found) = (&self.added[at], &candidates[at - range.start]);
            let number = state.memory.next() + at as u64;
            let best = state.best_of(found, Place::new(new.key, number), &new.bits, &mut || {
                Ok(state.remembered_set(number, new))
            })?;
            Ok((new.digest, best))
        };
        let chosen = apart(|| try_par_map(&compared, best))?;
        let chosen: Lookup<Digest, _> = chosen.into_iter().collect();
        for at in range.filter(|&at| !self.added[at].empty) {
            if let Some(&best) = chosen.get(&self.added[at].digest) {
                self.found[at] = Found::Best(best);
            }
        }
        Ok(())
    }
}

impl State {
    /// Returns the documents with these ids, in the order of the ids.
    pub(crate) fn with_ids(&self, ids: &[&Id]) -> Result<Vec<Option<u64>>> {
        let mut numbers: Vec<Option<u64>> = ids.iter().map(|id| self.memory.with_id(id)).collect();
        let missing = (0..)
            .zip(ids)
            .filter(|(at, _)| numbers[*at as usize].is_none());
        let mut hashes: Vec<(u32, u32)> = missing.map(|(at, id)| (id.hash(), at)).collect();
        hashes.sort_unstable();
        for (at, number) in self
            .found_in_column(self.shape.ids(), hashes, false, usize::MAX - 1)?
            .unwrap_or_default()
        {
            if numbers[at as usize].is_none() && self.id(number)? == *ids[at as usize] {
                numbers[at as usize] = Some(number);
            }
        }
        Ok(numbers)
    }

    /// Searches the segments' postings for keys in increasing order, each with a number. Returns these numbers with the documents that have
    /// the keys; none if there are more than `most`. In bands, documents that do not lead can be missing. With `once`, one document per
    /// key and segment is enough.
    fn found_in_column(
        &self,
        column: usize,
        keys: impl IntoIterator<Item = (u32, u32), IntoIter: Clone>,
        once: bool,
        most: usize,
    ) -> Result<Option<Vec<(u32, u64)>>> {
        let keys = keys.into_iter();
        let (mut found, mut offsets) = (Vec::new(), Vec::new());
        for open in &self.segments {
            let mut postings = open.segment.postings(column)?.cursor();
            let mut before = None;
            for (key, at) in keys.clone() {
                if before != Some(key) {
                    offsets.clear();
                    postings.find(key, column < self.shape.bands, &mut offsets)?;
                    before = Some(key);
                }
                let live = offsets
                    .iter()
                    .map(|&offset| u64::from(offset))
                    .filter(|&offset| open.live.contains(offset));
                let live = live.take(if once { 1 } else { usize::MAX });
                found.extend(
                    live.take(most + 1 - found.len())
                        .map(|offset| (at, open.segment.head.base + offset)),
                );
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
    use std::sync::Arc;

    use lookalike::{Config, Method, Scratch};

    use super::{super::store::Store, *};

    #[test]
    fn few_candidates_are_remembered_and_few_copies_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let method = Method::new(Config {
            shingle: Some(1),
            ..Config::default()
        })
        .unwrap();
        let mut state = State::new(method.clone(), Store::Texts);
        let mut scratch = Scratch::default();
        let mut new = |id: i64, text: &str| {
            Sketched::new(&method, Store::Texts, Id::Number(id), 0, text, &mut scratch)
        };
        const WORDS: &str = "a page of one template that has many words in common with all the other pages of this site but one";
        // All pages are kept, because each has a few words of its own, and 50 pages have copies.
        let page = |id: i64| format!("{WORDS} {id}a {id}b {id}c {id}d {id}e {id}f {id}g");
        let held = (0..400)
            .map(|id| new(id, &page(if id < 350 { id } else { 0 })))
            .collect();
        state.apply(&[], held).unwrap();
        let flushed = state.flushed(folder.path()).unwrap();
        state.use_flushed(flushed).unwrap();
        let added: Vec<Sketched> = (1000..1100)
            .map(|id| new(id, &page(if id % 2 == 0 { 0 } else { id })))
            .collect();
        let alone: Vec<Vec<u64>> = added
            .iter()
            .map(|new| state.candidates(&new.keys, true).unwrap())
            .collect();
        let total: usize = alone.iter().map(Vec::len).sum();
        assert!(total > 100 * added.len(), "{total}");
        // Enough for all, for some of them, and for none.
        for most in [100 * total, total / 4, total / 20, 10] {
            let posted = Lookup::default();
            let found = vec![Found::NotSearched; added.len()];
            let columns = sorted(&added, state.shape.bands);
            let mut search = Search {
                state: &state,
                added: &added,
                columns: &columns,
                posted: &posted,
                chooses: false,
                left: most,
                found,
            };
            search.range(0..added.len(), most).unwrap();
            let some: Vec<(&Vec<u64>, &Vec<u64>)> = (search.found.iter().zip(&alone))
                .filter_map(|(found, alone)| {
                    if let Found::Candidates(found) = found {
                        Some((found, alone))
                    } else {
                        None
                    }
                })
                .collect();
            assert!(some.iter().all(|(found, alone)| found == alone));
            assert!(some.iter().map(|(found, _)| found.len()).sum::<usize>() <= most);
            assert_eq!(some.len() == added.len(), most > total, "{most}");
        }
        state.search_ahead(&added, true).unwrap();
        // Every second document is a copy of a kept one, so it is not compared.
        for (at, new) in added.iter().enumerate().skip(1).step_by(2) {
            let place = Place::new(0, state.memory.next() + at as u64);
            let set: Arc<[u64]> = state.set_of(&String::from_utf8_lossy(&new.payload));
            let best = state
                .best_of(&alone[at], place, &new.bits, &mut || Ok(set.clone()))
                .unwrap();
            assert_eq!(state.ahead.best(place.number), Some(best));
        }
        assert_eq!(
            state
                .ahead
                .found
                .iter()
                .filter(|found| **found == Found::NotSearched)
                .count(),
            50
        );
        // A change that removes documents can change decisions about documents in segments.
        state.search_ahead(&added, false).unwrap();
        assert!(
            state
                .ahead
                .found
                .iter()
                .all(|found| matches!(found, Found::Candidates(_)))
        );
        assert_eq!(state.ahead.posted.len(), 1);
        let digests = |once| {
            let mut keys: Vec<(u32, u32)> = (0..)
                .zip(&added)
                .map(|(at, new)| (new.digest as u32, at))
                .collect();
            keys.sort_unstable();
            state
                .found_in_column(state.shape.digests(), keys, once, 1 << 20)
                .unwrap()
                .unwrap()
                .len()
        };
        assert_eq!((digests(false), digests(true)), (50 * 51, 50));
    }
}
