//! The bytes of a whole document → its text, whatever encoding they are in.
//!
//! What the bytes say of themselves goes before what is said of them: byte order marks, and UTF-8 where they are that or all but
//! that, are believed first, then a label, then a guess. Labels and decoders are those of the WHATWG Encoding standard.

mod names;

mod declared;

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, ISO_2022_JP, UTF_8, UTF_16BE, UTF_16LE};

pub(crate) use self::declared::{charset, declared_in_html};
use self::names::known;
pub use self::names::{encode, named};

/// A text, and how it was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decoded<'a> {
    /// The text, without a byte order mark.
    pub text: &'a str,
    /// The encoding's name in the standard.
    pub encoding: &'static str,
    /// Whether there were bytes that mean nothing in it: U+FFFD stands for them.
    pub lossy: bool,
}

/// The text of a document, borrowed where it is UTF-8, else written to `room`. `declared` is the label from a HTTP header, from
/// the document itself ([`declared_in_html`]) or from the user; one that is none is passed over: check the user's with
/// [`named`].
///
/// The order: a byte order mark; UTF-16 without a mark, by the control bytes that its commonest characters have in it;
/// ISO-2022-JP, by its escapes; UTF-8; UTF-8 with a broken character here and there, such as where a text was cut off; the label,
/// unless much of the text is not in its encoding; the guess of chardetng, the detector of Firefox, which depends on the bytes
/// alone. UTF-16 and ISO-2022-JP have to stand before UTF-8 because their bytes can be UTF-8, of control characters.
///
/// One pass where it is UTF-8 (some GB/s), else some: the guess takes 20 to 100 MB/s, of the first 64 KiB that are not ASCII.
pub fn decode<'a>(bytes: &'a [u8], declared: Option<&str>, room: &'a mut String) -> Decoded<'a> {
    if let Some((encoding, length)) = Encoding::for_bom(bytes) {
        return by(encoding, &bytes[length..], room);
    }
    if let Some(encoding) = unmarked_utf16(bytes) {
        return by(encoding, bytes, room);
    }
    let is_utf8 = simdutf8::basic::from_utf8(bytes).is_ok();
    if is_utf8 && memchr::memchr(0x1b, bytes).is_some() && is_iso_2022_jp(bytes) {
        return by(ISO_2022_JP, bytes, room);
    }
    if is_utf8 || is_nearly_utf8(bytes) {
        return by(UTF_8, bytes, room);
    }
    if let Some(encoding) = declared.and_then(known) {
        let lossy = write(encoding, bytes, room);
        if !(lossy && is_mostly_lost(room)) {
            return Decoded { text: room, encoding: encoding.name(), lossy };
        }
    }
    by(guess(bytes), bytes, room)
}

/// A line of JSON, whose bytes are not UTF-8, in an encoding by its name; none if it is not in that either.
pub(crate) fn line<'a>(bytes: &'a [u8], encoding: &str) -> Option<Cow<'a, str>> {
    known(encoding)?.decode_without_bom_handling_and_without_replacement(bytes)
}

/// Decodes; what is UTF-8 is borrowed.
fn by<'a>(encoding: &'static Encoding, bytes: &'a [u8], room: &'a mut String) -> Decoded<'a> {
    if encoding == UTF_8
        && let Ok(text) = simdutf8::basic::from_utf8(bytes)
    {
        return Decoded { text, encoding: UTF_8.name(), lossy: false };
    }
    let lossy = write(encoding, bytes, room);
    Decoded { text: room, encoding: encoding.name(), lossy }
}

/// Writes the text; whether something was lost.
fn write(encoding: &'static Encoding, bytes: &[u8], room: &mut String) -> bool {
    room.clear();
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let (mut rest, mut lossy) = (bytes, false);
    // A piece at a time: the most that a text can take is three times what it mostly takes.
    const PIECE: usize = 64 << 10;
    loop {
        let (piece, behind) = rest.split_at(rest.len().min(PIECE));
        room.reserve(decoder.max_utf8_buffer_length(piece.len()).unwrap_or(0));
        let (_, read, lost) = decoder.decode_to_string(piece, room, behind.is_empty());
        lossy |= lost;
        rest = &rest[read..];
        if rest.is_empty() {
            return lossy;
        }
    }
}

/// UTF-16 by its bytes: read as that it has line ends, spaces, digits, Latin letters or Chinese commas and full stops, one in two
/// hundred at least, and nothing that stands in no text: halves of surrogate pairs, control and private characters. Two ASCII characters read as one are a
/// Chinese one: where most are such, it is ASCII. In text of any other encoding control bytes are strays.
fn unmarked_utf16(bytes: &[u8]) -> Option<&'static Encoding> {
    // In text of other encodings there are next to none of these bytes: most is decided here, at some GB/s.
    let is_control = |bytes: &[u8]| bytes.iter().fold(false, |any, &byte| any | (byte < b'\t'));
    if bytes.len() % 2 == 1 || !bytes.chunks(1024).any(is_control) {
        return None;
    }
    let is_plain = |byte: &u8| matches!(byte, b' '..=b'~');
    let of_ascii = bytes.chunks_exact(2).filter(|pair| pair.iter().all(is_plain)).count();
    if of_ascii * 4 > bytes.len() {
        return None;
    }
    let common = |unit: fn([u8; 2]) -> u16| {
        let (mut common, mut strange) = (0, 0);
        for character in char::decode_utf16(bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]))) {
            match character {
                Ok('\t' | '\n' | '\r' | '\x0c' | ' '..='~' | '\u{3001}' | '\u{3002}' | '\u{ff0c}') => common += 1,
                Ok(c) if !c.is_control() && !matches!(c, '\u{e000}'..='\u{f8ff}' | '\u{fffe}' | '\u{ffff}') => {}
                _ => strange += 1,
            }
        }
        if strange * 200 > bytes.len() { 0 } else { common }
    };
    let (little, big) = (common(u16::from_le_bytes), common(u16::from_be_bytes));
    let is_clear = little.max(big) * 200 >= bytes.len() / 2 && little.max(big) >= 4 * little.min(big);
    is_clear.then_some(if little > big { UTF_16LE } else { UTF_16BE })
}

/// Whether bytes, which are UTF-8, are ISO-2022-JP: ASCII with its escapes, each of which it knows.
fn is_iso_2022_jp(bytes: &[u8]) -> bool {
    bytes.is_ascii()
        && (memchr::memmem::find(bytes, b"\x1b$").is_some() || memchr::memmem::find(bytes, b"\x1b(").is_some())
        && ISO_2022_JP.decode_without_bom_handling_and_without_replacement(bytes).is_some()
}

/// Whether all but one in nine characters that are not ASCII are UTF-8. In other encodings next to none are.
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

/// Whether of what is not ASCII more than one character in nine was lost.
fn is_mostly_lost(text: &str) -> bool {
    let (mut lost, mut other) = (0, 0);
    for c in text.chars().filter(|c| !c.is_ascii()) {
        if c == char::REPLACEMENT_CHARACTER { lost += 1 } else { other += 1 }
    }
    other < 8 * lost
}

/// The detector's guess; windows-1252 where it has none.
fn guess(bytes: &[u8]) -> &'static Encoding {
    // What is ASCII before the first other byte says next to nothing.
    let start = bytes.iter().position(|byte| !byte.is_ascii()).unwrap_or(0).saturating_sub(64);
    let window = &bytes[start..bytes.len().min(start + (64 << 10))];
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(window, start + window.len() == bytes.len());
    detector.guess(None, Utf8Detection::Deny)
}

#[cfg(test)]
mod tests;
