//! Merges segments into one.

use std::{collections::BTreeSet, ops::Range, path::Path, sync::Arc};

use super::{
    documents::{Open, State, Watched},
    flushing::UNFINISHED,
    merged::Merged,
};
use crate::{error::Result, segment::Segment};

impl State {
    /// Copies what is needed to merge segments that follow each other. Documents keep their numbers.
    pub(crate) fn to_merge(&self, segments: Range<usize>) -> Result<Merged> {
        Merged::of(self, segments)
    }

    /// Remembers from now on what changes in these segments, until a merged segment is used in their place.
    pub(crate) fn watch(&mut self, segments: Range<usize>) {
        self.watched = Some(Watched {
            numbers: self.span(segments),
            changed: BTreeSet::new(),
        });
    }

    /// Remembers that a document changed, if its segment is being merged.
    pub(super) fn note(&mut self, number: u64) {
        if let Some(watched) = &mut self.watched
            && watched.numbers.contains(&number)
        {
            watched.changed.insert(number);
        }
    }

    pub(crate) fn forget_merge(&mut self) {
        self.watched = None;
    }

    /// Uses a merged segment from now on, with what changed after the merge began. Cost: each changed document is sketched.
    pub(crate) fn use_merged(
        &mut self,
        segments: Range<usize>,
        merged: &Merged,
        written: Option<Segment>,
    ) -> Result<()> {
        let numbers = self.span(segments.clone());
        let changed = self
            .watched
            .take()
            .map(|watched| watched.changed)
            .unwrap_or_default();
        let mut new = written.map(|segment| Open::new(Arc::new(segment)));
        if let Some(open) = &mut new {
            let base = open.segment.head.base;
            for &number in changed
                .iter()
                .filter(|&&number| open.segment.present().contains(number - base))
            {
                open.live.set(number - base, self.is_live(number));
                open.kept.set(number - base, self.is_kept(number));
            }
        }
        self.segments.splice(segments, new);
        // What changed before the merge began is in the new segment.
        self.verdicts.retain(|number, verdict| {
            !numbers.contains(number) || merged.verdicts.get(number) != Some(verdict)
        });
        self.late.retain(|number| !merged.late.contains_key(number));
        self.chain_again()?;
        for number in changed {
            if self.is_live(number) && self.is_posted(number) {
                self.chain(number, self.is_kept(self.first_of_posted(number)))?;
            }
        }
        Ok(())
    }

    /// Returns the numbers of the documents of segments that follow each other, and all numbers between them.
    pub(crate) fn span(&self, segments: Range<usize>) -> Range<u64> {
        let first_of = |at: usize| {
            self.segments
                .get(at)
                .map_or(self.memory.base, |open| open.segment.head.base)
        };
        first_of(segments.start)..first_of(segments.end)
    }

    /// Returns how many documents of a segment changed since it was written.
    pub(crate) fn changed_in(&self, segment: usize) -> u64 {
        let open = &self.segments[segment];
        let removed = open.segment.head.documents - open.live.count();
        let span = self.span(segment..segment + 1);
        removed
            + self.verdicts.range(span.clone()).count() as u64
            + self.late.range(span).count() as u64
    }

    /// Returns about how much room a compaction needs: documents in memory are written twice. Removed documents are taken to be as large
    /// as others.
    pub(crate) fn compacted_bytes(&self) -> u64 {
        let in_segments = self.segments.iter().map(|open| {
            let segment = &open.segment;
            let share = open.live.count() as f64 / segment.head.documents.max(1) as f64;
            (segment.bytes() as f64 * share) as u64
        });
        // Compressed, documents take less than in memory.
        in_segments.sum::<u64>() + self.memory.bytes() as u64 * 3 / 2
    }

    /// Merges all segments, and numbers the documents from 0, so that equal contents become equal files. There must be no documents in
    /// memory. Each new segment has at most `most` documents.
    pub(crate) fn compacted(&self, folder: &Path, most: u64) -> Result<Self> {
        let mut compacted = Self::new(self.method.clone(), self.store);
        let count = self.len();
        for first in (0..count).step_by(most as usize) {
            let merged = Merged::numbered(self, first..count.min(first + most))?;
            if let Some(unfinished) = merged.write(folder, UNFINISHED)? {
                compacted
                    .segments
                    .push(Open::new(Arc::new(unfinished.finish(folder)?)));
            }
        }
        compacted.start_at(count);
        Ok(compacted)
    }
}

#[cfg(test)]
mod tests {
    use lookalike::{Config, Method, Scratch};
    use proptest::prelude::*;

    use super::{
        super::{new::Sketched, store::Store},
        *,
    };
    use crate::{id::Id, law::Verdict, segment::SPAN};

    #[derive(Debug, Clone)]
    enum Step {
        Add(String, u64),
        Delete(prop::sample::Index),
        Flush,
        Begin(prop::sample::Index, prop::sample::Index),
        End,
    }

    type Merging = (Range<usize>, Merged, Option<Segment>);

