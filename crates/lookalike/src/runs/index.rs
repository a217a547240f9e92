//! Finds the runs (shared sequences of tokens) that a text has in common with each of many other texts.

use std::ops::Range;

use super::{
    maximal::{is_too_much, longest_of_both, runs_at},
    run::Run,
    winnow::{Selected, Winnowing},
};

/// A selected window (a short sequence of tokens) of one of the texts. An entry takes 16 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// The window's fingerprint.
    pub key: u64,
    /// The number of the text.
    pub text: u32,
    /// The position of the window's first token.
    pub at: u32,
}

/// The selected windows of many texts, sorted by their fingerprints. The index takes 17 bytes per window, and has about one
/// window per `least / 4` tokens.
#[derive(Debug)]
pub struct RunIndex {
    winnowing: Winnowing,
    entries: Vec<Entry>,
    /// For each value of the upper key bits, the start of the entries whose keys have that value.
    starts: Vec<usize>,
    shift: u32,
    excluded: u64,
}

/// Scratch buffers for looking up texts.
#[derive(Debug, Default)]
pub struct Lookup {
    scratch: Vec<u64>,
    selected: Vec<Selected>,
    equal: Vec<Equal>,
}

/// Equal windows of an indexed text and of the text that was looked up.
#[derive(Debug, Clone)]
struct Equal {
    text: u32,
    entries: Range<usize>,
    selected: Range<usize>,
}

/// An indexed text that has windows in common with the text that was looked up, and may share runs with it.
#[derive(Debug)]
pub struct SharedText<'a> {
    /// The number of the text.
    pub text: u32,
    index: &'a RunIndex,
    selected: &'a [Selected],
    equal: &'a [Equal],
}

impl RunIndex {
    /// Builds the index from entries in any order. Windows in more than `common` texts are excluded, so a run is not found if all
    /// its selected windows are excluded. When the texts with a window are counted for this limit, each counts as `copies(text)`
    /// texts, so only one of several equal texts has to be indexed. The entries are sorted, which is fast if they are already in
    /// order.
    pub fn new(
        mut entries: Vec<Entry>,
        winnowing: Winnowing,
        common: u32,
        copies: impl Fn(u32) -> u32,
    ) -> Self {
        entries.sort_unstable();
        let (mut excluded, mut kept, mut start) = (0, 0, 0);
        while common < u32::MAX && start < entries.len() {
            let end = start + equal(&entries[start..], |entry| entry.key);
            let texts = entries[start..end]
                .chunk_by(|a, b| a.text == b.text)
                .map(|entries| u64::from(copies(entries[0].text)));
            if texts.sum::<u64>() > u64::from(common) {
                excluded += 1;
            } else {
                entries.copy_within(start..end, kept);
                kept += end - start;
            }
            start = end;
        }
        if common < u32::MAX {
            entries.truncate(kept);
        }
        let bits = (entries.len() / 8).max(2).ilog2();
        let shift = u64::BITS - bits;
        let mut starts = vec![0; (1 << bits) + 1];
        entries
            .iter()
            .zip(1..)
            .for_each(|(entry, end)| starts[(entry.key >> shift) as usize + 1] = end);
        (1..starts.len()).for_each(|at| starts[at] = starts[at].max(starts[at - 1]));
        Self {
            winnowing,
            entries,
            starts,
            shift,
            excluded,
        }
    }

    /// Returns the number of excluded windows.
    pub fn excluded(&self) -> u64 {
        self.excluded
    }

    /// Calls `give` for each indexed text that has windows in common with the given text and whose number is less than `below`.
    /// Stops when `give` returns an error. The given text is passed as the hashes of its tokens. The indexed texts are visited in
    /// the order of their numbers. Cost: two cache misses per selected window, and a few nanoseconds per equal window.
    ///
    /// # Errors
    /// Fails with the error of `give` if `give` fails.
    ///
    /// # Panics
    /// Panics if the text has 2³² tokens or more.
    pub fn each_shared_text<E>(
        &self,
        tokens: &[u64],
        below: u32,
        lookup: &mut Lookup,
        mut give: impl FnMut(SharedText) -> Result<(), E>,
    ) -> Result<(), E> {
        let Lookup {
            scratch,
            selected,
            equal: found,
        } = lookup;
        self.winnowing.select(tokens, scratch, selected);
        selected.sort_unstable();
        found.clear();
        let mut from = 0;
        while let Some(&Selected { key, .. }) = selected.get(from) {
            let own = from..from + equal(&selected[from..], |selected| selected.key);
            from = own.end;
            let bucket = (key >> self.shift) as usize;
            let (mut start, end) = (self.starts[bucket], self.starts[bucket + 1]);
            start += self.entries[start..end].partition_point(|entry| entry.key < key);
            while let Some(entry) = self.entries[start..end]
                .first()
                .filter(|entry| entry.key == key && entry.text < below)
            {
                let entries = start
                    ..start + equal(&self.entries[start..end], |entry| (entry.key, entry.text));
                start = entries.end;
                found.push(Equal {
                    text: entry.text,
                    entries,
                    selected: own.clone(),
                });
            }
        }
        found.sort_by_key(|equal| equal.text);
        found
            .chunk_by(|a, b| a.text == b.text)
            .try_for_each(|equal| {
                give(SharedText {
                    text: equal[0].text,
                    index: self,
                    selected,
                    equal,
                })
            })
    }
}

