//! XXH3-128 of more than 240 bytes, given as 64-bit numbers (XXH3's specification, "XXH3 algorithm description for large
//! inputs"). There are eight sums. An `add` step adds one number to each sum, and a `scramble` step mixes the sums at regular
//! intervals. The algorithm is written once; each processor's module provides these two steps.

use super::{Digest, SHORT};

/// How many numbers are added in one step.
pub(super) const STRIPE: usize = 8;

/// How many stripes (groups of [`STRIPE`] numbers) are added before each scramble, which mixes the sums.
const STRIPES: usize = 16;

/// XXH3's default secret, used when none is given.
#[rustfmt::skip]
const SECRET: [u8; 192] = [
    0xb8, 0xfe, 0x6c, 0x39, 0x23, 0xa4, 0x4b, 0xbe, 0x7c, 0x01, 0x81, 0x2c, 0xf7, 0x21, 0xad, 0x1c,
    0xde, 0xd4, 0x6d, 0xe9, 0x83, 0x90, 0x97, 0xdb, 0x72, 0x40, 0xa4, 0xa4, 0xb7, 0xb3, 0x67, 0x1f,
    0xcb, 0x79, 0xe6, 0x4e, 0xcc, 0xc0, 0xe5, 0x78, 0x82, 0x5a, 0xd0, 0x7d, 0xcc, 0xff, 0x72, 0x21,
    0xb8, 0x08, 0x46, 0x74, 0xf7, 0x43, 0x24, 0x8e, 0xe0, 0x35, 0x90, 0xe6, 0x81, 0x3a, 0x26, 0x4c,
    0x3c, 0x28, 0x52, 0xbb, 0x91, 0xc3, 0x00, 0xcb, 0x88, 0xd0, 0x65, 0x8b, 0x1b, 0x53, 0x2e, 0xa3,
    0x71, 0x64, 0x48, 0x97, 0xa2, 0x0d, 0xf9, 0x4e, 0x38, 0x19, 0xef, 0x46, 0xa9, 0xde, 0xac, 0xd8,
    0xa8, 0xfa, 0x76, 0x3f, 0xe3, 0x9c, 0x34, 0x3f, 0xf9, 0xdc, 0xbb, 0xc7, 0xc7, 0x0b, 0x4f, 0x1d,
    0x8a, 0x51, 0xe0, 0x4b, 0xcd, 0xb4, 0x59, 0x31, 0xc8, 0x9f, 0x7e, 0xc9, 0xd9, 0x78, 0x73, 0x64,
    0xea, 0xc5, 0xac, 0x83, 0x34, 0xd3, 0xeb, 0xc3, 0xc5, 0x81, 0xa0, 0xff, 0xfa, 0x13, 0x63, 0xeb,
    0x17, 0x0d, 0xdd, 0x51, 0xb7, 0xf0, 0xda, 0x49, 0xd3, 0x16, 0x55, 0x26, 0x29, 0xd4, 0x68, 0x9e,
    0x2b, 0x16, 0xbe, 0x58, 0x7d, 0x47, 0xa1, 0xfc, 0x8f, 0xf8, 0xb8, 0xd1, 0x7a, 0xd0, 0x31, 0xce,
    0x45, 0xcb, 0x3a, 0x8f, 0x95, 0x16, 0x04, 0x28, 0xaf, 0xd7, 0xfb, 0xca, 0xbb, 0x4b, 0x40, 0x7e,
];

/// The keys, which are numbers read from the secret. `KEYS` begin at the start of the secret; the keys for the last stripe and
/// for the final merge begin at other offsets.
const KEYS: [u64; 24] = keys(0);
const LAST: [u64; STRIPE] = keys(121);
const LOW: [u64; STRIPE] = keys(11);
const HIGH: [u64; STRIPE] = keys(117);

const fn keys<const N: usize>(mut at: usize) -> [u64; N] {
    let mut keys = [0; N];
    let mut i = 0;
    while i < N {
        let mut byte = 8;
        while byte > 0 {
            byte -= 1;
            keys[i] = keys[i] << 8 | SECRET[at + byte] as u64;
        }
        at += 8;
        i += 1;
    }
    keys
}

const PRIME32_1: u64 = 0x9e37_79b1;
const PRIME32_2: u64 = 0x85eb_ca77;
const PRIME32_3: u64 = 0xc2b2_ae3d;
const PRIME64_1: u64 = 0x9e37_79b1_85eb_ca87;
const PRIME64_2: u64 = 0xc2b2_ae3d_27d4_eb4f;
const PRIME64_3: u64 = 0x1656_67b1_9e37_79f9;
const PRIME64_4: u64 = 0x85eb_ca77_c2b2_ae63;
const PRIME64_5: u64 = 0x27d4_eb2f_1656_67c5;

