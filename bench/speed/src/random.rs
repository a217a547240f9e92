//! Computes random numbers from a counter. Each number can be computed without those before it, so that any document can be
//! composed separately.

use lookalike::fingerprint::finish;

/// The fractional part of the golden ratio, which is the step of the counter (Steele, Lea, Flood 2014).
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// Returns number `counter` of the stream with seed `seed`.
#[inline]
pub fn at(seed: u64, counter: u64) -> u64 {
    finish(seed.wrapping_add(STEP.wrapping_mul(counter.wrapping_add(1))))
}

/// Maps a random number to a number that is smaller than `bound`.
#[inline]
pub fn below(random: u64, bound: u64) -> u64 {
    ((u128::from(random) * u128::from(bound)) >> 64) as u64
}
