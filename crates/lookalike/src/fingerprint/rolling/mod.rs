//! The default fingerprint: rolling hashes of windows of tokens.
//!
//! If t₁ … t_k are the hashes of the tokens in a window, the window's fingerprint is finish(t₁·Bᵏ⁻¹ + … + t_k), computed modulo
//! 2⁶⁴. Moving the window takes two multiplications for any k. Another window, with the hashes u₁ … u_k, collides with it if Σ
//! (tᵢ − uᵢ)·Bᵏ⁻ⁱ = 0, which has probability 2⁻⁶⁴ for random token hashes. If the two windows differ only because two tokens, d
//! places apart, are swapped, each factor of two in Bᵈ − 1 doubles this probability. The number of such factors is 1 for odd d, 4
//! for d = 2 and 5 for d = 4 (if the first and the last token of a default window are swapped). The maximum is 8, for d = 32, so
//! the probability is 2⁻⁵⁶ at worst.

#[cfg(target_arch = "x86_64")]
mod x86;

use super::mix::{K0, finish};
use crate::{shingle::Shingling, simd::Simd};

/// The base. It is odd, so that no token's bits are shifted out of the window.
const B: u64 = K0 ^ 0b10;

/// For windows of this length or more, rolling is cheaper than the AVX-512 kernel, which sums each window from scratch but
/// processes eight windows in parallel.
#[cfg(target_arch = "x86_64")]
const LONG: usize = 16;

/// Fills `fingerprints` with one number for each window, repeats included. Cost: a few cycles per window. The numbers are frozen:
/// no release changes them.
pub fn fingerprints(token_hashes: &[u64], shingling: Shingling, fingerprints: &mut Vec<u64>) {
    fingerprints_by(Simd::detect(), token_hashes, shingling, fingerprints);
}

/// Like [`fingerprints`], with the given kernel.
pub(crate) fn fingerprints_by(
    simd: Simd,
    token_hashes: &[u64],
    shingling: Shingling,
    fingerprints: &mut Vec<u64>,
) {
    fingerprints.clear();
    let k = shingling.k().min(token_hashes.len());
    match simd {
        _ if k == 0 => {}
        #[cfg(target_arch = "x86_64")]
        Simd::Avx512(proof) if k < LONG => {
            fingerprints.resize(token_hashes.len() - k + 1, 0);
            x86::windows_avx512(proof, token_hashes, k, fingerprints);
        }
        _ => roll(token_hashes, k, fingerprints),
    }
}

/// Appends the fingerprints of all windows of `k` tokens. There must be at least `k` tokens.
pub(crate) fn roll(token_hashes: &[u64], k: usize, fingerprints: &mut Vec<u64>) {
    let (head, rest) = token_hashes.split_at(k);
    let mut sum = head
        .iter()
        .fold(0u64, |sum, &t| sum.wrapping_mul(B).wrapping_add(t));
    let out = (0..k).fold(1u64, |power, _| power.wrapping_mul(B));
    fingerprints.reserve(rest.len() + 1);
    fingerprints.push(finish(sum));
    fingerprints.extend(rest.iter().zip(token_hashes).map(|(&entering, &leaving)| {
        sum = sum
            .wrapping_mul(B)
            .wrapping_add(entering.wrapping_sub(leaving.wrapping_mul(out)));
        finish(sum)
    }));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_kernel_is_each_window_from_scratch(tokens in prop::collection::vec(any::<u64>(), 0..120), k in 1usize..20) {
            let shingling = Shingling::new(k).unwrap();
            let scratch: Vec<u64> = shingling
                .windows(tokens.len())
                .map(|w| finish(tokens[w].iter().fold(0u64, |h, &t| h.wrapping_mul(B).wrapping_add(t))))
                .collect();
            for simd in Simd::all() {
                let mut rolled = Vec::new();
                fingerprints_by(simd, &tokens, shingling, &mut rolled);
                prop_assert_eq!(&rolled, &scratch, "{:?}", simd);
            }
        }
    }

    #[test]
    fn powers_of_the_base_leave_enough_bits() {
        let lost = |d: u32| (B.wrapping_pow(d) - 1).trailing_zeros();
        assert_eq!([1, 2, 3, 4, 5, 32].map(lost), [1, 4, 1, 5, 1, 8]);
        assert!((1..crate::shingle::MAX_K as u32).all(|d| lost(d) <= 8));
    }
}
