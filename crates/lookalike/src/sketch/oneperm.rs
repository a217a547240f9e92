//! MinHash with one permutation (Li, Owen, Zhang 2012), for large sets and long signatures: a set of n elements takes n steps,
//! not n steps per slot.
//!
//! The permutation assigns each element to one of t bins. Slot j holds the smallest of the elements in bin j; if there is none,
//! it holds slot j of [`MinHash`]. This is the fast similarity sketching of Dahlgaard, Knudsen and Thorup (2017) with one change:
//! the original assigns the whole set to bins in up to t *rounds*, until no bin is empty, but here there is only one round. The
//! definition is the same for sets of all sizes, so a short text and a long one stay comparable.
//!
//! **Guarantees.** The element that fills a slot is the same in both sets with probability J, the resemblance, so the estimate is
//! unbiased. If a union of n elements fills m bins, the elements that fill these bins are drawn without replacement, and the
//! other t − m slots are independent. So the number of agreements is hypergeometric(n, nJ, m) + binomial(t − m, J). This is a sum
//! of independent trials with the mean of binomial(t, J), so it has no larger variance and no heavier tails (Hoeffding 1956):
//! what `agreement_floor` guarantees for k permutations is also true of this method. Only J and n matter, not how unequal the
//! sets are.
//!
//! **Rejected alternatives**, measured with t = 128. The table shows the root mean square error, divided by that of k independent
//! permutations, √(J(1 − J)/t), with 20,000 pairs in each case. This ratio is about the same at J = 0.2, 0.5, 0.8, 0.9 and 0.95
//! and for sets of different sizes; there is no bias beyond the noise:
//!
//! | n in the union | k permutations | this method | fast similarity, t rounds | optimal densification | rotation |
//! |---|---|---|---|---|---|
//! | 2 | 1.00 | 0.99 | 0.72 | 1.38 | 6.5 |
//! | 5 | 1.00 | 0.98 | 0.71 | 1.23 | 4.6 |
//! | 20 | 1.00 | 0.93 | 0.71 | 1.18 | 2.5 |
//! | 100 | 1.00 | 0.79 | 0.73 | 1.02 | 1.2 |
//! | 200 | 0.99 | 0.77 | 0.76 | 0.92 | 0.95 |
//! | 400 | 1.00 | 0.85 | 0.84 | 0.87 | 0.88 |
//! | 2000 | 1.00 | 0.96 | 0.96 | 0.97 | 0.97 |
//!
//! The next table is for J = 0.8 and has two parts. The first part shows how many pairs in 10,000 share none of 21 bands of 6
//! rows, measured with 200,000 pairs; the S-curve predicts 17 pairs. The second part (*floor*) shows the probability that a pair
//! is lost even if it shares a band, because it agrees in fewer than the 73 bytes that `agreement_floor` requires. These
//! probabilities are exact sums, except that the values for rotation were measured:
//!
//! | n | k permutations | this method | t rounds | optimal | rotation | floor: k | this method | optimal | rotation |
//! |---|---|---|---|---|---|---|---|---|---|
//! | 5 | 17 | 15 | 6 | 27 | 0 | 8e-10 | 4e-10 | 1e-5 | 1e-1 |
//! | 20 | 18 | 11 | 7 | 24 | 0 | 8e-10 | 7e-11 | 4e-8 | 1e-2 |
//! | 100 | 16 | 8 | 5 | 18 | 0 | 8e-10 | 1e-14 | 7e-10 | < 1e-5 |
//! | 400 | 17 | 9 | 10 | 10 | 6 | 8e-10 | 2e-14 | 7e-13 | < 1e-5 |
//!
//! - *Optimal densification* of Shrivastava (2017) lets an empty bin borrow from a random full one: for texts with fewer shingles
//!   than bins, a few elements determine many slots. For such texts, optimal densification misses about one and a half times as
//!   many pairs as k permutations. For texts of up to 80 shingles, it also breaks the guarantee of `agreement_floor` (at J = 0.5
//!   and n = 2, for one pair in 250).
//! - *Rotation* (Shrivastava, Li 2014) borrows from the next full bin, which is worse.
//! - *Fast similarity sketching with all its rounds* has the smallest error on short texts, as if the signature were twice as
//!   long, and misses the fewest pairs. But a set of 10 elements needs about 70 rounds (each assigns the whole set to bins once),
//!   which take 1,800 ns; this method, with one round, takes 290 ns. With fewer rounds than t, the errors and times are between
//!   those of one round and of all rounds: 8 rounds give errors of 0.80, 0.73, 0.71 and 0.73 at n = 10, 20, 50 and 100, in 460,
//!   650, 1,200 and 1,800 ns. A long text needs only one round, because the first round fills its bins. If one bin of a text of
//!   600 elements stays empty, a second round costs more than computing one MinHash slot. With one round, a set of any size costs
//!   at most as much as k permutations, plus 5 ns per slot.
//!
//! **Nanoseconds per set** (one core with AVX-512; 128 and 1024 slots):
//!
//! | n | MinHash, 128 | this method | t rounds | optimal | MinHash, 1024 | this method |
//! |---|---|---|---|---|---|---|
//! | 10 | 55 | 290 | 1,800 | 2,800 | 410 | 2,300 |
//! | 100 | 460 | 540 | 1,800 | 1,200 | 3,800 | 5,300 |
//! | 600 | 2,800 | 1,200 | 1,800 | 780 | 22,000 | 15,000 |
//! | 5,000 | 23,000 | 6,400 | 6,400 | 5,900 | 180,000 | 10,000 |
//! | 50,000 | 237,000 | 65,000 | 65,000 | 61,000 | 1,800,000 | 66,000 |
//!
//! With AVX-512, this method is faster than MinHash of 128 slots for texts of more than 120 shingles. With AVX2 but not AVX-512,
//! it is faster above 90 shingles (for 600 shingles, MinHash takes 4,000 ns, and this method takes 1,200). With neither, it is
//! faster above 20 shingles (for 600 shingles, MinHash takes 38,000 ns, and this method takes 2,900).

