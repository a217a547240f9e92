//! The most similar matches of each document, held as they are found.
//!
//! A list of all matches may be much longer than the collection: of a thousand texts of one template each has a thousand. Here
//! each contender has a list of its own, which is cut whenever it is twice as long as it has to be. So memory grows with
//! contenders × 2 K, 56 bytes each, whatever the number of matches; and as the order of two neighbours is fixed, it makes no
//! difference in which order they are found.

use std::cmp::Reverse;

use lookalike::verify::Measure;

use super::{
    pairing::Pairing,
    verifying::{Matches, PairFigures},
};

/// The documents of each contender and its copies, in input order, that can be neighbours.
pub(super) struct Groups {
    documents: Vec<u64>,
    /// Where each contender's begin.
    starts: Vec<usize>,
}

impl Groups {
    pub(super) fn new(pairing: &Pairing, numbers: u32) -> Self {
        let references = pairing.references;
        let leaders = (0..numbers).map(|number| (number, pairing.document(number)));
        let copies = pairing.copies_of_contenders().map(|(copy, leader)| (leader, pairing.order.document(copy)));
        let mut rows: Vec<(u32, u64)> =
            leaders.chain(copies).filter(|&(_, document)| !references.only || references.contains(document)).collect();
        rows.sort_unstable();
        let starts = (0..=numbers).map(|number| rows.partition_point(|row| row.0 < number)).collect();
        Self { documents: rows.into_iter().map(|row| row.1).collect(), starts }
    }

    /// Those of a contender.
    pub(super) fn of(&self, number: u32) -> &[u64] {
        let number = number as usize;
        &self.documents[self.starts[number]..self.starts[number + 1]]
    }
}

/// A contender that another matches, and how alike they are.
type Neighbour = (u32, PairFigures);

/// Each contender's most similar matches among the contenders.
pub(super) struct Nearest {
    /// K, neighbours of a document.
    most: usize,
    measure: Measure,
    groups: Groups,
    lists: Vec<Vec<Neighbour>>,
}

impl Nearest {
    pub(super) fn new(most: usize, measure: Measure, groups: Groups) -> Self {
        let lists = (1..groups.starts.len()).map(|_| Vec::new()).collect();
        Self { most, measure, groups, lists }
    }

    /// K groups hold the K nearest documents: of groups that are equally similar those whose first documents come first.
    fn offer(&mut self, number: u32, neighbour: Neighbour) {
        if self.groups.of(neighbour.0).is_empty() {
            return;
        }
        let list = &mut self.lists[number as usize];
        list.push(neighbour);
        if list.len() >= self.most.saturating_mul(2).max(4) {
            cut(list, self.most, self.measure, &self.groups);
        }
    }

    /// Once all matches are there.
    pub(super) fn sorted(mut self) -> Self {
        self.lists.iter_mut().for_each(|list| cut(list, self.most, self.measure, &self.groups));
        self
    }

    /// Fills `into` with the nearest documents of one of a contender's documents, the most similar first, equally similar ones in input
    /// order. `same` is how alike the contender's own documents are. The lists must be [sorted](Self::sorted) before.
    pub(super) fn of(&self, (number, document): (u32, u64), same: PairFigures, into: &mut Vec<(u64, PairFigures)>) {
        into.clear();
        // One of them may be the document itself.
        let own = self.groups.of(number).iter().filter(|&&other| other != document).take(self.most);
        into.extend(own.map(|&other| (other, same)));
        // Others may be as similar as the copies, and come before them.
        let mut least = order(same, self.measure);
        for &(other, figures) in &self.lists[number as usize] {
            let similarity = order(figures, self.measure);
            if into.len() >= self.most && similarity < least {
                break;
            }
            least = similarity;
            into.extend(self.groups.of(other).iter().take(self.most).map(|&other| (other, figures)));
        }
        into.sort_unstable_by_key(|&(other, figures)| (Reverse(order(figures, self.measure)), other));
        into.truncate(self.most);
    }
}

/// The nearest groups, by the similarity and then by their first documents.
fn cut(list: &mut Vec<Neighbour>, most: usize, measure: Measure, groups: &Groups) {
    list.sort_unstable_by_key(|&(number, figures)| (Reverse(order(figures, measure)), groups.of(number).first()));
    list.truncate(most);
}

impl Matches for Nearest {
    fn take(&mut self, a: u32, b: u32, figures: PairFigures) {
        self.offer(a, (b, figures));
        self.offer(b, (a, figures.swapped()));
    }
}

/// Grows with the similarity that the threshold is asked of. Similarities are no less than 0, so their bits are in their order.
fn order(figures: PairFigures, measure: Measure) -> u64 {
    let similarity: f64 = match (figures, measure) {
        (PairFigures::Counted(figures), Measure::Resemblance) => figures.resemblance,
        (PairFigures::Counted(figures), Measure::Containment) => figures.containment_ab.max(figures.containment_ba),
        (PairFigures::Resemblance { resemblance }, _) => resemblance,
        (PairFigures::Containment { containment_ab, containment_ba }, _) => containment_ab.max(containment_ba),
        (PairFigures::Unknown {}, _) => 0.0,
    };
    similarity.max(0.0).to_bits()
}
