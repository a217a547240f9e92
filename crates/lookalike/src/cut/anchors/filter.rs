//! A set of keys in little memory. With it, most anchors that occur once are ruled out, and only
//! the others are sorted.

use crate::fingerprint::finish;

/// A set that contains each key that was inserted, and few others: a Bloom filter whose bits for a key are in one block, so that a
/// lookup reads one place in memory (Putze, Sanders, Singler 2007, *Cache-, Hash- and Space-Efficient Bloom Filters*).
///
/// With 12 bits for each key, it contains one other key in 150.
#[derive(Debug)]
pub struct Filter {
    blocks: Vec<[u64; 4]>,
}

impl Filter {
    /// The maximum number of parts. The number of blocks is a multiple of it, so that in two sets a key is in parts with the same number.
    pub const PARTS: usize = 64;

    /// Creates an empty set of about this number of bytes, at least 2 KiB.
    pub fn new(bytes: usize) -> Self {
        let blocks = bytes / size_of::<[u64; 4]>();
        Self {
            blocks: vec![[0; 4]; blocks.next_multiple_of(Self::PARTS).max(Self::PARTS)],
        }
    }

    /// Returns the block of a key in a set with a number of blocks.
    #[inline]
    fn block(key: u64, blocks: usize) -> usize {
        ((u128::from(finish(key)) * blocks as u128) >> u64::BITS) as usize
    }

    #[inline]
    fn bits(key: u64) -> [u64; 4] {
        let hash = key.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(24);
        std::array::from_fn(|word| 1 << (hash >> (6 * word) & 63))
    }

    /// Inserts a key. Returns whether the set contained it already.
    #[inline]
    pub fn insert(&mut self, key: u64) -> bool {
        let at = Self::block(key, self.blocks.len());
        Self::insert_into(&mut self.blocks[at], key)
    }

    #[inline]
    fn insert_into(block: &mut [u64; 4], key: u64) -> bool {
        let mut was_set = true;
        for (word, bit) in block.iter_mut().zip(Self::bits(key)) {
            was_set &= *word & bit != 0;
            *word |= bit;
        }
        was_set
    }

    /// Returns whether the set contains a key.
    #[inline]
    pub fn contains(&self, key: u64) -> bool {
        let block = &self.blocks[Self::block(key, self.blocks.len())];
        block
            .iter()
            .zip(Self::bits(key))
            .all(|(word, bit)| word & bit != 0)
    }

    /// Divides the set into parts, for threads that insert keys at the same time. Each key is in one part. The number of parts must
    /// divide [`PARTS`](Self::PARTS).
    pub fn parts(&mut self, count: usize) -> Vec<FilterPart<'_>> {
        let all = self.blocks.len();
        let size = all / count;
        let part = |(number, blocks)| FilterPart {
            first: number * size,
            all,
            blocks,
        };
        self.blocks.chunks_mut(size).enumerate().map(part).collect()
    }
}

/// A part of a set.
#[derive(Debug)]
pub struct FilterPart<'a> {
    first: usize,
    /// The number of blocks of the whole set.
    all: usize,
    blocks: &'a mut [[u64; 4]],
}

impl FilterPart<'_> {
    /// Loads the blocks of those of some keys that are in this part, so that inserting them does not wait for memory one after the other.
    pub fn load(&self, keys: &[u64]) {
        let block = |key: &u64| {
            self.blocks
                .get(Filter::block(*key, self.all).wrapping_sub(self.first))
                .map_or(0, |block| block[0])
        };
        std::hint::black_box(keys.iter().fold(0, |loaded, key| loaded ^ block(key)));
    }

    /// Inserts a key. Returns whether the set contained it already, or none if the key is in another part.
    #[inline]
    pub fn insert(&mut self, key: u64) -> Option<bool> {
        let at = Filter::block(key, self.all).wrapping_sub(self.first);
        self.blocks
            .get_mut(at)
            .map(|block| Filter::insert_into(block, key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fingerprint::SplitMix64;

    #[test]
    fn keys_are_found_and_few_others() {
        let mut random = SplitMix64::new(1);
        let keys: Vec<u64> = (0..100_000).map(|_| random.next_u64()).collect();
        let mut filter = Filter::new(keys.len() * 12 / 8);
        assert!(keys.iter().filter(|&&key| filter.insert(key)).count() < 300);
        assert!(keys.iter().all(|&key| filter.contains(key)));
        let others = (0..100_000)
            .filter(|_| filter.contains(random.next_u64()))
            .count();
        assert!((200..1200).contains(&others), "{others}");
    }

    #[test]
    fn parts_are_disjoint_and_alike_in_sets_of_all_sizes() {
        let (mut small, mut large) = (Filter::new(0), Filter::new(100_000));
        {
            let (mut a, mut b) = (small.parts(4), large.parts(4));
            for key in 0..1000 {
                let [a, b] = [&mut a, &mut b].map(|parts| {
                    let found: Vec<usize> = (0..4)
                        .filter(|&part| parts[part].insert(key).is_some())
                        .collect();
                    assert_eq!(found.len(), 1);
                    found[0]
                });
                assert_eq!(a, b);
            }
        }
        assert!((0..1000).all(|key| small.contains(key) && large.contains(key)));
    }
}
