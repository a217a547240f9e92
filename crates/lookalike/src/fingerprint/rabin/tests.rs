use proptest::prelude::*;

use super::*;
use crate::{
    fingerprint::SplitMix64,
    text::{Folds, TokensBy, canonicalise},
};

fn tokens(text: &str) -> Tokens {
    let mut tokens = Tokens::new();
    canonicalise(text, TokensBy::Auto, Folds::default(), &mut tokens);
    tokens
}

fn shingles(rabin: &Rabin, text: &str, k: usize) -> Vec<u64> {
    let mut all = vec![7];
    rabin.shingles(&tokens(text), Shingling::new(k).unwrap(), &mut all);
    all
}

/// The definition: bitwise division.
fn by_definition(rabin: &Rabin, string: &[u8]) -> u64 {
    let bits = string
        .iter()
        .flat_map(|byte| (0..8).rev().map(move |i| byte >> i & 1));
    let nulls = if rabin.nulls() == Nulls::Appended {
        rabin.degree() as usize
    } else {
        0
    };
    let residue = iter::once(1)
        .chain(bits)
        .chain(iter::repeat_n(0, nulls))
        .fold(0u128, |rest, bit| {
            let rest = rest << 1 | u128::from(bit);
            if rest >> rabin.degree() & 1 == 1 {
                rest ^ rabin.polynomial().coefficients()
            } else {
                rest
            }
        });
    residue as u64
}

/// Units, which the paper calls words: the tokens, cut at eight bytes and padded.
fn units(tokens: &Tokens) -> Vec<[u8; 8]> {
    let pieces = tokens.iter().flat_map(|token| token.chunks(8));
    pieces
        .map(|piece| std::array::from_fn(|i| piece.get(i).copied().unwrap_or(0)))
        .collect()
}

/// Returns the same function with each kernel that this machine supports.
fn kernels(degree: u32, seed: u64, nulls: Nulls) -> Vec<Rabin> {
    let rabin = Rabin::new(degree, seed).unwrap().with(nulls);
    let (modulus, shift) = (
        Modulus::new(rabin.polynomial),
        shift(rabin.polynomial, nulls),
    );
    let mut kernels = vec![Kernel::Portable(portable::Portable::new(modulus, shift))];
    #[cfg(target_arch = "x86_64")]
    kernels.extend(x86::Clmul::new(modulus, shift).map(Kernel::Clmul));
    kernels
        .into_iter()
        .map(|kernel| Rabin {
            kernel,
            ..rabin.clone()
        })
        .collect()
}

fn any_nulls() -> impl Strategy<Value = Nulls> {
    prop_oneof![Just(Nulls::Appended), Just(Nulls::None)]
}

proptest! {
    #[test]
    fn every_kernel_is_division_bit_by_bit(string: Vec<u8>, degree in 16u32..=64, seed: u64, nulls in any_nulls()) {
        for rabin in kernels(degree, seed, nulls) {
            prop_assert_eq!(rabin.fingerprint(&string), by_definition(&rabin, &string), "{:?}", rabin);
        }
    }

    #[test]
    fn sliding_equals_hashing_each_window_from_scratch(
        text in "([a-zé한]{1,20}[ 字]{1,2}){0,30}", degree in 16u32..=64, k in 1usize..=64, seed: u64, nulls in any_nulls()
    ) {
        let units = units(&tokens(&text));
        for rabin in kernels(degree, seed, nulls) {
            for k in [k, k % 8 + 1] {
                let windows = Shingling::new(k).unwrap().windows(units.len());
                let scratch: Vec<u64> = windows.map(|window| by_definition(&rabin, units[window].as_flattened())).collect();
                prop_assert_eq!(shingles(&rabin, &text, k), scratch, "{:?}", rabin);
            }
        }
    }
}

