//! Postings in memory: for each key of each column, a list of documents.

use lookalike::fingerprint::Lookup;
use lookalike_io::pool::par_map;

/// Lists of numbers by the keys of several columns. A number can be added again under other keys. Numbers are not removed; callers
/// leave out those that no longer count.
#[derive(Debug, Clone, Default)]
pub(crate) struct Chains {
    columns: Vec<Column>,
    /// The number of each node.
    numbers: Vec<u64>,
}

#[derive(Debug, Clone, Default)]
struct Column {
    /// The last node that was added under a key.
    heads: Lookup<u32, u32>,
    /// For each node, the node that was added before under the same key.
    before: Vec<u32>,
}

impl Column {
    fn add(&mut self, key: u32, node: u32) {
        self.before
            .push(self.heads.insert(key, node).unwrap_or(NONE));
    }
}

const NONE: u32 = u32::MAX;

impl Chains {
    pub(crate) fn new(columns: usize) -> Self {
        Self {
            columns: vec![Column::default(); columns],
            numbers: Vec::new(),
        }
    }

    /// Makes room for more numbers.
    pub(crate) fn reserve(&mut self, numbers: usize) {
        self.numbers.reserve(numbers);
        for Column { heads, before } in &mut self.columns {
            heads.reserve(numbers);
            before.reserve(numbers);
        }
    }

    /// Adds a number under one key per column.
    pub(crate) fn add(&mut self, keys: &[u32], number: u64) {
        let node = self.numbers.len() as u32;
        self.numbers.push(number);
        for (column, &key) in self.columns.iter_mut().zip(keys) {
            column.add(key, node);
        }
    }

    /// Adds many numbers, whose keys `keys` returns. Each column is filled by one thread, so that its table stays in a core's cache.
    pub(crate) fn add_all<'a>(&mut self, numbers: &[u64], keys: impl Fn(u64) -> &'a [u32] + Sync) {
        let first = self.numbers.len() as u32;
        self.numbers.extend(numbers);
        let fill = |(at, column): (usize, &mut Column)| {
            column.heads.reserve(numbers.len());
            column.before.reserve(numbers.len());
            (first..)
                .zip(numbers)
                .for_each(|(node, &number)| column.add(keys(number)[at], node));
        };
        par_map(self.columns.iter_mut().enumerate(), fill);
    }

    /// Returns the numbers that have a key in a column, the last one first.
    pub(crate) fn find(&self, column: usize, key: u32) -> impl Iterator<Item = u64> + '_ {
        let column = self.columns.get(column);
        let mut node = column
            .and_then(|column| column.heads.get(&key))
            .copied()
            .unwrap_or(NONE);
        std::iter::from_fn(move || {
            let number = *self.numbers.get(node as usize)?;
            node = *column?.before.get(node as usize)?;
            Some(number)
        })
    }

    /// Returns all numbers, in the order in which they were added.
    pub(crate) fn numbers(&self) -> &[u64] {
        &self.numbers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_by_their_keys() {
        let mut chains = Chains::new(2);
        chains.add(&[1, 7], 10);
        chains.add(&[1, 8], 11);
        let keys = [[2, 7], [3, 9]];
        let mut together = chains.clone();
        together.add_all(&[12, 13], |number| &keys[number as usize - 12]);
        chains.add(&keys[0], 12);
        let found = |column, key| chains.find(column, key).collect::<Vec<_>>();
        assert_eq!(
            (found(0, 1), found(0, 2), found(0, 7)),
            (vec![11, 10], vec![12], vec![])
        );
        assert_eq!((found(1, 7), found(1, 8)), (vec![12, 10], vec![11]));
        assert_eq!(chains.numbers(), [10, 11, 12]);
        assert_eq!(
            (together.find(0, 2).last(), together.find(0, 3).last()),
            (Some(12), Some(13))
        );
        assert_eq!(together.find(1, 7).collect::<Vec<_>>(), [12, 10]);
    }
}
