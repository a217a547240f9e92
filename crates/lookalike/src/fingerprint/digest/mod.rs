//! One number for a whole document: equal digests are equal canonical forms.

mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use super::token_hashes;
use crate::{simd::Simd, text::Tokens};

/// The 128-bit hash of a canonical form. Among n different documents two share one with probability n²/2¹²⁹: 10⁻²¹ for 10⁹;
/// but for those that differ in nothing but tokens with equal hashes, which two tokens of more than eight bytes have with
/// probability 2⁻⁶⁴, and whose shingles are then equal too.
pub type Digest = u128;

/// The hash function of a digest of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(not(feature = "engine"), non_exhaustive)]
#[serde(rename_all = "lowercase")]
pub enum DigestBy {
    /// XXH3-128, 7 GB/s.
    #[default]
    Xxh3,
    /// MD5 (RFC 1321), 0.3 GB/s: only for comparing with fingerprints that others made, since whoever wants to can write two
    /// texts with equal digests.
    Md5,
}

impl DigestBy {
    /// The digest of some bytes; as 32 hexadecimal digits (`{:032x}`) it is what other tools print.
    pub fn digest(self, bytes: &[u8]) -> Digest {
        match self {
            Self::Xxh3 => xxh3_128(bytes),
            Self::Md5 => u128::from_be_bytes(md5::compute(bytes).0),
        }
    }
}

/// The digest of a text without any token.
pub const EMPTY_DIGEST: Digest = 0x99aa_06d3_0147_98d8_6001_c324_468d_497f;

/// The digest of a canonical form: `digest_of_hashes` of its [`token_hashes`].
pub fn digest(tokens: &Tokens) -> Digest {
    let mut hashes = Vec::new();
    token_hashes(tokens, &mut hashes);
    digest_of_hashes(&hashes)
}

/// XXH3-128 of the tokens' hashes, each as eight bytes, little-endian; seedless, frozen. It is made of hashes and not of
/// characters, so the canonical text need not be written down. Cost: a cycle a token, and 30 ns.
pub fn digest_of_hashes(token_hashes: &[u64]) -> Digest {
    digest_by(Simd::detect(), token_hashes)
}

/// Tokens of which the digest is made as XXH3 has it for short inputs, of up to 240 bytes.
const SHORT: usize = 30;

/// The same by a kernel.
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
    fn digests_are_those_of_other_tools() {
        // RFC 1321, appendix A.5; XXH3-128 by xxhsum.
        for (text, md5) in [
            ("", "d41d8cd98f00b204e9800998ecf8427e"),
            ("a", "0cc175b9c0f1b6a831c399e269772661"),
            ("abc", "900150983cd24fb0d6963f7d28e17f72"),
            ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
            ("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"),
            ("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", "d174ab98d277d9f5a5611c2c9f419d9f"),
            (&"1234567890".repeat(8), "57edf4a22be3c955ac49da2e2107b67a"),
        ] {
            assert_eq!(format!("{:032x}", DigestBy::Md5.digest(text.as_bytes())), md5);
        }
        assert_eq!(DigestBy::Xxh3.digest(b""), EMPTY_DIGEST);
        assert_eq!(digest(&Tokens::new()), EMPTY_DIGEST);
    }

    #[test]
    fn every_kernel_is_xxh3_at_every_length() {
        let hashes: Vec<u64> = (1..700).map(finish).collect();
        for length in 0..hashes.len() {
            let bytes: Vec<u8> = hashes[..length].iter().flat_map(|hash| hash.to_le_bytes()).collect();
            for simd in Simd::all() {
                assert_eq!(digest_by(simd, &hashes[..length]), xxh3_128(&bytes), "{length} {simd:?}");
            }
        }
    }
}
