//! Tests the kernels of `compat` against their definitions. The sources are included here, because a test program cannot load a
//! module that needs an interpreter.

#[path = "../../src/compat/kernel/mod.rs"]
mod kernel;

use kernel::{permute, sha1};
use proptest::prelude::*;

/// Computes SHA-1 literally as in FIPS 180-4, and returns the first eight bytes.
fn by_definition(message: &[u8]) -> u64 {
    let mut padded = message.to_vec();
    padded.push(0x80);
    while padded.len() % 64 != 56 {
        padded.push(0);
    }
    padded.extend((message.len() as u64 * 8).to_be_bytes());
    let mut h = [
        0x67452301u32,
        0xefcdab89,
        0x98badcfe,
        0x10325476,
        0xc3d2e1f0,
    ];
    for block in padded.chunks(64) {
        let mut w: Vec<u32> = block
            .chunks(4)
            .map(|word| u32::from_be_bytes(word.try_into().unwrap()))
            .collect();
        for t in 16..80 {
            w.push((w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16]).rotate_left(1));
        }
        let [mut a, mut b, mut c, mut d, mut e] = h;
        for (t, word) in w.iter().enumerate() {
            let (f, k) = match t / 20 {
                0 => ((b & c) | (!b & d), 0x5a827999),
                1 => (b ^ c ^ d, 0x6ed9eba1),
                2 => ((b & c) | (b & d) | (c & d), 0x8f1bbcdc),
                _ => (b ^ c ^ d, 0xca62c1d6u32),
            };
            let next = a
                .rotate_left(5)
                .wrapping_add(f)
                .wrapping_add(e)
                .wrapping_add(k)
                .wrapping_add(*word);
            (a, b, c, d, e) = (next, a, b.rotate_left(30), c, d);
        }
        for (h, x) in h.iter_mut().zip([a, b, c, d, e]) {
            *h = h.wrapping_add(x);
        }
    }
    let bytes: Vec<u8> = h.iter().flat_map(|word| word.to_be_bytes()).collect();
    u64::from_le_bytes(bytes[..8].try_into().unwrap())
}

#[test]
fn the_standards_examples() {
    for (message, head) in [
        (&b"abc"[..], 0xa9993e364706816au64),
        (
            b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            0x84983e441c3bd26e,
        ),
        (b"", 0xda39a3ee5e6b4b0d),
    ] {
        assert_eq!(by_definition(message), head.swap_bytes());
        assert_eq!(sha1::one(message), head.swap_bytes());
    }
}

#[test]
fn the_fastest_kernel_is_used() {
    let all = sha1::Kernel::all();
    assert_eq!(
        format!("{:?}", Some(sha1::Kernel::detect())),
        format!("{:?}", all.last())
    );
}

fn token() -> impl Strategy<Value = Vec<u8>> {
    let lengths =
        prop_oneof![4 => 0usize..20, 1 => 50usize..70, 1 => 110usize..130, 1 => 0usize..300];
    lengths.prop_flat_map(|length| prop::collection::vec(any::<u8>(), length))
}

proptest! {
    #[test]
    fn every_kernel_hashes_by_the_standard(tokens in prop::collection::vec(token(), 0..50), before in 0usize..20) {
        let mut bytes = vec![0xa5; before];
        let mut ends = Vec::new();
        for token in &tokens {
            bytes.extend(token);
            ends.push(bytes.len());
        }
        let expected: Vec<u64> = tokens.iter().map(|token| by_definition(token)).collect();
        for kernel in sha1::Kernel::all() {
            let mut heads = Vec::new();
            sha1::heads(kernel, &bytes, before, &ends, &mut heads);
            prop_assert_eq!(&heads, &expected, "{:?}", kernel);
        }
        prop_assert!(tokens.iter().zip(expected).all(|(token, head)| sha1::one(token) == head));
    }

    #[test]
    fn permutations_match_the_schemes(
        hashes in prop::collection::vec(any::<u64>(), 0..40),
        coefficients in prop::collection::vec((any::<u64>(), any::<u64>(), any::<u64>()), 1..200),
    ) {
        let (a, (b, minima)): (Vec<u64>, (Vec<u64>, Vec<u64>)) = coefficients.iter().map(|&(a, b, m)| (a, (b, m))).unzip();
        let least = |h: &dyn Fn(u64, u64, u64) -> u64| -> Vec<u64> {
            let slot = |(a, b, m): &(u64, u64, u64)| hashes.iter().map(|&x| h(x, *a, *b)).min().unwrap_or(u64::MAX).min(*m);
            coefficients.iter().map(slot).collect()
        };
        let modulo = |a: u64, h: u64, b: u64| ((u128::from(a) * u128::from(h) + u128::from(b)) % (1 << 64)) as u64;

        let mut found = minima.clone();
        permute::affine64(&mut hashes.clone(), &a, &b, &mut found);
        let mix64 = |mut h: u64| {
            for multiplier in [0xff51_afd7_ed55_8ccdu64, 0xc4ce_b9fe_1a85_ec53] {
                h = (h ^ h >> 33).wrapping_mul(multiplier);
            }
            h ^ h >> 33
        };
        prop_assert_eq!(found, least(&|h, a, b| modulo(a, mix64(h), b)));

        let mut found = minima.clone();
        permute::legacy(&mut hashes.clone(), &a, &b, &mut found);
        prop_assert_eq!(found, least(&|h, a, b| modulo(a, h, b) % ((1 << 61) - 1) % (1 << 32)));

        let narrow = |numbers: &[u64]| numbers.iter().map(|&number| number as u32).collect::<Vec<u32>>();
        let mut found = narrow(&minima);
        permute::affine32(&mut hashes.clone(), &narrow(&a), &narrow(&b), &mut found);
        let mix32 = |h: u32| {
            let h = (h ^ h >> 16).wrapping_mul(0x85eb_ca6b);
            let h = (h ^ h >> 13).wrapping_mul(0xc2b2_ae35);
            h ^ h >> 16
        };
        let expected: Vec<u32> = coefficients
            .iter()
            .map(|&(a, b, m)| {
                let values = hashes.iter().map(|&h| (a as u32).wrapping_mul(mix32(h as u32)).wrapping_add(b as u32));
                values.min().unwrap_or(u32::MAX).min(m as u32)
            })
            .collect();
        prop_assert_eq!(found, expected);
    }
}
