//! One number for a whole document: equal digests are equal canonical forms.

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use crate::text::Tokens;

/// The 128-bit hash of a canonical form. Among n different documents two share one with probability n²/2¹²⁹: 10⁻²¹ for 10⁹.
pub type Digest = u128;

/// The hash function of a digest of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
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

/// XXH3-128 of the canonical text (7 GB/s), whose gaps tell where tokens end.
pub fn digest(tokens: &Tokens) -> Digest {
    DigestBy::Xxh3.digest(tokens.text())
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(format!("{:032x}", DigestBy::Xxh3.digest(b"")), "99aa06d3014798d86001c324468d497f");
    }
}
