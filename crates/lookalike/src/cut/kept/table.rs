//! A hash table from keys to the places of sequences.

use std::sync::Arc;

use super::super::anchors::Repeated;

/// A place, packed into 56 bits: 37 bits for the position, 8 bits for each side, and marks. No entry is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry(u64);

/// The number of bits of a position. Positions are those of all stored units together, up to 137 billion.
const POSITION: u32 = 37;

/// The largest number of units of all kept texts that are stored.
pub const MOST_UNITS: u64 = 1 << POSITION;

const EXTENDED: u64 = 1 << 55;
const FULL: u64 = 1 << 54;
/// Marks the first entry of a key that has others.
const MORE: u64 = 1 << 53;

/// The number of bytes of an entry.
const BYTES: usize = 7;

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

    /// Returns the sides.
    pub fn sides(self) -> [u8; 2] {
        ((self.0 >> POSITION) as u16).to_le_bytes()
    }

    fn packed(self) -> [u8; BYTES] {
        let [bytes @ .., _] = self.0.to_le_bytes();
        bytes
    }

    /// Returns the entry in some bytes, or none if they are 0.
    #[inline]
    fn unpacked(bytes: [u8; BYTES]) -> Option<Self> {
        let [a, b, c, d, e, f, g] = bytes;
        let entry = u64::from_le_bytes([a, b, c, d, e, f, g, 0]);
        (entry != 0).then_some(Self(entry))
    }
}

/// The number of slots in a bucket, which is as large as what memory is read by.
const SLOTS: usize = 5;

/// Slots for keys whose hashes lead to the same bucket. If they are full, other buckets have the rest. The slots are filled in order.
#[derive(Debug, Clone, Copy, Default)]
#[repr(align(64))]
struct Bucket {
    /// The hash of each key in its part of the table.
    checks: [u32; SLOTS],
    /// The entries; 0 if the slot is free.
    entries: [[u8; BYTES]; SLOTS],
    /// For each key with an entry that did not fit into this bucket, the bit of its hash is set. It remains set if entries are removed.
    exceeded: u64,
}

/// Returns the bit of a hash in a bucket that its entries exceed.
#[inline]
fn bit(check: u32) -> u64 {
    1 << (check % u64::BITS)
}

/// Returns the least prime that is not below a number.
fn prime(least: usize) -> usize {
    let is_prime = |number: usize| {
        (2..)
            .take_while(|factor| factor * factor <= number)
            .all(|factor| !number.is_multiple_of(factor))
    };
    (least.max(2)..)
        .find(|&number| is_prime(number))
        .unwrap_or(least)
}

impl Bucket {
    #[inline]
    fn entry(&self, slot: usize) -> Option<Entry> {
        Entry::unpacked(self.entries[slot])
    }

    /// Removes an entry. The last one is moved to its slot.
    fn remove(&mut self, slot: usize) {
        let last = (0..SLOTS)
            .rev()
            .find(|&slot| self.entry(slot).is_some())
            .unwrap_or(slot);
        (self.checks[slot], self.entries[slot]) = (self.checks[last], self.entries[last]);
        self.entries[last] = [0; BYTES];
    }
}

/// The place of an entry in the table. It is valid until the next entry is added or removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slot {
    /// The first entry of a key with this number.
    First(usize),
    /// A slot of a bucket in a part of the table.
    Other {
        shard: usize,
        bucket: usize,
        slot: usize,
    },
}

/// The table. A key may have several entries. Only about 40 bits of a key's hash are known, so a key may also get entries of others, and
/// the caller compares the units.
///
/// If most keys are known beforehand, a list has the first entry of each. It takes 7 bytes, and the set of the keys 2.4. All other
/// entries are in a hash table. It has many parts, and a full one grows by a half, so that growing needs little memory and not many slots
/// are free. An entry takes 14 to 21 bytes.
#[derive(Debug)]
pub(super) struct Table {
    known: Option<Arc<Repeated>>,
    /// The first entry of each known key, by the key's number; 0 if there is none.
    firsts: Vec<[u8; BYTES]>,
    /// Whether there is a first entry. The memory of the list is not touched before.
    has_firsts: bool,
    shards: Vec<Shard>,
    buckets: usize,
}

