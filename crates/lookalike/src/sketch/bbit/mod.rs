//! b-bit signatures (Li & König 2010), b = 8: a small part of a signature, for rejecting candidates quickly.
//!
//! If a slot differs between two signatures, the two bytes of this slot are still equal once in 256 by chance. So 128 slots of
//! one byte estimate a resemblance nearly as well as 128 whole slots; they take a quarter of the memory and are compared in a few
//! nanoseconds.

#[cfg(target_arch = "x86_64")]
mod x86;

use super::{Estimate, binomial::probability};
use crate::simd::Simd;

/// The number of slots that are kept.
pub const BITS_SLOTS: usize = 128;

/// One byte for each of the first [`BITS_SLOTS`] slots.
pub type Bits = [u8; BITS_SLOTS];

/// The largest probability that a pair at the threshold is rejected as a candidate because it agrees in too few slots.
const REJECT: f64 = 1e-9;

/// The probability that two different minima have the same byte.
const CHANCE: f64 = 1.0 / 256.0;

/// Returns the bytes of a signature's first slots. Minima are small numbers whose high bits are nearly all zero, so a
/// multiplication mixes every bit of a minimum into its byte.
///
/// # Panics
/// Panics if the signature has fewer than [`BITS_SLOTS`] slots.
pub fn bits(slots: &[u32]) -> Bits {
    bits_by(Simd::detect(), slots)
}

/// Like [`bits`], with the given kernel.
#[inline]
#[expect(
    clippy::expect_used,
    reason = "the configuration, not the data, determines a signature's length"
)]
pub(crate) fn bits_by(simd: Simd, slots: &[u32]) -> Bits {
    let slots = slots
        .first_chunk()
        .expect("a signature has at least 128 slots");
    match simd {
        Simd::Portable => plain(slots),
        #[cfg(target_arch = "x86_64")]
        Simd::Avx2(proof) => x86::bits_avx2(proof, slots),
        #[cfg(target_arch = "x86_64")]
        Simd::Avx512(proof) => x86::bits_avx512(proof, slots),
    }
}

#[inline(always)]
fn plain(slots: &[u32; BITS_SLOTS]) -> Bits {
    std::array::from_fn(|i| (slots[i].wrapping_mul(0x9e37_79b1) >> 24) as u8)
}

/// Returns the number of slots in which two signatures' bytes agree.
#[inline]
pub fn agreement(a: &Bits, b: &Bits) -> u32 {
    // The count is at most 128, so it fits in a byte lane, and the loop is one comparison and one subtraction for sixteen slots.
    u32::from(a.iter().zip(b).map(|(x, y)| u8::from(x == y)).sum::<u8>())
}

/// Returns the resemblance that an agreement (the number of slots with equal bytes) implies, corrected for bytes that are equal
/// by chance (Li & König, theorem 1, for small sets of different sizes).
pub fn agreement_resemblance(agreement: u32) -> f64 {
    without_chance(f64::from(agreement) / BITS_SLOTS as f64)
}

/// Returns the resemblance that an agreement (the number of slots with equal bytes) implies, with an interval. The interval is
/// converted from the interval of the share of equal bytes. The bytes do not show whether a set is empty: two empty sets agree in
/// all bytes, although the empty set resembles nothing.
pub fn agreement_estimate(agreement: u32) -> Estimate {
    Estimate::of_share(agreement.into(), BITS_SLOTS as u64).map(without_chance)
}

fn without_chance(share: f64) -> f64 {
    ((share - CHANCE) / (1.0 - CHANCE)).max(0.0)
}

/// Returns the smallest agreement of a candidate pair: a pair at resemblance `threshold` agrees in fewer slots with a probability
/// of at most 10⁻⁹. This minimum is part of the definition of *candidate*: whether a pair is a candidate is a fixed function of
/// its two sketches.
pub fn agreement_floor(threshold: f64) -> u32 {
    let p = threshold + (1.0 - threshold) * CHANCE;
    (0..BITS_SLOTS)
        .find(|&k| probability(BITS_SLOTS, p, 0..=k) > REJECT)
        .unwrap_or(BITS_SLOTS) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floors_in_a_table() {
        // The expected values were computed with the same sum in exact rationals.
        for (t, floor) in [
            (1.0, 128),
            (0.9, 91),
            (0.8, 73),
            (0.5, 31),
            (0.3, 11),
            (0.1, 0),
        ] {
            assert_eq!(agreement_floor(t), floor, "{t}");
        }
        assert!(
            (1..100).all(|i| agreement_floor(f64::from(i) / 100.0)
                <= agreement_floor(f64::from(i + 1) / 100.0))
        );
    }

    #[test]
    fn every_kernel_gives_the_same_bytes() {
        let slots: Vec<u32> = (0..130)
            .map(|i| crate::fingerprint::finish(i) as u32)
            .collect();
        let expected: Vec<u8> = slots[..BITS_SLOTS]
            .iter()
            .map(|slot| (slot.wrapping_mul(0x9e37_79b1) >> 24) as u8)
            .collect();
        for simd in Simd::all() {
            assert_eq!(bits_by(simd, &slots)[..], expected, "{simd:?}");
        }
    }

    #[test]
    fn agreement_counts_equal_bytes() {
        let (a, mut b) = ([7; BITS_SLOTS], [7; BITS_SLOTS]);
        assert_eq!(agreement(&a, &b), 128);
        b[..28].fill(8);
        assert_eq!(agreement(&a, &b), 100);
        assert!((agreement_resemblance(128) - 1.0).abs() < 1e-12);
        assert_eq!(agreement_resemblance(0), 0.0);
    }

    #[test]
    fn the_estimate_is_the_resemblance_within_its_interval() {
        for agreement in 0..=BITS_SLOTS as u32 {
            let Estimate { value, low, high } = agreement_estimate(agreement);
            assert_eq!(value, agreement_resemblance(agreement));
            assert!(
                0.0 <= low && low <= value && value <= high && high <= 1.0,
                "{agreement}: {low} {high}"
            );
        }
        // Wilson's interval for 96 of 128 is 0.6685 to 0.8169.
        let Estimate { low, high, .. } = agreement_estimate(96);
        assert!(
            (low - 0.6672).abs() < 1e-4 && (high - 0.8162).abs() < 1e-4,
            "{low} {high}"
        );
    }
}
