use std::io::Write;

use proptest::prelude::*;

use super::*;

type Encode = fn(&[u8]) -> Vec<u8>;

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).unwrap()
}

#[cfg(feature = "codecs")]
fn bzip2(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[cfg(feature = "codecs")]
fn xz(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 0);
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[cfg(feature = "codecs")]
fn lz4(bytes: &[u8]) -> Vec<u8> {
    use lz4_flex::frame::{BlockMode, FrameEncoder, FrameInfo};
    // Tests linked and independent blocks. A call of `finish` writes the frame's end mark; without this mark, nothing would show
    // whether the frame is complete.
    let linked = bytes.len().is_multiple_of(2);
    let mode = if linked {
        BlockMode::Linked
    } else {
        BlockMode::Independent
    };
    let mut encoder = FrameEncoder::with_frame_info(
        FrameInfo::new().block_mode(mode).content_checksum(linked),
        Vec::new(),
    );
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[cfg(feature = "codecs")]
fn brotli(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ::brotli::CompressorWriter::new(Vec::new(), 4096, 1, 16);
    encoder.write_all(bytes).unwrap();
    encoder.into_inner()
}

/// The codecs that allow concatenated streams and padding with zeros.
#[cfg(feature = "codecs")]
const MEMBERS: [(&str, Encode); 3] = [(".gz", gzip), (".bz2", bzip2), (".lz4", lz4)];
#[cfg(not(feature = "codecs"))]
const MEMBERS: [(&str, Encode); 1] = [(".gz", gzip)];

/// All codecs.
#[cfg(feature = "codecs")]
const ALL: [(&str, Encode); 6] = [
    (".gz", gzip),
    (".zst", zstd),
    (".bz2", bzip2),
    (".xz", xz),
    (".lz4", lz4),
    (".br", brotli),
];
#[cfg(not(feature = "codecs"))]
const ALL: [(&str, Encode); 2] = [(".gz", gzip), (".zst", zstd)];

/// A reader that returns at most `at_once` bytes at a time.
struct Pieces {
    bytes: Cursor<Vec<u8>>,
    at_once: usize,
}

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = buffer.len().min(self.at_once);
        self.bytes.read(&mut buffer[..most])
    }
}

/// Decompresses `packed`, as the content of a file whose name has the extension `ending`. Returns the decompressed bytes, or the
/// error message.
fn read(packed: &[u8], ending: &str, at_once: usize) -> std::result::Result<Vec<u8>, String> {
    let (name, mut bytes) = (format!("a{ending}"), Vec::new());
    let pieces = Pieces {
        bytes: Cursor::new(packed.to_vec()),
        at_once,
    };
    let mut reader = decompress(pieces, &name).map_err(|error| error.to_string())?;
    let read = reader.read_to_end(&mut bytes);
    read.map(|_| bytes)
        .map_err(|error| Error::reading(&name, &error).to_string())
}

proptest! {
    #[test]
    fn only_members_and_trailing_zeros_are_read(
        members in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..300), 1..4),
        (ending, encode) in prop::sample::select(MEMBERS.to_vec()),
        zeros in 0usize..40,
        at_once in 1usize..50,
    ) {
        let mut packed = members.iter().flat_map(|member| encode(member)).collect::<Vec<_>>();
        let whole = packed.len();
        packed.resize(whole + zeros, 0);
        prop_assert_eq!(read(&packed, ending, at_once), Ok(members.concat()));
        prop_assert!(read(&packed[..whole - 1], ending, at_once).unwrap_err().contains("is truncated"));
        // After the padding with zeros, nothing may follow, not even another stream.
        packed.extend(if zeros > 0 { encode(b"more") } else { b"x".to_vec() });
        prop_assert!(read(&packed, ending, at_once).unwrap_err().contains("there is other data after its end"));
    }

    #[test]
    fn compressed_data_is_read_back(
        bytes in prop::collection::vec(prop::sample::select(b"abc \n".to_vec()), 0..5000),
        (ending, encode) in prop::sample::select(ALL.to_vec()),
        streams in 1usize..4,
        at_once in 1usize..200,
    ) {
        // A brotli file has only one stream.
        let streams = if ending == ".br" { 1 } else { streams };
        prop_assert_eq!(read(&encode(&bytes).repeat(streams), ending, at_once), Ok(bytes.repeat(streams)));
    }

    #[test]
    fn damage_is_an_error_or_changes_nothing(
        bytes in prop::collection::vec(any::<u8>(), 1..2000),
        (ending, encode) in prop::sample::select(ALL.to_vec()),
        at in any::<prop::sample::Index>(),
        bit in 0u32..8,
    ) {
        let mut packed = encode(&bytes);
        let at = at.index(packed.len());
        packed[at] ^= 1 << bit;
        // Brotli has no checksum, and the lz4 frames that other programs write may have none. For these codecs it is enough that
        // decoding ends: the decoded text is not checked.
        match read(&packed, ending, 1000) {
            Ok(read) if matches!(ending, ".gz" | ".bz2" | ".xz") => prop_assert!(read == bytes || at < 8, "{}", at),
            Ok(_) => {}
            Err(reported) => prop_assert!(
                ["damaged", "truncated", "contains no"].iter().any(|word| reported.contains(word)), "{}", reported
            ),
        }
    }
}

#[test]
fn truncation_is_reported_at_every_position() {
    let bytes: Vec<u8> = (0..400u32)
        .flat_map(|n| (n * n).to_string().into_bytes())
        .collect();
    for (ending, encode) in ALL {
        let packed = encode(&bytes);
        for length in START..packed.len() {
            let reported = read(&packed[..length], ending, 64).expect_err(ending);
            assert!(
                reported.contains("is truncated"),
                "{ending}, {length} of {}: {reported}",
                packed.len()
            );
        }
        // A file of two streams is also reported as truncated, wherever the second stream is cut off.
        if ending != ".br" {
            for length in 1..packed.len() {
                let reported =
                    read(&[&packed, &packed[..length]].concat(), ending, 64).expect_err(ending);
                assert!(
                    reported.contains("is truncated"),
                    "{ending}, {length} of {}: {reported}",
                    packed.len()
                );
            }
        }
        assert_eq!(read(&packed, ending, 64), Ok(bytes.clone()));
    }
}

#[test]
fn an_xz_stream_may_have_padding() {
    #[cfg(feature = "codecs")]
    {
        let packed = xz(b"some bytes");
        let padded = [&packed[..], &[0; 8], &packed].concat();
        assert_eq!(
            read(&padded, ".xz", 7),
            Ok(b"some bytessome bytes".to_vec())
        );
        let reported = read(&[&packed[..], b"and something else"].concat(), ".xz", 7).unwrap_err();
        assert!(reported.contains("damaged"), "{reported}");
    }
}
