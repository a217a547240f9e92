//! Stores the kept documents of each bucket. The pass that considers all documents one by one, in keep order, looks up the kept
//! documents here. Keep order is the order in which documents are considered.
//!
//! Documents are compared only with kept documents, so a bucket stores only kept documents. The kept documents of a bucket form a
//! linked list inside the columns of band keys. A document's place in a column holds the number of its bucket until the document
//! is kept. From then on, the place holds the document that was kept before this one in the bucket. The memory in addition to the
//! columns is four bytes per bucket.
//!
//! A bucket can be closed if its kept documents will be found through an index outside this module. Lookups then skip the bucket.

use crate::lsh::{NONE, label_buckets, sorted_rows};

/// The band columns, and the last kept document of each bucket.
#[derive(Debug)]
pub struct Buckets {
    columns: Vec<Vec<u32>>,
    heads: Vec<Vec<u32>>,
}

/// The value that replaces the head (the last kept document) of a closed bucket. Document numbers are always smaller.
const CLOSED: u32 = NONE - 1;

/// The kept documents that are linked to the current document. The buffers are reused for the next document.
#[derive(Debug, Default)]
pub struct Neighbours {
    /// The documents.
    pub members: Vec<u32>,
    /// One bit per document, to find repeats; all bits are clear between uses. An earlier version found repeats by sorting. If
    /// buckets had many kept documents, sorting took as long as all comparisons together.
    seen: Vec<u64>,
}

impl Buckets {
    /// Creates buckets from columns of band keys. `documents` are the documents that lookups can return. The caller excludes
    /// empty documents, and exact copies of documents that precede them in keep order.
    pub fn new(columns: Vec<Vec<u32>>, documents: &[u32]) -> Self {
        Self::of_labelled(
            columns
                .into_iter()
                .map(|column| Self::label(column, documents))
                .collect(),
        )
    }

    /// Replaces the band keys in a column by bucket numbers, as [`new`](Self::new) needs them, and also returns the number of
    /// buckets. Bands are independent, so their columns can be labelled in parallel.
    pub fn label(mut column: Vec<u32>, documents: &[u32]) -> (Vec<u32>, u32) {
        let rows = sorted_rows(&column, documents.iter().copied());
        let buckets = label_buckets(&mut column, &rows);
        (column, buckets)
    }

    /// Creates buckets from columns that [`label`](Self::label) has labelled.
    pub fn of_labelled(labelled: Vec<(Vec<u32>, u32)>) -> Self {
        let heads = labelled
            .iter()
            .map(|(_, buckets)| vec![NONE; *buckets as usize])
            .collect();
        Self {
            columns: labelled.into_iter().map(|(column, _)| column).collect(),
            heads,
        }
    }

    /// Returns the bucket of a document in each band, or [`NONE`] where no other document has the same key. Call it only for
    /// documents that are not kept.
    pub fn buckets_of(&self, document: u32) -> impl Iterator<Item = u32> {
        self.columns
            .iter()
            .map(move |column| column[document as usize])
    }

    /// Returns whether a bucket was closed.
    pub fn is_closed(&self, band: usize, bucket: u32) -> bool {
        self.heads[band][bucket as usize] == CLOSED
    }

    /// Returns the kept documents of a bucket, most recently kept first. For a closed bucket, the result is empty.
    pub fn kept(&self, band: usize, bucket: u32) -> Vec<u32> {
        let column = &self.columns[band];
        let open = |document: u32| Some(document).filter(|&document| document < CLOSED);
        let first = open(self.heads[band][bucket as usize]);
        std::iter::successors(first, |&document| open(column[document as usize])).collect()
    }

    /// Closes a bucket: lookups find no kept document in it from now on.
    pub fn close(&mut self, band: usize, bucket: u32) {
        self.heads[band][bucket as usize] = CLOSED;
    }

    /// Returns the columns.
    pub fn columns(&self) -> &[Vec<u32>] {
        &self.columns
    }

    /// Fills `neighbours` with the kept documents that share a bucket with `document`, which must not be kept itself. Each kept
    /// document occurs once, in an order that is the same on every run. The cost is the total number of kept documents in the
    /// buckets of `document`.
    pub fn kept_neighbours(&self, document: u32, neighbours: &mut Neighbours) {
        let Neighbours { members, seen } = neighbours;
        members.clear();
        for (column, heads) in self.columns.iter().zip(&self.heads) {
            let bucket = column[document as usize];
            if bucket == NONE {
                continue;
            }
            let mut next = heads[bucket as usize];
            while next < CLOSED {
                let (word, bit) = (next as usize / 64, 1 << (next % 64));
                if word >= seen.len() {
                    seen.resize(column.len().div_ceil(64), 0);
                }
                if seen[word] & bit == 0 {
                    seen[word] |= bit;
                    members.push(next);
                }
                next = column[next as usize];
            }
        }
        members
            .iter()
            .for_each(|&member| seen[member as usize / 64] = 0);
    }

    /// Records a document as kept. Call it once per document.
    pub fn keep(&mut self, document: u32) {
        for (column, heads) in self.columns.iter_mut().zip(&mut self.heads) {
            let place = &mut column[document as usize];
            if *place != NONE && heads[*place as usize] != CLOSED {
                *place = std::mem::replace(&mut heads[*place as usize], document);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closed_bucket_has_no_neighbours() {
        let mut buckets = Buckets::of_labelled(vec![
            (vec![0, 0, 0, 1, 1], 2),
            (vec![NONE, 0, NONE, NONE, 0], 1),
        ]);
        let mut neighbours = Neighbours::default();
        [0, 1, 3]
            .into_iter()
            .for_each(|document| buckets.keep(document));
        assert_eq!(buckets.kept(0, 0), [1, 0]);
        buckets.close(0, 0);
        assert!(buckets.is_closed(0, 0) && !buckets.is_closed(0, 1) && !buckets.is_closed(1, 0));
        buckets.kept_neighbours(2, &mut neighbours);
        assert!(neighbours.members.is_empty());
        buckets.keep(2);
        buckets.kept_neighbours(4, &mut neighbours);
        neighbours.members.sort_unstable();
        assert_eq!(neighbours.members, [1, 3]);
        assert!(buckets.kept(0, 0).is_empty());
    }
}
