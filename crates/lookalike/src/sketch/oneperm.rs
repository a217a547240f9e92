//! MinHash with one permutation (Li, Owen, Zhang 2012), for large sets and long signatures: a set of n costs n steps, not n for
//! each slot.
//!
//! The permutation deals each element to one of t bins. Slot j holds the least of the elements in bin j; where there is none, it
//! holds slot j of [`MinHash`]. That is fast similarity sketching (Dahlgaard, Knudsen, Thorup 2017) with its first part, in which
//! the whole set is dealt again up to t times, cut to one round. It is one definition for sets of all sizes, so a short text and
//! a long one stay comparable.
//!
//! **What is promised.** A slot's winner is the same element in both sets with probability J, the resemblance: the estimate is
//! unbiased. Of a union of n elements that fills m bins, the winners of the m are drawn without replacement and the other t − m
//! are independent, so the number of agreements is hypergeometric(n, nJ, m) + binomial(t − m, J). That is a sum of independent
//! trials with the mean of binomial(t, J), so it has no larger variance and no heavier tails (Hoeffding 1956): what
//! `agreement_floor` promises for k permutations holds here. Only J and n matter, not how unequal the sets are.
//!
//! **The losers**, measured with t = 128. Root mean square error over that of k independent permutations, √(J(1 − J)/t); 20,000
//! pairs each, about the same at J = 0.2, 0.5, 0.8, 0.9 and 0.95 and for sets of unlike sizes; no bias beyond the noise:
//!
//! | n in the union | k permutations | this | fast similarity, t rounds | optimal densification | rotation |
//! |---|---|---|---|---|---|
//! | 2 | 1.00 | 0.99 | 0.72 | 1.38 | 6.5 |
//! | 5 | 1.00 | 0.98 | 0.71 | 1.23 | 4.6 |
//! | 20 | 1.00 | 0.93 | 0.71 | 1.18 | 2.5 |
//! | 100 | 1.00 | 0.79 | 0.73 | 1.02 | 1.2 |
//! | 200 | 0.99 | 0.77 | 0.76 | 0.92 | 0.95 |
//! | 400 | 1.00 | 0.85 | 0.84 | 0.87 | 0.88 |
//! | 2000 | 1.00 | 0.96 | 0.96 | 0.97 | 0.97 |
//!
//! At J = 0.8, pairs in 10,000 that share none of 21 bands of 6 rows (the S-curve says 17; 200,000 pairs), and the probability
//! that a pair agrees in fewer bytes than `agreement_floor` asks, 73, and is lost whatever its bands say (exact sums; rotation
//! counted):
//!
//! | n | k permutations | this | t rounds | optimal | rotation | floor: k | this | optimal | rotation |
//! |---|---|---|---|---|---|---|---|---|---|
//! | 5 | 17 | 15 | 6 | 27 | 0 | 8e-10 | 4e-10 | 1e-5 | 1e-1 |
//! | 20 | 18 | 11 | 7 | 24 | 0 | 8e-10 | 7e-11 | 4e-8 | 1e-2 |
//! | 100 | 16 | 8 | 5 | 18 | 0 | 8e-10 | 1e-14 | 7e-10 | < 1e-5 |
//! | 400 | 17 | 9 | 10 | 10 | 6 | 8e-10 | 2e-14 | 7e-13 | < 1e-5 |
//!
//! - *Optimal densification* (Shrivastava 2017) lets an empty bin borrow from a random full one: on texts with fewer shingles
//!   than bins a few elements speak for many slots. It misses half as many pairs again, and breaks the floor's promise up to
//!   80 shingles (at J = 0.5 and n = 2 once in 250).
//! - *Rotation* (Shrivastava, Li 2014) borrows from the next full bin, which is worse.
//! - *Fast similarity sketching with all its rounds* errs least on short texts, as if the signature were twice as long, and
//!   misses fewest; but it deals a set of 10 some 70 times, which is 1,800 ns against 290. Rounds between go from the one to the
//!   other: 8 give 0.80, 0.73, 0.71, 0.73 at n = 10, 20, 50, 100 in 460, 650, 1,200, 1,800 ns. A long text has no use for
//!   more than one, which fills its bins, and a last empty bin is dearer to fill by dealing 600 elements again than by one
//!   MinHash slot: with one round, no size costs more than k permutations and 5 ns a slot.
//!
//! **Nanoseconds a set** (one core with AVX-512; 128 and 1024 slots):
//!
//! | n | MinHash, 128 | this | t rounds | optimal | MinHash, 1024 | this |
//! |---|---|---|---|---|---|---|
//! | 10 | 55 | 290 | 1,800 | 2,800 | 410 | 2,300 |
//! | 100 | 460 | 540 | 1,800 | 1,200 | 3,800 | 5,300 |
//! | 600 | 2,800 | 1,200 | 1,800 | 780 | 22,000 | 15,000 |
//! | 5,000 | 23,000 | 6,400 | 6,400 | 5,900 | 180,000 | 10,000 |
//! | 50,000 | 237,000 | 65,000 | 65,000 | 61,000 | 1,800,000 | 66,000 |
//!
//! With AVX2 alone the break-even with MinHash of 128 slots is at 90 shingles instead of 120 (600: 4,000 to 1,200), with neither
//! at 20 (600: 38,000 to 2,900).