/// Returns the number of items at the start of a slice that have the same key as the first item.
fn equal<T, K: PartialEq>(things: &[T], key: impl Fn(&T) -> K) -> usize {
    things
        .iter()
        .take_while(|thing| key(thing) == key(&things[0]))
        .count()
}

impl SharedText<'_> {
    /// Returns the runs of the indexed text and the text that was looked up. These are the runs that
    /// [`shared_runs`](super::shared_runs) gives for two texts, except those that only excluded windows would find. The caller
    /// passes both texts again, because the index does not store them.
    pub fn runs(&self, of_index: &[u64], looked_up: &[u64]) -> Vec<Run> {
        let least = self.index.winnowing.least();
        if is_too_much(
            self.equal
                .iter()
                .map(|equal| equal.entries.len() * equal.selected.len())
                .sum(),
            of_index,
            looked_up,
        ) {
            return longest_of_both(of_index, looked_up, least);
        }
        let pairs = self.equal.iter().flat_map(|equal| {
            let (entries, selected) = (
                &self.index.entries[equal.entries.clone()],
                &self.selected[equal.selected.clone()],
            );
            entries
                .iter()
                .flat_map(|entry| selected.iter().map(|selected| (entry.at, selected.at)))
        });
        runs_at(of_index, looked_up, pairs.collect(), least)
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use proptest::prelude::*;

    use super::{super::shared_runs, *};

    fn index(texts: &[Vec<u64>], winnowing: Winnowing, common: u32) -> RunIndex {
        let (mut scratch, mut selected, mut entries) = (Vec::new(), Vec::new(), Vec::new());
        for text in (0..texts.len() as u32).rev() {
            winnowing.select(&texts[text as usize], &mut scratch, &mut selected);
            entries.extend(
                selected
                    .iter()
                    .map(|&Selected { key, at }| Entry { key, text, at }),
            );
        }
        RunIndex::new(entries, winnowing, common, |_| 1)
    }

    fn found(
        index: &RunIndex,
        texts: &[Vec<u64>],
        tokens: &[u64],
        below: u32,
    ) -> Vec<(u32, Vec<Run>)> {
        let mut found = Vec::new();
        let Ok(()) = index.each_shared_text(tokens, below, &mut Lookup::default(), |shared_text| {
            let runs = shared_text.runs(&texts[shared_text.text as usize], tokens);
            found.extend((!runs.is_empty()).then_some((shared_text.text, runs)));
            Ok::<_, Infallible>(())
        });
        found
    }

    proptest! {
        #[test]
        fn many_texts_give_the_same_as_one_at_a_time(
            pieces in prop::collection::vec(prop::collection::vec(0u64..4, 1..14), 1..5),
            texts in prop::collection::vec(prop::collection::vec(0usize..6, 0..6), 1..8),
            least in 1usize..9,
            below in 0u32..9,
        ) {
            let piece = |&number: &usize| pieces.get(number).cloned().unwrap_or_else(|| vec![9 + number as u64]);
            let texts: Vec<Vec<u64>> = texts.iter().map(|text| text.iter().flat_map(piece).collect()).collect();
            let winnowing = Winnowing::new(least).unwrap();
            let index = index(&texts, winnowing, u32::MAX);
            for tokens in &texts {
                let expected: Vec<(u32, Vec<Run>)> = (0..below.min(texts.len() as u32))
                    .map(|text| (text, shared_runs(&texts[text as usize], tokens, winnowing)))
                    .filter(|(_, runs)| !runs.is_empty())
                    .collect();
                prop_assert_eq!(found(&index, &texts, tokens, below), expected);
            }
        }
    }

    #[test]
    fn common_windows_are_excluded() {
        let texts = [
            vec![1, 2, 3, 4],
            vec![1, 2, 3, 5],
            vec![1, 2, 3, 6],
            vec![7, 8, 9, 6],
        ];
        let winnowing = Winnowing::new(3).unwrap();
        let of = |common| {
            let index = index(&texts, winnowing, common);
            (
                index.excluded() > 0,
                found(&index, &texts, &[0, 1, 2, 3, 7, 8, 9], u32::MAX)
                    .iter()
                    .map(|found| found.0)
                    .collect::<Vec<_>>(),
            )
        };
        assert_eq!(of(u32::MAX), (false, vec![0, 1, 2, 3]));
        assert_eq!(of(3), (false, vec![0, 1, 2, 3]));
        assert_eq!(of(2), (true, vec![3]));
    }
}
