//! Windows that a text repeats itself.

use crate::fingerprint::{Lookup, finish};

/// Fills `first` with the position of the first window that is equal to each window of a text. Cost: two multiplications and a
/// lookup for each window.
pub(super) fn first_windows(units: &[u64], window: usize, first: &mut Vec<u32>) {
    /// The base of the rolling hash. It is odd, so no unit is shifted out of the window.
    const B: u64 = 0xd6e8_feb8_6659_fd93;
    first.clear();
    let Some(windows) = (units.len() + 1).checked_sub(window) else { return };
    let out = (0..window).fold(1u64, |power, _| power.wrapping_mul(B));
    let mut sum = units[..window].iter().fold(0u64, |sum, &unit| sum.wrapping_mul(B).wrapping_add(unit));
    let mut seen: Lookup<u64, u32> = Lookup::default();
    for at in 0..windows {
        if at > 0 {
            let (leaving, entering) = (units[at - 1], units[at + window - 1]);
            sum = sum.wrapping_mul(B).wrapping_add(entering).wrapping_sub(leaving.wrapping_mul(out));
        }
        // Different windows with equal hashes get different keys.
        let mut key = sum;
        let same = loop {
            let same = *seen.entry(key).or_insert(at as u32);
            if units[same as usize..][..window] == units[at..][..window] {
                break same;
            }
            key = finish(key).wrapping_add(1);
        };
        first.push(same);
    }
}
