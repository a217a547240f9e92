//! The first words of SHA-1 (FIPS 180-4, section 6.1) for many short tokens: sixteen at a time, one per vector lane.
//!
//! datasketch takes the first four or eight bytes of a token's SHA-1, which are the first one or two of its five words. Vector
//! lanes are faster here than the processor's own SHA instructions, whose twenty steps depend on each other. For 16 tokens of one
//! block (64 bytes) each, there are 80 rounds of vector instructions, whatever the tokens are.

#[cfg(target_arch = "x86_64")]
mod x86;

/// Tokens that are hashed together.
pub const LANES: usize = 16;

/// The largest number of bytes of a token that fits in one block; the end bit and the length fill the rest.
const SHORT: usize = 55;

/// Bytes that are written to a block in one step.
const SIXTEEN: usize = 16;

type Words = [u32; LANES];

const INITIAL: [u32; 5] = [
    0x6745_2301,
    0xefcd_ab89,
    0x98ba_dcfe,
    0x1032_5476,
    0xc3d2_e1f0,
];

/// Appends the first eight bytes of each token's SHA-1 as a little-endian number. This is datasketch's `sha1_hash64`, and its
/// lower half is `sha1_hash32`. `ends` are the positions in `bytes` at which the tokens end; the tokens are contiguous from
/// `start`.
pub fn heads(kernel: Kernel, bytes: &[u8], start: usize, ends: &[usize], out: &mut Vec<u64>) {
    let mut block = [[0; LANES]; 16];
    let mut from = start;
    for group in ends.chunks(LANES) {
        block.iter_mut().for_each(|words| words.fill(0));
        let at = out.len();
        let mut long = false;
        let first = from;
        for (lane, &end) in group.iter().enumerate() {
            let (start, token) = (from, &bytes[from..end]);
            from = end;
            match (token.len(), bytes[start..].first_chunk()) {
                (..SIXTEEN, Some(sixteen)) => lay_few(sixteen, token.len(), lane, &mut block),
                (..=SHORT, _) => lay(token, lane, &mut block),
                _ => long = true,
            }
        }
        let [a, b] = kernel.sixteen(&block);
        out.extend(
            a.iter()
                .zip(&b)
                .take(group.len())
                .map(|(&a, &b)| head(a, b)),
        );
        if long {
            let mut from = first;
            for (lane, &end) in group.iter().enumerate() {
                if end - from > SHORT {
                    out[at + lane] = one(&bytes[from..end]);
                }
                from = end;
            }
        }
    }
}

/// Returns the number that [`heads`] appends, for one token of any length.
pub fn one(token: &[u8]) -> u64 {
    let mut state = INITIAL.map(|word| [word]);
    let (blocks, rest) = token.as_chunks::<64>();
    let words = |block: &[u8; 64]| {
        let (words, _) = block.as_chunks::<4>();
        std::array::from_fn(|i| [u32::from_be_bytes(words[i])])
    };
    for block in blocks {
        compress(&mut state, words(block));
    }
    let mut last = [[0; 64]; 2];
    let (flat, fits) = (last.as_flattened_mut(), rest.len() <= SHORT);
    flat[..rest.len()].copy_from_slice(rest);
    flat[rest.len()] = 0x80;
    let end = if fits { 64 } else { 128 };
    flat[end - 8..end].copy_from_slice(&(token.len() as u64 * 8).to_be_bytes());
    compress(&mut state, words(&last[0]));
    if !fits {
        compress(&mut state, words(&last[1]));
    }
    head(state[0][0], state[1][0])
}

/// Returns the first two words, which are big-endian in the digest, as one little-endian number.
#[inline(always)]
fn head(a: u32, b: u32) -> u64 {
    u64::from(a.swap_bytes()) | u64::from(b.swap_bytes()) << 32
}

/// Writes a token of fewer than sixteen bytes into a lane. `bytes` are sixteen bytes that begin with the token. The code is the
/// same for every length, because a branch on the length would be unpredictable. This takes 4 ns per token instead of 8.
#[inline(always)]
fn lay_few(bytes: &[u8; SIXTEEN], length: usize, lane: usize, block: &mut [Words; 16]) {
    let end = 1u128 << (127 - 8 * length);
    // Keep only the bits that are more significant than the end bit: these are the token's own bytes.
    let token = u128::from_be_bytes(*bytes) & end.wrapping_neg() << 1;
    for (i, words) in block[..4].iter_mut().enumerate() {
        words[lane] = ((token | end) >> (96 - 32 * i)) as u32;
    }
    block[15][lane] = length as u32 * 8;
}

