//! The kept documents of each bucket, for going down keep order.
//!
//! Only kept documents are ever compared against, so a bucket needs only them: a chain through the columns themselves. A
//! document's place in a column holds its bucket's number until it is kept, then the number of the document kept before it
//! in that bucket. Memory besides the columns: four bytes a bucket.
//!
//! A bucket may be closed: whoever finds its kept documents in a quicker way takes them, and nobody finds them here any more.

use crate::lsh::{NONE, label_buckets, sorted_rows};

/// The band columns, and for each bucket the last document kept.
#[derive(Debug)]
pub struct Buckets {
    columns: Vec<Vec<u32>>,
    heads: Vec<Vec<u32>>,
}

/// The head of a closed bucket; documents are fewer.
const CLOSED: u32 = NONE - 1;

/// Documents that share a band with one. Room, used again for the next.
#[derive(Debug, Default)]
pub struct Company {
    /// The documents.
    pub members: Vec<u32>,
    /// A bit a document, all clear between uses: a sort of long chains took as long as all comparisons.
    seen: Vec<u64>,
}

impl Buckets {
    /// Takes columns of band keys. `documents` are those to be found: neither empty ones nor copies.
    pub fn new(columns: Vec<Vec<u32>>, documents: &[u32]) -> Self {
        Self::of_labelled(columns.into_iter().map(|column| Self::label(column, documents)).collect())
    }

    /// One band of [`new`](Self::new): bands are independent and may be labelled in parallel. Gives the number of buckets too.
    pub fn label(mut column: Vec<u32>, documents: &[u32]) -> (Vec<u32>, u32) {
        let rows = sorted_rows(&column, documents.iter().copied());
        let buckets = label_buckets(&mut column, &rows);
        (column, buckets)
    }

    /// Takes columns that [`label`](Self::label) has labelled.
    pub fn of_labelled(labelled: Vec<(Vec<u32>, u32)>) -> Self {
        let heads = labelled.iter().map(|(_, buckets)| vec![NONE; *buckets as usize]).collect();
        Self { columns: labelled.into_iter().map(|(column, _)| column).collect(), heads }
    }

    /// The bucket of a document that was not kept, by band; [`NONE`] where it is alone.
    pub fn buckets_of(&self, document: u32) -> impl Iterator<Item = u32> {
        self.columns.iter().map(move |column| column[document as usize])
    }

    /// Whether a bucket was closed.
    pub fn is_closed(&self, band: usize, bucket: u32) -> bool {
        self.heads[band][bucket as usize] == CLOSED
    }

    /// The kept documents of a bucket, the last first; none of a closed one.
    pub fn kept(&self, band: usize, bucket: u32) -> Vec<u32> {
        let column = &self.columns[band];
        let open = |document: u32| Some(document).filter(|&document| document < CLOSED);
        let first = open(self.heads[band][bucket as usize]);
        std::iter::successors(first, |&document| open(column[document as usize])).collect()
    }

    /// Closes a bucket: it has no kept company from now on.
    pub fn close(&mut self, band: usize, bucket: u32) {
        self.heads[band][bucket as usize] = CLOSED;
    }

    /// The columns.
    pub fn columns(&self) -> &[Vec<u32>] {
        &self.columns
    }

    /// Fills `company` with the kept documents that share a band with a document that was not kept: each once, in an order
    /// that is the same on every run. Cost: the lengths of the chains.
    pub fn kept_company(&self, document: u32, company: &mut Company) {
        let Company { members, seen } = company;
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
        members.iter().for_each(|&member| seen[member as usize / 64] = 0);
    }

    /// Enters a document as kept. Each document once.
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
    fn a_closed_bucket_has_no_company() {
        let mut buckets = Buckets::of_labelled(vec![(vec![0, 0, 0, 1, 1], 2), (vec![NONE, 0, NONE, NONE, 0], 1)]);
        let mut company = Company::default();
        [0, 1, 3].into_iter().for_each(|document| buckets.keep(document));
        assert_eq!(buckets.kept(0, 0), [1, 0]);
        buckets.close(0, 0);
        assert!(buckets.is_closed(0, 0) && !buckets.is_closed(0, 1) && !buckets.is_closed(1, 0));
        buckets.kept_company(2, &mut company);
        assert!(company.members.is_empty());
        buckets.keep(2);
        buckets.kept_company(4, &mut company);
        company.members.sort_unstable();
        assert_eq!(company.members, [1, 3]);
        assert!(buckets.kept(0, 0).is_empty());
    }
}
