//! The dictionary that a `.warc.zst` may begin with.

use std::io::Read;

/// The largest window of zstd, as a power of two: of what is packed with a larger one than is usual nothing could be read.
pub(crate) const MOST_WINDOW: u32 = 31;

/// The longest dictionary.
const LONGEST: u64 = 256 << 20;

/// Bytes of a frame's header that [`zstd_dictionary_length`] looks at.
pub const ZSTD_FRAME_HEADER: usize = 8;

/// The length of the dictionary that a `.warc.zst` begins with, if it begins with one: in a skippable frame of its own, of
/// these eight bytes and so many more (IIPC, "Use of Zstandard in WARC files", 2020).
///
/// The opener reads eight bytes, then as many as this says, makes a dictionary of them ([`zstd_dictionary`]), and decompresses
/// what follows with it, frame by frame (`zstd::Decoder::with_dictionary`, which goes on from frame to frame).
pub fn zstd_dictionary_length(start: &[u8; ZSTD_FRAME_HEADER]) -> Option<u32> {
    let [magic, length] = [&start[..4], &start[4..]].map(|bytes| bytes.try_into().map_or(0, u32::from_le_bytes));
    (magic == 0x184d_2a5d).then_some(length)
}

/// The dictionary in such a frame, which may be compressed itself.
///
/// # Errors
/// When it is damaged, or longer than 256 MiB.
pub fn zstd_dictionary(content: &[u8]) -> std::io::Result<Vec<u8>> {
    if !content.starts_with(&0xfd2f_b528u32.to_le_bytes()) {
        return Ok(content.to_vec());
    }
    let mut dictionary = Vec::new();
    zstd::Decoder::with_buffer(content)?.take(LONGEST + 1).read_to_end(&mut dictionary)?;
    if dictionary.len() as u64 > LONGEST {
        return Err(std::io::Error::new(std::io::ErrorKind::InvalidData, "its dictionary is longer than 256 MiB"));
    }
    Ok(dictionary)
}
