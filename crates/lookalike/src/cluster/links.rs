//! The data that is read by the pass over all documents in keep order (the order in which they are considered): the links between
//! candidates, and which documents are kept.

use super::{Buckets, Neighbours};

/// Candidate pairs, in one of two representations.
#[derive(Debug)]
pub enum Links {
    /// Documents that share a bucket of a band.
    Buckets(Buckets),
    /// Pairs that were listed explicitly.
    Listed(Listed),
}

impl Links {
    /// Fills `neighbours` with the kept documents that are linked to `document`, which must not have been kept itself. Each
    /// occurs once, in an order that is the same on every run.
    pub fn kept_neighbours(&self, document: u32, neighbours: &mut Neighbours) {
        match self {
            Self::Buckets(buckets) => buckets.kept_neighbours(document, neighbours),
            Self::Listed(listed) => {
                neighbours.members.clear();
                let kept = listed
                    .of(document)
                    .iter()
                    .copied()
                    .filter(|&other| listed.kept[other as usize]);
                neighbours.members.extend(kept);
            }
        }
    }

    /// Records a document as kept. Call it once per document.
    pub fn keep(&mut self, document: u32) {
        match self {
            Self::Buckets(buckets) => buckets.keep(document),
            Self::Listed(listed) => listed.kept[document as usize] = true,
        }
    }
}

/// Candidate pairs as a list of neighbours for each document. It takes eight bytes per pair and nine per document.
#[derive(Debug)]
pub struct Listed {
    starts: Vec<usize>,
    /// The neighbours of each document, in keep order.
    neighbours: Vec<u32>,
    kept: Vec<bool>,
}

impl Listed {
    /// Creates the lists from pairs, each given once. `ranks` are the places of the documents in keep order.
    pub fn new(pairs: &[(u32, u32)], ranks: &[u32]) -> Self {
        let documents = ranks.len();
        let mut starts = vec![0usize; documents + 1];
        for &(a, b) in pairs {
            starts[a as usize + 1] += 1;
            starts[b as usize + 1] += 1;
        }
        (0..documents).for_each(|d| starts[d + 1] += starts[d]);
        let (mut next, mut neighbours) = (starts.clone(), vec![0; 2 * pairs.len()]);
        for (a, b) in pairs.iter().flat_map(|&(a, b)| [(a, b), (b, a)]) {
            neighbours[next[a as usize]] = b;
            next[a as usize] += 1;
        }
        for d in 0..documents {
            neighbours[starts[d]..starts[d + 1]]
                .sort_unstable_by_key(|&other| ranks[other as usize]);
        }
        Self {
            starts,
            neighbours,
            kept: vec![false; documents],
        }
    }

    /// Returns the documents that are paired with a document, the preferred ones first (in keep order).
    pub fn of(&self, document: u32) -> &[u32] {
        &self.neighbours[self.starts[document as usize]..self.starts[document as usize + 1]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_in_keep_order_and_only_kept_ones_are_returned() {
        let mut links = Links::Listed(Listed::new(&[(0, 2), (1, 2), (2, 3)], &[3, 1, 2, 0]));
        let mut neighbours = Neighbours::default();
        let Links::Listed(listed) = &links else {
            panic!()
        };
        assert_eq!((listed.of(2), listed.of(0)), (&[3, 1, 0][..], &[2][..]));
        links.kept_neighbours(2, &mut neighbours);
        assert!(neighbours.members.is_empty());
        links.keep(0);
        links.keep(3);
        links.kept_neighbours(2, &mut neighbours);
        assert_eq!(neighbours.members, [3, 0]);
    }
}
