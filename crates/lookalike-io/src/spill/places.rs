//! Sets of places (numbers below a bound, such as the numbers of documents), with one bit for each place. The members of a set
//! can be numbered densely. If later passes index their data by these dense numbers, the data grows with the size of the set, not
//! with the size of the collection.

#[cfg(not(loom))]
use std::sync::atomic::{AtomicU64, Ordering};

#[cfg(loom)]
use loom::sync::atomic::{AtomicU64, Ordering};

/// A set of places below a bound. Several threads may fill it in parallel.
#[derive(Debug, Default)]
pub struct Places {
    words: Vec<AtomicU64>,
}

impl Places {
    /// Creates an empty set of places below `bound`.
    pub fn none(bound: u64) -> Self {
        Self {
            words: (0..bound.div_ceil(64)).map(|_| AtomicU64::new(0)).collect(),
        }
    }

    /// Raises the bound.
    pub fn raise(&mut self, bound: u64) {
        let words = bound.div_ceil(64) as usize;
        self.words
            .resize_with(words.max(self.words.len()), || AtomicU64::new(0));
    }

    /// Adds a place to the set.
    pub fn insert(&self, place: u64) {
        self.words[(place / 64) as usize].fetch_or(1 << (place % 64), Ordering::Relaxed);
    }

    /// Removes a place from the set.
    pub fn remove(&self, place: u64) {
        self.words[(place / 64) as usize].fetch_and(!(1 << (place % 64)), Ordering::Relaxed);
    }

    /// Returns whether a place is in the set.
    pub fn contains(&self, place: u64) -> bool {
        self.words[(place / 64) as usize].load(Ordering::Relaxed) >> (place % 64) & 1 == 1
    }

    /// Returns the places in the set, in order.
    pub fn iter(&self) -> impl Iterator<Item = u64> {
        self.words
            .iter()
            .zip((0u64..).step_by(64))
            .flat_map(|(word, first)| {
                let mut rest = word.load(Ordering::Relaxed);
                std::iter::from_fn(move || {
                    (rest != 0).then(|| {
                        let at = rest.trailing_zeros();
                        rest &= rest - 1;
                        first + u64::from(at)
                    })
                })
            })
    }
}

/// The number of 64-bit words in a group; members are counted group by group.
const COUNTED: usize = 8;

/// A set of places that numbers its members from 0 in their order. It takes a sixth of a byte for each place below the bound.
#[derive(Debug, Default)]
pub struct Numbering {
    places: Places,
    /// The number of members before each group of [`COUNTED`] words, followed by the total.
    before: Vec<u64>,
    /// The number of members before each word, inside its group. Most processors count the bits of a word in one step, but the
    /// baseline processor for which we build cannot.
    within: Vec<u16>,
}

impl Numbering {
    /// Numbers the places of a set in their order.
    pub fn of(places: Places) -> Self {
        let (mut before, mut within) = (vec![0], Vec::with_capacity(places.words.len()));
        let mut count = 0;
        for words in places.words.chunks(COUNTED) {
            let mut here = 0;
            for word in words {
                within.push(here);
                here += word.load(Ordering::Relaxed).count_ones() as u16;
            }
            count += u64::from(here);
            before.push(count);
        }
        Self {
            places,
            before,
            within,
        }
    }

    /// Returns the number of members.
    pub fn len(&self) -> u64 {
        self.before.last().copied().unwrap_or(0)
    }

    /// Returns the set.
    pub fn places(&self) -> &Places {
        &self.places
    }

    /// Returns the number of members below a place.
    pub fn below(&self, place: u64) -> u64 {
        let (word, bit) = ((place / 64) as usize, place % 64);
        let Some(last) = self.places.words.get(word) else {
            return self.len();
        };
        let whole = self.before[word / COUNTED] + u64::from(self.within[word]);
        whole + u64::from((last.load(Ordering::Relaxed) & ((1 << bit) - 1)).count_ones())
    }

    /// Returns a place's number, if it is a member.
    pub fn number(&self, place: u64) -> Option<u64> {
        self.places.contains(place).then(|| self.below(place))
    }

    /// Returns the place of the member that has this number. Cost: a search of the counts.
    pub fn place(&self, number: u64) -> u64 {
        let group = self.before.partition_point(|&before| before <= number) - 1;
        let mut left = number - self.before[group];
        let mut at = group * COUNTED;
        loop {
            let mut word = self.places.words[at].load(Ordering::Relaxed);
            let here = u64::from(word.count_ones());
            if left < here {
                (0..left).for_each(|_| word &= word - 1);
                return at as u64 * 64 + u64::from(word.trailing_zeros());
            }
            left -= here;
            at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn numbers_are_positions_in_order(members in prop::collection::btree_set(0u64..3000, 0..400)) {
            let places = Places::none(3000);
            members.iter().for_each(|&place| places.insert(place));
            prop_assert!(places.iter().eq(members.iter().copied()));
            let numbering = Numbering::of(places);
            prop_assert_eq!(numbering.len(), members.len() as u64);
            for (number, &place) in (0..).zip(&members) {
                prop_assert_eq!((numbering.number(place), numbering.place(number)), (Some(number), place));
            }
            for place in 0..3000 {
                prop_assert_eq!(numbering.places().contains(place), members.contains(&place));
                prop_assert_eq!(numbering.below(place), members.range(..place).count() as u64);
            }
        }
    }
}

#[cfg(all(test, loom))]
mod interleaved {
    use loom::{sync::Arc, thread};

    use super::*;

    /// Checks all interleavings of three threads: no change of a bit is lost when other threads change other bits of the same
    /// word.
    #[test]
    fn changes_of_all_threads_are_there_at_the_end() {
        loom::model(|| {
            let places = Arc::new(Places::none(70));
            places.insert(3);
            let does = |work: fn(&Places)| {
                let places = places.clone();
                thread::spawn(move || work(&places))
            };
            let threads = [
                does(|places| {
                    places.insert(1);
                    places.insert(65);
                }),
                does(|places| {
                    places.remove(3);
                    places.insert(2);
                }),
            ];
            places.insert(2);
            // No thread removes place 2, so this thread, which has just inserted it, must find it in the set.
            assert!(places.contains(2));
            threads
                .into_iter()
                .for_each(|thread| thread.join().unwrap());
            assert!(places.iter().eq([1, 2, 65]));
        });
    }
}
