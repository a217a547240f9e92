//! A text as it is in the input, plain or between the quotes of a JSON string; and places in it.
//!
//! In a canonical form, the characters that JSON escapes most, `\n`, `\"` and `\\`, only separate words. So a text can be read
//! directly from its line, without a copy from which the escapes are removed.

use super::scan::{Seeker, Sought};
use crate::simd::Simd;

/// The place of a token in the original text, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

/// A text as it is in the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(feature = "engine"), non_exhaustive)]
pub enum Text<'a> {
    /// Plain characters, without escapes.
    Plain(&'a str),
    /// The text between the quotes of a JSON string (RFC 8259, section 7). It is assumed to be valid; an invalid escape becomes
    /// [`char::REPLACEMENT_CHARACTER`].
    Escaped(&'a str),
}

impl<'a> From<&'a str> for Text<'a> {
    fn from(text: &'a str) -> Self {
        Self::Plain(text)
    }
}

impl<'a> From<&'a String> for Text<'a> {
    fn from(text: &'a String) -> Self {
        Self::Plain(text)
    }
}

impl<'a> Text<'a> {
    /// Returns the text without escapes. `scratch` holds it if there is an escape; otherwise nothing is copied.
    pub fn decode(self, scratch: &'a mut String) -> &'a str {
        let text = match self {
            Self::Plain(text) => return text,
            Self::Escaped(text) => text,
        };
        let mut escapes = Seeker::new(Simd::detect(), Sought::Escape);
        if escapes.next(text.as_bytes(), 0) == text.len() {
            return text;
        }
        scratch.clear();
        // The decoded text is never longer than the escaped one, so this space is enough.
        scratch.reserve(text.len());
        let mut at = 0;
        while let Some(&byte) = text.as_bytes().get(at) {
            if let Some(c) = text.as_bytes()[at..].first_chunk().and_then(numbered) {
                scratch.push(c);
                at += NUMBER;
            } else if byte == b'\\' {
                let (c, length) = unescape(&text[at + 1..]);
                scratch.push(c);
                at += 1 + length;
            } else {
                let end = escapes.next(text.as_bytes(), at);
                scratch.push_str(&text[at..end]);
                at = end;
            }
        }
        scratch
    }
}

/// The length of `\uXXXX` in bytes.
const NUMBER: usize = 6;

/// Returns the character of a `\uXXXX` escape, or none if this escape alone is not a character. This is a fast path, because some
/// texts are full of such escapes.
#[inline]
fn numbered(escape: &[u8; NUMBER]) -> Option<char> {
    let [b'\\', b'u', digits @ ..] = escape else {
        return None;
    };
    let number = digits.iter().fold(0, |number, &digit| {
        number << 4 | u32::from(DIGITS[usize::from(digit)])
    });
    let valid = digits
        .iter()
        .all(|&digit| DIGITS[usize::from(digit)] < NO_DIGIT);
    char::from_u32(number).filter(|_| valid)
}

const NO_DIGIT: u8 = 0xff;

/// The value of each hexadecimal digit.
const DIGITS: [u8; 256] = {
    let mut digits = [NO_DIGIT; 256];
    let mut value = 0;
    while value < 16 {
        digits[b"0123456789abcdef"[value] as usize] = value as u8;
        digits[b"0123456789ABCDEF"[value] as usize] = value as u8;
        value += 1;
    }
    digits
};

/// Returns the character of an escape, given without its backslash, and the escape's length.
pub(super) fn unescape(escape: &str) -> (char, usize) {
    let meant = match escape.as_bytes().first() {
        Some(b'u') => return unescape_number(escape),
        Some(b'n') => '\n',
        Some(b't') => '\t',
        Some(b'r') => '\r',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(c @ (b'"' | b'\\' | b'/')) => char::from(*c),
        Some(_) | None => return (char::REPLACEMENT_CHARACTER, 0),
    };
    (meant, 1)
}

/// Like [`unescape`], for one escape `uXXXX`, or for two that form a surrogate pair.
fn unescape_number(escape: &str) -> (char, usize) {
    let unit = |from: usize| {
        let digits = escape
            .get(from..from + 4)
            .filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))?;
        u16::from_str_radix(digits, 16).ok()
    };
    let Some(high) = unit(1) else {
        return (char::REPLACEMENT_CHARACTER, 1);
    };
    let low = escape
        .get(5..7)
        .filter(|next| *next == "\\u")
        .and_then(|_| unit(7));
    let decoded = |units: &[u16]| {
        char::decode_utf16(units.iter().copied())
            .next()
            .and_then(Result::ok)
    };
    match (decoded(&[high]), low) {
        (Some(c), _) => (c, 5),
        (None, Some(low)) => {
            decoded(&[high, low]).map_or((char::REPLACEMENT_CHARACTER, 5), |c| (c, 11))
        }
        (None, None) => (char::REPLACEMENT_CHARACTER, 5),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn decoding_agrees_with_a_json_parser(text: String, ascii in any::<bool>()) {
            let mut json = serde_json::to_string(&text).unwrap();
            if ascii {
                let escaped = |c: char| if c.is_ascii() { c.to_string() } else { c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect() };
                json = json.chars().map(escaped).collect();
                prop_assert_eq!(&serde_json::from_str::<String>(&json).unwrap(), &text);
            }
            let mut scratch = String::new();
            prop_assert_eq!(Text::Escaped(&json[1..json.len() - 1]).decode(&mut scratch), text);
        }

        #[test]
        fn invalid_json_does_not_panic(text in r#"[\\u0-9a-fDC"né]{0,30}"#) {
            Text::Escaped(&text).decode(&mut String::new());
        }
    }

    #[test]
    fn escapes_in_a_table() {
        for (escaped, plain) in [
            (r"a\nb\t\r\b\f", "a\nb\t\r\u{8}\u{c}"),
            (r#"\"\\\/"#, "\"\\/"),
            (r"\u00e9\u00E9", "éé"),
            (r"\ud83d\ude00!", "😀!"),
            (r"\ud83d", "\u{fffd}"),
            (r"\ud83d\u0041", "\u{fffd}A"),
            (r"\u12", "\u{fffd}12"),
            (r"\x", "\u{fffd}x"),
            (r"\", "\u{fffd}"),
        ] {
            assert_eq!(
                Text::Escaped(escaped).decode(&mut String::new()),
                plain,
                "{escaped}"
            );
        }
    }
}
