//! CSV in UTF-16, as spreadsheets and PowerShell write it. It is read as UTF-8, so that later code handles it like any other
//! file. It is written in its original form.
//!
//! The conversion to UTF-8 and back loses nothing. A program that cuts text off after a fixed number of units can leave half a
//! surrogate pair at the end. This half becomes the three bytes that UTF-8 would use for it if UTF-8 allowed it (WTF-8).

use std::io::{self, Read};

use crate::error::{Error, ErrorKind};

/// The byte order of UTF-16.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Utf16 {
    /// The low byte comes first.
    Little,
    /// The high byte comes first.
    Big,
}

/// The number of bytes per read.
const PIECE: usize = 64 << 10;

impl Utf16 {
    /// Returns the byte order of a file that begins with `start`, if the file is UTF-16. Any of three signs is enough. The first
    /// sign is a byte order mark. The second sign is that one of the first two bytes is zero and the other is ASCII. This means
    /// that the first character is ASCII; files that are not UTF-16 have no zero among the first two bytes of their headers. The
    /// third sign is a zero anywhere in `start`, if the user has named UTF-16 as the encoding.
    pub(crate) fn of(start: &[u8], encoding: Option<&str>) -> Option<Self> {
        match start {
            [0xff, 0xfe, ..] => return Some(Self::Little),
            [0xfe, 0xff, ..] => return Some(Self::Big),
            [1..=0x7f, 0, ..] => return Some(Self::Little),
            [0, 1..=0x7f, ..] => return Some(Self::Big),
            _ => {}
        }
        let named = [Self::Little, Self::Big]
            .into_iter()
            .find(|order| encoding == Some(order.name()))?;
        start.contains(&0).then_some(named)
    }

    /// Returns the name of the encoding in the standard.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Little => "UTF-16LE",
            Self::Big => "UTF-16BE",
        }
    }

    /// Returns a reader of the file's text, including the byte order mark. `name` is for messages.
    pub(crate) fn reader<R: Read>(self, packed: R, name: &str) -> Utf16Reader<R> {
        Utf16Reader {
            packed,
            order: self,
            name: name.into(),
            raw: Vec::new(),
            text: Vec::new(),
            given: 0,
            ended: false,
        }
    }

    /// Appends text from a UTF-16 file as the original bytes of the file. The text must consist of whole characters.
    pub(crate) fn put(self, text: &[u8], into: &mut Vec<u8>) {
        into.reserve(2 * text.len());
        let mut push = |unit: u16| {
            into.extend_from_slice(&match self {
                Self::Little => unit.to_le_bytes(),
                Self::Big => unit.to_be_bytes(),
            });
        };
        let mut rest = text;
        while let Some(&first) = rest.first() {
            let (length, bits) = match first {
                0..=0x7f => (1, first),
                0x80..=0xdf => (2, first & 0x1f),
                0xe0..=0xef => (3, first & 0x0f),
                _ => (4, first & 0x07),
            };
            let (character, after) = rest.split_at(rest.len().min(length));
            let code = character[1..].iter().fold(u32::from(bits), |code, &byte| {
                code << 6 | u32::from(byte & 0x3f)
            });
            match code.checked_sub(0x1_0000) {
                None => push(code as u16),
                Some(above) => {
                    push(0xd800 | (above >> 10) as u16);
                    push(0xdc00 | (above & 0x3ff) as u16);
                }
            }
            rest = after;
        }
    }

    fn unit(self, pair: &[u8]) -> u16 {
        let pair = [pair[0], pair[1]];
        match self {
            Self::Little => u16::from_le_bytes(pair),
            Self::Big => u16::from_be_bytes(pair),
        }
    }
}

/// Returns a field of a UTF-16 file, with U+FFFD for each half of a surrogate pair. The text is borrowed if the field has no such
/// half.
pub(crate) fn text<'a>(raw: &'a [u8], scratch: &'a mut String) -> &'a str {
    if let Ok(text) = simdutf8::basic::from_utf8(raw) {
        return text;
    }
    scratch.clear();
    for chunk in raw.utf8_chunks() {
        scratch.push_str(chunk.valid());
        // Half a surrogate pair is three invalid chunks of one byte each. Only the first of them is replaced.
        if chunk.invalid().starts_with(&[0xed]) {
            scratch.push(char::REPLACEMENT_CHARACTER);
        }
    }
    scratch
}

/// Reads UTF-16 as UTF-8, at about 300 MB/s.
pub(crate) struct Utf16Reader<R> {
    packed: R,
    order: Utf16,
    /// The name in messages.
    name: String,
    /// The bytes that are read but not yet decoded: half a unit, or half a surrogate pair.
    raw: Vec<u8>,
    text: Vec<u8>,
    /// The number of bytes of the text that are already returned.
    given: usize,
    ended: bool,
}

