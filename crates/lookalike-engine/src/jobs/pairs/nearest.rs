//! Collects the most similar matches of each document, and holds them in memory until all matches are found.
//!
//! A list of all matches may be much longer than the collection: of a thousand texts made from one template, each matches all
//! others. Therefore each contender (document that has to be compared) has a list of its own, which is cut whenever it has twice
//! as many entries as the K neighbours that were requested. So the memory is at most 2 K entries of 56 bytes per contender,
//! however many matches there are. This memory is charged to the run's budget as it grows. The order of two neighbours in a list
//! depends only on the documents, so the result does not depend on the order in which neighbours are found.

use std::{cmp::Reverse, sync::Arc};

use lookalike::verify::Measure;
use lookalike_io::{error::Result, spill::Budget};

use super::groups::Groups;
use crate::{
    deciding::all_matches::{Matches, PairFigures},
    numbers::{Contender, Document},
};

/// A contender that matches another contender, and how similar the two are.
type Neighbour = (Contender, PairFigures);

/// Each contender's most similar matches among the contenders.
pub(super) struct Nearest {
    /// K, the maximum number of neighbours of a document.
    most: usize,
    measure: Measure,
    groups: Groups,
    lists: Vec<Vec<Neighbour>>,
    budget: Arc<Budget>,
}

impl Nearest {
    pub(super) fn new(most: usize, measure: Measure, groups: Groups, budget: &Arc<Budget>) -> Self {
        let lists: Vec<_> = (1..groups.starts.len()).map(|_| Vec::new()).collect();
        budget.hold(size_of_val(&*lists));
        Self {
            most,
            measure,
            groups,
            lists,
            budget: budget.clone(),
        }
    }

    /// Returns the length at which a list is cut.
    fn longest(&self) -> usize {
        self.most.saturating_mul(2).max(4)
    }

    /// Offers a neighbour to a contender's list. Each entry of the list is a group: another contender with its copies, all of
    /// which are equally similar to this contender. The K nearest documents are always in the K nearest groups. If two groups are
    /// equally similar, the group whose first document comes first in the input is nearer.
    fn offer(&mut self, contender: Contender, neighbour: Neighbour) {
        if self.groups.of(neighbour.0).is_empty() {
            return;
        }
        let longest = self.longest();
        let list = &mut self.lists[contender.index()];
        if list.len() == list.capacity() {
            // Double the capacity, but never beyond the length at which the list is cut.
            let before = list.capacity();
            list.reserve_exact(before.max(4).min(longest - before));
            self.budget
                .hold((list.capacity() - before) * size_of::<Neighbour>());
        }
        list.push(neighbour);
        if list.len() >= longest {
            cut(list, self.most, self.measure, &self.groups);
        }
    }

    /// Sorts the lists, after all matches are found.
    pub(super) fn sorted(mut self) -> Self {
        self.lists
            .iter_mut()
            .for_each(|list| cut(list, self.most, self.measure, &self.groups));
        self
    }

    /// Fills `into`, which is empty, with the nearest documents of a document. The most similar one comes first, and equally
    /// similar ones are in input order. `same` is the similarity of the document to its own copies. The lists must be
    /// [sorted](Self::sorted) before.
    pub(super) fn of(
        &self,
        (contender, document): (Contender, Document),
        same: PairFigures,
        into: &mut Vec<(Document, PairFigures)>,
    ) {
        // The contender's own documents may include the document itself.
        let own = self
            .groups
            .of(contender)
            .iter()
            .filter(|&&other| other != document)
            .take(self.most);
        into.extend(own.map(|&other| (other, same)));
        // Documents of other groups may be exactly as similar to this document as its copies are, and may come before the copies
        // in the input.
        let mut least = order(same, self.measure);
        for &(other, figures) in &self.lists[contender.index()] {
            let similarity = order(figures, self.measure);
            if into.len() >= self.most && similarity < least {
                break;
            }
            least = similarity;
            into.extend(
                self.groups
                    .of(other)
                    .iter()
                    .take(self.most)
                    .map(|&other| (other, figures)),
            );
        }
        into.sort_unstable_by_key(|&(other, figures)| {
            (Reverse(order(figures, self.measure)), other)
        });
        into.truncate(self.most);
    }
}

/// Sorts a list by similarity, and keeps only the `most` nearest entries. Each entry is a group: a contender with its copies.
/// Equally similar groups are sorted by their first documents.
fn cut(list: &mut Vec<Neighbour>, most: usize, measure: Measure, groups: &Groups) {
    list.sort_unstable_by_key(|&(number, figures)| {
        (Reverse(order(figures, measure)), groups.of(number).first())
    });
    list.truncate(most);
}

impl Matches for Nearest {
    fn take(&mut self, a: u32, b: u32, figures: PairFigures) -> Result<()> {
        let (a, b) = (Contender(a), Contender(b));
        self.offer(a, (b, figures));
        self.offer(b, (a, figures.swapped()));
        Ok(())
    }
}

/// Returns a number that grows with the similarity that the threshold applies to, and is 0 if it was not measured. Similarities are at
/// least 0, so their bits sort in the same order.
fn order(figures: PairFigures, measure: Measure) -> u64 {
    figures.similarity(measure).max(0.0).to_bits()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests 300 contenders, each of which matches all others. The list lengths are chosen so that some are a power of two and
    /// some are not.
    #[test]
    fn the_memory_of_lists_is_counted() {
        const CONTENDERS: u32 = 300;
        for most in [1, 2, 3, 10, 64, 1000] {
            let groups = Groups {
                documents: (0..CONTENDERS.into()).map(Document).collect(),
                starts: (0..=CONTENDERS as usize).collect(),
            };
            let budget = Budget::of(1 << 30, 0, std::path::Path::new("."));
            let mut nearest = Nearest::new(most, Measure::Resemblance, groups, &budget);
            let before = budget.held();
            assert_eq!(before, u64::from(CONTENDERS) * 24);
            for (a, b) in (0..CONTENDERS).flat_map(|a| (0..a).map(move |b| (a, b))) {
                nearest
                    .take(
                        a,
                        b,
                        PairFigures::Resemblance {
                            resemblance: 1.0 / f64::from(1 + a.abs_diff(b)),
                        },
                    )
                    .unwrap();
            }
            let (held, each) = (budget.held() - before, size_of::<Neighbour>() as u64);
            let taken: usize = nearest.lists.iter().map(Vec::capacity).sum();
            assert_eq!(held, taken as u64 * each, "{most}");
            // Each list is full, and no list is longer than allowed.
            let least = most.min(CONTENDERS as usize - 1) as u64;
            let longest = nearest.longest() as u64;
            assert!(
                (least..=longest).contains(&(held / each / u64::from(CONTENDERS))),
                "{most}: {held}"
            );
            assert!(
                nearest
                    .lists
                    .iter()
                    .all(|list| list.capacity() as u64 <= longest),
                "{most}"
            );
        }
    }
}
