//! The keys of repeated anchors, each with a number. Only these anchors are indexed if those of all
//! texts do not fit into memory.

use crate::fingerprint::K0;

/// A set of keys that are repeated, in about 2.4 bytes for each. Each key has a number below [`len`](Self::len), which is a place in a
/// list.
///
/// The keys are in order of their hashes. All keys whose hashes begin with the same bits form a group, of 8 to 16 keys on average. The
/// set contains the next 16 bits of each. So one in 4,000 to 8,000 other keys gets the number of a key.
#[derive(Debug, Default)]
pub struct Repeated {
    /// The number of bits of a hash by which groups are found.
    bits: u32,
    /// The first key of each group, and the number of all keys.
    groups: Vec<u32>,
    /// 16 bits of each key.
    keys: Vec<u16>,
    /// Keys that were added later, in order. They have no numbers.
    more: Vec<u64>,
}

/// The least average number of keys in a group.
const GROUP: u64 = 8;

impl Repeated {
    /// The largest number of keys with numbers.
    pub const MOST: u64 = u32::MAX as u64;

    /// Creates a set for this number of keys, to which their hashes are [pushed](Self::push) in ascending order, before the end is
    /// [marked](Self::end).
    pub fn with_capacity(keys: u64) -> Self {
        let bits = (keys / GROUP).checked_ilog2().unwrap_or(0).min(30);
        let (groups, keys) = (
            Vec::with_capacity((1 << bits) + 1),
            Vec::with_capacity(keys as usize),
        );
        Self {
            bits,
            groups,
            keys,
            more: Vec::new(),
        }
    }

    /// Adds the key with the next [hash](Self::hash).
    pub fn push(&mut self, hash: u64) {
        let (group, key) = self.parts(hash);
        if self.groups.len() > group && self.keys.last() == Some(&key) {
            return;
        }
        self.groups
            .resize(self.groups.len().max(group + 1), self.keys.len() as u32);
        self.keys.push(key);
    }

    /// Marks the end of the last group.
    pub fn end(&mut self) {
        self.groups
            .resize((1 << self.bits) + 1, self.keys.len() as u32);
    }

    /// Returns the hash by which keys are in order.
    #[inline]
    pub fn hash(key: u64) -> u64 {
        key.wrapping_mul(K0)
    }

    /// Returns the group of a hash, and the bits of the hash that the group contains.
    #[inline]
    fn parts(&self, hash: u64) -> (usize, u16) {
        (
            (hash >> 1 >> (u64::BITS - 1 - self.bits)) as usize,
            (hash >> (u64::BITS - 16 - self.bits)) as u16,
        )
    }

    /// Returns the number of keys with numbers.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Returns whether no key has a number.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Returns the number of bytes of memory in use.
    pub fn memory(&self) -> usize {
        size_of_val(&*self.groups) + size_of_val(&*self.keys) + size_of_val(&*self.more)
    }

    /// Returns the number of a key.
    #[inline]
    pub fn number(&self, key: u64) -> Option<usize> {
        let (group, key) = self.parts(Self::hash(key));
        let (first, end) = (
            *self.groups.get(group)? as usize,
            *self.groups.get(group + 1)? as usize,
        );
        self.keys[first..end]
            .iter()
            .position(|&other| other == key)
            .map(|at| first + at)
    }

    /// Returns whether the set contains a key.
    #[inline]
    pub fn contains(&self, key: u64) -> bool {
        self.number(key).is_some() || self.more.binary_search(&key).is_ok()
    }

    /// Adds keys without numbers.
    pub fn extend(&mut self, keys: impl IntoIterator<Item = u64>) {
        self.more.extend(keys);
        self.more.sort_unstable();
        self.more.dedup();
    }
}

#[cfg(test)]
impl Repeated {
    /// Returns the set of some keys.
    pub(in crate::cut) fn of<'a>(keys: impl IntoIterator<Item = &'a u64>) -> Self {
        let mut hashes: Vec<u64> = keys.into_iter().map(|&key| Self::hash(key)).collect();
        hashes.sort_unstable();
        let mut set = Self::with_capacity(hashes.len() as u64);
        hashes.into_iter().for_each(|hash| set.push(hash));
        set.end();
        set
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::fingerprint::SplitMix64;

    proptest! {
        #[test]
        fn each_key_has_a_number_of_its_own(
            keys in prop::collection::btree_set(prop_oneof![0u64..50, any::<u64>()], 0..300),
            others in prop::collection::vec(any::<u64>(), 30),
        ) {
            let mut set = Repeated::of(&keys);
            let numbers: BTreeSet<usize> = keys.iter().map(|&key| set.number(key).unwrap()).collect();
            // Hashes of 16 bits or more are rarely equal.
            prop_assert!(numbers.len() + 3 >= keys.len() && numbers.iter().all(|&number| number < set.len()));
            let others: Vec<u64> = others.into_iter().filter(|other| !keys.contains(other)).collect();
            prop_assert!(others.iter().filter(|&&other| set.contains(other)).count() < 3);
            set.extend(others.iter().copied());
            prop_assert!(others.iter().chain(&keys).all(|&key| set.contains(key)));
        }
    }

    #[test]
    fn it_takes_little_memory_and_has_few_other_keys() {
        let mut random = SplitMix64::new(1);
        let keys: BTreeSet<u64> = (0..200_000).map(|_| random.next_u64()).collect();
        let set = Repeated::of(&keys);
        let others = (0..200_000)
            .filter(|_| set.contains(random.next_u64()))
            .count();
        assert!(
            (5..150).contains(&others) && set.memory() < 560_000,
            "{others} {}",
            set.memory()
        );
    }
}
