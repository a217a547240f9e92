//! Data as shown to people: in messages, on pages, on a terminal.
//!
//! Texts, ids and file names can contain any character. A terminal interprets control characters in
//! them as commands, and a bidirectional override makes it show a different text. Both are escaped
//! as in JSON (for example, as `\u001b`), so JSON keeps its meaning when it is shown on a terminal.
//! No other module decides how data is quoted.

use std::{borrow::Cow, fmt::Write};

/// The maximum number of characters of data that a message quotes.
pub const QUOTED: usize = 100;

/// The maximum number of characters of a path that is shown in full.
const LONGEST_PATH: usize = 400;

/// The maximum number of characters of a message. This is less than the 4096 bytes that a path can have, but a message of the
/// maximum length still shows enough of such a path to find the file.
pub const LONGEST: usize = 2000;

/// Returns whether a character is interpreted as a command by a terminal, or changes the order of other characters: C0, DEL, C1,
/// bidirectional embeddings, overrides and isolates.
pub fn is_command(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Returns a text of several lines with its control characters escaped (see [`is_command`]). Line breaks and tabs are unchanged.
pub fn escaped(text: &str) -> Cow<'_, str> {
    // A lone carriage return moves to the start of the line and overwrites it.
    let stays = |at: usize, c: char| {
        matches!(c, '\n' | '\t') || c == '\r' && text[at + 1..].starts_with('\n')
    };
    written_out(text, |at, c| is_command(c) && !stays(at, c))
}

/// Returns a text on one line, with its line breaks and its control characters escaped (see [`is_command`]).
pub fn one_line(text: &str) -> Cow<'_, str> {
    written_out(text, |_, c| {
        is_command(c) || matches!(c, '\u{2028}' | '\u{2029}')
    })
}

/// Returns a text on one line. If it has more than [`QUOTED`] characters, the result is its beginning and its length.
pub fn cut(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(QUOTED) {
        None => one_line(text),
        Some((end, _)) => format!(
            "{}… ({} characters)",
            one_line(&text[..end]),
            text.chars().count()
        )
        .into(),
    }
}

/// Returns a path or a URL on one line. If it is too long, the result is both ends and its length.
pub fn path(text: &str) -> Cow<'_, str> {
    let length = if text.len() <= LONGEST_PATH {
        0
    } else {
        text.chars().count()
    };
    if length <= LONGEST_PATH {
        return one_line(text);
    }
    let at = |number: usize| {
        text.char_indices()
            .nth(number)
            .map_or(text.len(), |(at, _)| at)
    };
    let (beginning, end) = (
        &text[..at(LONGEST_PATH / 2)],
        &text[at(length - LONGEST_PATH / 2)..],
    );
    format!(
        "{}…{} ({length} characters)",
        one_line(beginning),
        one_line(end)
    )
    .into()
}

/// Returns the result of [`cut`] in quotes, for a name that the user gave. Quotes and backslashes in the name are escaped as in
/// JSON.
pub fn quoted(text: &str) -> String {
    let inside =
        |text: &str| one_line(&text.replace('\\', "\\\\").replace('"', "\\\"")).into_owned();
    match text.char_indices().nth(QUOTED) {
        None => format!("\"{}\"", inside(text)),
        Some((end, _)) => format!(
            "\"{}…\" ({} characters)",
            inside(&text[..end]),
            text.chars().count()
        ),
    }
}

/// Returns a message on one line. If the message is too long, its middle is left out.
pub fn message(text: &str) -> Cow<'_, str> {
    const BEGINNING: usize = 1400;
    const END: usize = 400;
    let length = if text.len() <= LONGEST {
        0
    } else {
        text.chars().count()
    };
    if length <= LONGEST {
        return one_line(text);
    }
    let at = |number: usize| {
        text.char_indices()
            .nth(number)
            .map_or(text.len(), |(at, _)| at)
    };
    let (beginning, end) = (&text[..at(BEGINNING)], &text[at(length - END)..]);
    let left_out = length - BEGINNING - END;
    format!(
        "{}… ({left_out} characters left out) …{}",
        one_line(beginning),
        one_line(end)
    )
    .into()
}