/// Writes a short token, its end bit and its length into a lane of an empty block.
#[inline(always)]
fn lay(token: &[u8], lane: usize, block: &mut [Words; 16]) {
    let (words, rest) = token.as_chunks::<4>();
    for (i, word) in words.iter().enumerate() {
        block[i][lane] = u32::from_be_bytes(*word);
    }
    let mut last = [0; 4];
    last[..rest.len()].copy_from_slice(rest);
    last[rest.len()] = 0x80;
    block[words.len()][lane] = u32::from_be_bytes(last);
    block[15][lane] = token.len() as u32 * 8;
}

/// The implementation that hashes sixteen tokens. All implementations give the same bits.
#[derive(Debug, Clone, Copy)]
pub enum Kernel {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2(x86::Avx2),
    #[cfg(target_arch = "x86_64")]
    Avx512(x86::Avx512),
}

impl Kernel {
    /// Returns the fastest implementation for this processor.
    pub fn detect() -> Self {
        Self::all().pop().unwrap_or(Self::Portable)
    }

    /// Returns all implementations that this processor supports, the fastest last.
    pub fn all() -> Vec<Self> {
        let mut all = vec![Self::Portable];
        #[cfg(target_arch = "x86_64")]
        {
            all.extend(x86::Avx2::new().map(Self::Avx2));
            all.extend(x86::Avx512::new().map(Self::Avx512));
        }
        all
    }

    /// Returns the first two words of the digests of sixteen tokens.
    #[inline]
    fn sixteen(self, block: &[Words; 16]) -> [Words; 2] {
        match self {
            Self::Portable => {
                let mut state = INITIAL.map(|word| [word; LANES]);
                compress(&mut state, *block);
                [state[0], state[1]]
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(kernel) => kernel.sixteen(block),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(kernel) => kernel.sixteen(block),
        }
    }
}

#[inline(always)]
fn each<const N: usize>(f: impl Fn(usize) -> u32) -> [u32; N] {
    let mut out = [0; N];
    for (i, out) in out.iter_mut().enumerate() {
        *out = f(i);
    }
    out
}

#[inline(always)]
fn rounds<const N: usize, const FROM: usize>(
    state: &mut [[u32; N]; 5],
    w: &mut [[u32; N]; 16],
    k: u32,
    f: impl Fn(u32, u32, u32) -> u32,
) {
    for t in FROM..FROM + 20 {
        if t >= 16 {
            let (w3, w8, w14, w16) = (
                w[(t - 3) % 16],
                w[(t - 8) % 16],
                w[(t - 14) % 16],
                w[t % 16],
            );
            w[t % 16] = each(|i| (w3[i] ^ w8[i] ^ w14[i] ^ w16[i]).rotate_left(1));
        }
        let [a, b, c, d, e] = *state;
        let word = w[t % 16];
        let next = each(|i| {
            let sum = a[i].rotate_left(5).wrapping_add(f(b[i], c[i], d[i]));
            sum.wrapping_add(e[i]).wrapping_add(k).wrapping_add(word[i])
        });
        *state = [next, a, each(|i| b[i].rotate_left(30)), c, d];
    }
}

/// Updates the SHA-1 state of each lane with that lane's block.
#[inline(always)]
fn compress<const N: usize>(state: &mut [[u32; N]; 5], mut w: [[u32; N]; 16]) {
    let before = *state;
    rounds::<N, 0>(state, &mut w, 0x5a82_7999, |b, c, d| d ^ (b & (c ^ d)));
    rounds::<N, 20>(state, &mut w, 0x6ed9_eba1, |b, c, d| b ^ c ^ d);
    rounds::<N, 40>(state, &mut w, 0x8f1b_bcdc, |b, c, d| b & c | b & d | c & d);
    rounds::<N, 60>(state, &mut w, 0xca62_c1d6, |b, c, d| b ^ c ^ d);
    for (word, before) in state.iter_mut().zip(before) {
        *word = each(|i| word[i].wrapping_add(before[i]));
    }
}
