//! A hash table from keys to the places of sequences.

/// A place, packed into 64 bits: 40 bits for the position, 8 bits for each side, and two marks. No entry is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry(u64);

/// The number of bits of a position. Positions are those of all stored units together, up to a trillion.
const POSITION: u32 = 40;
const EXTENDED: u64 = 1 << 63;
const FULL: u64 = 1 << 62;

impl Entry {
    /// Says that the places of a sequence are found by longer sequences.
    pub const EXTENDED: Self = Self(FULL | EXTENDED);

    /// Creates an entry for a place with two sides of 8 bits each.
    pub fn new(position: u64, sides: [u8; 2]) -> Self {
        debug_assert!(position < 1 << POSITION);
        Self(FULL | u64::from(u16::from_le_bytes(sides)) << POSITION | position)
    }

    /// Returns the position.
    pub fn position(self) -> u64 {
        self.0 & ((1 << POSITION) - 1)
    }

    fn halves(self) -> [u32; 2] {
        [self.0 as u32, (self.0 >> 32) as u32]
    }

    /// Returns the sides.
    pub fn sides(self) -> [u8; 2] {
        ((self.0 >> POSITION) as u16).to_le_bytes()
    }
}

/// The number of slots in a bucket, which is as large as what memory is read by.
const SLOTS: usize = 5;

/// Slots for keys with the same hash. If they are full, the next bucket has the others. The slots are filled in order.
#[derive(Debug, Clone, Copy, Default)]
#[repr(align(64))]
struct Bucket {
    /// The hash of each key in its part of the table.
    checks: [u32; SLOTS],
    /// The two halves of each entry; 0 if the slot is free.
    entries: [[u32; 2]; SLOTS],
}

impl Bucket {
    #[inline]
    fn entry(&self, slot: usize) -> Option<Entry> {
        let [low, high] = self.entries[slot];
        (high != 0).then_some(Entry(u64::from(high) << 32 | u64::from(low)))
    }
}

/// The place of an entry in the table. It is valid until the next entry is added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Slot {
    shard: usize,
    bucket: usize,
    slot: usize,
}

/// The table. A key may have several entries. Only 40 bits of a key's hash are known, so a key may also get entries of others, and the
/// caller compares the units. The table has many parts, and a full one grows by a half, so that growing needs little memory and not many
/// slots are free. An entry takes 14 to 21 bytes.
#[derive(Debug)]
pub(super) struct Table {
    shards: Vec<Shard>,
    buckets: usize,
}

#[derive(Debug)]
struct Shard {
    buckets: Vec<Bucket>,
    filled: usize,
}

impl Table {
    /// The number of parts, as a power of two.
    const SHARDS: u32 = 8;

    pub fn new() -> Self {
        let shards = 1 << Self::SHARDS;
        Self { shards: (0..shards).map(|_| Shard { buckets: vec![Bucket::default()], filled: 0 }).collect(), buckets: shards }
    }

    /// Returns the number of bytes in use.
    pub fn memory(&self) -> usize {
        self.buckets * size_of::<Bucket>()
    }

    /// Returns the part of a key, and the key's hash in it. Keys may be small numbers, so their bits are spread.
    #[inline]
    fn place(key: u64) -> (usize, u32) {
        let hash = key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        ((hash >> (u64::BITS - Self::SHARDS)) as usize, (hash >> (u32::BITS - Self::SHARDS)) as u32)
    }

    /// Loads the buckets of many keys at the same time, so that looking them up does not wait for memory one after the other.
    pub fn load(&self, keys: impl Iterator<Item = u64>) {
        let load = |key| {
            let (shard, check) = Self::place(key);
            let shard = &self.shards[shard];
            shard.buckets[shard.bucket(check)].checks[0]
        };
        std::hint::black_box(keys.fold(0, |loaded, key| loaded ^ load(key)));
    }

    /// Returns the entries of a key, and perhaps of others.
    #[inline]
    pub fn of(&self, key: u64) -> impl Iterator<Item = (Slot, Entry)> {
        let (number, check) = Self::place(key);
        let shard = &self.shards[number];
        let (mut bucket, mut slot) = (shard.bucket(check), 0);
        std::iter::from_fn(move || {
            loop {
                if slot == SLOTS {
                    (bucket, slot) = (shard.after(bucket), 0);
                }
                let entry = shard.buckets[bucket].entry(slot)?;
                slot += 1;
                if shard.buckets[bucket].checks[slot - 1] == check {
                    return Some((Slot { shard: number, bucket, slot: slot - 1 }, entry));
                }
            }
        })
    }