use super::{MinHash, Signature, signature::Family};
use crate::fingerprint::SplitMix64;

/// MinHash with one permutation (Li, Owen, Zhang 2012), and k permutations for the bins that it leaves empty. It gives the
/// estimates of [`MinHash`], at a cost that for large sets does not grow with the number of slots. The same length and seed give
/// the same signatures, on every machine.
#[derive(Debug, Clone)]
pub struct OnePermutation {
    /// The permutation: multiplication by this odd number.
    deal: u64,
    minhash: MinHash,
    seed: u64,
}

impl OnePermutation {
    /// Creates a family with `slots` bins, whose random numbers are drawn from `seed`.
    ///
    /// # Panics
    /// Panics if `slots` is 0.
    pub fn new(slots: usize, seed: u64) -> Self {
        assert!(slots > 0, "a signature must have at least one slot");
        // The numbers drawn from the seed itself are the coefficients of the slots. `deal` is drawn from a different seed, so
        // that it is unrelated to them.
        let deal = SplitMix64::new(SplitMix64::new(seed).next_u64()).next_u64() | 1;
        Self {
            deal,
            minhash: MinHash::new(slots, seed),
            seed,
        }
    }

    /// Returns the number of slots.
    pub fn slots(&self) -> usize {
        self.minhash.slots()
    }

    /// Fills `minima` with the signature of a set of fingerprints. The signature has [`slots`](Self::slots) numbers; for the
    /// empty set, they are all `u32::MAX`. Nothing is allocated after the buffer has grown.
    ///
    /// Cost: 2 cycles per fingerprint, plus MinHash's own cost for the slots whose bins are empty. For n fingerprints and t bins,
    /// about t·e^(−n/t) bins are empty.
    pub fn minima(&self, fingerprints: &[u64], minima: &mut Vec<u32>) {
        self.bins(fingerprints, minima);
        self.minhash.fill(fingerprints, minima);
    }

