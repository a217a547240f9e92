//! Decodes the bytes of a whole document, in any encoding, to text.
//!
//! Evidence in the bytes takes precedence over declarations of their encoding. A byte order mark is trusted first, then valid or
//! nearly valid UTF-8, then a label, then a guess. Labels and decoders are those of the WHATWG Encoding standard.

mod names;

mod declared;

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, ISO_2022_JP, UTF_8, UTF_16BE, UTF_16LE};

pub(crate) use self::declared::{charset, declared_in_html};
use self::names::known;
pub use self::names::{encode, is_encodable, named};

/// A text, and how it was decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decoded<'a> {
    /// The text, without a byte order mark.
    pub text: &'a str,
    /// The name of the encoding in the standard.
    pub encoding: &'static str,
    /// Whether some bytes are invalid in the encoding. Each of them is replaced by U+FFFD.
    pub lossy: bool,
}

/// Returns the text of a document, borrowed if it is UTF-8, else written to `scratch`. `declared` is the label from an HTTP
/// header, from the document itself ([`declared_in_html`]) or from the user. An unknown label is ignored, so check the user's
/// label with [`named`].
///
/// The following are tried in order: (1) a byte order mark; (2) UTF-16 without a mark, recognised by the control bytes in its
/// most common characters; (3) ISO-2022-JP, recognised by its escapes; (4) UTF-8; (5) UTF-8 with a few broken characters, for
/// example because a text was cut off inside a character; (6) the label, unless much of the text is invalid in its encoding; (7)
/// the guess of chardetng, the detector of Firefox, which depends on the bytes alone. UTF-16 and ISO-2022-JP must come before
/// UTF-8, because their bytes can be valid UTF-8 that contains control characters.
///
/// UTF-8 takes one pass (at several GB/s), and other encodings take several passes. The guess runs at 20 to 100 MB/s, but it
/// examines only 64 KiB, which begin just before the first byte that is not ASCII.
pub fn decode<'a>(bytes: &'a [u8], declared: Option<&str>, scratch: &'a mut String) -> Decoded<'a> {
    if let Some((encoding, length)) = Encoding::for_bom(bytes) {
        return by(encoding, &bytes[length..], scratch);
    }
    if let Some(encoding) = unmarked_utf16(bytes) {
        return by(encoding, bytes, scratch);
    }
    let is_utf8 = simdutf8::basic::from_utf8(bytes).is_ok();
    if is_utf8 && memchr::memchr(0x1b, bytes).is_some() && is_iso_2022_jp(bytes) {
        return by(ISO_2022_JP, bytes, scratch);
    }
    if is_utf8 || is_nearly_utf8(bytes) {
        return by(UTF_8, bytes, scratch);
    }
    if let Some(encoding) = declared.and_then(known) {
        let lossy = write(encoding, bytes, scratch);
        if !(lossy && is_mostly_lost(scratch)) {
            return Decoded {
                text: scratch,
                encoding: encoding.name(),
                lossy,
            };
        }
    }
    by(guess(bytes), bytes, scratch)
}

/// Decodes a line of JSON that is not UTF-8. `encoding` is the encoding that the user named. Returns none if the line is invalid
/// in that encoding too.
pub(crate) fn line<'a>(bytes: &'a [u8], encoding: &str) -> Option<Cow<'a, str>> {
    known(encoding)?.decode_without_bom_handling_and_without_replacement(bytes)
}

/// Decodes a text from an encoding. UTF-8 text is borrowed.
fn by<'a>(encoding: &'static Encoding, bytes: &'a [u8], scratch: &'a mut String) -> Decoded<'a> {
    if encoding == UTF_8
        && let Ok(text) = simdutf8::basic::from_utf8(bytes)
    {
        return Decoded {
            text,
            encoding: UTF_8.name(),
            lossy: false,
        };
    }
    let lossy = write(encoding, bytes, scratch);
    Decoded {
        text: scratch,
        encoding: encoding.name(),
        lossy,
    }
}

/// Writes the decoded text to `scratch`, and returns whether characters were lost.
fn write(encoding: &'static Encoding, bytes: &[u8], scratch: &mut String) -> bool {
    scratch.clear();
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let (mut rest, mut lossy) = (bytes, false);
    // Decode piece by piece: the largest buffer that a text may need is three times as large as the buffer that it usually needs.
    const PIECE: usize = 64 << 10;
    loop {
        let (piece, after) = rest.split_at(rest.len().min(PIECE));
        scratch.reserve(decoder.max_utf8_buffer_length(piece.len()).unwrap_or(0));
        let (_, read, lost) = decoder.decode_to_string(piece, scratch, after.is_empty());
        lossy |= lost;
        rest = &rest[read..];
        if rest.is_empty() {
            return lossy;
        }
    }
}

