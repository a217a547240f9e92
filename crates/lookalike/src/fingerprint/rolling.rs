//! Windows → fingerprints, rolling: the default fingerprint.
//!
//! The fingerprint of tokens t₁ … t_k is finish(t₁·Bᵏ⁻¹ + … + t_k) modulo 2⁶⁴, over the tokens' hashes. Moving the window
//! takes two multiplications whatever k. Two windows collide when Σ (tᵢ − uᵢ)·Bᵏ⁻ⁱ = 0: for random token hashes with
//! probability 2⁻⁶⁴. Where two tokens d apart changed places, Bᵈ − 1 must not lose more bits than can be spared: it has 1
//! factor of two for odd d, 4 for d = 2, 5 for d = 4 (the ends of the default window), 8 for d = 32, so 2⁻⁵⁶ at the worst.

use super::mix::{K0, finish};
use crate::shingle::Shingling;

/// The base. Odd, so that no token's bits are shifted out of the window.
const B: u64 = K0 ^ 0b10;

/// Fills `fingerprints` with one number for each window, repeats among them. Cost: a few cycles each; frozen.
pub fn fingerprints(token_hashes: &[u64], shingling: Shingling, fingerprints: &mut Vec<u64>) {
    fingerprints.clear();
    let k = shingling.k().min(token_hashes.len());
    let (head, rest) = token_hashes.split_at(k);
    if head.is_empty() {
        return;
    }
    let mut sum = head.iter().fold(0u64, |sum, &t| sum.wrapping_mul(B).wrapping_add(t));
    let out = (0..k).fold(1u64, |power, _| power.wrapping_mul(B));
    fingerprints.reserve(rest.len() + 1);
    fingerprints.push(finish(sum));
    fingerprints.extend(rest.iter().zip(token_hashes).map(|(&entering, &leaving)| {
        sum = sum.wrapping_mul(B).wrapping_add(entering.wrapping_sub(leaving.wrapping_mul(out)));
        finish(sum)
    }));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn rolling_is_the_same_as_each_window_from_scratch(tokens in prop::collection::vec(any::<u64>(), 0..40), k in 1usize..8) {
            let shingling = Shingling::new(k).unwrap();
            let mut rolled = Vec::new();
            fingerprints(&tokens, shingling, &mut rolled);
            let scratch: Vec<u64> = shingling
                .windows(tokens.len())
                .map(|w| finish(tokens[w].iter().fold(0u64, |h, &t| h.wrapping_mul(B).wrapping_add(t))))
                .collect();
            prop_assert_eq!(rolled, scratch);
        }
    }

    #[test]
    fn powers_of_the_base_spare_enough_bits() {
        let lost = |d: u32| (B.wrapping_pow(d) - 1).trailing_zeros();
        assert_eq!([1, 2, 3, 4, 5, 32].map(lost), [1, 4, 1, 5, 1, 8]);
        assert!((1..crate::shingle::MAX_K as u32).all(|d| lost(d) <= 8));
    }
}
