//! Defines keep order, in which documents are considered: of several similar documents, the first one in this order is kept.

use std::cmp::Reverse;

use lookalike_io::{error::Result, pool::install, spill::Spill};
use rayon::{ThreadPool, slice::ParallelSliceMut};

use crate::numbers::{Document, Rank};

/// Maps documents to their ranks, which are their positions in keep order, and back.
#[derive(Debug)]
pub(crate) enum Order {
    /// Documents are considered in input order. The value is the number of documents.
    Input(u64),
    /// Documents are considered in the order of their keys. This takes 16 bytes per document.
    Given {
        /// The document of each rank.
        documents: Vec<Document>,
        /// The rank of each document.
        ranks: Vec<Rank>,
    },
}

impl Order {
    /// Orders documents by keys, largest first; documents with equal keys are in input order. The first `references` documents
    /// come before all others and remain in input order. Without keys, all `documents` remain in input order.
    pub(crate) fn new(
        keys: &Spill<u64>,
        documents: u64,
        references: u64,
        pool: &ThreadPool,
    ) -> Result<Self> {
        if keys.len() == 0 {
            return Ok(Self::Input(documents));
        }
        let mut rows = Vec::with_capacity(keys.len() as usize);
        keys.each_piece(1, |first, piece| {
            rows.extend(piece.iter().map(|&key| Reverse(key)).zip(first..));
            Ok(())
        })?;
        let others = &mut rows[references as usize..];
        install(pool, || others.par_sort_unstable());
        let documents: Vec<Document> = rows
            .into_iter()
            .map(|(_, document)| Document(document))
            .collect();
        let mut ranks = vec![Rank(0); documents.len()];
        documents
            .iter()
            .zip(0..)
            .for_each(|(document, rank)| ranks[document.0 as usize] = Rank(rank));
        Ok(Self::Given { documents, ranks })
    }

    pub(crate) fn is_input(&self) -> bool {
        matches!(self, Self::Input(_))
    }

    pub(crate) fn len(&self) -> u64 {
        match self {
            Self::Input(documents) => *documents,
            Self::Given { documents, .. } => documents.len() as u64,
        }
    }

    #[inline]
    pub(crate) fn rank(&self, document: Document) -> Rank {
        match self {
            Self::Input(_) => Rank(document.0),
            Self::Given { ranks, .. } => ranks[document.0 as usize],
        }
    }

    #[inline]
    pub(crate) fn document(&self, rank: Rank) -> Document {
        match self {
            Self::Input(_) => Document(rank.0),
            Self::Given { documents, .. } => documents[rank.0 as usize],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lookalike_io::spill::Budget;

    #[test]
    fn larger_keys_come_first_and_ties_keep_input_order() {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(2)
            .build()
            .unwrap();
        let mut keys = Spill::new(&Budget::of(1 << 20, 0, &std::env::temp_dir()));
        let input = Order::new(&keys, 4, 0, &pool).unwrap();
        assert!(input.is_input() && input.len() == 4 && input.rank(Document(3)) == Rank(3));
        keys.append(&[1, 3, 3, 2]).unwrap();
        let order = Order::new(&keys, 4, 0, &pool).unwrap();
        assert_eq!(
            [0, 1, 2, 3].map(|rank| order.document(Rank(rank)).0),
            [1, 2, 3, 0]
        );
        assert_eq!(
            [0, 1, 2, 3].map(|document| order.rank(Document(document)).0),
            [3, 0, 1, 2]
        );
    }

    #[test]
    fn references_come_first_in_input_order() {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(2)
            .build()
            .unwrap();
        let mut keys = Spill::new(&Budget::of(1 << 20, 0, &std::env::temp_dir()));
        keys.append(&[0, 0, 1, 3, 2]).unwrap();
        let order = Order::new(&keys, 5, 2, &pool).unwrap();
        assert_eq!(
            [0, 1, 2, 3, 4].map(|rank| order.document(Rank(rank)).0),
            [0, 1, 3, 4, 2]
        );
    }
}