    /// Adds an entry of a key.
    pub fn add(&mut self, key: u64, entry: Entry) {
        let (shard, check) = Self::place(key);
        let shard = &mut self.shards[shard];
        if 10 * (shard.filled + 1) > 9 * SLOTS * shard.buckets.len() {
            self.buckets += shard.grow();
        }
        shard.add(check, entry);
    }

    /// Replaces an entry.
    pub fn set(&mut self, Slot { shard, bucket, slot }: Slot, entry: Entry) {
        self.shards[shard].buckets[bucket].entries[slot] = entry.halves();
    }
}

impl Shard {
    /// Returns the first bucket of a hash.
    #[inline]
    fn bucket(&self, check: u32) -> usize {
        ((u64::from(check) * self.buckets.len() as u64) >> u32::BITS) as usize
    }

    /// Returns the bucket that has what does not fit into a bucket.
    #[inline]
    fn after(&self, bucket: usize) -> usize {
        if bucket + 1 == self.buckets.len() { 0 } else { bucket + 1 }
    }

    fn add(&mut self, check: u32, entry: Entry) {
        let mut at = self.bucket(check);
        let slot = loop {
            match (0..SLOTS).find(|&slot| self.buckets[at].entry(slot).is_none()) {
                Some(slot) => break slot,
                None => at = self.after(at),
            }
        };
        self.buckets[at].checks[slot] = check;
        self.buckets[at].entries[slot] = entry.halves();
        self.filled += 1;
    }

    /// Adds buckets. Returns their number.
    fn grow(&mut self) -> usize {
        let before = self.buckets.len();
        let buckets = std::mem::replace(&mut self.buckets, vec![Bucket::default(); before + before.div_ceil(2)]);
        self.filled = 0;
        for bucket in &buckets {
            for (slot, &check) in bucket.checks.iter().enumerate() {
                if let Some(entry) = bucket.entry(slot) {
                    self.add(check, entry);
                }
            }
        }
        self.buckets.len() - before
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_has_all_entries_of_each_key(keys in prop::collection::vec(prop_oneof![0u64..50, any::<u64>()], 0..3000)) {
            let (mut table, mut map) = (Table::new(), HashMap::<u64, Vec<u64>>::new());
            let positions = |table: &Table, key| {
                let mut positions: Vec<u64> = table.of(key).map(|(_, entry)| entry.position()).collect();
                positions.sort_unstable();
                positions
            };
            for (&key, position) in keys.iter().zip(0u64..) {
                table.add(key, Entry::new(position, [7, 9]));
                map.entry(key).or_default().push(position);
            }
            prop_assert_eq!(table.shards.iter().map(|shard| shard.filled).sum::<usize>(), keys.len());
            prop_assert_eq!(table.shards.iter().map(|shard| shard.buckets.len()).sum::<usize>(), table.buckets);
            for (key, expected) in map {
                prop_assert_eq!(positions(&table, key), expected);
                let (slot, entry) = table.of(key).last().unwrap();
                table.set(slot, Entry::new(entry.position() + 10_000, [0, 0]));
                prop_assert!(table.of(key).any(|(_, other)| other.position() == entry.position() + 10_000 && other.sides() == [0, 0]));
            }
        }
    }

    #[test]
    fn entries_hold_what_they_are_given() {
        let entry = Entry::new((1 << 40) - 1, [0, 255]);
        assert_eq!((entry.position(), entry.sides()), ((1 << 40) - 1, [0, 255]));
        assert!(entry != Entry::EXTENDED && size_of::<Bucket>() == 64);
    }

    #[test]
    fn little_memory_is_free() {
        let mut table = Table::new();
        for number in 0..1_000_000u64 {
            table.add(crate::fingerprint::finish(number), Entry::new(number, [1, 1]));
        }
        assert!((14_000_000..22_000_000).contains(&table.memory()), "{}", table.memory());
    }
}