use super::{MinHash, Signature, signature::Family};
use crate::fingerprint::SplitMix64;

/// MinHash with one permutation (Li, Owen, Zhang 2012), and k of them for the bins that it leaves empty: the estimates of
/// [`MinHash`], at a cost that for large sets does not grow with the slots. The same length and seed give the same signatures,
/// on every machine.
#[derive(Debug, Clone)]
pub struct OnePermutation {
    /// The permutation: multiplication by this odd number.
    deal: u64,
    minhash: MinHash,
    seed: u64,
}

impl OnePermutation {
    /// A family of `slots` bins drawn from `seed`.
    ///
    /// # Panics
    /// When there are no slots.
    pub fn new(slots: usize, seed: u64) -> Self {
        assert!(slots > 0, "a signature of no slots is not possible");
        // A seed's own numbers are the coefficients of its slots; those of a seed further on share nothing with them.
        let deal = SplitMix64::new(SplitMix64::new(seed).next_u64()).next_u64() | 1;
        Self { deal, minhash: MinHash::new(slots, seed), seed }
    }

    /// The number of slots.
    pub fn slots(&self) -> usize {
        self.minhash.slots()
    }

    /// Fills `minima` with the signature of a set of fingerprints, [`slots`](Self::slots) numbers. The empty set's slots are
    /// all `u32::MAX`. Nothing is allocated once the buffer has grown.
    ///
    /// Cost: 2 cycles a fingerprint, and MinHash's own for the slots whose bins are empty, of t bins about t·e^(−n/t).
    pub fn minima(&self, fingerprints: &[u64], minima: &mut Vec<u32>) {
        minima.clear();
        minima.resize(self.slots(), u32::MAX);
        match minima.as_mut_slice().try_into() {
            Ok(minima) => self.deal_out::<128>(fingerprints, minima),
            Err(_) => self.deal_to(fingerprints, minima),
        }
        self.minhash.fill(fingerprints, minima);
    }

    /// Lowers each bin's minimum by the elements that are dealt to it.
    fn deal_to(&self, fingerprints: &[u64], minima: &mut [u32]) {
        for &fingerprint in fingerprints {
            let (bin, value) = self.dealt(fingerprint);
            // Not `if value < …`: a new least is too frequent to foretell, and a set of 600 took four times as long.
            minima[bin] = minima[bin].min(value);
        }
    }

    /// The same for the usual number of bins, where a bin's number is the highest bits.
    fn deal_out<const BINS: usize>(&self, fingerprints: &[u64], minima: &mut [u32; BINS]) {
        const { assert!(BINS.is_power_of_two() && BINS > 1) };
        for &fingerprint in fingerprints {
            let h = fingerprint.wrapping_mul(self.deal);
            let bin = (h >> (64 - BINS.trailing_zeros())) as usize;
            minima[bin] = minima[bin].min(h as u32);
        }
    }

    /// The signature of a set of fingerprints, with what it needs to be compared.
    pub fn signature(&self, fingerprints: &[u64]) -> Signature {
        let mut slots = Vec::new();
        self.minima(fingerprints, &mut slots);
        Signature::new(Family::OnePermutation, slots, self.seed, fingerprints.is_empty())
    }

