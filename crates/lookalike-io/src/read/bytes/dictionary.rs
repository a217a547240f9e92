//! The dictionary with which a `.warc.zst` may begin.

use std::io::Read;

/// The base-2 logarithm of the largest window that zstd allows. With zstd's default limit, which is lower, data that was packed
/// with a larger window could not be read.
pub(crate) const MOST_WINDOW: u32 = 31;

/// The maximum length of a dictionary.
const LONGEST: u64 = 256 << 20;

/// The number of bytes of a frame's header that [`zstd_dictionary_length`] examines.
pub const ZSTD_FRAME_HEADER: usize = 8;

/// Returns the length of the dictionary with which a `.warc.zst` begins, if it has one. The dictionary has its own skippable
/// frame. The header of this frame is the eight bytes in `start`, and it contains the length of the rest of the frame (IIPC, "Use
/// of Zstandard in WARC files", 2020).
///
/// The caller first reads eight bytes and passes them to this function. The caller then reads as many bytes as this function
/// returns, and passes them to [`zstd_dictionary`]. With the resulting dictionary, the caller decompresses the rest of the file
/// frame by frame (`zstd::Decoder::with_dictionary`, which continues from frame to frame).
pub fn zstd_dictionary_length(start: &[u8; ZSTD_FRAME_HEADER]) -> Option<u32> {
    let [magic, length] =
        [&start[..4], &start[4..]].map(|bytes| bytes.try_into().map_or(0, u32::from_le_bytes));
    (magic == 0x184d_2a5d).then_some(length)
}

/// Returns the dictionary from the content of its skippable frame. The content may itself be compressed.
///
/// # Errors
/// Fails if the dictionary is damaged, or longer than 256 MiB.
pub fn zstd_dictionary(content: &[u8]) -> std::io::Result<Vec<u8>> {
    if !content.starts_with(&0xfd2f_b528u32.to_le_bytes()) {
        return Ok(content.to_vec());
    }
    let mut dictionary = Vec::new();
    zstd::Decoder::with_buffer(content)?
        .take(LONGEST + 1)
        .read_to_end(&mut dictionary)?;
    if dictionary.len() as u64 > LONGEST {
        return Err(std::io::Error::new(
            std::io::ErrorKind::InvalidData,
            "its dictionary is longer than 256 MiB",
        ));
    }
    Ok(dictionary)
}
