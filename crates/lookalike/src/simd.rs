//! The instruction sets of this processor: detected once, and passed to the kernels as a value that proves support.

/// The instruction set that kernels may use. No answer depends on it: every kernel gives the same bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Simd {
    /// Portable code, compiled for the baseline of the target: SSE2 on x86-64, NEON on AArch64.
    Portable,
    /// AVX2 and the bit manipulation instructions introduced with it: Intel since 2013, AMD since 2017.
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    /// The AVX-512 instructions that Intel's Ice Lake (2019) and AMD's Zen 4 (2022) have, which include permutation and
    /// compression of bytes.
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
}

impl Simd {
    /// Returns the best instruction set of this machine; with the cargo feature `portable`, always portable code.
    pub fn detect() -> Self {
        if cfg!(feature = "portable") {
            Self::Portable
        } else {
            Self::all().last().unwrap_or(Self::Portable)
        }
    }

    /// Yields all instruction sets of this machine, the best last.
    pub fn all() -> impl Iterator<Item = Self> {
        #[cfg(target_arch = "x86_64")]
        let more = [
            Avx2::detect().map(Self::Avx2),
            Avx512::detect().map(Self::Avx512),
        ];
        #[cfg(not(target_arch = "x86_64"))]
        let more: [Option<Self>; 0] = [];
        [Self::Portable]
            .into_iter()
            .chain(more.into_iter().flatten())
    }
}

/// Proof that this machine supports [`Simd::Avx2`].
#[cfg(target_arch = "x86_64")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Avx2(());

#[cfg(target_arch = "x86_64")]
impl Avx2 {
    fn detect() -> Option<Self> {
        let has = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt");
        has.then_some(Self(()))
    }
}

/// Proof that this machine supports [`Simd::Avx512`].
#[cfg(target_arch = "x86_64")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Avx512(());

#[cfg(target_arch = "x86_64")]
impl Avx512 {
    fn detect() -> Option<Self> {
        let has = Avx2::detect().is_some()
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512vbmi")
            && is_x86_feature_detected!("avx512vbmi2");
        has.then_some(Self(()))
    }
}