/// The two steps, `add` and `scramble`, as a processor implements them.
pub(super) trait Steps: Copy {
    /// Eight sums.
    type Sums: Copy;
    fn sums(self, numbers: [u64; STRIPE]) -> Self::Sums;
    /// Adds a stripe, combined with eight keys.
    fn add(self, sums: Self::Sums, stripe: &[u64; STRIPE], keys: &[u64; STRIPE]) -> Self::Sums;
    fn scramble(self, sums: Self::Sums, keys: &[u64; STRIPE], prime: u64) -> Self::Sums;
    fn numbers(self, sums: Self::Sums) -> [u64; STRIPE];
}

/// Returns the digest of more than [`SHORT`] numbers.
#[inline(always)]
pub(super) fn long(steps: impl Steps, numbers: &[u64]) -> Digest {
    debug_assert!(numbers.len() > SHORT);
    let mut sums = steps.sums([
        PRIME32_3, PRIME64_1, PRIME64_2, PRIME64_3, PRIME64_4, PRIME32_2, PRIME64_5, PRIME32_1,
    ]);
    let Some(last) = numbers.last_chunk() else {
        return 0;
    };
    // The last number is excluded, so that a block or stripe that ends exactly with the input does not count as complete here.
    // The last stripe, which is added below, covers the end of the input.
    let (blocks, rest) = numbers[..numbers.len() - 1].as_chunks::<{ STRIPES * STRIPE }>();
    for block in blocks {
        for (stripe, at) in block.as_chunks().0.iter().zip(0..) {
            sums = steps.add(sums, stripe, keys_from(at));
        }
        sums = steps.scramble(sums, keys_from(STRIPES), PRIME32_1);
    }
    for (stripe, at) in rest.as_chunks().0.iter().zip(0..) {
        sums = steps.add(sums, stripe, keys_from(at));
    }
    let sums = steps.numbers(steps.add(sums, last, &LAST));
    let bytes = 8 * numbers.len() as u64;
    let low = merge(&sums, &LOW, bytes.wrapping_mul(PRIME64_1));
    let high = merge(&sums, &HIGH, !bytes.wrapping_mul(PRIME64_2));
    u128::from(high) << 64 | u128::from(low)
}

#[inline(always)]
fn keys_from(at: usize) -> &'static [u64; STRIPE] {
    KEYS[at..].first_chunk().unwrap_or(&LAST)
}

fn merge(sums: &[u64; STRIPE], keys: &[u64; STRIPE], start: u64) -> u64 {
    let products = sums
        .as_chunks::<2>()
        .0
        .iter()
        .zip(keys.as_chunks::<2>().0)
        .map(|(sums, keys)| {
            let product = u128::from(sums[0] ^ keys[0]) * u128::from(sums[1] ^ keys[1]);
            product as u64 ^ (product >> 64) as u64
        });
    let sum = products.fold(start, u64::wrapping_add);
    let sum = (sum ^ sum >> 37).wrapping_mul(0x1656_6791_9e37_79f9);
    sum ^ sum >> 32
}

#[derive(Clone, Copy)]
pub(super) struct Portable;

impl Steps for Portable {
    type Sums = [u64; STRIPE];

    #[inline(always)]
    fn sums(self, numbers: [u64; STRIPE]) -> Self::Sums {
        numbers
    }

    #[inline(always)]
    fn add(self, mut sums: Self::Sums, stripe: &[u64; STRIPE], keys: &[u64; STRIPE]) -> Self::Sums {
        for i in 0..STRIPE {
            let keyed = stripe[i] ^ keys[i];
            let product = (keyed & 0xffff_ffff) * (keyed >> 32);
            sums[i] = sums[i].wrapping_add(product).wrapping_add(stripe[i ^ 1]);
        }
        sums
    }

    #[inline(always)]
    fn scramble(self, sums: Self::Sums, keys: &[u64; STRIPE], prime: u64) -> Self::Sums {
        std::array::from_fn(|i| (sums[i] ^ sums[i] >> 47 ^ keys[i]).wrapping_mul(prime))
    }

    #[inline(always)]
    fn numbers(self, sums: Self::Sums) -> [u64; STRIPE] {
        sums
    }
}