    fn step() -> impl Strategy<Value = Step> {
        let word = prop::sample::select(vec!["red", "green", "blue", "white", "black"]);
        let text = prop::collection::vec(word, 0..5).prop_map(|words| words.join(" "));
        prop_oneof![
            6 => (text, 0u64..3).prop_map(|(text, key)| Step::Add(text, key)),
            4 => any::<prop::sample::Index>().prop_map(Step::Delete),
            2 => Just(Step::Flush),
            1 => any::<(prop::sample::Index, prop::sample::Index)>().prop_map(|(from, count)| Step::Begin(from, count)),
            1 => Just(Step::End),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(lookalike_testing::cases(120)))]

        /// A state whose segments are merged while it changes always has the decisions of one without segments.
        #[test]
        fn what_changes_during_a_merge_is_not_lost(steps in prop::collection::vec(step(), 1..80)) {
            let folder = tempfile::tempdir().unwrap();
            let method = Method::new(Config { shingle: Some(1), threshold: 0.5, ..Config::default() }).unwrap();
            let mut state = State::new(method.clone(), Store::Texts);
            let mut plain = State::new(method.clone(), Store::Texts);
            let (mut live, mut merging): (Vec<u64>, Option<Merging>) = (Vec::new(), None);
            for step in steps {
                match step {
                    Step::Add(text, key) => {
                        let number = state.memory.next();
                        let new = Sketched::new(&method, Store::Texts, Id::Number(number as i64), key, &text, &mut Scratch::default());
                        let changes = state.apply(&[], vec![new.clone()]).unwrap().changes;
                        prop_assert_eq!(changes, plain.apply(&[], vec![new]).unwrap().changes);
                        live.push(number);
                    }
                    Step::Delete(at) if !live.is_empty() => {
                        let number = live.swap_remove(at.index(live.len()));
                        let changes = state.apply(&[number], Vec::new()).unwrap().changes;
                        prop_assert_eq!(changes, plain.apply(&[number], Vec::new()).unwrap().changes);
                    }
                    Step::Flush => {
                        let flushed = state.flushed(folder.path()).unwrap();
                        state.use_flushed(flushed).unwrap();
                    }
                    Step::Begin(from, count) if merging.is_none() && !state.segments.is_empty() => {
                        let from = from.index(state.segments.len());
                        let segments = from..from + 1 + count.index(state.segments.len() - from);
                        let merged = state.to_merge(segments.clone()).unwrap();
                        state.watch(segments.clone());
                        let written = merged.write(folder.path(), "merged.new").unwrap();
                        let written = written.map(|unfinished| unfinished.finish(folder.path()).unwrap());
                        merging = Some((segments, merged, written));
                    }
                    Step::End => {
                        if let Some((segments, merged, written)) = merging.take() {
                            state.use_merged(segments, &merged, written).unwrap();
                        }
                    }
                    _ => continue,
                }
                assert_equal(&state, &plain, &live);
            }
        }

        /// What a compaction writes in many segments is what it writes in one.
        #[test]
        fn compacted_segments_can_be_cut(steps in prop::collection::vec(step(), 1..60), most in 1u64..8) {
            let folder = tempfile::tempdir().unwrap();
            let method = Method::new(Config { shingle: Some(1), threshold: 0.5, ..Config::default() }).unwrap();
            let mut states = vec![State::new(method.clone(), Store::Texts)];
            let mut live: Vec<u64> = Vec::new();
            let half = steps.len() / 2;
            for (at, step) in steps.into_iter().enumerate() {
                if at == half {
                    let flushed = states[0].flushed(folder.path()).unwrap();
                    states[0].use_flushed(flushed).unwrap();
                    let compacted = [SPAN, most].map(|most| states[0].compacted(folder.path(), most).unwrap());
                    states = compacted.into();
                    prop_assert_eq!(states[1].segments.len() as u64, (live.len() as u64).div_ceil(most));
                    live = (0..live.len() as u64).collect();
                }
                let (removed, added) = match step {
                    Step::Add(text, key) => {
                        live.push(states[0].memory.next());
                        let id = Id::Number(at as i64);
                        (Vec::new(), vec![Sketched::new(&method, Store::Texts, id, key, &text, &mut Scratch::default())])
                    }
                    Step::Delete(at) if !live.is_empty() => (vec![live.swap_remove(at.index(live.len()))], Vec::new()),
                    Step::Flush => {
                        for state in &mut states {
                            let flushed = state.flushed(folder.path()).unwrap();
                            state.use_flushed(flushed).unwrap();
                        }
                        continue;
                    }
                    _ => continue,
                };
                let changes: Vec<_> = states.iter_mut().map(|state| state.apply(&removed, added.clone()).unwrap().changes).collect();
                prop_assert!(changes.windows(2).all(|two| two[0] == two[1]));
                assert_equal(&states[0], &states[states.len() - 1], &live);
            }
        }
    }

    /// Compares the decisions, and what is found by the keys of each document.
    fn assert_equal(state: &State, plain: &State, live: &[u64]) {
        for &number in live {
            let verdict: Option<Verdict> = plain.verdict_of(number).unwrap();
            assert_eq!(state.verdict_of(number).unwrap(), verdict);
            let mut keys = Vec::new();
            plain.keys(number, &mut keys).unwrap();
            let candidates = |state: &State| {
                let found = state.candidates(&keys, true).unwrap();
                // Others can be found, too.
                found
                    .into_iter()
                    .filter(|&posted| state.is_kept(state.first_of_posted(posted)))
                    .collect::<Vec<_>>()
            };
            assert_eq!(candidates(state), candidates(plain));
        }
    }
}
