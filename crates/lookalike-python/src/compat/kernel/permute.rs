//! datasketch's permutations of hash values, and the minimum over all hashes in each slot.
//!
//! There are three schemes. `affine32` and `affine64` mix a hash with MurmurHash3's finaliser and compute a·h + b modulo 2³² or
//! 2⁶⁴. `legacy`, the only scheme before 2.0.0, computes ((a·h + b mod 2⁶⁴) mod 2⁶¹ − 1) mod 2³², as numpy's 64-bit integers do.

use multiversion::multiversion;

/// Slots that are updated together. Their minima and coefficients stay in registers.
const GROUP: usize = 64;

/// 2⁶¹ − 1.
const MERSENNE: u64 = (1 << 61) - 1;

/// Applies the 32-bit finaliser of MurmurHash3.
#[inline(always)]
fn mix32(mut h: u32) -> u32 {
    h ^= h >> 16;
    h = h.wrapping_mul(0x85eb_ca6b);
    h ^= h >> 13;
    h = h.wrapping_mul(0xc2b2_ae35);
    h ^ h >> 16
}

/// Applies the 64-bit finaliser of MurmurHash3.
#[inline(always)]
fn mix64(mut h: u64) -> u64 {
    h ^= h >> 33;
    h = h.wrapping_mul(0xff51_afd7_ed55_8ccd);
    h ^= h >> 33;
    h = h.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    h ^ h >> 33
}

/// Permutes the hashes by scheme `affine32`, and lowers each minimum to the smallest permuted hash if that is smaller. Only the
/// lower halves of the hashes are used.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx2"))]
pub fn affine32(hashes: &mut [u64], a: &[u32], b: &[u32], minima: &mut [u32]) {
    hashes.iter_mut().for_each(|h| *h = mix32(*h as u32).into());
    lower(hashes, a, b, minima, |h, a, b| {
        a.wrapping_mul(h as u32).wrapping_add(b)
    });
}

/// Permutes the hashes by scheme `affine64`, and lowers each minimum to the smallest permuted hash if that is smaller.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx2"))]
pub fn affine64(hashes: &mut [u64], a: &[u64], b: &[u64], minima: &mut [u64]) {
    hashes.iter_mut().for_each(|h| *h = mix64(*h));
    lower(hashes, a, b, minima, |h, a, b| {
        a.wrapping_mul(h).wrapping_add(b)
    });
}

/// Permutes the hashes by scheme `legacy`, and lowers each minimum to the smallest permuted hash if that is smaller.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx2"))]
pub fn legacy(hashes: &mut [u64], a: &[u64], b: &[u64], minima: &mut [u64]) {
    lower(hashes, a, b, minima, |h, a, b| {
        let x = a.wrapping_mul(h).wrapping_add(b);
        let folded = (x & MERSENNE) + (x >> 61);
        let residue = if folded >= MERSENNE {
            folded - MERSENNE
        } else {
            folded
        };
        residue & 0xffff_ffff
    });
}

#[inline(always)]
fn lower<T: Copy + Ord + Default>(
    hashes: &[u64],
    a: &[T],
    b: &[T],
    minima: &mut [T],
    f: impl Fn(u64, T, T) -> T,
) {
    let (groups, rest) = minima.as_chunks_mut::<GROUP>();
    let ((a_groups, a_rest), (b_groups, b_rest)) = (a.as_chunks::<GROUP>(), b.as_chunks::<GROUP>());
    for ((minima, a), b) in groups.iter_mut().zip(a_groups).zip(b_groups) {
        let mut least = *minima;
        for &h in hashes {
            for (least, (&a, &b)) in least.iter_mut().zip(a.iter().zip(b)) {
                *least = f(h, a, b).min(*least);
            }
        }
        *minima = least;
    }
    for &h in hashes {
        for (least, (&a, &b)) in rest.iter_mut().zip(a_rest.iter().zip(b_rest)) {
            *least = f(h, a, b).min(*least);
        }
    }
}
