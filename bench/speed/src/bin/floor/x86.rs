//! The kernel for AVX-512.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::{
    Lines, Seen,
    scan::{BYTES, Foreign, K1, K2, Kernel, LOWER, Masks, PAD, TURNS, put},
    sketch,
};

/// Proof that the CPU has the instructions that this kernel uses.
#[derive(Clone, Copy)]
pub struct Avx512(());

impl Avx512 {
    pub fn new() -> Option<Self> {
        let found = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512vbmi2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt");
        found.then_some(Self(()))
    }

    /// Sketches the lines of all blocks that this thread takes from `lines`. The loop is compiled for AVX-512 too, so that the
    /// kernel is inlined into it.
    pub fn work(&self, lines: &mut Lines, seen: &mut Seen) -> anyhow::Result<()> {
        #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi2,bmi2,bmi1,lzcnt,popcnt")]
        fn run(kernel: &Avx512, lines: &mut Lines, seen: &mut Seen) -> anyhow::Result<()> {
            sketch::work(kernel, lines, seen)
        }
        // SAFETY: `Avx512` exists only if the CPU has these instructions.
        unsafe { run(self, lines, seen) }
    }
}

impl Kernel for Avx512 {
    #[inline(always)]
    fn masks(&self, block: &[u8; BYTES]) -> Masks {
        // SAFETY: `Avx512` exists only if the CPU has these instructions.
        unsafe { masks(block) }
    }

    #[inline(always)]
    fn foreign(&self, block: &[u8; BYTES]) -> Foreign {
        // SAFETY: `Avx512` exists only if the CPU has these instructions.
        unsafe { foreign(block) }
    }

    #[inline(always)]
    fn places(&self, mask: u64, base: u32, out: &mut [u32]) -> usize {
        let count = mask.count_ones() as usize;
        // SAFETY: `Avx512` exists only if the CPU has these instructions.
        unsafe { places(mask, count, base, out) }
        count
    }

    #[inline(always)]
    fn hash(&self, text: &[u8], starts: &[u32], ends: &[u32], count: usize, hashes: &mut [u64]) {
        // SAFETY: `Avx512` exists only if the CPU has these instructions.
        unsafe { hash(text, starts, ends, count, hashes) }
    }

