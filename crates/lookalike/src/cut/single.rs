//! Cuts texts whose windows are single units, such as lines. The result is that of the general method, but each unit takes one lookup.

use super::{
    buffers::{USUAL, emptied},
    piece::{Outcome, Piece, Place, extend},
    rules::{Rules, Units},
};
use crate::fingerprint::{Lookup, finish};

/// The first place of a unit in all kept texts. The position is that in the original text.
#[derive(Debug, Clone, Copy)]
struct Slot {
    /// A hash of the unit and its group.
    hash: u64,
    place: Place,
}

/// The place in a free slot. No text has this number.
const FREE: Place = Place {
    text: u32::MAX,
    at: 0,
};

/// The first places of all units. The table has many parts, and a full one grows by a half, so that growing needs little memory and not
/// many slots are free. A unit takes 20 to 30 bytes.
#[derive(Debug)]
struct Places {
    parts: Vec<Part>,
    slots: usize,
}

#[derive(Debug)]
struct Part {
    slots: Vec<Slot>,
    filled: usize,
}

/// The units of all kept texts.
#[derive(Debug)]
pub(super) struct Singles {
    places: Places,
    keys: Vec<u64>,
    /// The units of a text that no earlier text contains, with their positions.
    new: Vec<(u64, u32)>,
    /// The first places of these, if the text repeats units.
    own: Lookup<u64, u32>,
}

impl Singles {
    /// Returns whether texts are cut in this way by some rules.
    pub fn are_cut_by(rules: &Rules) -> bool {
        rules.window == 1 && rules.after == 1 && !rules.whole_lines
    }

    pub fn new() -> Self {
        Self {
            places: Places::new(),
            keys: Vec::new(),
            new: Vec::new(),
            own: Lookup::default(),
        }
    }

    /// Returns the number of bytes of memory in use.
    pub fn memory(&self) -> usize {
        self.places.slots * size_of::<Slot>()
    }

    /// Keeps a whole text.
    pub fn keep(&mut self, number: u32, (units, rules): (&Units, &Rules), group: u64) {
        self.load(units.hashes, group);
        for (&key, at) in self.keys.iter().zip(0..) {
            if rules.may_mark(units, at as usize) && self.places.get(key).is_none() {
                self.places.insert(key, Place { text: number, at });
            }
        }
    }

    /// Cuts the next text. `has_repeats` says whether it may repeat a unit. Cost: a cache miss for each unit.
    pub fn cut(
        &mut self,
        number: u32,
        (units, rules): (&Units, &Rules),
        has_repeats: bool,
        group: u64,
    ) -> Outcome {
        self.load(units.hashes, group);
        let Self {
            places,
            keys,
            new,
            own,
        } = self;
        emptied(new);
        own.clear();
        own.shrink_to(USUAL);
        let mut pieces = Vec::new();
        for (&key, at) in keys.iter().zip(0..) {
            if !rules.may_mark(units, at as usize) {
                continue;
            }
            let before = || own.get(&key).map(|&at| Place { text: number, at });
            match places.get(key).or_else(|| before().filter(|_| has_repeats)) {
                Some(Place {
                    text,
                    at: source_start,
                }) => {
                    let (start, source_start) = (at as usize, source_start as usize);
                    extend(
                        &mut pieces,
                        Piece {
                            start,
                            end: start + 1,
                            source: text as usize,
                            source_start,
                        },
                    );
                }
                None => {
                    new.push((key, at));
                    if has_repeats {
                        own.insert(key, at);
                    }
                }
            }
        }
        let cut = || {
            pieces
                .iter()
                .map(|piece| units.tokens(piece.start..piece.end))
                .sum::<usize>()
        };
        let is_dropped =
            !pieces.is_empty() && units.tokens(0..units.hashes.len()) - cut() < rules.least_left;
        if is_dropped {
            pieces.retain(|piece| piece.source != number as usize);
        } else {
            new.iter()
                .for_each(|&(key, at)| places.insert(key, Place { text: number, at }));
        }
        Outcome { pieces, is_dropped }
    }

