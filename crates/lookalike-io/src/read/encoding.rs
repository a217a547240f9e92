//! The bytes of a whole document → its text, whatever encoding they are in.
//!
//! What the bytes say of themselves goes before what is said of them: byte order marks, and UTF-8 where they are that or all but
//! that, are believed first, then a label, then a guess. Labels and decoders are those of the WHATWG Encoding standard.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, ISO_2022_JP, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};
use lookalike::shown::quoted;

use crate::error::{Error, ErrorKind, Result};

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
pub(super) fn line<'a>(bytes: &'a [u8], encoding: &str) -> Option<Cow<'a, str>> {
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

/// The encoding with a label, as pages have them. Those that the standard only knows so as not to read them are none.
fn known(label: &str) -> Option<&'static Encoding> {
    Encoding::for_label_no_replacement(label.trim().as_bytes())
}

/// The name in the standard of the encoding that a user names.
///
/// # Errors
/// When there is no such encoding; the message has the names that are nearest.
pub fn named(label: &str) -> Result<&'static str> {
    if let Some(encoding) = known(label) {
        return Ok(encoding.name());
    }
    let plain = |name: &str| name.to_lowercase().replace(|c: char| !c.is_alphanumeric(), "");
    let asked = plain(label);
    let mut nearest: Vec<(usize, &str)> = NAMES.iter().map(|name| (distance(&asked, &plain(name)), *name)).collect();
    nearest.sort();
    let names: Vec<&str> = nearest.iter().take(3).map(|(_, name)| *name).collect();
    let unreadable = Encoding::for_label(label.trim().as_bytes()) == Some(REPLACEMENT);
    let problem = if unreadable { "cannot be read: convert the files with iconv" } else { "is not known" };
    let message =
        format!("encoding {} {problem}; the nearest names are {}, {} and {}", quoted(label), names[0], names[1], names[2]);
    Err(Error::new(ErrorKind::Config, message))
}

/// A text in an encoding by its name; what the encoding lacks becomes a reference (`&#26085;`). UTF-8 where none is named, and of
/// UTF-16, which no file of records has.
pub fn encode<'a>(text: &'a str, encoding: Option<&str>) -> Cow<'a, [u8]> {
    match encoding.and_then(known) {
        Some(encoding) => encoding.encode(text).0,
        None => text.as_bytes().into(),
    }
}

/// The names that people use. The first of each line is the standard's.
#[rustfmt::skip]
const NAMES: [&str; 64] = [
    "utf-8", "utf-16le", "utf-16be", "utf-16",
    "windows-1252", "iso-8859-1", "latin1", "cp1252", "us-ascii",
    "windows-1250", "cp1250", "windows-1251", "cp1251", "windows-1253", "windows-1254", "windows-1255", "windows-1256",
    "windows-1257", "windows-1258", "windows-874", "tis-620",
    "iso-8859-2", "latin2", "iso-8859-3", "latin3", "iso-8859-4", "latin4", "iso-8859-5", "cyrillic", "iso-8859-6", "arabic",
    "iso-8859-7", "greek", "iso-8859-8", "hebrew", "iso-8859-8-i", "iso-8859-9", "latin5", "iso-8859-10", "latin6",
    "iso-8859-13", "iso-8859-14", "iso-8859-15", "iso-8859-16",
    "koi8-r", "koi8-u", "ibm866", "cp866", "macintosh", "x-mac-cyrillic",
    "gbk", "gb2312", "gb18030", "big5", "big5-hkscs",
    "euc-jp", "shift_jis", "sjis", "windows-31j", "iso-2022-jp",
    "euc-kr", "ks_c_5601-1987", "korean", "x-sjis",
];