#[derive(Debug)]
struct Shard {
    buckets: Vec<Bucket>,
    /// The number of entries that were added since the buckets were empty, and how many of them were removed. The buckets are replaced
    /// when entries were added to 90 % of the slots, so some bucket was never full, and every search for an entry ends there or before.
    added: usize,
    removed: usize,
}

impl Table {
    /// The number of parts, as a power of two.
    const SHARDS: u32 = 8;

    /// Creates a table. `known` contains most of its keys. There is room for a number of entries of other keys.
    pub fn new(known: Option<Arc<Repeated>>, entries: usize) -> Self {
        let firsts = vec![[0; BYTES]; known.as_ref().map_or(0, |known| known.len())];
        let shards: Vec<Shard> = (0..1 << Self::SHARDS)
            .map(|_| Shard::new(entries >> Self::SHARDS))
            .collect();
        let buckets = shards.iter().map(|shard| shard.buckets.len()).sum();
        Self {
            known,
            firsts,
            has_firsts: false,
            shards,
            buckets,
        }
    }

    /// Removes all entries.
    pub fn clear(&mut self) {
        self.firsts.fill([0; BYTES]);
        self.has_firsts = false;
        for shard in &mut self.shards {
            shard.buckets.fill(Bucket::default());
            (shard.added, shard.removed) = (0, 0);
        }
    }

    /// Returns the number of bytes in use, except those of the known keys.
    pub fn memory(&self) -> usize {
        let firsts = if self.has_firsts {
            size_of_val(&*self.firsts)
        } else {
            0
        };
        firsts + self.buckets * size_of::<Bucket>()
    }

    #[inline]
    fn number(&self, key: u64) -> Option<usize> {
        self.known.as_ref()?.number(key)
    }

    /// Returns the part of a key, and the key's hash in it. Keys may be small numbers, so their bits are spread.
    #[inline]
    fn place(key: u64) -> (usize, u32) {
        let hash = key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (
            (hash >> (u64::BITS - Self::SHARDS)) as usize,
            (hash >> (u32::BITS - Self::SHARDS)) as u32,
        )
    }

    /// Loads the first slots of many keys at the same time, so that looking them up does not wait for memory one after the other.
    pub fn load(&self, keys: impl Iterator<Item = u64>) {
        let load = |key| {
            if let Some(number) = self.number(key) {
                return u32::from(self.firsts[number][0]);
            }
            let (shard, check) = Self::place(key);
            let shard = &self.shards[shard];
            let at = shard.bucket(check);
            match shard.buckets[at].exceeded & bit(check) {
                0 => 0,
                _ => shard.buckets[shard.after(at, check)].checks[0],
            }
        };
        std::hint::black_box(keys.fold(0, |loaded, key| loaded ^ load(key)));
    }

    /// Returns the entries of a key, and perhaps of others.
    #[inline]
    pub fn of(&self, key: u64) -> impl Iterator<Item = (Slot, Entry)> {
        let number = self.number(key);
        let first = number
            .and_then(|number| Some((Slot::First(number), Entry::unpacked(self.firsts[number])?)));
        let has_others = number.is_none() || first.is_some_and(|(_, entry)| entry.0 & MORE != 0);
        let first = first.map(|(slot, entry)| (slot, Entry(entry.0 & !MORE)));
        first
            .into_iter()
            .chain(has_others.then(|| self.others(key)).into_iter().flatten())
    }

    /// Returns the entries of a key that are in the hash table.
    #[inline]
    fn others(&self, key: u64) -> impl Iterator<Item = (Slot, Entry)> {
        let (number, check) = Self::place(key);
        let shard = &self.shards[number];
        let (mut bucket, mut slot) = (shard.bucket(check), 0);
        std::iter::from_fn(move || {
            loop {
                let own = &shard.buckets[bucket];
                let Some(entry) = (slot < SLOTS).then(|| own.entry(slot)).flatten() else {
                    if own.exceeded & bit(check) == 0 {
                        return None;
                    }
                    (bucket, slot) = (shard.after(bucket, check), 0);
                    continue;
                };
                slot += 1;
                if own.checks[slot - 1] == check {
                    return Some((
                        Slot::Other {
                            shard: number,
                            bucket,
                            slot: slot - 1,
                        },
                        entry,
                    ));
                }
            }
        })
    }

