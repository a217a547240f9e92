//! Detects the compression of a file. The first bytes decide, and the file extension is only checked against them. Brotli alone
//! has no signature, so for brotli the file extension decides.

use crate::error::{Error, ErrorKind, Result};

/// The compression of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packing {
    /// Not compressed.
    Plain,
    /// `.gz`
    Gzip,
    /// `.zst`
    Zstd,
    /// `.bz2`
    Bzip2,
    /// `.xz`
    Xz,
    /// `.lz4`
    Lz4,
    /// `.br`
    Brotli,
}

/// The file extensions of compressed files, for reading and writing.
pub const PACKED: [&str; 6] = [".gz", ".zst", ".bz2", ".xz", ".lz4", ".br"];

/// Returns a file name without the extension of its compression.
pub(crate) fn without_packing(name: &str) -> &str {
    let lower = name.to_ascii_lowercase();
    let packed = PACKED
        .iter()
        .find(|packed| lower.ends_with(**packed))
        .map_or(0, |packed| packed.len());
    &name[..name.len() - packed]
}

/// The compression for each file extension, in the order of [`PACKED`].
const PACKINGS: [Packing; 6] = [
    Packing::Gzip,
    Packing::Zstd,
    Packing::Bzip2,
    Packing::Xz,
    Packing::Lz4,
    Packing::Brotli,
];

/// The number of bytes that identify the compression.
pub(crate) const START: usize = 6;

impl Packing {
    /// Returns the compression of a file that begins with `start`. `name` is the name of the file: its extension is checked, and
    /// messages show it.
    ///
    /// # Errors
    /// Fails if the file extension indicates a compression other than brotli, but the first bytes do not indicate any
    /// compression.
    pub(crate) fn of(start: &[u8], name: &str) -> Result<Self> {
        let named = Self::of_name(name);
        if named == Self::Brotli {
            return Ok(named);
        }
        let found = Self::of_start(start);
        if found == Self::Plain && named != Self::Plain {
            let what = format!(
                "named {} but contains no {} data",
                named.ending(),
                named.name()
            );
            let refused = Error::new(ErrorKind::Input, what).at(name);
            return Err(refused.advise(
                "download it again, fetch it with git lfs pull, or rename it if it is plain text",
            ));
        }
        Ok(found)
    }

    fn of_start(start: &[u8]) -> Self {
        let magics: [(&[u8], Self); 5] = [
            (&[0x1f, 0x8b], Self::Gzip),
            (&[0x28, 0xb5, 0x2f, 0xfd], Self::Zstd),
            (b"BZh", Self::Bzip2),
            (b"\xfd7zXZ\0", Self::Xz),
            (&[0x04, 0x22, 0x4d, 0x18], Self::Lz4),
        ];
        if let Some((_, packing)) = magics
            .into_iter()
            .find(|(magic, _)| start.starts_with(magic))
        {
            return packing;
        }
        // A zstd file may begin with a skippable frame (pzstd, seekable zstd).
        let skippable =
            start.len() >= 4 && start[1..4] == [0x2a, 0x4d, 0x18] && start[0] & 0xf0 == 0x50;
        if skippable { Self::Zstd } else { Self::Plain }
    }

    /// Returns the compression that the extension of a file name indicates.
    pub(crate) fn of_name(name: &str) -> Self {
        let name = name.to_ascii_lowercase();
        let named = PACKED
            .iter()
            .zip(PACKINGS)
            .find(|(ending, _)| name.ends_with(*ending));
        named.map_or(Self::Plain, |(_, packing)| packing)
    }

    fn ending(self) -> &'static str {
        PACKED
            .iter()
            .zip(PACKINGS)
            .find(|&(_, packing)| packing == self)
            .map_or("", |(ending, _)| ending)
    }

    fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
            Self::Bzip2 => "bzip2",
            Self::Xz => "xz",
            Self::Lz4 => "lz4",
            Self::Brotli => "brotli",
        }
    }

    /// Returns the error for a compression that this build does not include.
    #[cfg_attr(feature = "codecs", expect(dead_code, reason = "all are there"))]
    pub(crate) fn not_built(self, kind: ErrorKind) -> Error {
        let what = format!(
            "this lookalike was built without {} (the cargo feature `codecs`)",
            self.name()
        );
        Error::new(kind, what).advise("use .gz or .zst")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_are_checked_against_the_content() {
        let zstd = [0x28, 0xb5, 0x2f, 0xfd, 0, 0];
        assert_eq!(Packing::of(&zstd, "a.jsonl").unwrap(), Packing::Zstd);
        assert_eq!(
            Packing::of(&zstd, "a.jsonl.gz").unwrap(),
            Packing::Zstd,
            "the bytes know better"
        );
        assert_eq!(
            Packing::of(&[0x52, 0x2a, 0x4d, 0x18], "a.zst").unwrap(),
            Packing::Zstd
        );
        assert_eq!(Packing::of(b"{\"id\":", "a.jsonl").unwrap(), Packing::Plain);
        assert_eq!(
            Packing::of(b"\x1f\x8b", "a.br").unwrap(),
            Packing::Brotli,
            "brotli may begin with anything"
        );
        for ending in [".gz", ".zst", ".bz2", ".xz", ".lz4"] {
            let error = Packing::of(b"{\"id\":", &format!("a{ending}"))
                .unwrap_err()
                .to_string();
            assert!(
                error.contains(&format!("named {ending} but contains no")),
                "{error}"
            );
        }
    }
}