/// How many characters must be put in, left out or changed (Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut corner = std::mem::replace(&mut row[0], i + 1);
        for (j, &y) in b.iter().enumerate() {
            let changed = corner + usize::from(x != y);
            corner = row[j + 1];
            row[j + 1] = changed.min(corner + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

/// The charset that a content type has: `text/html; charset="utf-8"`. The HTML standard's algorithm for extracting a character
/// encoding from a meta element; quotes may be single ones.
pub fn charset(content_type: &str) -> Option<&str> {
    let bytes = content_type.as_bytes();
    let mut from = 0;
    loop {
        let at = bytes[from..].windows(7).position(|window| window.eq_ignore_ascii_case(b"charset"))? + from + 7;
        let rest = content_type[at..].trim_ascii_start();
        let Some(value) = rest.strip_prefix('=') else {
            from = at;
            continue;
        };
        let value = value.trim_ascii_start();
        return match value.chars().next()? {
            quote @ ('"' | '\'') => value[1..].split_once(quote).map(|(inside, _)| inside),
            _ => value.split(|c: char| c.is_ascii_whitespace() || c == ';').next(),
        }
        .filter(|label| !label.is_empty());
    }
}

/// Bytes of a page that are searched for what it says of its encoding. The standard asks for the first 1,024, and goes by what
/// comes later too, by reading the page again.
const SEARCHED: usize = 16 << 10;

/// The encoding that an HTML page says to be in: that of its HTTP header, else of its first `<meta>` that has one, by the
/// standard's prescan, else of its XML declaration. For [`decode`].
pub fn declared_in_html(bytes: &[u8], http: Option<&str>) -> Option<&'static str> {
    let start = &bytes[..bytes.len().min(SEARCHED)];
    let encoding = http.and_then(known).or_else(|| prescan(start)).or_else(|| declared_in_xml(start))?;
    Some(encoding.name())
}

/// The XML declaration's encoding.
fn declared_in_xml(start: &[u8]) -> Option<&'static Encoding> {
    let declaration = start.strip_prefix(b"<?xml")?;
    let declaration = &declaration[..memchr::memchr(b'>', declaration)?];
    let at = memchr::memmem::find(declaration, b"encoding")? + 8;
    let value = declaration[at..].trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    let (&quote, value) = value.split_first().filter(|(quote, _)| matches!(quote, b'"' | b'\''))?;
    said_inside(std::str::from_utf8(&value[..memchr::memchr(quote, value)?]).ok()?)
}

/// An encoding that a document names inside itself: it cannot be UTF-16 then.
fn said_inside(label: &str) -> Option<&'static Encoding> {
    known(label).map(|encoding| match encoding {
        encoding if encoding == UTF_16LE || encoding == UTF_16BE => UTF_8,
        encoding if encoding == X_USER_DEFINED => WINDOWS_1252,
        encoding => encoding,
    })
}

/// The prescan of the HTML standard (13.2.3.2).
fn prescan(start: &[u8]) -> Option<&'static Encoding> {
    let mut at = 0;
    loop {
        at += memchr::memchr(b'<', start.get(at..)?)?;
        let rest = &start[at..];
        if rest.starts_with(b"<!--") {
            // The dashes that begin it may end it.
            at += 2 + memchr::memmem::find(&rest[2..], b"-->")? + 3;
        } else if rest.len() > 5 && rest[..5].eq_ignore_ascii_case(b"<meta") && (rest[5].is_ascii_whitespace() || rest[5] == b'/')
        {
            let mut attributes = Attributes { bytes: start, at: at + 5 };
            let (mut names, mut pragma, mut found) = (Vec::new(), false, None);
            while let Some((name, value)) = attributes.next()? {
                if names.contains(&name) {
                    continue;
                }
                match &*name {
                    "http-equiv" => pragma |= value == "content-type",
                    "content" => {
                        let encoding = charset(&value).and_then(said_inside);
                        found = found.or(encoding.map(|encoding| (true, encoding)));
                    }
                    "charset" => found = said_inside(&value).map(|encoding| (false, encoding)),
                    _ => {}
                }
                names.push(name);
            }
            at = attributes.at;
            if let Some((needs_pragma, encoding)) = found
                && (pragma || !needs_pragma)
            {
                return Some(encoding);
            }
        } else if rest.get(1).is_some_and(u8::is_ascii_alphabetic)
            || rest.get(1) == Some(&b'/') && rest.get(2).is_some_and(u8::is_ascii_alphabetic)
        {
            at += rest.iter().position(|&byte| byte.is_ascii_whitespace() || byte == b'>')?;
            let mut attributes = Attributes { bytes: start, at };
            while attributes.next()?.is_some() {}
            at = attributes.at;
        } else if rest.len() > 1 && matches!(rest[1], b'!' | b'/' | b'?') {
            at += memchr::memchr(b'>', rest)?;
        } else {
            at += 1;
        }
    }
}