#[test]
fn longer_tokens_are_several_units_and_short_texts_one_shingle() {
    let rabin = Rabin::new(64, 1).unwrap();
    let count = |text, k| shingles(&rabin, text, k).len();
    assert_eq!(count("a rose is a rose is a rose", 4), 5);
    assert_eq!(count("a rose", 4), 1);
    assert_eq!(count("", 4), 0);
    assert_eq!(count("eightchr", 1), 1);
    assert_eq!(count("ninechars", 1), 2);
    assert_eq!(count("internationalisation of a rose", 4), 3);
    // If a token of more than eight bytes is cut into pieces of eight bytes and each piece is a separate token, the units are the
    // same.
    assert_eq!(
        shingles(&rabin, "ninechars", 1),
        shingles(&rabin, "ninechar s", 1)
    );
    assert_eq!(
        shingles(&rabin, "a rose", 4),
        [rabin.fingerprint(b"a\0\0\0\0\0\0\0rose\0\0\0\0")]
    );
    rabin.shingles(&Tokens::new(), Shingling::new(4).unwrap(), &mut vec![1]);
}

#[test]
fn zeros_at_either_end_count() {
    for nulls in [Nulls::Appended, Nulls::None] {
        let rabin = Rabin::new(64, 1).unwrap().with(nulls);
        let mut all: Vec<u64> = (0..40)
            .map(|length| rabin.fingerprint(&vec![0; length]))
            .collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 40);
    }
}

/// Broder 1997, section 4.1: the purpose of the appended nulls.
#[test]
fn a_last_letter_changes_half_of_the_bits_with_nulls_and_its_own_without() {
    for degree in [16, 40, 64] {
        let (mut changed, mut pairs) = (0, 0);
        for seed in 0..100 {
            let with = Rabin::new(degree, seed).unwrap();
            let without = with.clone().with(Nulls::None);
            let difference = |rabin: &Rabin, letter: u8| {
                let [a, b] = [b'a', letter]
                    .map(|last| rabin.fingerprint(&[b"the same until her", &[last][..]].concat()));
                (a ^ b).count_ones()
            };
            for letter in (0..=255).filter(|&letter| letter != b'a') {
                assert_eq!(difference(&without, letter), (b'a' ^ letter).count_ones());
                changed += difference(&with, letter);
                pairs += 1;
            }
        }
        let share = f64::from(changed) / f64::from(pairs * degree);
        assert!((share - 0.5).abs() < 0.02, "{share} at degree {degree}");
    }
}

/// Broder 1997, section 4.1, for ordinary text: compares all pairs of 100 shingles under each of 10,000 functions.
#[test]
fn collisions_are_as_rare_as_those_of_a_random_function() {
    let mut random = SplitMix64::new(3);
    let text: String = (0..104)
        .map(|_| format!("{:x} ", random.next_u64() >> 40))
        .collect();
    let mut lost = 0;
    for seed in 0..10_000 {
        let mut all = shingles(&Rabin::new(16, seed).unwrap(), &text, 5);
        assert_eq!(all.len(), 100);
        crate::fingerprint::sort_distinct(&mut all);
        lost += 100 - all.len();
    }
    // The expected number is 4950 pairs / 2¹⁶ = 0.0755 per function. The total of all functions is then a Poisson count with a
    // mean of 755 and a standard deviation of 27.5.
    assert!((660..850).contains(&lost), "{lost}");
}

#[test]
fn fingerprints_are_frozen() {
    let strings: [&[u8]; 4] = [b"", b"a", b"a rose is a rose is a rose", &[0; 9]];
    let frozen = |degree, nulls| {
        strings.map(|string| {
            Rabin::new(degree, 1)
                .unwrap()
                .with(nulls)
                .fingerprint(string)
        })
    };
    assert_eq!(
        frozen(64, Nulls::Appended),
        [
            18267830386305150219,
            17991663244367916013,
            16309713356986673177,
            17614250294492777509
        ]
    );
    assert_eq!(
        frozen(64, Nulls::None),
        [1, 353, 215314774286715122, 13653004659406132374]
    );
    assert_eq!(
        frozen(20, Nulls::Appended),
        [957025, 342565, 246122, 334250]
    );
    assert_eq!(
        shingles(
            &Rabin::new(64, 1).unwrap(),
            "A rose is a rose, internationally",
            5
        ),
        [
            1737448631788065001,
            168632946701419934,
            13663708636608603350
        ]
    );
}

#[test]
fn degrees_out_of_range_are_refused() {
    for degree in [0, 15, 65] {
        let error = Rabin::new(degree, 1).unwrap_err().to_string();
        assert!(
            error.contains(&degree.to_string()) && error.contains("16 to 64"),
            "{error}"
        );
    }
}
