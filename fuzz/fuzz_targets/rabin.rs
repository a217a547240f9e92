//! Checks that Rabin's fingerprint is the remainder of a division that is done bit by bit. Also checks that the fingerprint of a
//! window is the fingerprint of its concatenated units, each of which is up to eight bytes of a token, padded to eight.
#![no_main]

use libfuzzer_sys::fuzz_target;
use lookalike::{
    fingerprint::{Nulls, Rabin},
    shingle::Shingling,
    text::{Folds, Tokens, TokensBy, canonicalise},
};
use lookalike_fuzz::text;

fn by_definition(rabin: &Rabin, string: &[u8]) -> u64 {
    let bits = string
        .iter()
        .flat_map(|byte| (0..8).rev().map(move |i| byte >> i & 1));
    let nulls = if rabin.nulls() == Nulls::Appended {
        rabin.degree() as usize
    } else {
        0
    };
    let bits = std::iter::once(1)
        .chain(bits)
        .chain(std::iter::repeat_n(0, nulls));
    let residue = bits.fold(0u128, |rest, bit| {
        let rest = rest << 1 | u128::from(bit);
        if rest >> rabin.degree() & 1 == 1 {
            rest ^ rabin.polynomial().coefficients()
        } else {
            rest
        }
    });
    residue as u64
}

fuzz_target!(|bytes: &[u8]| {
    let [degree, seed, k, string @ ..] = bytes else {
        return;
    };
    let (degree, k) = (16 + u32::from(degree % 49), 1 + usize::from(k % 12));
    let Ok(rabin) = Rabin::new(degree, u64::from(*seed)) else {
        return;
    };
    let rabin = rabin.with(if seed % 2 == 0 {
        Nulls::Appended
    } else {
        Nulls::None
    });
    assert_eq!(rabin.fingerprint(string), by_definition(&rabin, string));
    let mut tokens = Tokens::new();
    canonicalise(&text(string), TokensBy::Auto, Folds::default(), &mut tokens);
    let pieces = tokens.iter().flat_map(|token| token.chunks(8));
    let units: Vec<[u8; 8]> = pieces
        .map(|piece| std::array::from_fn(|i| piece.get(i).copied().unwrap_or(0)))
        .collect();
    let expected: Vec<u64> = match units.len() {
        0 => Vec::new(),
        n => units
            .windows(k.min(n))
            .map(|window| by_definition(&rabin, window.as_flattened()))
            .collect(),
    };
    let mut shingles = Vec::new();
    rabin.shingles(
        &tokens,
        Shingling::new(k).expect("k from 1 to 12"),
        &mut shingles,
    );
    assert_eq!(shingles, expected);
});