/// A tag's attributes, names and values in lower case: the standard's "get an attribute".
struct Attributes<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Attributes<'_> {
    /// The next, or none at the tag's end. None of that where the bytes end.
    fn next(&mut self) -> Option<Option<(String, String)>> {
        while self.peek()?.is_ascii_whitespace() || self.peek()? == b'/' {
            self.at += 1;
        }
        if self.peek()? == b'>' {
            return Some(None);
        }
        let (mut name, mut value) = (Vec::new(), Vec::new());
        while self.peek()? != b'=' || name.is_empty() {
            match self.peek()? {
                b'/' | b'>' => return Some(Some((lower(name), String::new()))),
                byte if byte.is_ascii_whitespace() => break,
                byte => name.push(byte),
            }
            self.at += 1;
        }
        self.skip_space()?;
        if self.peek()? != b'=' {
            return Some(Some((lower(name), String::new())));
        }
        self.at += 1;
        self.skip_space()?;
        if let quote @ (b'"' | b'\'') = self.peek()? {
            self.at += 1;
            let length = memchr::memchr(quote, &self.bytes[self.at..])?;
            value.extend_from_slice(&self.bytes[self.at..self.at + length]);
            self.at += length + 1;
        } else {
            while !(self.peek()?.is_ascii_whitespace() || self.peek()? == b'>') {
                value.push(self.peek()?);
                self.at += 1;
            }
        }
        Some(Some((lower(name), lower(value))))
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_space(&mut self) -> Option<()> {
        while self.peek()?.is_ascii_whitespace() {
            self.at += 1;
        }
        Some(())
    }
}

