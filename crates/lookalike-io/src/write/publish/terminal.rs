//! Escapes control characters in data for a terminal: a record must not control the terminal that shows it.

use std::str::from_utf8;

use lookalike::shown::escaped;

/// Converts bytes to their printable form, piece by piece.
#[derive(Debug, Default)]
pub(crate) struct Escaping {
    /// Bytes that cannot be converted yet: the beginning of a character, or a carriage return that a line feed may follow.
    rest: Vec<u8>,
}

impl Escaping {
    /// Returns the printable form of more bytes. Bytes that are not UTF-8 become U+FFFD.
    pub(crate) fn more(&mut self, bytes: &[u8]) -> String {
        self.rest.extend_from_slice(bytes);
        let bytes = std::mem::take(&mut self.rest);
        let whole = match from_utf8(&bytes) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            Err(_) if unfinished(&bytes) > 0 => bytes.len() - unfinished(&bytes),
            _ => bytes.strip_suffix(b"\r").unwrap_or(&bytes).len(),
        };
        let (bytes, rest) = bytes.split_at(whole);
        self.rest = rest.to_vec();
        escaped(&String::from_utf8_lossy(bytes)).into_owned()
    }

    /// Returns the printable form of the last bytes.
    pub(crate) fn end(&mut self) -> String {
        escaped(&String::from_utf8_lossy(&std::mem::take(&mut self.rest))).into_owned()
    }
}

/// Returns how many of the last bytes are the beginning of a character that is not complete yet.
fn unfinished(bytes: &[u8]) -> usize {
    let ends_unfinished = |&n: &usize| {
        from_utf8(&bytes[bytes.len() - n..])
            .is_err_and(|error| error.error_len().is_none() && error.valid_up_to() == 0)
    };
    (1..=3.min(bytes.len()))
        .rev()
        .find(ends_unfinished)
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn pieces_are_shown_like_the_whole(
            text in "[a\u{1b}\r\n\u{9b}\u{202e}é龜😀]{0,40}",
            noise in prop::collection::vec(prop_oneof![Just(0xff), Just(0xe9), Just(b'x'), Just(0x9b)], 0..3),
            pieces in prop::collection::vec(0usize..9, 1..9),
        ) {
            let bytes = [text.as_bytes(), &noise, text.as_bytes()].concat();
            let (mut escaping, mut shown, mut rest) = (Escaping::default(), String::new(), &bytes[..]);
            for piece in pieces.iter().cycle().map(|piece| piece + 1) {
                let (now, later) = rest.split_at(piece.min(rest.len()));
                shown += &escaping.more(now);
                rest = later;
                if rest.is_empty() {
                    break;
                }
            }
            shown += &escaping.end();
            prop_assert_eq!(shown, escaped(&String::from_utf8_lossy(&bytes)).into_owned());
        }
    }
}