    /// Adds an entry of a key.
    pub fn add(&mut self, key: u64, entry: Entry) {
        if let Some(number) = self.number(key) {
            let first = &mut self.firsts[number];
            self.has_firsts = true;
            let Some(Entry(before)) = Entry::unpacked(*first) else {
                *first = entry.packed();
                return;
            };
            *first = Entry(before | MORE).packed();
        }
        let (shard, check) = Self::place(key);
        let shard = &mut self.shards[shard];
        if 10 * (shard.added + 1) > 9 * SLOTS * shard.buckets.len() {
            self.buckets += shard.grow();
        }
        shard.add(check, entry);
    }

    /// Removes entries of a key. Their slots are given in the order of [`of`](Self::of). A first entry of a known key is not removed,
    /// because other keys may have the same number.
    pub fn remove(&mut self, slots: &[Slot]) {
        // In each bucket, the last slots come first, so that no slot that is still to be removed moves.
        for slot in slots.iter().rev() {
            if let Slot::Other {
                shard,
                bucket,
                slot,
            } = *slot
            {
                self.shards[shard].buckets[bucket].remove(slot);
                self.shards[shard].removed += 1;
            }
        }
    }

    /// Replaces an entry.
    pub fn set(&mut self, slot: Slot, entry: Entry) {
        match slot {
            Slot::First(number) => {
                let first = &mut self.firsts[number];
                let more = Entry::unpacked(*first).map_or(0, |Entry(before)| before & MORE);
                *first = Entry(entry.0 | more).packed();
            }
            Slot::Other {
                shard,
                bucket,
                slot,
            } => self.shards[shard].buckets[bucket].entries[slot] = entry.packed(),
        }
    }
}

impl Shard {
    /// Creates a part with room for a number of entries, of which a third of the slots remain free.
    fn new(entries: usize) -> Self {
        Self {
            buckets: vec![Bucket::default(); prime(entries * 3 / 2 / SLOTS)],
            added: 0,
            removed: 0,
        }
    }

    /// Returns the first bucket of a hash.
    #[inline]
    fn bucket(&self, check: u32) -> usize {
        ((u64::from(check) * self.buckets.len() as u64) >> u32::BITS) as usize
    }

    /// Returns the bucket after one that the entries of a hash exceed. The number of buckets is a prime, so each is reached before any is
    /// reached again. Consecutive buckets would be faster to read, but full ones form long rows.
    #[inline]
    fn after(&self, bucket: usize, check: u32) -> usize {
        let count = self.buckets.len();
        (bucket + 1 + check as usize % (count - 1)) % count
    }

    fn add(&mut self, check: u32, entry: Entry) {
        let mut at = self.bucket(check);
        let slot = loop {
            match (0..SLOTS).find(|&slot| self.buckets[at].entry(slot).is_none()) {
                Some(slot) => break slot,
                None => {
                    self.buckets[at].exceeded |= bit(check);
                    at = self.after(at, check);
                }
            }
        };
        self.buckets[at].checks[slot] = check;
        self.buckets[at].entries[slot] = entry.packed();
        self.added += 1;
    }