fn lower(bytes: Vec<u8>) -> String {
    String::from_utf8_lossy(&bytes).to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use std::{io::Read, path::PathBuf};

    use proptest::prelude::*;

    use super::*;

    fn decoded(bytes: &[u8], declared: Option<&str>) -> (String, &'static str, bool) {
        let mut room = String::from("what was there");
        let Decoded { text, encoding, lossy } = decode(bytes, declared, &mut room);
        (text.to_owned(), encoding, lossy)
    }

    /// None where the encoding lacks a character.
    fn encoded(text: &str, label: &str) -> Option<Vec<u8>> {
        let units = |bytes: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(bytes).collect();
        match label {
            "utf-16le" => return Some(units(u16::to_le_bytes)),
            "utf-16be" => return Some(units(u16::to_be_bytes)),
            _ => {}
        }
        let (bytes, _, lacking) = Encoding::for_label(label.as_bytes()).unwrap().encode(text);
        (!lacking).then(|| bytes.into_owned())
    }

    #[test]
    fn encodings_in_a_table() {
        let utf16le = encoded("Żółw 龜\n", "utf-16le").unwrap();
        for (bytes, declared, text, encoding, lossy) in [
            (&b""[..], None, "", "UTF-8", false),
            (b"plain", Some("shift_jis"), "plain", "UTF-8", false),
            (b"\xef\xbb\xbfg\xc3\xbcn", None, "gün", "UTF-8", false),
            (b"\xff\xfea\0b\0", None, "ab", "UTF-16LE", false),
            (b"\xfe\xff\0a\0b", Some("utf-8"), "ab", "UTF-16BE", false),
            (b"\xff\xfea\0b", None, "a\u{fffd}", "UTF-16LE", true),
            (&utf16le, None, "Żółw 龜\n", "UTF-16LE", false),
            (b"a\0b\0", None, "ab", "UTF-16LE", false),
            (b"one zero\0byte.", None, "one zero\0byte.", "UTF-8", false),
            // A label that is wrong, none, or one that is not to be read.
            (b"g\xfcn", Some("latin1"), "gün", "windows-1252", false),
            (b"g\xfcn", Some("windows-1254"), "gün", "windows-1254", false),
            (b"g\xfcn", Some("no such"), "gün", "windows-1252", false),
            (b"g\xfcn", Some("iso-2022-kr"), "gün", "windows-1252", false),
            (b"g\xfcn und sch\xf6n, f\xfcr alle", Some("utf-8"), "gün und schön, für alle", "windows-1252", false),
            // Escapes of terminals are no Japanese.
            (b"\x1b$B$+$J\x1b(B", None, "かな", "ISO-2022-JP", false),
            (b"\x1b[31mred\x1b[0m", None, "\x1b[31mred\x1b[0m", "UTF-8", false),
        ] {
            assert_eq!(decoded(bytes, declared), (text.into(), encoding, lossy), "{bytes:?}");
        }
        // A text cut off in a character, by a program that counts bytes.
        let cut = &"Überfluß, Größe, Blüten, Äpfel, Öl, Süße, Mühe, ähnlich".as_bytes()[..56];
        let cut = &cut[..cut.iter().rposition(|&byte| byte == 0xc3).unwrap() + 1];
        assert_eq!(decoded(cut, Some("windows-1252")).1, "UTF-8");
    }

    #[test]
    fn an_unknown_name_is_told_with_the_nearest() {
        assert_eq!(named(" Latin1 ").unwrap(), "windows-1252");
        assert_eq!(
            named("windows-1259").unwrap_err().to_string(),
            "encoding \"windows-1259\" is not known; the nearest names are windows-1250, windows-1251 and windows-1252"
        );
        assert!(named("shiftjs").unwrap_err().to_string().contains("are shift_jis"));
        assert!(named("iso-2022-kr").unwrap_err().to_string().contains("cannot be read"));
        assert!(NAMES.iter().all(|name| known(name).is_some()));
    }

    #[test]
    fn charsets_of_content_types() {
        for (content_type, found) in [
            ("text/html; charset=utf-8", Some("utf-8")),
            ("text/html;CHARSET = \"Shift_JIS\"", Some("Shift_JIS")),
            ("text/html; charset='gbk' ; x", Some("gbk")),
            ("text/html; charset=a b", Some("a")),
            ("text/html; charset charset=big5;q", Some("big5")),
            ("text/html; charset=\"gbk", None),
            ("text/html; charset=", None),
            ("text/html", None),
            ("charset=é", Some("é")),
        ] {
            assert_eq!(charset(content_type), found, "{content_type}");
        }
    }

    #[test]
    fn what_pages_say_of_themselves() {
        for (page, http, found) in [
            ("<meta charset=gbk>", None, Some("GBK")),
            ("<meta charset=gbk>", Some("big5"), Some("Big5")),
            ("<meta charset=gbk>", Some("nonsense"), Some("GBK")),
            ("<!doctype html><html lang='a>b'><META/charset='EUC-KR' />", None, Some("EUC-KR")),
            ("<meta http-equiv=Content-Type content='text/html; charset=koi8-r'>", None, Some("KOI8-R")),
            ("<meta content='text/html; charset=koi8-r' http-equiv=Content-Type>", None, Some("KOI8-R")),
            ("<meta content='text/html; charset=koi8-r' name=a><meta charset=gbk>", None, Some("GBK")),
            ("<!-- <meta charset=gbk> --><meta charset=big5>", None, Some("Big5")),
            ("<!--><meta charset=gbk>-->", None, Some("GBK")),
            ("<a title='<meta charset=gbk>'>", None, None),
            ("</a <meta charset=gbk>", None, None),
            ("<? <meta charset=gbk> <meta charset=big5>", None, Some("Big5")),
            ("<meta charset=utf-16>", None, Some("UTF-8")),
            ("<meta charset=x-user-defined>", None, Some("windows-1252")),
            ("<meta charset=iso-2022-kr><meta charset=gbk>", None, Some("GBK")),
            ("<meta charset=gbk charset=big5>", None, Some("GBK")),
            ("<metacharset=gbk>", None, None),
            ("<meta charset=gbk", None, None),
            ("<?xml version='1.0' encoding = \"euc-jp\"?><html>", None, Some("EUC-JP")),
            ("<?xml version='1.0'?><html>", None, None),
            ("", None, None),
        ] {
            assert_eq!(declared_in_html(page.as_bytes(), http), found, "{page}");
        }
    }

    proptest! {
        #[test]
        fn nothing_panics_and_utf8_is_borrowed(bytes in prop::collection::vec(any::<u8>(), 0..80), text: String, html in "[<meta charset=gbk/!'\"->\0é]{0,60}") {
            decoded(&bytes, None);
            decoded(&bytes, Some("gb18030"));
            declared_in_html(&bytes, None);
            declared_in_html(html.as_bytes(), None);
            charset(&html);
            prop_assume!(!text.contains(['\0', '\x1b']) && !text.starts_with('\u{feff}'));
            let mut room = String::new();
            prop_assert_eq!(decode(text.as_bytes(), Some("gbk"), &mut room).text.as_ptr(), text.as_ptr());
        }

        /// A label is followed where the bytes do not say otherwise, in pieces and at once.
        #[test]
        fn what_is_labelled_comes_back(text in "[А-Я][а-яА-Я ,.\n]{20,200}", repeated in 1usize..2000) {
            let text = text.repeat(repeated);
            for label in ["windows-1251", "koi8-r", "iso-8859-5", "gb18030", "euc-jp"] {
                let bytes = encoded(&text, label).unwrap();
                // Some capitals of iso-8859-5 are UTF-8 as well, and ЪЧ and ЧЪ in koi8-r are the marks of UTF-16.
                if !is_nearly_utf8(&bytes) && Encoding::for_bom(&bytes).is_none() {
                    prop_assert_eq!(decoded(&bytes, Some(label)).0, &*text);
                }
            }
        }
    }

    fn texts(path: PathBuf, key: &str) -> Vec<(String, String)> {
        let mut lines = String::new();
        zstd::Decoder::new(std::fs::File::open(path).unwrap()).unwrap().read_to_string(&mut lines).unwrap();
        let values = lines.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        values.map(|value| [key, "text"].map(|key| value[key].as_str().unwrap().to_owned()).into()).collect()
    }

    /// What was usual where a language is spoken, but for the Macintosh's: the detector has none of them in mind.
    const USUAL: [(&str, &[&str]); 13] = [
        ("eng fra deu spa ita por_BR por_PT nld swe dan nob nno fin isl cat glg eus", &["windows-1252", "iso-8859-15"]),
        ("pol ces slk hun hrv slv srp_latn bos_latn", &["windows-1250", "iso-8859-2"]),
        ("rus bel bul mkd srp_cyrl", &["windows-1251", "iso-8859-5"]),
        ("rus", &["koi8-r", "ibm866"]),
        ("ukr", &["windows-1251", "koi8-u"]),
        ("ell_monotonic", &["windows-1253", "iso-8859-7"]),
        ("tur", &["windows-1254"]),
        ("heb arb pes_1 pes_2", &["windows-1255", "windows-1256", "iso-8859-6", "iso-8859-8-i"]),
        ("est lav lit", &["windows-1257", "iso-8859-4", "iso-8859-13"]),
        ("tha", &["windows-874"]),
        ("jpn", &["shift_jis", "euc-jp", "iso-2022-jp"]),
        ("cmn_hans cmn_hant", &["gbk", "gb18030", "big5"]),
        ("kor", &["euc-kr"]),
    ];

    /// Texts in the encodings that were usual for them, without a label: which come back. With `-- --nocapture` the failures.
    fn guessed(texts: &[(String, String)], usual: &[&str]) -> (usize, usize) {
        let (mut right, mut all) = (0, 0);
        for ((id, text), label) in texts.iter().flat_map(|text| usual.iter().map(move |label| (text, label))) {
            let text = text.replace(['\u{2010}', '\u{2011}'], "-");
            let Some(bytes) = encoded(&text, label) else { continue };
            let (found, encoding, _) = decoded(&bytes, None);
            all += 1;
            right += usize::from(found == text);
            if found != text {
                println!("{id}, {} bytes, as {label}: taken for {encoding}", bytes.len());
            }
        }
        (right, all)
    }

    #[test]
    fn texts_of_all_languages_in_their_usual_encodings() {
        let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
        let tang = texts(here.join("../../testdata/zh_tang.jsonl.zst"), "id");
        let (right, all) = guessed(&tang, &["gb18030", "big5", "utf-16le", "utf-16be"]);
        println!("poems of some 60 characters: {right} of {all}");
        assert!(right * 100 >= all * 99, "{right} of {all} poems");

        let data = std::env::var_os("LOOKALIKE_DATA").map_or(here.join("../../../shared/data"), PathBuf::from);
        if !data.join("udhr.jsonl.zst").exists() {
            println!("skipped: no udhr.jsonl.zst in {}", data.display());
            return;
        }
        let udhr: Vec<_> = texts(data.join("udhr.jsonl.zst"), "id").into_iter().filter(|(_, text)| !text.is_empty()).collect();
        let (right, all) = guessed(&udhr, &["utf-16le", "utf-16be"]);
        println!("UTF-16 without a mark: {right} of {all}");
        assert!(right * 100 >= all * 99, "{right} of {all} in UTF-16");
        for (length, least) in [(usize::MAX, 97), (300, 95)] {
            let (mut right, mut all) = (0, 0);
            for (languages, usual) in USUAL {
                let named = |id: &str| languages.split(' ').any(|language| id.strip_suffix(".txt") == Some(language));
                let cut = |text: &str| text.chars().take(length).collect();
                let texts: Vec<_> = udhr.iter().filter(|(id, _)| named(id)).map(|(id, text)| (id.clone(), cut(text))).collect();
                let (more, of) = guessed(&texts, usual);
                println!("{languages}: {more} of {of}");
                (right, all) = (right + more, all + of);
            }
            println!("up to {length} characters: {right} of {all}");
            assert!(right * 100 >= all * least, "{right} of {all}");
        }
    }
}
