//! Where words begin and end in a string: 64 bytes at a time, as masks.

/// Bytes behind a text that may be read.
pub const PAD: usize = 128;
/// Bytes looked at a time.
pub const BYTES: usize = 64;

/// What stands in a block: bit i is of byte i.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Masks {
    pub alphanumeric: u64,
    pub backslash: u64,
    pub quote: u64,
    pub foreign: u64,
}

/// What stands beyond ASCII: first bytes of two-byte separators, of three-byte ones (general punctuation, symbols, full-width
/// forms), of E3, which is that or kana, of the byte that tells, and of Han characters.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Foreign {
    pub separator2: u64,
    pub separator3: u64,
    pub e3: u64,
    pub x80: u64,
    pub han: u64,
}

/// The instructions that the loop is made of.
pub trait Kernel {
    fn masks(&self, block: &[u8; BYTES]) -> Masks;
    fn foreign(&self, block: &[u8; BYTES]) -> Foreign;
    /// Writes the places of a mask's bits, plus `base`; gives their number. `out` has room for 64.
    fn places(&self, mask: u64, base: u32, out: &mut [u32]) -> usize;
    /// Hashes the words from `starts[i]` to `ends[i]` of a text with [`PAD`] bytes behind it. Writes up to seven more.
    fn hash(&self, text: &[u8], starts: &[u32], ends: &[u32], count: usize, hashes: &mut [u64]);
    /// Puts each window of five hashes into its slot.
    fn windows(&self, hashes: &[u64], count: usize, slots: &mut [u32; 128]);
}

pub const K1: u64 = 0x6a09_e667_f3bc_c909;
pub const K2: u64 = 0xbb67_ae85_84ca_a73b;
/// By which the five hashes of a window are rotated.
pub const TURNS: [u32; 5] = [0, 13, 26, 39, 52];

/// What any machine does.
pub struct Portable;

impl Kernel for Portable {
    fn masks(&self, block: &[u8; BYTES]) -> Masks {
        let mask = |is: fn(u8) -> bool| (0..BYTES).fold(0, |mask, i| mask | u64::from(is(block[i])) << i);
        Masks {
            alphanumeric: mask(|b| b.is_ascii_alphanumeric()),
            backslash: mask(|b| b == b'\\'),
            quote: mask(|b| b == b'"'),
            foreign: mask(|b| b >= 0x80),
        }
    }

    fn foreign(&self, block: &[u8; BYTES]) -> Foreign {
        let mask = |is: fn(u8) -> bool| (0..BYTES).fold(0, |mask, i| mask | u64::from(is(block[i])) << i);
        Foreign {
            separator2: mask(|b| b == 0xc2),
            separator3: mask(|b| b == 0xe2 || b == 0xef),
            e3: mask(|b| b == 0xe3),
            x80: mask(|b| b == 0x80),
            han: mask(|b| (0xe4..=0xe9).contains(&b)),
        }
    }

    fn places(&self, mut mask: u64, base: u32, out: &mut [u32]) -> usize {
        let count = mask.count_ones() as usize;
        for place in &mut out[..count] {
            *place = base + mask.trailing_zeros();
            mask &= mask - 1;
        }
        count
    }

    fn hash(&self, text: &[u8], starts: &[u32], ends: &[u32], count: usize, hashes: &mut [u64]) {
        for i in 0..count {
            let (start, end) = (starts[i] as usize, ends[i] as usize);
            let length = end - start;
            let eight = |at: usize| text[at..].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
            let mut word = (eight(start) | LOWER) & (u64::MAX >> (64 - 8 * length.min(8)));
            if length > 8 {
                word ^= (eight(end - 8) | LOWER).rotate_left(29);
            }
            hashes[i] = mix(word.wrapping_add(length as u64));
        }
    }

    fn windows(&self, hashes: &[u64], count: usize, slots: &mut [u32; 128]) {
        for i in 0..count {
            let window = (0..5).fold(0, |window, j| window ^ hashes[i + j].rotate_left(TURNS[j]));
            put(mix(window), slots);
        }
    }
}

/// Letters and digits with this bit are lower-case.
pub const LOWER: u64 = 0x2020_2020_2020_2020;

/// Two multiplications of 32 bits with a turn between, since of 64 bits they take vectors three times as long.
#[inline]
pub fn mix(x: u64) -> u64 {
    let x = x ^ x >> 29;
    let x = (u64::from(x as u32) * (K1 & 0xffff_ffff)) ^ ((x >> 32) * (K2 & 0xffff_ffff)) ^ x.rotate_left(32);
    let x = x ^ x >> 31;
    (u64::from(x as u32) * (K2 >> 32)) ^ ((x >> 32) * (K1 >> 32)) ^ x.rotate_left(32)
}

/// The slot by the upper bits, the least of the middle ones.
#[inline]
pub fn put(fingerprint: u64, slots: &mut [u32; 128]) {
    let slot = &mut slots[(fingerprint >> 57) as usize];
    *slot = (*slot).min((fingerprint >> 16) as u32);
}
