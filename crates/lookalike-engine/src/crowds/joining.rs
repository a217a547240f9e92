//! Finds all pairs of documents in large buckets that may match, for callers that need every match. It uses the indexes of
//! [`indexes`](crate::crowds::indexes) in the same way as a run that decides documents in keep order (the order in which
//! documents are considered), except that all documents are entered at the start.
//!
//! A document is only matched with the documents after it, so each pair is found once, however many large buckets its documents
//! share. The index is used for a document only if it walks fewer postings than there are later documents in the document's
//! buckets. Otherwise, for example if most of the later documents are matching texts, which share the document's rare elements,
//! the later documents are taken directly from the buckets. So the number of postings walked is never larger than the number of
//! pairs.

use lookalike_io::{
    error::Result,
    pool::{install, try_par_map_init},
    spill::Budget,
};
use rayon::ThreadPool;

use super::{
    indexes::{Indexes, Prefixes},
    large::Large,
};
use crate::matching::{Matcher, Scratch as Matching, sets::Sets};

/// The number of documents whose prefixes are in memory at the same time.
const WINDOW: usize = 1024;

/// Takes a batch of candidate pairs. It is no type parameter, so that a search is compiled once for all its callers.
pub(crate) type TakePairs<'a> = &'a mut dyn FnMut(&[(u32, u32)]) -> Result<()>;

/// Large buckets with their indexes.
pub(crate) struct Joining {
    indexes: Indexes,
    /// The documents of each large bucket, ascending.
    members: Vec<Vec<u32>>,
}

/// A document whose candidates are about to be searched for.
#[derive(Default)]
struct Search {
    prefixes: Prefixes,
    /// How many steps it takes to find this document's candidates. If `by_prefixes` is true, each step examines a posting;
    /// otherwise, each step examines a document.
    steps: usize,
    by_prefixes: bool,
}

/// Scratch buffers for one thread.
#[derive(Default)]
struct Scratch {
    set: Vec<u64>,
    indexes: Vec<u32>,
    others: Vec<u32>,
    matching: Matching,
}

impl Joining {
    /// Builds the indexes from band columns, which have the bucket of each contender (document that has to be compared) in each
    /// band. Only buckets of at least `size` contenders are indexed. Returns `None` if there are no such buckets.
    pub(crate) fn of(
        columns: &[Vec<u32>],
        size: usize,
        matcher: &Matcher,
        sets: &mut Sets,
        budget: &Budget,
        pool: &ThreadPool,
    ) -> Result<Option<Self>> {
        let Some(large) = install(pool, || Large::of(columns, size, matcher.pairing))? else {
            return Ok(None);
        };
        let mut members = vec![Vec::new(); large.buckets().len()];
        for number in large.all_members() {
            large
                .slots(number)
                .iter()
                .for_each(|&slot| members[slot as usize].push(number));
        }
        let places: usize = members.iter().map(Vec::len).sum();
        budget.hold(large.bytes() + places * size_of::<u32>());
        let mut joining = Self {
            indexes: Indexes::new(large, matcher.method.least()),
            members,
        };
        let of_index = joining.share_out();
        let postings = of_index
            .iter()
            .map(|members| joining.indexes.bytes_of(members, sets))
            .sum();
        budget.hold(postings);
        sets.make_room()?;
        for (index, members) in (0..).zip(&of_index) {
            install(pool, || joining.indexes.fill(index, members, members, sets))?;
        }
        Ok(Some(joining))
    }

    /// Assigns an index to each bucket, beginning with the largest bucket, and returns the documents of each index in ascending
    /// order.
    fn share_out(&mut self) -> Vec<Vec<u32>> {
        let mut slots: Vec<u32> = (0..self.members.len() as u32).collect();
        slots.sort_by_key(|&slot| std::cmp::Reverse(self.members[slot as usize].len()));
        let mut of_index: Vec<Vec<u32>> = Vec::new();
        for slot in slots {
            let members = &self.members[slot as usize];
            let index = self
                .indexes
                .for_texts(members, |_| true)
                .unwrap_or_else(|| {
                    of_index.push(Vec::new());
                    self.indexes.create()
                });
            self.indexes.give(slot, index);
            of_index[index as usize].extend_from_slice(members);
        }
        for members in &mut of_index {
            // A stable sort is fast here, because the data consists of a few long runs.
            members.sort();
            members.dedup();
        }
        of_index
    }

