//! Hashes tokens into numbers.
//!
//! The hash of a token is finish(w₀ ⊕ s(w₁ ⊕ s(w₂ ⊕ …))). The w are the bytes of the token, read as little-endian integers of
//! eight bytes; the last one is padded with zeros. The function s is a bijection with s(0) = 0. No token contains a NUL, so
//! padding is never mistaken for content. [`finish`] is a bijection too, so two tokens of up to eight bytes never collide; nearly
//! all words and all characters are that short. Other tokens collide with probability 2⁻⁶⁴.
//!
//! The definition is designed for SIMD: every token of up to 16 bytes takes the same steps, which are two loads at fixed
//! distances from its start, and multiplications modulo 2⁶⁴.

#[cfg(target_arch = "x86_64")]
mod x86;

use super::mix::{K1, finish};
use crate::{
    simd::Simd,
    text::{TokenSink, Tokens},
};

/// Fills `hashes` with a 64-bit hash of each token, in order. The hashes are frozen: they are the same in every release and on
/// every machine.
pub fn token_hashes(tokens: &Tokens, hashes: &mut Vec<u64>) {
    hashes.clear();
    append(tokens, hashes);
}

fn append(tokens: &Tokens, hashes: &mut Vec<u64>) {
    let (text, ends, gap) = tokens.raw();
    hashes.reserve(ends.len());
    let mut start = 0;
    for &end in ends {
        hashes.push(hash::<false>(text, start, end));
        start = end + gap;
    }
}

/// Appends the hashes of tokens, given by their positions in a text or as [`Tokens`].
pub(crate) struct TokenHasher<'a> {
    pub(crate) simd: Simd,
    pub(crate) hashes: &'a mut Vec<u64>,
}

impl TokenSink for TokenHasher<'_> {
    fn take_places(&mut self, text: &[u8], starts: &[u16], ends: &[u16]) {
        let filled = self.hashes.len();
        self.hashes.resize(filled + starts.len(), 0);
        let hashes = &mut self.hashes[filled..];
        match self.simd {
            Simd::Portable => hash_places(text, starts, ends, hashes),
            #[cfg(target_arch = "x86_64")]
            Simd::Avx2(proof) => x86::hash_places_avx2(proof, text, starts, ends, hashes),
            #[cfg(target_arch = "x86_64")]
            Simd::Avx512(proof) => x86::hash_places_avx512(proof, text, starts, ends, hashes),
        }
    }

    fn take(&mut self, tokens: &Tokens) {
        append(tokens, self.hashes);
    }
}

#[inline(always)]
fn hash_places(text: &[u8], starts: &[u16], ends: &[u16], hashes: &mut [u64]) {
    for ((&start, &end), hash) in starts.iter().zip(ends).zip(hashes) {
        *hash = self::hash::<true>(text, start.into(), end.into());
    }
}

/// Returns the hash of the token from `start` to `end`. With `LOWER`, its ASCII letters are lower-cased first.
#[inline(always)]
fn hash<const LOWER: bool>(text: &[u8], start: usize, end: usize) -> u64 {
    let length = end.wrapping_sub(start);
    // Near the end of the text, load its last 16 bytes and shift out those before the token.
    let at = start.min(text.len().saturating_sub(16));
    let Some(bytes) = text[at..]
        .first_chunk()
        .filter(|_| length <= 16 && start < text.len())
    else {
        return hash_long::<LOWER>(text, start, end);
    };
    let both = u128::from_le_bytes(*bytes) >> (8 * (start - at));
    let (first, second) = (both as u64, (both >> 64) as u64);
    let in_second = length.saturating_sub(8) as u32;
    let first = lower::<LOWER>(first) & (u64::MAX >> (64 - 8 * length.clamp(1, 8)));
    let second = lower::<LOWER>(second) & !u64::MAX.checked_shl(8 * in_second).unwrap_or(0);
    finish(first ^ step(second))
}

/// Like [`hash`], for a token of any length, at any distance from the end of the text.
#[cold]
#[inline(never)]
fn hash_long<const LOWER: bool>(text: &[u8], start: usize, end: usize) -> u64 {
    let token = text.get(start..end).unwrap_or_default();
    let words = token.chunks(8).rev().map(|bytes| {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        lower::<LOWER>(u64::from_le_bytes(word)) & (u64::MAX >> (64 - 8 * bytes.len()))
    });
    finish(words.fold(0, |hash, word| word ^ step(hash)))
}

/// Lower-cases the ASCII letters in a word of letters and digits by setting bit 5, which ASCII digits already have. Other bytes
/// have bit 7 set and do not change.
#[inline(always)]
fn lower<const LOWER: bool>(word: u64) -> u64 {
    const BITS: u64 = 0x2020_2020_2020_2020;
    if LOWER {
        word | BITS & !(word >> 2)
    } else {
        word
    }
}

/// The function s: a bijection that maps zero to zero, and spreads the bits of all other 64-bit words.
#[inline(always)]
fn step(word: u64) -> u64 {
    let product = word.wrapping_mul(K1);
    product ^ product >> 32
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The definition, computed from the whole token's own bytes.
    fn by_definition(token: &[u8]) -> u64 {
        let mut padded = token.to_vec();
        padded.resize(token.len().next_multiple_of(8), 0);
        let words = padded
            .chunks(8)
            .map(|eight| u64::from_le_bytes(eight.try_into().unwrap()));
        finish(words.rev().fold(0, |hash, word| {
            let product = hash.wrapping_mul(K1);
            word ^ product ^ product >> 32
        }))
    }

    proptest! {
        #[test]
        fn every_kernel_is_the_definition(words in prop::collection::vec("[a-zA-Z0-9é漢]{1,24}", 0..40), gap in "[ .]{0,3}") {
            let (mut text, mut starts, mut ends) = (gap, Vec::new(), Vec::new());
            for word in &words {
                starts.push(text.len() as u16);
                text.push_str(word);
                ends.push(text.len() as u16);
                text.push(' ');
            }
            text.pop();
            let expected: Vec<u64> = words.iter().map(|word| by_definition(word.to_ascii_lowercase().as_bytes())).collect();
            for simd in Simd::all() {
                let mut hashes = vec![7];
                TokenHasher { simd, hashes: &mut hashes }.take_places(text.as_bytes(), &starts, &ends);
                prop_assert_eq!(&hashes[1..], &expected, "{:?}", simd);
            }
        }

        #[test]
        fn tokens_are_hashed_by_the_definition(text in "[a-zA-Z0-9éＡ漢が\u{301} ]{0,200}") {
            let (mut tokens, mut hashes) = (Tokens::new(), Vec::new());
            crate::text::canonicalise(&text, Default::default(), Default::default(), &mut tokens);
            token_hashes(&tokens, &mut hashes);
            prop_assert_eq!(hashes, tokens.iter().map(by_definition).collect::<Vec<_>>());
        }
    }
}