    /// Replaces the buckets by more of them, or by as many if a third of the entries were removed. Returns how many more there are.
    fn grow(&mut self) -> usize {
        let before = self.buckets.len();
        let after = if 3 * self.removed < self.added {
            prime(before + before.div_ceil(2))
        } else {
            before
        };
        let buckets = std::mem::replace(&mut self.buckets, vec![Bucket::default(); after]);
        (self.added, self.removed) = (0, 0);
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
    use std::collections::{BTreeSet, HashMap};

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_has_all_entries_of_each_key(
            keys in prop::collection::vec(prop_oneof![0u64..50, any::<u64>()], 0..3000),
            known in prop::collection::btree_set(0u64..60, 0..60),
            is_known: bool,
        ) {
            let set = is_known.then(|| Arc::new(Repeated::of(&known)));
            let (mut table, mut map) = (Table::new(set, 0), HashMap::<u64, Vec<u64>>::new());
            let positions = |table: &Table, key| {
                let mut positions: Vec<u64> = table.of(key).map(|(_, entry)| entry.position()).collect();
                positions.sort_unstable();
                positions
            };
            for (&key, position) in keys.iter().zip(0u64..) {
                table.add(key, Entry::new(position, [7, 9]));
                map.entry(key).or_default().push(position);
            }
            let firsts = table.firsts.iter().filter(|&&first| Entry::unpacked(first).is_some()).count();
            prop_assert_eq!(firsts + table.shards.iter().map(|shard| shard.added).sum::<usize>(), keys.len());
            prop_assert_eq!(table.shards.iter().map(|shard| shard.buckets.len()).sum::<usize>(), table.buckets);
            for (&key, expected) in &map {
                // A few keys have the number of a known one, and so its entries too.
                let mut found = positions(&table, key);
                prop_assert!(is_known || found.len() == expected.len());
                found.retain(|position| expected.contains(position));
                prop_assert_eq!(&found, expected);
                let (slot, entry) = table.of(key).last().unwrap();
                table.set(slot, Entry::new(entry.position() + 10_000, [0, 0]));
                prop_assert!(table.of(key).any(|(_, other)| other.position() == entry.position() + 10_000 && other.sides() == [0, 0]));
                table.set(slot, entry);
            }
            let mut removed = BTreeSet::new();
            for (&key, own) in &map {
                let is_removed = |(slot, entry): &(Slot, Entry)| {
                    let position = entry.position();
                    matches!(slot, Slot::Other { .. }) && own.contains(&position) && !position.is_multiple_of(3)
                };
                let (slots, entries): (Vec<Slot>, Vec<Entry>) = table.of(key).filter(is_removed).unzip();
                table.remove(&slots);
                removed.extend(entries.into_iter().map(Entry::position));
            }
            for (key, mut expected) in map {
                let mut found = positions(&table, key);
                found.retain(|position| expected.contains(position));
                expected.retain(|position| !removed.contains(position));
                prop_assert_eq!(found, expected);
            }
            prop_assert_eq!(table.shards.iter().map(|shard| shard.removed).sum::<usize>(), removed.len());
        }

        #[test]
        fn rows_of_full_buckets_end_after_entries_were_removed(keys in prop::collection::vec((0u64..4, 1usize..20), 1..200)) {
            // These keys are in one part, and have the same bit. The factor is the inverse of that in `place`.
            let key = |number: u64| (number << 54).wrapping_mul(0xf1de_83e1_9937_733d);
            let keys: Vec<(u64, usize)> = keys.into_iter().map(|(number, count)| (key(number), count)).collect();
            prop_assert!(keys.iter().all(|&(key, _)| Table::place(key).0 == 0 && bit(Table::place(key).1) == 1));
            let mut table = Table::new(None, 0);
            for &(key, count) in &keys {
                let before = table.of(key).count();
                (0..count as u64).for_each(|position| table.add(key, Entry::new(position, [1, 1])));
                let slots: Vec<Slot> = table.of(key).map(|(slot, _)| slot).collect();
                prop_assert_eq!(slots.len(), before + count);
                if count > 3 {
                    table.remove(&slots);
                    prop_assert_eq!(table.of(key).count(), 0);
                }
            }
            prop_assert!(table.shards.iter().all(|shard| shard.buckets.iter().any(|bucket| bucket.exceeded == 0)));
        }
    }

    #[test]
    fn entries_hold_what_they_are_given() {
        let entry = Entry::new((1 << POSITION) - 1, [0, 255]);
        assert_eq!(
            (entry.position(), entry.sides()),
            ((1 << POSITION) - 1, [0, 255])
        );
        assert!(entry != Entry::EXTENDED && size_of::<Bucket>() == 64);
    }

    #[test]
    fn little_memory_is_free() {
        let mut table = Table::new(None, 0);
        for number in 0..1_000_000u64 {
            table.add(
                crate::fingerprint::finish(number),
                Entry::new(number, [1, 1]),
            );
        }
        assert!(
            (14_000_000..22_000_000).contains(&table.memory()),
            "{}",
            table.memory()
        );
    }
}
