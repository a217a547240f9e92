//! Random numbers by counter: any one of them without those before it, so that any document can be made alone.

use lookalike::fingerprint::finish;

/// The golden ratio's fractional part: a counter's steps (Steele, Lea, Flood 2014).
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// Number `counter` of the stream of `seed`.
#[inline]
pub fn at(seed: u64, counter: u64) -> u64 {
    finish(seed.wrapping_add(STEP.wrapping_mul(counter.wrapping_add(1))))
}

/// A number below `bound`, from a random one.
#[inline]
pub fn below(random: u64, bound: u64) -> u64 {
    ((u128::from(random) * u128::from(bound)) >> 64) as u64
}