    /// Like [`minima`](Self::minima), and fills `bins` with one bit per slot, eight slots in a byte, the first in the lowest bit.
    /// The bit is set if the slot's bin has an element, so that the slot is the minimum of the bin.
    pub(crate) fn minima_and_bins(
        &self,
        fingerprints: &[u64],
        minima: &mut Vec<u32>,
        bins: &mut Vec<u8>,
    ) {
        self.bins(fingerprints, minima);
        let bit = |(at, &minimum): (usize, &u32)| u8::from(minimum != u32::MAX) << at;
        bins.clear();
        bins.extend(
            minima
                .chunks(8)
                .map(|eight| eight.iter().enumerate().map(bit).sum::<u8>()),
        );
        self.minhash.fill(fingerprints, minima);
    }

    /// Fills `minima` with the minimum of each bin; `u32::MAX` for an empty bin.
    fn bins(&self, fingerprints: &[u64], minima: &mut Vec<u32>) {
        minima.clear();
        minima.resize(self.slots(), u32::MAX);
        match minima.as_mut_slice().try_into() {
            Ok(minima) => self.deal_out::<128>(fingerprints, minima),
            Err(_) => self.deal_to(fingerprints, minima),
        }
    }

    /// Lowers each bin's minimum to the smallest element that is assigned to it.
    fn deal_to(&self, fingerprints: &[u64], minima: &mut [u32]) {
        for &fingerprint in fingerprints {
            let (bin, value) = self.dealt(fingerprint);
            // This is not `if value < …`, because new minima are too frequent for the branch to be predicted: with a branch, a
            // set of 600 took four times as long.
            minima[bin] = minima[bin].min(value);
        }
    }

    /// Like [`deal_to`](Self::deal_to), but only for a number of bins that is a power of two, as it usually is: the highest bits
    /// of π(x) are then the number of the bin.
    fn deal_out<const BINS: usize>(&self, fingerprints: &[u64], minima: &mut [u32; BINS]) {
        const { assert!(BINS.is_power_of_two() && BINS > 1) };
        for &fingerprint in fingerprints {
            let h = fingerprint.wrapping_mul(self.deal);
            let bin = (h >> (64 - BINS.trailing_zeros())) as usize;
            minima[bin] = minima[bin].min(h as u32);
        }
    }

    /// Returns the signature of a set of fingerprints, with the parameters needed to compare it.
    pub fn signature(&self, fingerprints: &[u64]) -> Signature {
        let mut slots = Vec::new();
        self.minima(fingerprints, &mut slots);
        Signature::new(
            Family::OnePermutation,
            slots,
            self.seed,
            fingerprints.is_empty(),
        )
    }

