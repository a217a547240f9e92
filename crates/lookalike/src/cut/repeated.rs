//! The keys of repeated anchors, each with a number.

use std::collections::HashSet;

use crate::fingerprint::K0;

/// A set of keys that may be repeated, in about 2.4 bytes for each. Each key has a number below [`len`](Self::len), so that a list can
/// have what belongs to it.
///
/// The keys are in order of their hashes. All keys with the same first bits form a group of about eight keys, of which the set has the
/// next 16 bits. So one key in 8,000 that is not in the set takes the number of another.
#[derive(Debug, Default)]
pub struct Repeated {
    /// The number of bits of a hash by which groups are found.
    bits: u32,
    /// The first key of each group, and the number of all keys.
    groups: Vec<u32>,
    /// 16 bits of each key.
    keys: Vec<u16>,
    /// Keys that were added later. They have no numbers.
    more: HashSet<u64>,
}

/// The average number of keys in a group.
const GROUP: u64 = 8;

impl Repeated {
    /// Creates a set of the keys with these [hashes](Self::hash), in ascending order. A hash may be repeated. `most` is the largest
    /// possible number of different ones.
    ///
    /// # Errors
    /// Fails with the first error of the hashes.
    ///
    /// # Panics
    /// Panics if there are 2³² different keys or more.
    pub fn new<E>(hashes: impl IntoIterator<Item = Result<u64, E>>, most: u64) -> Result<Self, E> {
        let bits = (most / GROUP).checked_ilog2().unwrap_or(0).min(30);
        let mut set = Self { bits, ..Self::default() };
        set.groups.reserve_exact((1 << bits) + 1);
        // Memory that is reserved but not used takes no room.
        set.keys.reserve_exact(most as usize);
        for hash in hashes {
            let (group, key) = set.parts(hash?);
            if set.groups.len() > group && set.keys.last() == Some(&key) {
                continue;
            }
            set.groups.resize(set.groups.len().max(group + 1), set.keys.len() as u32);
            set.keys.push(key);
        }
        assert!(u32::try_from(set.keys.len()).is_ok(), "too many repeated passages");
        set.groups.resize((1 << bits) + 1, set.keys.len() as u32);
        Ok(set)
    }

    /// Returns the hash by which keys are in order.
    #[inline]
    pub fn hash(key: u64) -> u64 {
        key.wrapping_mul(K0)
    }

    /// Returns the group of a hash, and the bits that the group has of it.
    #[inline]
    fn parts(&self, hash: u64) -> (usize, u16) {
        ((hash >> 1 >> (u64::BITS - 1 - self.bits)) as usize, (hash >> (u64::BITS - 16 - self.bits)) as u16)
    }

    /// Returns the number of numbers.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Returns whether no key has a number.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Returns the number of bytes of memory in use.
    pub fn memory(&self) -> usize {
        size_of_val(&*self.groups) + size_of_val(&*self.keys) + self.more.capacity() * 2 * size_of::<u64>()
    }

    /// Returns the number of a key.
    #[inline]
    pub fn number(&self, key: u64) -> Option<usize> {
        let (group, key) = self.parts(Self::hash(key));
        let (first, end) = (*self.groups.get(group)? as usize, *self.groups.get(group + 1)? as usize);
        self.keys[first..end].iter().position(|&other| other == key).map(|at| first + at)
    }

    /// Returns whether the set contains a key.
    #[inline]
    pub fn contains(&self, key: u64) -> bool {
        self.number(key).is_some() || !self.more.is_empty() && self.more.contains(&key)
    }

    /// Adds a key without a number.
    pub fn insert(&mut self, key: u64) {
        self.more.insert(key);
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, convert::Infallible};

    use proptest::prelude::*;

    use super::*;
    use crate::fingerprint::SplitMix64;

    fn set(keys: &BTreeSet<u64>, most: u64) -> Repeated {
        let mut hashes: Vec<u64> = keys.iter().chain(keys.iter().take(10)).map(|&key| Repeated::hash(key)).collect();
        hashes.sort_unstable();
        let Ok(set) = Repeated::new(hashes.into_iter().map(Ok::<_, Infallible>), most);
        set
    }

    proptest! {
        #[test]
        fn each_key_has_a_number_of_its_own(
            keys in prop::collection::btree_set(prop_oneof![0u64..50, any::<u64>()], 0..300),
            more in 0u64..20_000,
            others in prop::collection::vec(any::<u64>(), 30),
        ) {
            let mut set = set(&keys, keys.len() as u64 + more);
            let numbers: BTreeSet<usize> = keys.iter().map(|&key| set.number(key).unwrap()).collect();
            // Hashes of 16 bits or more are rarely equal.
            prop_assert!(numbers.len() + 1 >= keys.len() && numbers.iter().all(|&number| number < set.len()));
            let others: Vec<u64> = others.into_iter().filter(|other| !keys.contains(other)).collect();
            prop_assert!(others.iter().filter(|&&other| set.contains(other)).count() < 3);
            others.iter().for_each(|&other| set.insert(other));
            prop_assert!(others.iter().chain(&keys).all(|&key| set.contains(key)));
        }
    }

    #[test]
    fn it_takes_little_memory_and_has_few_other_keys() {
        let mut random = SplitMix64::new(1);
        let keys: BTreeSet<u64> = (0..200_000).map(|_| random.next_u64()).collect();
        let set = set(&keys, 200_000);
        let others = (0..200_000).filter(|_| set.contains(random.next_u64())).count();
        assert!((5..150).contains(&others) && set.memory() < 560_000, "{others} {}", set.memory());
    }
}
