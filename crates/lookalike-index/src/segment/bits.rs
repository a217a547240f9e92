//! Sets of positions, one bit per position.

/// A set of positions below a limit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Bits {
    words: Vec<u64>,
}

impl Bits {
    /// Returns an empty set of positions below `limit`.
    pub(crate) fn new(limit: u64) -> Self {
        Self {
            words: vec![0; limit.div_ceil(64) as usize],
        }
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Self {
        Self {
            words: bytes
                .as_chunks()
                .0
                .iter()
                .map(|word| u64::from_le_bytes(*word))
                .collect(),
        }
    }

    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        self.words
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect()
    }

    #[inline]
    pub(crate) fn contains(&self, position: u64) -> bool {
        self.words
            .get((position / 64) as usize)
            .is_some_and(|word| word >> (position % 64) & 1 == 1)
    }

    pub(crate) fn insert(&mut self, position: u64) {
        if let Some(word) = self.words.get_mut((position / 64) as usize) {
            *word |= 1 << (position % 64);
        }
    }

    pub(crate) fn remove(&mut self, position: u64) {
        if let Some(word) = self.words.get_mut((position / 64) as usize) {
            *word &= !(1 << (position % 64));
        }
    }

    /// Inserts a position, or removes it.
    pub(crate) fn set(&mut self, position: u64, is_in: bool) {
        if is_in {
            self.insert(position)
        } else {
            self.remove(position)
        }
    }

    pub(crate) fn count(&self) -> u64 {
        self.words
            .iter()
            .map(|word| u64::from(word.count_ones()))
            .sum()
    }

    /// Returns the position after the last one in the set; 0 if the set is empty.
    pub(crate) fn end(&self) -> u64 {
        let last = self.words.iter().rposition(|&word| word != 0);
        last.map_or(0, |at| {
            64 * at as u64 + u64::from(64 - self.words[at].leading_zeros())
        })
    }

    /// Returns the positions in the set, in increasing order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u64> + '_ {
        self.iter_from(0)
    }

    /// Returns the positions in the set that are not below `first`, in increasing order.
    pub(crate) fn iter_from(&self, first: u64) -> impl Iterator<Item = u64> + '_ {
        let begin = self.words.len().min((first / 64) as usize);
        let words = self.words[begin..].iter().zip(begin as u64..);
        words.flat_map(move |(&word, at)| {
            let below = first.saturating_sub(64 * at).min(63);
            let mut left = word >> below << below;
            std::iter::from_fn(move || {
                let bit = left.trailing_zeros();
                (left != 0).then(|| {
                    left &= left - 1;
                    64 * at + u64::from(bit)
                })
            })
        })
    }
}

/// A fixed set of positions that also counts the positions before a given one. It takes 1.06 bits per position.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ranked {
    bits: Bits,
    /// The number of positions before each group of words.
    before: Vec<u32>,
}

/// The words of a group.
const GROUP: usize = 8;

impl Ranked {
    pub(crate) fn new(bits: Bits) -> Self {
        let mut count = 0;
        let before = bits.words.chunks(GROUP).map(|group| {
            let before = count;
            count += group.iter().map(|word| word.count_ones()).sum::<u32>();
            before
        });
        Self {
            before: before.collect(),
            bits,
        }
    }

    pub(crate) fn bits(&self) -> &Bits {
        &self.bits
    }

    #[inline]
    pub(crate) fn contains(&self, position: u64) -> bool {
        self.bits.contains(position)
    }

    /// Returns the number of positions in the set that are less than this one.
    #[inline]
    pub(crate) fn rank(&self, position: u64) -> u64 {
        let word = (position / 64) as usize;
        let Some(&before) = self.before.get(word / GROUP) else {
            return self.bits.count();
        };
        let whole: u32 = self.bits.words[word / GROUP * GROUP..word.min(self.bits.words.len())]
            .iter()
            .map(|w| w.count_ones())
            .sum();
        let part = self
            .bits
            .words
            .get(word)
            .map_or(0, |w| (w & ((1 << (position % 64)) - 1)).count_ones());
        u64::from(before + whole + part)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn ranks_are_counts(positions in prop::collection::btree_set(0u64..3000, 0..400), removed in 0u64..3000) {
            let mut bits = Bits::new(3000);
            positions.iter().for_each(|&position| bits.insert(position));
            bits.insert(removed);
            bits.remove(removed);
            let positions: BTreeSet<u64> = positions.into_iter().filter(|&position| position != removed).collect();
            prop_assert!(bits.iter().eq(positions.iter().copied()));
            prop_assert_eq!(bits.count(), positions.len() as u64);
            prop_assert_eq!(&Bits::from_bytes(&bits.to_bytes()), &bits);
            let ranked = Ranked::new(bits);
            for position in 0..3100 {
                prop_assert_eq!(ranked.rank(position), positions.range(..position).count() as u64);
                prop_assert_eq!(ranked.contains(position), positions.contains(&position));
            }
        }
    }
}
