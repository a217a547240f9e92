//! The runs of a text with each of many others.

use std::ops::Range;

use super::{
    maximal::{is_too_much, longest_of_both, runs_at},
    run::Run,
    winnow::{Selected, Winnowing},
};

/// A selected window of one of the texts: 16 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// The window's fingerprint.
    pub key: u64,
    /// The number of the text.
    pub text: u32,
    /// The window's first token.
    pub at: u32,
}

/// The selected windows of many texts by their fingerprints: 17 bytes a window, of which there is one in some `least / 4` tokens.
#[derive(Debug)]
pub struct RunIndex {
    winnowing: Winnowing,
    entries: Vec<Entry>,
    /// Where the entries begin whose keys have these upper bits.
    starts: Vec<usize>,
    shift: u32,
    aside: u64,
}

/// Room for looking texts up.
#[derive(Debug, Default)]
pub struct Lookup {
    room: Vec<u64>,
    selected: Vec<Selected>,
    equal: Vec<Equal>,
}

/// Equal windows of a text of the index and of the one that is looked up.
#[derive(Debug, Clone)]
struct Equal {
    text: u32,
    entries: Range<usize>,
    selected: Range<usize>,
}

/// A text of the index that has windows in common with the one that was looked up, and may have runs.
#[derive(Debug)]
pub struct Meeting<'a> {
    /// The number of the text.
    pub text: u32,
    index: &'a RunIndex,
    selected: &'a [Selected],
    equal: &'a [Equal],
}

impl RunIndex {
    /// Of entries in any order, and with windows that are in more than `common` texts set aside: no run is found by these alone. An entry's
    /// text counts as many times as `copies` says, so that of equal texts one is enough here. Cost: a sort, quick where they are sorted
    /// already.
    pub fn new(mut entries: Vec<Entry>, winnowing: Winnowing, common: u32, copies: impl Fn(u32) -> u32) -> Self {
        entries.sort_unstable();
        let (mut aside, mut kept, mut start) = (0, 0, 0);
        while common < u32::MAX && start < entries.len() {
            let end = start + equal(&entries[start..], |entry| entry.key);
            let texts = entries[start..end].chunk_by(|a, b| a.text == b.text).map(|entries| u64::from(copies(entries[0].text)));
            if texts.sum::<u64>() > u64::from(common) {
                aside += 1;
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
        entries.iter().zip(1..).for_each(|(entry, end)| starts[(entry.key >> shift) as usize + 1] = end);
        (1..starts.len()).for_each(|at| starts[at] = starts[at].max(starts[at - 1]));
        Self { winnowing, entries, starts, shift, aside }
    }

    /// How many windows were set aside.
    pub fn aside(&self) -> u64 {
        self.aside
    }

    /// Gives each text below a number that has windows in common with a text whose tokens' hashes are given, in the order of their
    /// numbers, until one gives an error. Cost: two cache misses a selected window, and some nanoseconds for each equal one.
    ///
    /// # Errors
    /// What `give` gives.
    ///
    /// # Panics
    /// A text of 2³² tokens.
    pub fn each_meeting<E>(
        &self,
        tokens: &[u64],
        below: u32,
        lookup: &mut Lookup,
        mut give: impl FnMut(Meeting) -> Result<(), E>,
    ) -> Result<(), E> {
        let Lookup { room, selected, equal: found } = lookup;
        self.winnowing.select(tokens, room, selected);
        selected.sort_unstable();
        found.clear();
        let mut from = 0;
        while let Some(&Selected { key, .. }) = selected.get(from) {
            let own = from..from + equal(&selected[from..], |selected| selected.key);
            from = own.end;
            let bucket = (key >> self.shift) as usize;
            let (mut start, end) = (self.starts[bucket], self.starts[bucket + 1]);
            start += self.entries[start..end].partition_point(|entry| entry.key < key);
            while let Some(entry) = self.entries[start..end].first().filter(|entry| entry.key == key && entry.text < below) {
                let entries = start..start + equal(&self.entries[start..end], |entry| (entry.key, entry.text));
                start = entries.end;
                found.push(Equal { text: entry.text, entries, selected: own.clone() });
            }
        }
        found.sort_by_key(|equal| equal.text);
        found
            .chunk_by(|a, b| a.text == b.text)
            .try_for_each(|equal| give(Meeting { text: equal[0].text, index: self, selected, equal }))
    }
}

/// How many of the first things have the same key.
fn equal<T, K: PartialEq>(things: &[T], key: impl Fn(&T) -> K) -> usize {
    things.iter().take_while(|thing| key(thing) == key(&things[0])).count()
}

impl Meeting<'_> {
    /// The runs of the index's text and the one that was looked up, as [`shared_runs`](super::shared_runs) gives them for two;
    /// windows set aside apart. Both are given again.
    pub fn runs(&self, of_index: &[u64], looked_up: &[u64]) -> Vec<Run> {
        let least = self.index.winnowing.least();
        if is_too_much(self.equal.iter().map(|equal| equal.entries.len() * equal.selected.len()).sum(), of_index, looked_up) {
            return longest_of_both(of_index, looked_up, least);
        }
        let pairs = self.equal.iter().flat_map(|equal| {
            let (entries, selected) = (&self.index.entries[equal.entries.clone()], &self.selected[equal.selected.clone()]);
            entries.iter().flat_map(|entry| selected.iter().map(|selected| (entry.at, selected.at)))
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
        let (mut room, mut selected, mut entries) = (Vec::new(), Vec::new(), Vec::new());
        for text in (0..texts.len() as u32).rev() {
            winnowing.select(&texts[text as usize], &mut room, &mut selected);
            entries.extend(selected.iter().map(|&Selected { key, at }| Entry { key, text, at }));
        }
        RunIndex::new(entries, winnowing, common, |_| 1)
    }

    fn found(index: &RunIndex, texts: &[Vec<u64>], tokens: &[u64], below: u32) -> Vec<(u32, Vec<Run>)> {
        let mut found = Vec::new();
        let Ok(()) = index.each_meeting(tokens, below, &mut Lookup::default(), |meeting| {
            let runs = meeting.runs(&texts[meeting.text as usize], tokens);
            found.extend((!runs.is_empty()).then_some((meeting.text, runs)));
            Ok::<_, Infallible>(())
        });
        found
    }

    proptest! {
        #[test]
        fn many_texts_are_as_one_after_the_other(
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
    fn what_is_common_is_set_aside() {
        let texts = [vec![1, 2, 3, 4], vec![1, 2, 3, 5], vec![1, 2, 3, 6], vec![7, 8, 9, 6]];
        let winnowing = Winnowing::new(3).unwrap();
        let of = |common| {
            let index = index(&texts, winnowing, common);
            (
                index.aside() > 0,
                found(&index, &texts, &[0, 1, 2, 3, 7, 8, 9], u32::MAX).iter().map(|found| found.0).collect::<Vec<_>>(),
            )
        };
        assert_eq!(of(u32::MAX), (false, vec![0, 1, 2, 3]));
        assert_eq!(of(3), (false, vec![0, 1, 2, 3]));
        assert_eq!(of(2), (true, vec![3]));
    }
}