    /// The bin that an element is dealt to, and its number there: from the two halves of π(x).
    ///
    /// Fingerprints are mixed numbers already, so π need not mix again: multiplication by a random odd number is a permutation
    /// of the 64-bit numbers, and its lower half one of the 32-bit numbers, as in [`MinHash`]. It takes a third of the time that a
    /// permutation with full avalanche took.
    #[inline]
    fn dealt(&self, fingerprint: u64) -> (usize, u32) {
        let h = fingerprint.wrapping_mul(self.deal);
        ((((h >> 32) * self.slots() as u64) >> 32) as usize, h as u32)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{super::*, *};
    use crate::fingerprint::finish;

    fn by_definition(set: &[u64], one: &OnePermutation) -> Vec<u32> {
        let slots = one.slots() as u128;
        let otherwise = MinHash::new(one.slots(), one.seed).signature(set);
        let bin = |h: u64| (u128::from(h >> 32) * slots / (1 << 32)) as usize;
        let least = |j| set.iter().map(|&x| x.wrapping_mul(one.deal)).filter(|&h| bin(h) == j).map(|h| h as u32).min();
        (0..one.slots()).map(|j| least(j).unwrap_or(otherwise.slots()[j])).collect()
    }

    proptest! {
        #[test]
        fn each_slot_is_the_least_of_its_bin_or_the_minhash_slot(
            set in prop::collection::vec(any::<u64>(), 0..300),
            slots in prop_oneof![1usize..200, Just(128)],
            seed: u64,
        ) {
            let one = OnePermutation::new(slots, seed);
            let signature = one.signature(&set);
            prop_assert_eq!(signature.slots(), by_definition(&set, &one));
            let twice: Vec<u64> = set.iter().rev().chain(&set).copied().collect();
            prop_assert_eq!(signature, one.signature(&twice), "order and repeats do not matter");
        }
    }

    #[test]
    fn signatures_are_frozen() {
        // Ten elements leave most bins empty, a thousand hardly any.
        let fold = |count: u64, slots| {
            let set: Vec<u64> = (0..count).map(finish).collect();
            OnePermutation::new(slots, 1).signature(&set).slots().iter().fold(0u32, |h, s| h.rotate_left(5) ^ s)
        };
        assert_eq!(
            [fold(10, 128), fold(1000, 128), fold(1000, 100), fold(1000, 4096)],
            [109820587, 1269832185, 2370481649, 2398300645]
        );
    }

    /// Pairs of random sets under random families: `shared` elements in both, `a` and `b` in one alone.
    fn pairs(count: usize, [shared, a, b]: [usize; 3]) -> impl Iterator<Item = [Signature; 2]> {
        let mut random = SplitMix64::new((shared + a + b) as u64);
        (0..count).map(move |_| {
            let one = OnePermutation::new(128, random.next_u64());
            let union: Vec<u64> = (0..shared + a + b).map(|_| random.next_u64()).collect();
            [one.signature(&union[..shared + a]), one.signature(&[&union[..shared], &union[shared + a..]].concat())]
        })
    }

    #[test]
    fn agreements_have_the_mean_and_the_variance_of_the_formula() {
        // Borrowing from full bins has up to 1.9 times this variance on the sets of 2 to 20.
        const PAIRS: usize = 20_000;
        for sizes in [[1, 0, 1], [4, 0, 1], [4, 8, 8], [16, 2, 2], [45, 0, 5], [80, 10, 10], [100, 0, 100], [480, 0, 120]] {
            let (mut sum, mut squares) = (0.0, 0.0);
            for [a, b] in pairs(PAIRS, sizes) {
                let agreements = a.slots().iter().zip(b.slots()).filter(|(a, b)| a == b).count() as f64;
                sum += agreements;
                squares += agreements * agreements;
            }
            let (mean, variance) = (sum / PAIRS as f64, squares / PAIRS as f64 - (sum / PAIRS as f64).powi(2));

            let (n, t) = (sizes.iter().sum::<usize>() as f64, 128f64);
            let j = sizes[0] as f64 / n;
            // Moments of the number of bins that n elements leave empty, and so of the number m that they fill.
            let empty = t * (1.0 - 1.0 / t).powf(n);
            let empty_squared = empty + t * (t - 1.0) * (1.0 - 2.0 / t).powf(n);
            let (m, m_squared) = (t - empty, t * t - 2.0 * t * empty + empty_squared);
            let expected = j * (1.0 - j) * ((n * m - m_squared) / (n - 1.0) + empty);
            assert!(expected <= t * j * (1.0 - j), "never above k permutations");
            assert!((mean - t * j).abs() < 4.0 * (expected / PAIRS as f64).sqrt(), "{sizes:?}: mean {mean} against {}", t * j);
            assert!((variance / expected - 1.0).abs() < 0.05, "{sizes:?}: variance {variance} against {expected}");
        }
    }

    #[test]
    fn short_texts_keep_the_s_curve_and_the_floor() {
        const PAIRS: usize = 100_000;
        let missed_by_curve = PAIRS as f64 * (1.0 - 0.8f64.powi(6)).powi(21);
        let floor = agreement_floor(0.8);
        for sizes in [[4, 0, 1], [16, 2, 2]] {
            let mut missed = 0.0;
            for [a, b] in pairs(PAIRS, sizes) {
                let (a, b) = (a.slots(), b.slots());
                let shares = a.chunks_exact(6).zip(b.chunks_exact(6)).any(|(a, b)| a == b);
                missed += f64::from(u8::from(!shares));
                assert!(agreement(&bits(a), &bits(b)) >= floor, "{sizes:?}");
            }
            assert!(missed < missed_by_curve + 4.0 * missed_by_curve.sqrt(), "{sizes:?}: {missed} against {missed_by_curve}");
        }
    }

    #[test]
    fn bytes_of_unlike_sets_agree_by_chance_alone() {
        // Dealt against dealt, filled against filled, and one against the other: 256,000 bytes each.
        for sizes in [[0, 5, 5], [0, 5, 600], [0, 600, 600]] {
            let agreed: u32 = pairs(2000, sizes).map(|[a, b]| agreement(&bits(a.slots()), &bits(b.slots()))).sum();
            assert!((880..1120).contains(&agreed), "{sizes:?}: {agreed}");
        }
    }
}
