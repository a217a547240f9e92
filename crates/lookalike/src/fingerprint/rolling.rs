//! Windows → fingerprints, rolling: the default fingerprint.
//!
//! The fingerprint of tokens t₁ … t_k is finish(t₁·Bᵏ⁻¹ + … + t_k) modulo 2⁶⁴, over the tokens' hashes. Moving the window
//! takes two multiplications whatever k. Two windows collide when Σ (tᵢ − uᵢ)·Bᵏ⁻ⁱ = 0: for random token hashes with
//! probability 2⁻⁶⁴; for windows that repeat tokens in another order up to 2⁻⁶¹, since B − 1 is twice an odd number.

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
    fn the_base_is_odd_and_its_predecessor_twice_odd() {
        assert_eq!(B % 4, 3);
        assert_eq!((B - 1) % 4, 2);
    }
}
