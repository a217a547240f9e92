//! The portable kernel: plain loops, which the compiler turns into NEON on AArch64.

use super::LANES;

pub(super) fn update(
    fingerprints: &[u64],
    multipliers: &[u32],
    addends: &[u32],
    minima: &mut [u32],
) {
    let groups = minima
        .chunks_exact_mut(LANES)
        .zip(multipliers.chunks_exact(LANES))
        .zip(addends.chunks_exact(LANES));
    for ((minima, a), b) in groups {
        let mut least = [u32::MAX; LANES];
        for &fingerprint in fingerprints {
            let x = (fingerprint >> 32) as u32;
            for j in 0..LANES {
                least[j] = least[j].min(a[j].wrapping_mul(x).wrapping_add(b[j]));
            }
        }
        for (minimum, least) in minima.iter_mut().zip(least) {
            *minimum = least.min(*minimum);
        }
    }
}

/// Returns the smallest value of one slot.
#[inline(always)]
pub(super) fn least(fingerprints: &[u64], multiplier: u32, addend: u32) -> u32 {
    let value = |fingerprint: u64| {
        multiplier
            .wrapping_mul((fingerprint >> 32) as u32)
            .wrapping_add(addend)
    };
    fingerprints.iter().fold(u32::MAX, |least, &fingerprint| {
        least.min(value(fingerprint))
    })
}
