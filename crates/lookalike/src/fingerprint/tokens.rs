//! Tokens → numbers.

use super::mix::{K0, K1, K2, fold_multiply};
use crate::text::Tokens;

/// Fills `hashes` with a 64-bit hash of each token, in order. Frozen; equal on every machine (bytes are read little-endian).
///
/// A token of up to eight bytes, nearly every word, is one load and two multiplications; longer ones take one more for each
/// eight bytes. The length goes in, so a token is never taken for another with zeros behind it.
pub fn token_hashes(tokens: &Tokens, hashes: &mut Vec<u64>) {
    let (text, ends, gap) = tokens.raw();
    hashes.clear();
    hashes.reserve(ends.len());
    let mut start = 0;
    for &end in ends {
        let length = end - start;
        let mut hash = K0 ^ length as u64;
        let mut at = start;
        while end - at > 8 {
            hash = fold_multiply(hash ^ eight(text, at), K1);
            at += 8;
        }
        let tail = eight(text, at) & (u64::MAX >> (64 - 8 * (end - at)));
        hashes.push(fold_multiply(hash ^ tail, K1 ^ K2.wrapping_mul(hash)));
        start = end + gap;
    }
}

#[inline]
fn eight(text: &[u8], at: usize) -> u64 {
    text[at..].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}