/// Detects UTF-16 without a mark. The bytes are read as UTF-16, and two conditions must hold. At least one character in two
/// hundred is a common character: a line end, a space, a digit, a Latin letter, or a Chinese comma or full stop. At most one in a
/// hundred is a character that does not occur in text: half of a surrogate pair, a control character or a private-use character.
/// A unit that consists of two ASCII characters looks like a Chinese character; if most units are of this kind, the text is
/// ASCII. Text without control bytes is rejected first: such bytes are common in UTF-16, and rare in text of any other encoding.
fn unmarked_utf16(bytes: &[u8]) -> Option<&'static Encoding> {
    // Text in encodings other than UTF-16 has almost no control bytes, so this check rejects most documents, at several GB/s.
    let is_control = |bytes: &[u8]| bytes.iter().fold(false, |any, &byte| any | (byte < b'\t'));
    if bytes.len() % 2 == 1 || !bytes.chunks(1024).any(is_control) {
        return None;
    }
    let is_plain = |byte: &u8| matches!(byte, b' '..=b'~');
    let of_ascii = bytes
        .chunks_exact(2)
        .filter(|pair| pair.iter().all(is_plain))
        .count();
    if of_ascii * 4 > bytes.len() {
        return None;
    }
    let common = |unit: fn([u8; 2]) -> u16| {
        let (mut common, mut strange) = (0, 0);
        for character in
            char::decode_utf16(bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]])))
        {
            match character {
                Ok(
                    '\t' | '\n' | '\r' | '\x0c' | ' '..='~' | '\u{3001}' | '\u{3002}' | '\u{ff0c}',
                ) => common += 1,
                Ok(c)
                    if !c.is_control()
                        && !matches!(c, '\u{e000}'..='\u{f8ff}' | '\u{fffe}' | '\u{ffff}') => {}
                _ => strange += 1,
            }
        }
        if strange * 200 > bytes.len() {
            0
        } else {
            common
        }
    };
    let (little, big) = (common(u16::from_le_bytes), common(u16::from_be_bytes));
    let is_clear =
        little.max(big) * 200 >= bytes.len() / 2 && little.max(big) >= 4 * little.min(big);
    is_clear.then_some(if little > big { UTF_16LE } else { UTF_16BE })
}

/// Returns whether bytes that are valid UTF-8 are in fact ISO-2022-JP. Such bytes are ASCII with escapes, and ISO-2022-JP defines
/// every one of the escapes.
fn is_iso_2022_jp(bytes: &[u8]) -> bool {
    bytes.is_ascii()
        && (memchr::memmem::find(bytes, b"\x1b$").is_some()
            || memchr::memmem::find(bytes, b"\x1b(").is_some())
        && ISO_2022_JP
            .decode_without_bom_handling_and_without_replacement(bytes)
            .is_some()
}

/// Returns whether at most one in nine of the characters that are not ASCII is invalid UTF-8. For text in other encodings, almost
/// all of these characters are invalid.
fn is_nearly_utf8(bytes: &[u8]) -> bool {
    let (mut good, mut bad) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        good += chunk.valid().bytes().filter(|&byte| byte >= 0xc0).count();
        bad += usize::from(!chunk.invalid().is_empty());
        if bad > 100 && good < 8 * bad {
            return false;
        }
    }
    good >= 8 * bad
}

/// Returns whether more than one in nine of the characters that are not ASCII was lost.
fn is_mostly_lost(text: &str) -> bool {
    let (mut lost, mut other) = (0, 0);
    for c in text.chars().filter(|c| !c.is_ascii()) {
        if c == char::REPLACEMENT_CHARACTER {
            lost += 1
        } else {
            other += 1
        }
    }
    other < 8 * lost
}

/// Returns the detector's guess. If the detector has no other guess, the result is windows-1252.
fn guess(bytes: &[u8]) -> &'static Encoding {
    // ASCII before the first byte that is not ASCII says almost nothing about the encoding.
    let start = bytes
        .iter()
        .position(|byte| !byte.is_ascii())
        .unwrap_or(0)
        .saturating_sub(64);
    let window = &bytes[start..bytes.len().min(start + (64 << 10))];
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(window, start + window.len() == bytes.len());
    detector.guess(None, Utf8Detection::Deny)
}

#[cfg(test)]
mod tests;
