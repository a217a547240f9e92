//! Postings in memory: for each key of each column, a list of documents.

use lookalike::fingerprint::Lookup;

/// Lists of numbers by the keys of several columns. A number can be added again under other keys. Numbers are not removed; callers
/// leave out those that no longer count.
#[derive(Debug, Clone, Default)]
pub(crate) struct Chains {
    /// For each column, the last node that was added under a key.
    heads: Vec<Lookup<u32, u32>>,
    /// For each node and column, the node that was added before under the same key.
    before: Vec<u32>,
    /// The number of each node.
    numbers: Vec<u64>,
}

const NONE: u32 = u32::MAX;

impl Chains {
    pub(crate) fn new(columns: usize) -> Self {
        Self { heads: vec![Lookup::default(); columns], before: Vec::new(), numbers: Vec::new() }
    }

    /// Adds a number under one key per column.
    pub(crate) fn add(&mut self, keys: &[u32], number: u64) {
        let node = self.numbers.len() as u32;
        self.numbers.push(number);
        for (heads, &key) in self.heads.iter_mut().zip(keys) {
            self.before.push(heads.insert(key, node).unwrap_or(NONE));
        }
    }

    /// Returns the numbers that have a key in a column, the last one first.
    pub(crate) fn find(&self, column: usize, key: u32) -> impl Iterator<Item = u64> + '_ {
        let mut node = self.heads.get(column).and_then(|heads| heads.get(&key)).copied().unwrap_or(NONE);
        std::iter::from_fn(move || {
            let number = *self.numbers.get(node as usize)?;
            node = self.before[node as usize * self.heads.len() + column];
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
        chains.add(&[2, 7], 12);
        let found = |column, key| chains.find(column, key).collect::<Vec<_>>();
        assert_eq!((found(0, 1), found(0, 2), found(0, 7)), (vec![11, 10], vec![12], vec![]));
        assert_eq!((found(1, 7), found(1, 8)), (vec![12, 10], vec![11]));
        assert_eq!(chains.numbers(), [10, 11, 12]);
    }
}
