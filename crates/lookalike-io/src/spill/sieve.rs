//! Which keys may have come twice: most keys of most collections come once, and what comes once needs no sorting.

/// Bits that say it, found by a few bits of the key: one for *came*, 32 further on one for *came again*, in one word, so that a
/// look is one access. A key that came once is let through where another has its bit: 6 to 12 in 100.
#[derive(Debug, Default)]
pub struct Sieve {
    words: Vec<u64>,
    /// The key's bits that are looked at.
    mask: u64,
}

/// Places a key, at the least.
const SPARSE: usize = 8;

/// Places a word.
const PLACES: usize = 32;

impl Sieve {
    /// Forgets all, and makes ready for so many keys. Two to four bytes a key.
    pub fn clear(&mut self, keys: usize) {
        let places = keys.saturating_mul(SPARSE).clamp(PLACES, 1 << 40).next_power_of_two();
        self.words.clear();
        self.words.resize(places / PLACES, 0);
        self.mask = places as u64 - 1;
    }

    /// Takes a key, of which the lower bits are spread evenly. Gives whether it, or another in its place, came before.
    #[inline]
    pub fn insert(&mut self, key: u64) -> bool {
        let (word, bit) = self.place(key);
        let came = self.words[word];
        self.words[word] = came | bit | (came & bit) << PLACES;
        came & bit != 0
    }

    /// Whether a key may have come twice; of one that did, always.
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
        fn what_came_twice_is_let_through(keys in prop::collection::vec(0u64..500, 0..300), room in 0usize..300) {
            let mut sieve = Sieve::default();
            sieve.clear(room);
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
    fn few_that_came_once_are_let_through() {
        let mut sieve = Sieve::default();
        sieve.clear(10_000);
        let key = |i: u64| lookalike::fingerprint::finish(i);
        (0..10_000).for_each(|i| _ = sieve.insert(key(i)));
        let through = (0..10_000).filter(|&i| sieve.twice(key(i))).count();
        assert!((400..1200).contains(&through), "{through}");
    }
}
