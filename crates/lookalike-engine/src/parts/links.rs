//! Joins documents that have a key in common, and the results of several shards.

use lookalike::{cluster::UnionFind, fingerprint::Lookup};
use lookalike_io::error::{Error, ErrorKind, Result};

use super::keys::{EMPTY, ROW};

/// Joined documents: each node with its part, which is identified by the least node in it. Nodes are distinct and sorted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Links {
    /// The documents.
    pub nodes: Vec<u64>,
    /// The part of each document.
    pub parts: Vec<u64>,
}

/// Joins the documents that have the same key, given all [rows](super::keys()) of a shard in any order. Documents whose keys no
/// other document has are left out, except empty texts.
///
/// Cost: one sort of the rows; 16 bytes of memory per row, and about 50 per joined document.
///
/// # Errors
/// Fails if the bytes are not rows.
pub fn links<'a>(rows: impl IntoIterator<Item = &'a [u8]>) -> Result<Links> {
    let mut buckets = Buckets::default();
    rows.into_iter().try_for_each(|rows| buckets.add(rows))?;
    Ok(buckets.links())
}

/// The rows of a shard.
#[derive(Default)]
pub(crate) struct Buckets(Vec<u128>);

impl Buckets {
    pub(crate) fn add(&mut self, rows: &[u8]) -> Result<()> {
        let (rows, rest) = rows.as_chunks::<ROW>();
        if !rest.is_empty() {
            return Err(Error::new(
                ErrorKind::Temporary,
                "the rows of a shard were cut",
            ));
        }
        // The column and the key are the upper bits, so rows with the same key are together when they are sorted.
        self.0.extend(rows.iter().map(|row| {
            let mut number = [0; 16];
            number[..6].copy_from_slice(&row[5..]);
            number[6..10].copy_from_slice(&row[1..5]);
            number[10] = row[0];
            u128::from_le_bytes(number)
        }));
        Ok(())
    }

    /// Joins the documents that have the same key.
    pub(crate) fn links(self) -> Links {
        let Self(mut all) = self;
        all.sort_unstable();
        let key = |row: u128| row >> 48;
        let node = |row: u128| row as u64 & ((1 << 48) - 1);
        let mut joining = Joining::default();
        for bucket in all.chunk_by(|&a, &b| key(a) == key(b)) {
            let first = bucket[0];
            if key(first) >> 32 == u128::from(EMPTY) {
                // An empty text is never a duplicate, so it is joined only with itself.
                bucket
                    .iter()
                    .for_each(|&row| joining.join(node(row), node(row)));
            } else {
                // Two documents may have the same node, which is then joined with itself.
                bucket[1..]
                    .iter()
                    .for_each(|&row| joining.join(node(row), node(first)));
            }
        }
        drop(all);
        joining.finish()
    }
}

/// Joins the results of several shards.
///
/// Memory: about 50 bytes per joined document, however many shards contain it.
#[derive(Debug, Default)]
pub struct Joining {
    numbers: Lookup<u64, u32>,
    nodes: Vec<u64>,
    sets: UnionFind,
}

impl Joining {
    /// Adds the result of a shard, given as nodes and their parts.
    pub fn add(&mut self, nodes: &[u64], parts: &[u64]) {
        nodes
            .iter()
            .zip(parts)
            .for_each(|(&node, &part)| self.join(node, part));
    }

    fn join(&mut self, a: u64, b: u64) {
        let (a, b) = (self.number(a), self.number(b));
        self.sets.join(a, b);
    }

    fn number(&mut self, node: u64) -> u32 {
        *self.numbers.entry(node).or_insert_with(|| {
            self.nodes.push(node);
            self.sets.push()
        })
    }

    /// Returns all joined documents.
    pub fn finish(self) -> Links {
        let Self {
            numbers,
            nodes,
            mut sets,
        } = self;
        drop(numbers);
        let mut least = nodes.clone();
        for (number, &node) in (0..).zip(&nodes) {
            let least = &mut least[sets.find(number) as usize];
            *least = node.min(*least);
        }
        let mut rows: Vec<(u64, u64)> = (0..)
            .zip(&nodes)
            .map(|(number, &node)| (node, least[sets.find(number) as usize]))
            .collect();
        rows.sort_unstable();
        let (nodes, parts) = rows.into_iter().unzip();
        Links { nodes, parts }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use super::*;

    fn row(column: u8, key: u32, node: u64) -> Vec<u8> {
        [&[column][..], &key.to_le_bytes(), &node.to_le_bytes()[..6]].concat()
    }

    proptest! {
        /// The naive implementation, `twin`, takes the nodes of each key, and merges them with all earlier sets that contain any
        /// of these nodes.
        #[test]
        fn documents_with_a_common_key_are_in_one_part_for_any_shards(
            rows in prop::collection::vec((0u8..3, 0u32..12, 0u64..30), 0..60),
            shards in 1usize..5,
        ) {
            let mut twin: Vec<BTreeSet<u64>> = Vec::new();
            let mut buckets: BTreeMap<(u8, u32), Vec<u64>> = BTreeMap::new();
            rows.iter().for_each(|&(column, key, node)| buckets.entry((column, key)).or_default().push(node));
            for bucket in buckets.into_values().filter(|bucket| bucket.len() > 1) {
                let mut bucket = BTreeSet::from_iter(bucket);
                let (with, without) = twin.into_iter().partition::<Vec<_>, _>(|part| !part.is_disjoint(&bucket));
                with.into_iter().for_each(|part| bucket.extend(part));
                twin = without;
                twin.push(bucket);
            }
            let mut expected: Vec<(u64, u64)> =
                twin.iter().flat_map(|part| part.iter().map(|&node| (node, *part.first().unwrap()))).collect();
            expected.sort_unstable();

            let mut blobs = vec![Vec::new(); shards];
            for &(column, key, node) in &rows {
                blobs[(column as usize + 3 * key as usize) % shards].extend(row(column, key, node));
            }
            let found: Vec<Links> = blobs.iter().map(|blob| links([&blob[..]]).unwrap()).collect();
            let mut joining = Joining::default();
            found.iter().for_each(|links| joining.add(&links.nodes, &links.parts));
            let Links { nodes, parts } = joining.finish();
            prop_assert_eq!(nodes.into_iter().zip(parts).collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn empty_texts_are_parts_of_their_own() {
        let rows: Vec<u8> = [7, 8]
            .into_iter()
            .flat_map(|node| row(EMPTY, 0, node))
            .collect();
        assert_eq!(
            links([&rows[..]]).unwrap(),
            Links {
                nodes: vec![7, 8],
                parts: vec![7, 8]
            }
        );
    }

    #[test]
    fn cut_rows_are_an_error() {
        assert!(links([&row(0, 1, 2)[..10]]).is_err());
    }
}