impl<R: Read> Utf16Reader<R> {
    /// Decodes the next bytes.
    fn fill(&mut self) -> io::Result<()> {
        let Self {
            packed,
            order,
            name,
            raw,
            text,
            given,
            ended,
        } = self;
        text.clear();
        *given = 0;
        let before = raw.len();
        raw.resize(before + PIECE, 0);
        let read = packed.read(&mut raw[before..]);
        raw.truncate(before + *read.as_ref().unwrap_or(&0));
        *ended = read? == 0;
        let mut whole = raw.len() - raw.len() % 2;
        if *ended && whole < raw.len() {
            let what = format!(
                "ends in the middle of a character ({}): the file is truncated",
                order.name()
            );
            let failure = Error::new(ErrorKind::Input, what).at(&**name);
            return Err(io::Error::other(
                failure.advise("copy or download it again"),
            ));
        }
        let is_high = |unit: u16| unit & 0xfc00 == 0xd800;
        if !*ended && whole > 0 && is_high(order.unit(&raw[whole - 2..])) {
            whole -= 2;
        }
        for character in
            char::decode_utf16(raw[..whole].chunks_exact(2).map(|pair| order.unit(pair)))
        {
            match character {
                Ok(character) => {
                    text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes())
                }
                Err(half) => {
                    let unit = half.unpaired_surrogate();
                    text.extend_from_slice(&[
                        0xed,
                        0x80 | (unit >> 6 & 0x3f) as u8,
                        0x80 | (unit & 0x3f) as u8,
                    ]);
                }
            }
        }
        raw.drain(..whole);
        Ok(())
    }
}

impl<R: Read> Read for Utf16Reader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.given == self.text.len() && !self.ended {
            self.fill()?;
        }
        let mut rest = &self.text[self.given..];
        let read = rest.read(buffer)?;
        self.given += read;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn bytes(order: Utf16, units: &[u16]) -> Vec<u8> {
        let pair = |unit: &u16| {
            if order == Utf16::Little {
                unit.to_le_bytes()
            } else {
                unit.to_be_bytes()
            }
        };
        units.iter().flat_map(pair).collect()
    }

    /// A reader that returns a limited number of bytes at a time.
    struct Pieces<'a>(&'a [u8], usize);

    impl Read for Pieces<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let most = buffer.len().min(self.1);
            self.0.read(&mut buffer[..most])
        }
    }

    proptest! {
        /// Any sequence of units, including halves of pairs, is restored exactly, even if it is read in pieces of any length.
        /// Before the text is converted back, it equals the text that the standard library decodes.
        #[test]
        fn utf16_round_trips(
            units in prop::collection::vec(prop_oneof![any::<u16>(), 0xd7f0u16..0xe010, 0u16..0x80], 0..60),
            piece in 1usize..9,
            big: bool,
        ) {
            let order = if big { Utf16::Big } else { Utf16::Little };
            let (file, mut read, mut back, mut scratch) = (bytes(order, &units), Vec::new(), Vec::new(), String::new());
            order.reader(Pieces(&file, piece), "").read_to_end(&mut read).unwrap();
            order.put(&read, &mut back);
            prop_assert_eq!(&back, &file);
            prop_assert_eq!(text(&read, &mut scratch), String::from_utf16_lossy(&units));
        }
    }

    #[test]
    fn beginnings_in_a_table() {
        use Utf16::{Big, Little};
        for (start, encoding, order) in [
            (&b"\xff\xfei\0"[..], None, Some(Little)),
            (b"\xfe\xff\0i", Some("windows-1252"), Some(Big)),
            (b"i\0d\0", None, Some(Little)),
            (b"\0i\0d", Some("UTF-16LE"), Some(Big)),
            (b"\x87\x65,\0", None, None),
            (b"\x87\x65,\0", Some("UTF-16LE"), Some(Little)),
            (b"\x65\x87\0,", Some("UTF-16BE"), Some(Big)),
            (b"id,text", Some("UTF-16LE"), None),
            (b"\0\0", None, None),
            (b"", Some("UTF-16LE"), None),
        ] {
            assert_eq!(Utf16::of(start, encoding), order, "{start:?}");
        }
    }

    #[test]
    fn half_a_unit_at_the_end_is_reported() {
        let error = Utf16::Little
            .reader(&b"a\0b"[..], "in.csv")
            .read_to_end(&mut Vec::new())
            .unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("in.csv: ends in the middle of a character (UTF-16LE)"),
            "{error}"
        );
    }
}
