//! Bit mixing: the few constants and steps from which every hash in this module is built.

#[cfg(target_arch = "x86_64")]
pub(super) mod x86;

/// Odd constants with well-spread bits: the fractional parts of the golden ratio, and of the square roots of 2 and 3.
pub(crate) const K0: u64 = 0x9e37_79b9_7f4a_7c15;
pub(crate) const K1: u64 = 0x6a09_e667_f3bc_c909;
pub(crate) const K2: u64 = 0xbb67_ae85_84ca_a73b;

/// The multipliers of [`finish`].
const FINISH1: u64 = 0xbf58_476d_1ce4_e5b9;
const FINISH2: u64 = 0x94d0_49bb_1331_11eb;

/// Mixes a number: a bijection on 64 bits with full avalanche (Stafford's variant 13 of MurmurHash3's finaliser).
#[inline]
pub fn finish(mut h: u64) -> u64 {
    h = (h ^ (h >> 30)).wrapping_mul(FINISH1);
    h = (h ^ (h >> 27)).wrapping_mul(FINISH2);
    h ^ (h >> 31)
}

/// SplitMix64 (Steele, Lea, Flood 2014): the random numbers from which every permutation is drawn. It is implemented here because
/// a library's stream may change between its versions, and these numbers are persisted.
#[derive(Debug, Clone)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// Creates the stream of random numbers for a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns the next number.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(K0);
        finish(self.0)
    }
}
