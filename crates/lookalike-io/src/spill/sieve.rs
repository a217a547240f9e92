//! Finds the keys that may have occurred twice. In most collections, most keys occur only once and need no sorting.

/// A set of bits, in which the lowest bits of a key select the bit for the key. One bit means *seen*, and the bit 32 positions
/// further in the same word means *seen again*, so that a lookup is one memory access. A key that occurred once is reported as
/// repeated if a different key has the same bit; this happens to 6 to 12 keys in 100.
#[derive(Debug, Default)]
pub struct Sieve {
    words: Vec<u64>,
    /// A mask of the bits of a key that are used.
    mask: u64,
}

/// The smallest number of *seen* bits per key.
const SPARSE: usize = 8;

/// The number of *seen* bits in a word.
const PLACES: usize = 32;

impl Sieve {
    /// Discards everything and prepares for `keys` keys. Takes two to four bytes per key.
    pub fn clear(&mut self, keys: usize) {
        let places = keys
            .saturating_mul(SPARSE)
            .clamp(PLACES, 1 << 40)
            .next_power_of_two();
        self.words.clear();
        self.words.resize(places / PLACES, 0);
        self.mask = places as u64 - 1;
    }

    /// Inserts a key whose lower bits are uniformly distributed. Returns whether it, or another key with the same bit, was
    /// inserted before.
    #[inline]
    pub fn insert(&mut self, key: u64) -> bool {
        let (word, bit) = self.place(key);
        let came = self.words[word];
        self.words[word] = came | bit | (came & bit) << PLACES;
        came & bit != 0
    }

    /// Returns whether a key may have occurred twice; always true if it did.
    #[inline]
    pub fn twice(&self, key: u64) -> bool {
        let (word, bit) = self.place(key);
        self.words[word] & bit << PLACES != 0
    }

    #[inline]
    fn place(&self, key: u64) -> (usize, u64) {
        let place = (key & self.mask) as usize;
        (place / PLACES, 1 << (place % PLACES))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn repeated_values_pass(keys in prop::collection::vec(0u64..500, 0..300), scratch in 0usize..300) {
            let mut sieve = Sieve::default();
            sieve.clear(scratch);
            let mut times: BTreeMap<u64, usize> = BTreeMap::new();
            for &key in &keys {
                sieve.insert(key.wrapping_mul(0x9e37_79b9_7f4a_7c15));
                *times.entry(key).or_default() += 1;
            }
            for (key, times) in times {
                prop_assert!(times == 1 || sieve.twice(key.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
            }
        }
    }

    #[test]
    fn few_unique_values_pass() {
        let mut sieve = Sieve::default();
        sieve.clear(10_000);
        let key = |i: u64| lookalike::fingerprint::finish(i);
        (0..10_000).for_each(|i| _ = sieve.insert(key(i)));
        let through = (0..10_000).filter(|&i| sieve.twice(key(i))).count();
        assert!((400..1200).contains(&through), "{through}");
    }
}
