//! One number for a whole document: documents with equal digests have equal canonical forms.

mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

use xxhash_rust::xxh3::xxh3_128;

use super::token_hashes;
use crate::{choices, simd::Simd, text::Tokens};

/// The 128-bit hash of a canonical form. Among n different documents, two share a digest with probability n²/2¹²⁹, which is 10⁻²¹
/// for n = 10⁹. Documents that differ only in tokens with equal hashes are an exception: two tokens of more than eight bytes have
/// equal hashes with probability 2⁻⁶⁴, and their shingles are then equal too.
pub type Digest = u128;

choices! {
    /// The hash function that digests bytes.
    #[derive(Default)]
    #[cfg_attr(not(feature = "engine"), non_exhaustive)]
    pub enum DigestBy {
        /// XXH3 of the sentences after normalisation
        ///
        /// XXH3-128, 7 GB/s.
        Xxh3 = "xxh3" (default),
        /// MD5 of the sentences as they are in the text
        ///
        /// RFC 1321, 0.3 GB/s. Use it only to compare with fingerprints made by other tools: two texts with equal MD5 digests can be
        /// constructed on purpose.
        Md5 = "md5",
    }
}

impl DigestBy {
    /// Returns the digest of bytes. Formatted as 32 hexadecimal digits (`{:032x}`), the digest is written as other tools print
    /// it.
    pub fn digest(self, bytes: &[u8]) -> Digest {
        match self {
            Self::Xxh3 => xxh3_128(bytes),
            Self::Md5 => u128::from_be_bytes(md5::compute(bytes).0),
        }
    }
}

/// The digest of a text without tokens.
pub const EMPTY_DIGEST: Digest = 0x99aa_06d3_0147_98d8_6001_c324_468d_497f;

/// Returns the digest of a canonical form: `digest_of_hashes` of its [`token_hashes`].
pub fn digest(tokens: &Tokens) -> Digest {
    let mut hashes = Vec::new();
    token_hashes(tokens, &mut hashes);
    digest_of_hashes(&hashes)
}

/// Returns the XXH3-128 hash, without a seed, of the tokens' hashes. Each token's hash is written as eight little-endian bytes.
/// The digest is computed from hashes and not from characters, so the canonical text need not be written to memory. Cost: one
/// cycle per token, plus 30 ns. The digest is frozen: no release changes it.
pub fn digest_of_hashes(token_hashes: &[u64]) -> Digest {
    digest_by(Simd::detect(), token_hashes)
}

/// The largest number of tokens for which XXH3 uses its algorithms for short inputs (up to 240 bytes).
const SHORT: usize = 30;

/// Like [`digest_of_hashes`], with the given kernel.
pub(crate) fn digest_by(simd: Simd, token_hashes: &[u64]) -> Digest {
    if token_hashes.len() > SHORT {
        return match simd {
            Simd::Portable => portable::long(portable::Portable, token_hashes),
            #[cfg(target_arch = "x86_64")]
            Simd::Avx2(proof) => x86::long_avx2(proof, token_hashes),
            #[cfg(target_arch = "x86_64")]
            Simd::Avx512(proof) => x86::long_avx512(proof, token_hashes),
        };
    }
    let mut bytes = [[0; 8]; SHORT];
    for (eight, hash) in bytes.iter_mut().zip(token_hashes) {
        *eight = hash.to_le_bytes();
    }
    xxh3_128(bytes[..token_hashes.len()].as_flattened())
}

#[cfg(test)]
mod tests {
    use super::{super::mix::finish, *};

    #[test]
    fn digests_match_other_tools() {
        // Expected values: RFC 1321, appendix A.5, for MD5; xxhsum for XXH3-128.
        for (text, md5) in [
            ("", "d41d8cd98f00b204e9800998ecf8427e"),
            ("a", "0cc175b9c0f1b6a831c399e269772661"),
            ("abc", "900150983cd24fb0d6963f7d28e17f72"),
            ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
            (
                "abcdefghijklmnopqrstuvwxyz",
                "c3fcd3d76192e4007dfb496cca67e13b",
            ),
            (
                "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
                "d174ab98d277d9f5a5611c2c9f419d9f",
            ),
            (&"1234567890".repeat(8), "57edf4a22be3c955ac49da2e2107b67a"),
        ] {
            assert_eq!(
                format!("{:032x}", DigestBy::Md5.digest(text.as_bytes())),
                md5
            );
        }
        assert_eq!(DigestBy::Xxh3.digest(b""), EMPTY_DIGEST);
        assert_eq!(digest(&Tokens::new()), EMPTY_DIGEST);
    }

    #[test]
    fn every_kernel_is_xxh3_at_every_length() {
        let hashes: Vec<u64> = (1..700).map(finish).collect();
        for length in 0..hashes.len() {
            let bytes: Vec<u8> = hashes[..length]
                .iter()
                .flat_map(|hash| hash.to_le_bytes())
                .collect();
            for simd in Simd::all() {
                assert_eq!(
                    digest_by(simd, &hashes[..length]),
                    xxh3_128(&bytes),
                    "{length} {simd:?}"
                );
            }
        }
    }
}