    /// Finds the keys of a text's units, and loads their slots at the same time, so that lookups do not wait for memory one after the
    /// other.
    fn load(&mut self, units: &[u64], group: u64) {
        let of_group = if group == 0 { 0 } else { finish(group) };
        emptied(&mut self.keys).extend(units.iter().map(|&unit| finish(unit ^ of_group)));
        std::hint::black_box(
            self.keys
                .iter()
                .fold(0, |loaded, &key| loaded ^ self.places.load(key)),
        );
    }
}

impl Places {
    /// The number of parts, as a power of two.
    const PARTS: u32 = 8;

    /// The number of slots of an empty part.
    const LEAST: usize = 8;

    fn new() -> Self {
        let parts: Vec<Part> = (0..1 << Self::PARTS)
            .map(|_| Part::new(Self::LEAST))
            .collect();
        Self {
            slots: parts.len() * Self::LEAST,
            parts,
        }
    }

    #[inline]
    fn part(hash: u64) -> usize {
        (hash >> (u64::BITS - Self::PARTS)) as usize
    }

    fn load(&self, hash: u64) -> u64 {
        let part = &self.parts[Self::part(hash)];
        part.slots[part.first(hash)].hash
    }

    #[inline]
    fn get(&self, hash: u64) -> Option<Place> {
        let part = &self.parts[Self::part(hash)];
        let slot = &part.slots[part.find(hash)];
        (slot.place != FREE).then_some(slot.place)
    }

    /// Adds a hash that is not in the table.
    fn insert(&mut self, hash: u64, place: Place) {
        let part = &mut self.parts[Self::part(hash)];
        if 5 * (part.filled + 1) > 4 * part.slots.len() {
            self.slots += part.grow();
        }
        let at = part.find(hash);
        part.slots[at] = Slot { hash, place };
        part.filled += 1;
    }
}

impl Part {
    fn new(slots: usize) -> Self {
        Self {
            slots: vec![
                Slot {
                    hash: 0,
                    place: FREE
                };
                slots
            ],
            filled: 0,
        }
    }

    /// Returns the first slot of a hash.
    #[inline]
    fn first(&self, hash: u64) -> usize {
        ((u128::from(hash << Places::PARTS) * self.slots.len() as u128) >> u64::BITS) as usize
    }

    /// Returns the slot of a hash, or a free one if there is none.
    #[inline]
    fn find(&self, hash: u64) -> usize {
        let mut at = self.first(hash);
        while self.slots[at].place != FREE && self.slots[at].hash != hash {
            at = if at + 1 == self.slots.len() {
                0
            } else {
                at + 1
            };
        }
        at
    }

    /// Adds slots. Returns their number.
    fn grow(&mut self) -> usize {
        let before = self.slots.len();
        let old = std::mem::replace(self, Self::new(before + before / 2));
        for slot in old.slots.into_iter().filter(|slot| slot.place != FREE) {
            let at = self.find(slot.hash);
            self.slots[at] = slot;
        }
        self.filled = old.filled;
        self.slots.len() - before
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_has_the_place_of_each_hash(hashes in prop::collection::vec(prop_oneof![0u64..2000, any::<u64>()], 0..3000)) {
            let (mut places, mut map) = (Places::new(), HashMap::new());
            for (&hash, text) in hashes.iter().zip(0..) {
                let place = Place { text, at: text ^ 7 };
                prop_assert_eq!(places.get(hash), map.get(&hash).copied());
                if map.insert(hash, place).is_some() {
                    map.insert(hash, places.get(hash).unwrap());
                } else {
                    places.insert(hash, place);
                }
            }
            prop_assert_eq!(places.parts.iter().map(|part| part.slots.len()).sum::<usize>(), places.slots);
            prop_assert!(map.iter().all(|(&hash, &place)| places.get(hash) == Some(place)));
        }
    }

    #[test]
    fn a_unit_takes_little_memory() {
        let mut places = Places::new();
        for number in 0..1_000_000 {
            places.insert(
                finish(number.into()),
                Place {
                    text: number,
                    at: 0,
                },
            );
        }
        assert!(
            (20_000_000..31_000_000).contains(&(places.slots * size_of::<Slot>())),
            "{}",
            places.slots
        );
    }
}
