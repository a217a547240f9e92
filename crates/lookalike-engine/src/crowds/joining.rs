//! All pairs of large buckets that may match, for those who ask for every match: by the indexes of
//! [`indexes`](crate::crowds::indexes), as going down keep order asks them, but that all documents are in them from the start.
//!
//! A document is looked for among those behind it, so each pair is found once, however many large buckets it shares. Where most
//! of them share its rare elements too, as texts do that match, they are taken from the buckets themselves: nobody walks more
//! postings than there are pairs.

use lookalike_io::{error::Result, spill::Budget};
use rayon::{ThreadPool, prelude::*};

use super::{
    indexes::{Indexes, Prefixes},
    large::Large,
};
use crate::matching::{Matcher, Room as Matching, sets::Sets};

/// Documents whose prefixes are held at a time.
const WINDOW: usize = 1024;

/// Large buckets with their indexes.
pub(crate) struct Joining {
    indexes: Indexes,
    /// The documents of each large bucket, ascending.
    members: Vec<Vec<u32>>,
}

/// A document that is about to be looked for.
#[derive(Default)]
struct Asking {
    prefixes: Prefixes,
    /// How many postings or documents are walked for it, and which of the two.
    steps: usize,
    by_prefixes: bool,
}

/// Room for one thread.
#[derive(Default)]
struct Room {
    set: Vec<u64>,
    indexes: Vec<u32>,
    others: Vec<u32>,
    matching: Matching,
}

impl Joining {
    /// Of band columns, for the buckets of at least `size` contenders; none where there are none.
    pub(crate) fn of(
        columns: &[Vec<u32>],
        size: usize,
        matcher: &Matcher,
        sets: &mut Sets,
        budget: &Budget,
        pool: &ThreadPool,
    ) -> Result<Option<Self>> {
        let Some(large) = pool.install(|| Large::of(columns, size, matcher.pairing))? else { return Ok(None) };
        let mut members = vec![Vec::new(); large.buckets().len()];
        for number in large.all_members() {
            large.slots(number).iter().for_each(|&slot| members[slot as usize].push(number));
        }
        let places: usize = members.iter().map(Vec::len).sum();
        budget.hold(large.bytes() + places * size_of::<u32>());
        let mut joining = Self { indexes: Indexes::new(large, matcher.method.least()), members };
        let of_index = joining.share_out();
        let postings = of_index.iter().map(|members| joining.indexes.bytes_of(members, sets)).sum();
        budget.hold(postings);
        sets.make_room()?;
        for (index, members) in (0..).zip(&of_index) {
            pool.install(|| joining.indexes.fill(index, members, members, sets))?;
        }
        Ok(Some(joining))
    }

    /// Gives each bucket an index, the largest first, and tells the documents of each, ascending.
    fn share_out(&mut self) -> Vec<Vec<u32>> {
        let mut slots: Vec<u32> = (0..self.members.len() as u32).collect();
        slots.sort_by_key(|&slot| std::cmp::Reverse(self.members[slot as usize].len()));
        let mut of_index: Vec<Vec<u32>> = Vec::new();
        for slot in slots {
            let members = &self.members[slot as usize];
            let index = self.indexes.for_texts(members, |_| true).unwrap_or_else(|| {
                of_index.push(Vec::new());
                self.indexes.create()
            });
            self.indexes.give(slot, index);
            of_index[index as usize].extend_from_slice(members);
        }
        for members in &mut of_index {
            // Few long runs.
            members.sort();
            members.dedup();
        }
        of_index
    }

    /// Whether a bucket of a band is large, so that its pairs are found here.
    pub(crate) fn has(&self, band: usize, bucket: u32) -> bool {
        self.indexes.large().has(band as u32, bucket)
    }

    /// Whether two documents share a large bucket.
    pub(crate) fn share(&self, a: u32, b: u32) -> bool {
        self.indexes.large().share(a, b)
    }

    /// Gives the pairs whose sketches agree, and all that match are among them, to `verify`: in batches for which about `batch`
    /// pairs were looked at, each pair once and in an order that depends on the documents alone.
    pub(crate) fn each_candidate_pair(
        &self,
        matcher: &Matcher,
        sets: &Sets,
        pool: &ThreadPool,
        batch: usize,
        mut verify: impl FnMut(&[(u32, u32)]) -> Result<()>,
    ) -> Result<()> {
        let all: Vec<u32> = self.indexes.large().all_members().collect();
        let mut asking: Vec<Asking> = (0..WINDOW).map(|_| Asking::default()).collect();
        for window in all.chunks(WINDOW) {
            let ask = |room: &mut Room, (&number, asking): (&u32, &mut Asking)| self.ask(number, sets, asking, room);
            let rows = window.par_iter().zip(&mut asking);
            pool.install(|| rows.map_init(Room::default, ask).collect::<Result<()>>())?;
            let mut start = 0;
            while start < window.len() {
                let mut steps = 0;
                let count = asking[start..window.len()].iter().take_while(|asking| {
                    steps += asking.steps;
                    steps - asking.steps < batch
                });
                let end = start + count.count();
                let rows = window[start..end].par_iter().zip(&asking[start..end]);
                let one = |room: &mut Room, (&number, asking): (&u32, &Asking)| -> Result<Vec<(u32, u32)>> {
                    self.find(number, asking, sets, room);
                    room.others.retain(|&other| matcher.compared(number, other));
                    matcher.keep_candidates(number, &mut room.others, &mut room.matching)?;
                    Ok(room.others.iter().map(|&other| (number, other)).collect())
                };
                let found: Result<Vec<_>> = pool.install(|| rows.map_init(Room::default, one).collect());
                verify(&found?.concat())?;
                start = end;
            }
        }
        Ok(())
    }

    /// Those behind a document in each of its buckets.
    fn behind(&self, number: u32) -> impl Iterator<Item = &[u32]> {
        let members = self.indexes.large().slots(number).iter().map(|&slot| &self.members[slot as usize]);
        members.map(move |members| &members[members.partition_point(|&member| member <= number)..])
    }

    /// Which way is the shorter.
    fn ask(&self, number: u32, sets: &Sets, asking: &mut Asking, room: &mut Room) -> Result<()> {
        let Room { set, indexes, .. } = room;
        self.indexes.prefixes(number, sets.get(number, set)?, indexes, &mut asking.prefixes);
        let postings = self.indexes.work(&asking.prefixes, number + 1);
        let documents = self.behind(number).map(<[u32]>::len).sum();
        (asking.by_prefixes, asking.steps) = (postings < documents, postings.min(documents));
        Ok(())
    }

    /// Fills the room's `others` with those behind a document that may match it, ascending.
    fn find(&self, number: u32, asking: &Asking, sets: &Sets, room: &mut Room) {
        let others = &mut room.others;
        if asking.by_prefixes {
            self.indexes.find((number, sets.len(number)), &asking.prefixes, number + 1, sets, others);
        } else {
            others.clear();
            self.behind(number).for_each(|behind| others.extend_from_slice(behind));
            // Few long runs.
            others.sort();
            others.dedup();
        }
    }
}