    /// Returns the bin to which an element is assigned, and the element's number in that bin. The bin is computed from the upper
    /// half of π(x), and the number is the lower half.
    ///
    /// Fingerprints are mixed already, so π need not mix them again. Multiplication by a random odd number is a permutation of
    /// the 64-bit numbers. The lower half of the product depends only on the lower half of the fingerprint, and is a permutation
    /// of it: a permutation of the 32-bit numbers, as in [`MinHash`]. This multiplication takes a third of the time of a
    /// permutation with full avalanche.
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
        let least = |j| {
            set.iter()
                .map(|&x| x.wrapping_mul(one.deal))
                .filter(|&h| bin(h) == j)
                .map(|h| h as u32)
                .min()
        };
        (0..one.slots())
            .map(|j| least(j).unwrap_or(otherwise.slots()[j]))
            .collect()
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
        // Ten elements leave most bins empty; a thousand elements leave hardly any bin empty.
        let fold = |count: u64, slots| {
            let set: Vec<u64> = (0..count).map(finish).collect();
            OnePermutation::new(slots, 1)
                .signature(&set)
                .slots()
                .iter()
                .fold(0u32, |h, s| h.rotate_left(5) ^ s)
        };
        assert_eq!(
            [
                fold(10, 128),
                fold(1000, 128),
                fold(1000, 100),
                fold(1000, 4096)
            ],
            [109820587, 1269832185, 2370481649, 2398300645]
        );
    }

    /// Returns pairs of signatures of random sets under random families: `shared` elements are in both sets, `a` and `b` in only
    /// one.
    fn pairs(count: usize, [shared, a, b]: [usize; 3]) -> impl Iterator<Item = [Signature; 2]> {
        let mut random = SplitMix64::new((shared + a + b) as u64);
        (0..count).map(move |_| {
            let one = OnePermutation::new(128, random.next_u64());
            let union: Vec<u64> = (0..shared + a + b).map(|_| random.next_u64()).collect();
            [
                one.signature(&union[..shared + a]),
                one.signature(&[&union[..shared], &union[shared + a..]].concat()),
            ]
        })
    }

    #[test]
    fn agreements_have_the_mean_and_the_variance_of_the_formula() {
        // For sets of 2 to 20 elements, methods that borrow from full bins have up to 1.9 times the variance that the formula
        // gives.
        const PAIRS: usize = 20_000;
        for sizes in [
            [1, 0, 1],
            [4, 0, 1],
            [4, 8, 8],
            [16, 2, 2],
            [45, 0, 5],
            [80, 10, 10],
            [100, 0, 100],
            [480, 0, 120],
        ] {
            let (mut sum, mut squares) = (0.0, 0.0);
            for [a, b] in pairs(PAIRS, sizes) {
                let agreements = a
                    .slots()
                    .iter()
                    .zip(b.slots())
                    .filter(|(a, b)| a == b)
                    .count() as f64;
                sum += agreements;
                squares += agreements * agreements;
            }
            let (mean, variance) = (
                sum / PAIRS as f64,
                squares / PAIRS as f64 - (sum / PAIRS as f64).powi(2),
            );

            let (n, t) = (sizes.iter().sum::<usize>() as f64, 128f64);
            let j = sizes[0] as f64 / n;
            // The first and second moments of the number of bins that n elements leave empty. The moments of m, the number of
            // bins that these elements fill, follow from them.
            let empty = t * (1.0 - 1.0 / t).powf(n);
            let empty_squared = empty + t * (t - 1.0) * (1.0 - 2.0 / t).powf(n);
            let (m, m_squared) = (t - empty, t * t - 2.0 * t * empty + empty_squared);
            let expected = j * (1.0 - j) * ((n * m - m_squared) / (n - 1.0) + empty);
            assert!(expected <= t * j * (1.0 - j), "never above k permutations");
            assert!(
                (mean - t * j).abs() < 4.0 * (expected / PAIRS as f64).sqrt(),
                "{sizes:?}: mean {mean} against {}",
                t * j
            );
            assert!(
                (variance / expected - 1.0).abs() < 0.05,
                "{sizes:?}: variance {variance} against {expected}"
            );
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
                let shares = a
                    .chunks_exact(6)
                    .zip(b.chunks_exact(6))
                    .any(|(a, b)| a == b);
                missed += f64::from(u8::from(!shares));
                assert!(agreement(&bits(a), &bits(b)) >= floor, "{sizes:?}");
            }
            assert!(
                missed < missed_by_curve + 4.0 * missed_by_curve.sqrt(),
                "{sizes:?}: {missed} against {missed_by_curve}"
            );
        }
    }

    #[test]
    fn bytes_of_unlike_sets_agree_by_chance_alone() {
        // Each of the three cases compares 256,000 pairs of bytes. With 5 elements in each set, nearly all slots are from
        // MinHash. With 5 and 600 elements, slots from MinHash are compared with slots from bins. With 600 elements in each set,
        // nearly all slots are from bins.
        for sizes in [[0, 5, 5], [0, 5, 600], [0, 600, 600]] {
            let agreed: u32 = pairs(2000, sizes)
                .map(|[a, b]| agreement(&bits(a.slots()), &bits(b.slots())))
                .sum();
            assert!((880..1120).contains(&agreed), "{sizes:?}: {agreed}");
        }
    }
}
