//! Computes band keys from slots and sorts the bands.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use super::Seen;

/// The number of bands that the default configuration has at threshold 0.8; the next constant is the number of rows per band.
pub const BANDS: usize = 21;
const ROWS: usize = 6;

/// Appends the band keys of a document's slots to `keys`, and marks all slots as empty.
#[inline]
pub fn keys(slots: &mut [u32; 128], keys: &mut Vec<u32>) {
    if slots.contains(&u32::MAX) {
        // An empty slot takes its value from the next slot that is not empty.
        let mut last = slots
            .iter()
            .copied()
            .find(|&slot| slot != u32::MAX)
            .unwrap_or(0);
        for slot in slots.iter_mut().rev() {
            if *slot == u32::MAX {
                *slot = last.wrapping_add(1);
            }
            last = *slot;
        }
    }
    let key = |rows: &[u32]| {
        let sum = rows.iter().fold(0u64, |key, &row| {
            (key ^ u64::from(row)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        });
        (sum >> 32) as u32
    };
    keys.extend(slots.chunks_exact(ROWS).take(BANDS).map(key));
    slots.fill(u32::MAX);
}

/// Sorts the (key, document) rows of each band. Returns the number of rows, over all bands, whose key equals that of the previous
/// row.
pub fn sort(seen: &[Seen], threads: usize) -> u64 {
    let (next, shared) = (AtomicUsize::new(0), AtomicU64::new(0));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let (mut rows, mut scratch) = (Vec::new(), Vec::new());
                loop {
                    let band = next.fetch_add(1, Ordering::Relaxed);
                    if band >= BANDS {
                        break;
                    }
                    rows.clear();
                    for seen in seen {
                        let first = rows.len() as u64;
                        let keys = seen
                            .keys
                            .chunks_exact(BANDS)
                            .map(|keys| u64::from(keys[band]));
                        rows.extend(
                            keys.zip(first..)
                                .map(|(key, document)| key << 32 | document),
                        );
                    }
                    radix(&mut rows, &mut scratch);
                    let equal = rows
                        .windows(2)
                        .filter(|pair| pair[0] >> 32 == pair[1] >> 32)
                        .count();
                    shared.fetch_add(equal as u64, Ordering::Relaxed);
                }
            });
        }
    });
    shared.into_inner()
}

/// Sorts rows by key, which is the upper half of a row, in three passes of eleven bits. The lower half needs no passes: it is the
/// document number, and the rows come in the order of these numbers.
fn radix(rows: &mut Vec<u64>, scratch: &mut Vec<u64>) {
    const BITS: u32 = 11;
    const DIGITS: usize = 1 << BITS;
    let digit = |row: u64, pass: u32| (row >> (32 + pass * BITS)) as usize % DIGITS;
    let mut counts = [[0u32; DIGITS]; 3];
    for &row in rows.iter() {
        (0..3).for_each(|pass| counts[pass as usize][digit(row, pass)] += 1);
    }
    scratch.resize(rows.len(), 0);
    for pass in 0..3 {
        let mut sum = 0;
        for count in &mut counts[pass as usize] {
            (sum, *count) = (sum + *count, sum);
        }
        for &row in rows.iter() {
            let place = &mut counts[pass as usize][digit(row, pass)];
            scratch[*place as usize] = row;
            *place += 1;
        }
        std::mem::swap(rows, scratch);
    }
}