    #[inline(always)]
    fn windows(&self, hashes: &[u64], count: usize, slots: &mut [u32; 128]) {
        // SAFETY: `Avx512` exists only if the CPU has these instructions.
        unsafe { windows(hashes, count, slots) }
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi2,bmi2,bmi1,lzcnt,popcnt")]
fn load(block: &[u8; BYTES]) -> __m512i {
    // SAFETY: the block has 64 bytes, and the load needs no alignment.
    unsafe { _mm512_loadu_si512(block.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi2,bmi2,bmi1,lzcnt,popcnt")]
fn within(bytes: __m512i, low: u8, count: u8) -> u64 {
    let above = _mm512_sub_epi8(bytes, _mm512_set1_epi8(low as i8));
    _mm512_cmplt_epu8_mask(above, _mm512_set1_epi8(count as i8))
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi2,bmi2,bmi1,lzcnt,popcnt")]
fn is(bytes: __m512i, byte: u8) -> u64 {
    _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(byte as i8))
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi2,bmi2,bmi1,lzcnt,popcnt")]
fn masks(block: &[u8; BYTES]) -> Masks {
    let bytes = load(block);
    let lower = _mm512_or_si512(bytes, _mm512_set1_epi8(0x20));
    Masks {
        alphanumeric: within(lower, b'a', 26) | within(bytes, b'0', 10),
        backslash: is(bytes, b'\\'),
        quote: is(bytes, b'"'),
        foreign: _mm512_movepi8_mask(bytes),
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi2,bmi2,bmi1,lzcnt,popcnt")]
fn foreign(block: &[u8; BYTES]) -> Foreign {
    let bytes = load(block);
    Foreign {
        separator2: is(bytes, 0xc2),
        separator3: is(bytes, 0xe2) | is(bytes, 0xef),
        e3: is(bytes, 0xe3),
        x80: is(bytes, 0x80),
        han: within(bytes, 0xe4, 6),
    }
}

const COUNT: [u8; BYTES] = {
    let mut count = [0; BYTES];
    let mut i = 0;
    while i < BYTES {
        count[i] = i as u8;
        i += 1;
    }
    count
};

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi2,bmi2,bmi1,lzcnt,popcnt")]
fn places(mask: u64, count: usize, base: u32, out: &mut [u32]) {
    let packed = _mm512_maskz_compress_epi8(mask, load(&COUNT));
    let base = _mm512_set1_epi32(base as i32);
    let out = &mut out[..BYTES];
    let store = |sixteen: __m128i, out: &mut [u32]| {
        let places = _mm512_add_epi32(_mm512_cvtepu8_epi32(sixteen), base);
        // SAFETY: the slice has sixteen numbers, and the store needs no alignment.
        unsafe { _mm512_storeu_si512(out[..16].as_mut_ptr().cast(), places) }
    };
    store(_mm512_castsi512_si128(packed), out);
    if count > 16 {
        store(_mm512_extracti32x4_epi32::<1>(packed), &mut out[16..]);
        store(_mm512_extracti32x4_epi32::<2>(packed), &mut out[32..]);
        store(_mm512_extracti32x4_epi32::<3>(packed), &mut out[48..]);
    }
}

/// Mixes eight numbers as `scan::mix` does.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi2,bmi2,bmi1,lzcnt,popcnt")]
fn mix(x: __m512i) -> __m512i {
    let round = |x: __m512i, low: u64, high: u64| {
        let low = _mm512_mul_epu32(x, _mm512_set1_epi64(low as i64));
        let high = _mm512_mul_epu32(_mm512_srli_epi64::<32>(x), _mm512_set1_epi64(high as i64));
        // 0x96 selects the XOR of the three operands, which is an addition without carry.
        _mm512_ternarylogic_epi64::<0x96>(low, high, _mm512_rol_epi64::<32>(x))
    };
    let x = _mm512_xor_si512(x, _mm512_srli_epi64::<29>(x));
    let x = round(x, K1 & 0xffff_ffff, K2 & 0xffff_ffff);
    let x = _mm512_xor_si512(x, _mm512_srli_epi64::<31>(x));
    round(x, K2 >> 32, K1 >> 32)
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi2,bmi2,bmi1,lzcnt,popcnt")]
fn hash(text: &[u8], starts: &[u32], ends: &[u32], count: usize, hashes: &mut [u64]) {
    let eights = count.div_ceil(8);
    let (starts, _) = starts.as_chunks::<8>();
    let (ends, _) = ends.as_chunks::<8>();
    let (hashes, _) = hashes.as_chunks_mut::<8>();
    let last = _mm256_set1_epi32((text.len() - PAD) as i32);
    let eight = _mm512_set1_epi64(8);
    let lower = _mm512_set1_epi64(LOWER as i64);
    for i in 0..eights {
        // SAFETY: the arrays have eight numbers each, and loading them needs no alignment. Only entries beyond `count` can be
        // positions after the text. `_mm256_min_epu32` replaces such positions with the end of the text. Eight bytes can be read
        // from the end of the text, and from any position before it. The last eight bytes of a word are read only if the word has
        // more than eight bytes.
        unsafe {
            let start = _mm256_min_epu32(_mm256_loadu_si256(starts[i].as_ptr().cast()), last);
            let end = _mm256_min_epu32(_mm256_loadu_si256(ends[i].as_ptr().cast()), last);
            let (start, end) = (_mm512_cvtepu32_epi64(start), _mm512_cvtepu32_epi64(end));
            let length = _mm512_sub_epi64(end, start);
            let word = _mm512_or_si512(
                _mm512_i64gather_epi64::<1>(start, text.as_ptr().cast()),
                lower,
            );
            let short = _mm512_min_epu64(length, eight);
            let shift = _mm512_sub_epi64(_mm512_set1_epi64(64), _mm512_slli_epi64::<3>(short));
            let mut word = _mm512_and_si512(word, _mm512_srlv_epi64(_mm512_set1_epi64(-1), shift));
            let long = _mm512_cmpgt_epi64_mask(length, eight);
            if long != 0 {
                let tail = _mm512_sub_epi64(end, eight);
                let tail = _mm512_mask_i64gather_epi64::<1>(
                    _mm512_setzero_si512(),
                    long,
                    tail,
                    text.as_ptr().cast(),
                );
                let tail = _mm512_rol_epi64::<29>(_mm512_or_si512(tail, lower));
                word = _mm512_mask_xor_epi64(word, long, word, tail);
            }
            let hash = mix(_mm512_add_epi64(word, length));
            _mm512_storeu_si512(hashes[i].as_mut_ptr().cast(), hash);
        }
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi2,bmi2,bmi1,lzcnt,popcnt")]
fn windows(hashes: &[u64], count: usize, slots: &mut [u32; 128]) {
    let [_, t1, t2, t3, t4] = TURNS.map(|turn| turn as i32);
    debug_assert_eq!([t1, t2, t3, t4], [13, 26, 39, 52]);
    let mut at = 0;
    while at < count {
        let mut out = [0u64; 8];
        let Some(twelve) = hashes[at..].first_chunk::<12>() else {
            break;
        };
        // SAFETY: `twelve` has twelve numbers; eight are read from each of the first five positions. The loads need no alignment.
        unsafe {
            let eight = |from: usize| _mm512_loadu_si512(twelve.as_ptr().add(from).cast());
            let (b, c) = (
                _mm512_rol_epi64::<13>(eight(1)),
                _mm512_rol_epi64::<26>(eight(2)),
            );
            let (d, e) = (
                _mm512_rol_epi64::<39>(eight(3)),
                _mm512_rol_epi64::<52>(eight(4)),
            );
            let window = _mm512_ternarylogic_epi64::<0x96>(
                _mm512_ternarylogic_epi64::<0x96>(eight(0), b, c),
                d,
                e,
            );
            _mm512_storeu_si512(out.as_mut_ptr().cast(), mix(window));
        }
        for fingerprint in &out[..(count - at).min(8)] {
            put(*fingerprint, slots);
        }
        at += 8;
    }
}