    /// Returns whether a bucket of a band is large. This join finds the pairs of all large buckets.
    pub(crate) fn has(&self, band: usize, bucket: u32) -> bool {
        self.indexes.large().has(band as u32, bucket)
    }

    /// Returns whether two documents share a large bucket.
    pub(crate) fn share(&self, a: u32, b: u32) -> bool {
        self.indexes.large().share(a, b)
    }

    /// Examines the pairs of documents that may match, and calls `verify` with the pairs that the comparison of fixed-size
    /// sketches does not rule out. All matching candidate pairs in large buckets are among them. The search is done in batches,
    /// each of which examines about `batch` postings or documents. Each pair is passed to `verify` once, in an order that depends
    /// only on the documents.
    pub(crate) fn each_candidate_pair(
        &self,
        matcher: &Matcher,
        sets: &Sets,
        pool: &ThreadPool,
        batch: usize,
        verify: TakePairs,
    ) -> Result<()> {
        let all: Vec<u32> = self.indexes.large().all_members().collect();
        let mut searches: Vec<Search> = (0..WINDOW).map(|_| Search::default()).collect();
        for window in all.chunks(WINDOW) {
            let plan = |scratch: &mut Scratch, (&number, search): (&u32, &mut Search)| {
                self.plan(number, sets, search, scratch)
            };
            let rows = window.iter().zip(&mut searches);
            install(pool, || try_par_map_init(rows, Scratch::default, plan))?;
            let mut start = 0;
            while start < window.len() {
                let mut steps = 0;
                let count = searches[start..window.len()].iter().take_while(|search| {
                    steps += search.steps;
                    steps - search.steps < batch
                });
                let end = start + count.count();
                let rows = window[start..end].iter().zip(&searches[start..end]);
                let one = |scratch: &mut Scratch,
                           (&number, search): (&u32, &Search)|
                 -> Result<Vec<(u32, u32)>> {
                    self.find(number, search, sets, scratch);
                    scratch
                        .others
                        .retain(|&other| matcher.compared(number, other));
                    matcher.keep_candidates(number, &mut scratch.others, &mut scratch.matching)?;
                    Ok(scratch
                        .others
                        .iter()
                        .map(|&other| (number, other))
                        .collect())
                };
                let found: Result<Vec<_>> =
                    install(pool, || try_par_map_init(rows, Scratch::default, one));
                verify(&found?.concat())?;
                start = end;
            }
        }
        Ok(())
    }

    /// Returns, for each large bucket that a document is in, the documents of the bucket that come after this document.
    fn after(&self, number: u32) -> impl Iterator<Item = &[u32]> {
        let members = self
            .indexes
            .large()
            .slots(number)
            .iter()
            .map(|&slot| &self.members[slot as usize]);
        members.map(move |members| &members[members.partition_point(|&member| member <= number)..])
    }

    /// Chooses the cheaper way to find a document's candidates.
    fn plan(
        &self,
        number: u32,
        sets: &Sets,
        search: &mut Search,
        scratch: &mut Scratch,
    ) -> Result<()> {
        let Scratch { set, indexes, .. } = scratch;
        self.indexes.prefixes(
            number,
            sets.get(number, set)?,
            indexes,
            &mut search.prefixes,
        );
        let postings = self.indexes.work(&search.prefixes, number + 1);
        let documents = self.after(number).map(<[u32]>::len).sum();
        (search.by_prefixes, search.steps) = (postings < documents, postings.min(documents));
        Ok(())
    }

    /// Fills the scratch buffer `others` with the later documents that may match a document, in ascending order.
    fn find(&self, number: u32, search: &Search, sets: &Sets, scratch: &mut Scratch) {
        let others = &mut scratch.others;
        if search.by_prefixes {
            self.indexes.find(
                (number, sets.len(number)),
                &search.prefixes,
                number + 1,
                sets,
                others,
            );
        } else {
            others.clear();
            self.after(number)
                .for_each(|after| others.extend_from_slice(after));
            // A stable sort is fast here, because the data consists of a few long runs.
            others.sort();
            others.dedup();
        }
    }
}