fn written_out(text: &str, is_written_out: impl Fn(usize, char) -> bool) -> Cow<'_, str> {
    let mut out = String::new();
    let mut rest = 0;
    for (at, c) in text.char_indices().filter(|&(at, c)| is_written_out(at, c)) {
        out.push_str(&text[rest..at]);
        // Each character that is escaped here has a code point of at most four hexadecimal digits. Writing to a string cannot
        // fail.
        let _ = write!(out, "\\u{:04x}", u32::from(c));
        rest = at + c.len_utf8();
    }
    if rest == 0 {
        return text.into();
    }
    out.push_str(&text[rest..]);
    out.into()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn control_characters_are_escaped() {
        for (text, lines, line) in [
            ("plain", "plain", "plain"),
            (
                "a\nb\tc\r\nd",
                "a\nb\tc\r\nd",
                "a\\u000ab\\u0009c\\u000d\\u000ad",
            ),
            ("a\rb", "a\\u000db", "a\\u000db"),
            (
                "\x1b[2J\x07\0\x7f",
                "\\u001b[2J\\u0007\\u0000\\u007f",
                "\\u001b[2J\\u0007\\u0000\\u007f",
            ),
            ("\u{85}\u{9b}31m", "\\u0085\\u009b31m", "\\u0085\\u009b31m"),
            (
                "\u{202e}txt\u{2066}",
                "\\u202etxt\\u2066",
                "\\u202etxt\\u2066",
            ),
            ("a\u{2028}b", "a\u{2028}b", "a\\u2028b"),
            // Directional marks only affect adjacent characters, and Arabic and Hebrew texts need them.
            (
                "\u{200f}שלום é 龜 😀",
                "\u{200f}שלום é 龜 😀",
                "\u{200f}שלום é 龜 😀",
            ),
        ] {
            assert_eq!(escaped(text), lines);
            assert_eq!(one_line(text), line);
        }
    }

    #[test]
    fn long_quotations_are_shortened_and_show_their_length() {
        assert_eq!(quoted("a\"b\\\n"), r#""a\"b\\\u000a""#);
        let long = "é".repeat(20_000);
        assert_eq!(
            cut(&long),
            format!("{}… (20000 characters)", "é".repeat(100))
        );
        assert_eq!(
            quoted(&long),
            format!("\"{}…\" (20000 characters)", "é".repeat(100))
        );
        assert_eq!(cut(&long[..200]), &long[..200]);
        assert_eq!(path(&long[..800]), &long[..800]);
        assert_eq!(
            path(&format!("a{long}b")),
            format!(
                "a{}…{}b (20002 characters)",
                "é".repeat(199),
                "é".repeat(199)
            )
        );
        let words = format!("before {long} behind");
        assert!(message(&words).starts_with("before é") && message(&words).ends_with("é behind"));
        assert!(
            message(&words).contains("… (18214 characters left out) …")
                && message(&words).chars().count() < 1900
        );
        assert_eq!(message(&long[..4000]), &long[..4000]);
    }

    proptest! {
        #[test]
        fn no_control_character_remains_and_other_text_is_unchanged(text in any::<String>(), kinds in "[\0-\u{a0}\u{2020}-\u{2070}]{0,20}") {
            for text in [&text, &kinds] {
                prop_assert!(!one_line(text).chars().any(is_command));
                prop_assert!(!cut(text).chars().any(is_command) && cut(text).len() < 1000);
                let lines = escaped(text);
                prop_assert!(!lines.replace("\r\n", "").replace(['\n', '\t'], "").chars().any(is_command));
                prop_assert!(text.chars().any(is_command) || lines == **text);
            }
        }

        #[test]
        fn a_string_of_json_is_still_the_same_string(text in any::<String>()) {
            let json = serde_json::to_string(&text).unwrap();
            prop_assert_eq!(serde_json::from_str::<String>(&one_line(&json)).unwrap(), text);
        }
    }
}
