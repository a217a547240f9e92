//! Shingle sets that were used recently.

use std::{
    mem,
    sync::{Arc, Mutex},
};

use lookalike::fingerprint::Lookup;
use lookalike_io::lock::lock;

/// A cache of shingle sets, by the numbers of documents. It has two halves: when the first is full, it becomes the second, whose sets
/// are forgotten unless they are used again.
#[derive(Debug)]
pub(crate) struct Sets {
    /// The size of a half, in elements.
    most: usize,
    halves: Mutex<Halves>,
}

#[derive(Debug, Default)]
struct Halves {
    young: Lookup<u64, Arc<[u64]>>,
    old: Lookup<u64, Arc<[u64]>>,
    size: usize,
}

/// An entry takes at least the memory of this many elements.
const ENTRY: usize = 8;

impl Sets {
    /// Creates a cache of this many bytes.
    pub(crate) fn new(bytes: usize) -> Self {
        Self {
            most: bytes / 16,
            halves: Mutex::default(),
        }
    }

    pub(crate) fn get(&self, number: u64) -> Option<Arc<[u64]>> {
        let mut halves = lock(&self.halves);
        if let Some(set) = halves.young.get(&number) {
            return Some(set.clone());
        }
        let set = halves.old.remove(&number)?;
        self.add(&mut halves, number, set.clone());
        Some(set)
    }

    pub(crate) fn insert(&self, number: u64, set: Arc<[u64]>) {
        self.add(&mut lock(&self.halves), number, set);
    }

    fn add(&self, halves: &mut Halves, number: u64, set: Arc<[u64]>) {
        halves.size += set.len() + ENTRY;
        halves.young.insert(number, set);
        if halves.size > self.most {
            halves.old = mem::take(&mut halves.young);
            halves.size = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_that_are_used_remain() {
        let sets = Sets::new(16 * 100);
        for number in 0..1000 {
            sets.insert(number, vec![number; 5].into());
            assert_eq!(sets.get(number).as_deref(), Some(&[number; 5][..]));
            assert_eq!(sets.get(0).as_deref(), Some(&[0; 5][..]));
        }
        assert_eq!(sets.get(500), None);
        let halves = lock(&sets.halves);
        assert!(halves.young.len() + halves.old.len() < 20);
    }
}
