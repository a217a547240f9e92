//! A hash table from keys to the places of sequences.

/// A place, packed into 64 bits: 40 bits for the position, 8 bits for each side, and a mark. No entry is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry(u64);

/// The number of bits of a position. Positions are those of all kept units together, up to a trillion.
const POSITION: u32 = 40;
const LISTED: u64 = 1 << 63;
const FULL: u64 = 1 << 62;

impl Entry {
    /// Creates an entry for a place with two sides of 8 bits each.
    pub fn new(position: u64, sides: [u8; 2]) -> Self {
        debug_assert!(position < 1 << POSITION);
        Self(FULL | u64::from(u16::from_le_bytes(sides)) << POSITION | position)
    }

    /// Creates an entry for a list.
    pub fn of_list(number: usize) -> Self {
        Self(FULL | LISTED | number as u64)
    }

    /// Returns the number of the list, if the entry is one.
    pub fn list(self) -> Option<usize> {
        (self.0 & LISTED != 0).then_some((self.0 & ((1 << POSITION) - 1)) as usize)
    }

    /// Returns the position.
    pub fn position(self) -> u64 {
        self.0 & ((1 << POSITION) - 1)
    }

    /// Returns the sides.
    pub fn sides(self) -> [u8; 2] {
        ((self.0 >> POSITION) as u16).to_le_bytes()
    }
}

/// The table. Keys are hashes already, so a key is the number of its slot, and the next free slot after it is used if that one is
/// taken. A table of the standard library cannot load many slots at the same time, which is what lookups wait for.
#[derive(Debug)]
pub(super) struct Table {
    /// For each slot, the key and the entry; the entry is 0 if the slot is free.
    slots: Vec<[u64; 2]>,
    filled: usize,
    shift: u32,
}

impl Table {
    /// The number of slots of an empty table, as a power of two.
    const LEAST: u32 = 6;

    pub fn new() -> Self {
        Self { slots: vec![[0; 2]; 1 << Self::LEAST], filled: 0, shift: u64::BITS - Self::LEAST }
    }

    /// Returns the number of bytes in use.
    pub fn memory(&self) -> usize {
        size_of_val(&*self.slots)
    }

    /// The first slot that a key may have. Keys may be small numbers, so their bits are spread.
    #[inline]
    fn slot(&self, key: u64) -> usize {
        (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> self.shift) as usize
    }

    /// Loads the slots of many keys at the same time, so that looking them up does not wait for memory one after the other.
    pub fn load(&self, keys: impl Iterator<Item = u64>) {
        let loaded = keys.fold(0, |loaded, key| loaded ^ self.slots[self.slot(key)][0]);
        std::hint::black_box(loaded);
    }

    /// Returns the entry of a key.
    #[inline]
    pub fn get(&self, key: u64) -> Option<Entry> {
        let mut at = self.slot(key);
        loop {
            let [own, entry] = self.slots[at];
            if entry == 0 {
                return None;
            }
            if own == key {
                return Some(Entry(entry));
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    /// Sets the entry of a key.
    pub fn set(&mut self, key: u64, entry: Entry) {
        if 4 * (self.filled + 1) > 3 * self.slots.len() {
            self.grow();
        }
        let mut at = self.slot(key);
        while self.slots[at][1] != 0 && self.slots[at][0] != key {
            at = (at + 1) & (self.slots.len() - 1);
        }
        self.filled += usize::from(self.slots[at][1] == 0);
        self.slots[at] = [key, entry.0];
    }

    fn grow(&mut self) {
        let slots = std::mem::take(&mut self.slots);
        self.slots = vec![[0; 2]; 2 * slots.len()];
        self.shift -= 1;
        for slot in slots.into_iter().filter(|slot| slot[1] != 0) {
            let mut at = self.slot(slot[0]);
            while self.slots[at][1] != 0 {
                at = (at + 1) & (self.slots.len() - 1);
            }
            self.slots[at] = slot;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_is_a_map(keys in prop::collection::vec(prop_oneof![0u64..50, any::<u64>()], 0..300)) {
            let (mut table, mut map) = (Table::new(), HashMap::new());
            for (key, position) in keys.iter().zip(0u64..) {
                prop_assert_eq!(table.get(*key).map(Entry::position), map.get(key).copied());
                table.set(*key, Entry::new(position, [7, 9]));
                map.insert(*key, position);
            }
            prop_assert_eq!(table.filled, map.len());
            for (key, position) in map {
                prop_assert_eq!(table.get(key).unwrap().position(), position);
            }
        }
    }

    #[test]
    fn entries_hold_what_they_are_given() {
        let entry = Entry::new((1 << 40) - 1, [0, 255]);
        assert_eq!((entry.position(), entry.sides(), entry.list()), ((1 << 40) - 1, [0, 255], None));
        assert_eq!(Entry::of_list(12).list(), Some(12));
    }
}
