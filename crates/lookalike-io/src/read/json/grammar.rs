//! The grammar of JSON (RFC 8259), as far as it takes to pass over a value: where it ends, and that it is one. Nothing is
//! decoded, nothing copied. What is no JSON is `None`: what is wrong with it, the parser that judges tells.
//!
//! All positions are bytes of the line, which is valid UTF-8.

const BLOCK: usize = 64;

/// What is asked of the escapes in a string.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Escapes {
    /// That they can be read; half a surrogate pair may stand alone, as the parser lets it where nobody decodes the string.
    Readable,
    /// That they mean characters.
    Characters,
}

/// Where a string ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct End {
    /// The position of the closing quote.
    pub(crate) quote: usize,
    /// Bytes of the string's escapes but for one each: what it has more characters as it stands than are meant.
    pub(crate) surplus: usize,
}

/// The first position from `at` that is no white space.
#[inline]
pub(crate) fn skip_space(line: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\t' | b'\n' | b'\r') = line.get(at) {
        at += 1;
    }
    at
}

/// The end of the string whose first character, behind its quote, is at `at`.
///
/// Most blocks of a long string hold nothing but plain characters and the commonest escapes; that is seen in one go, without
/// a branch on a byte. The others are walked. Walking all of them measured 2 GB/s, with a wrong guess of the processor's an
/// escape, this 5.
#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512vl", "x86_64+avx2"))]
pub(crate) fn string_end(line: &[u8], mut at: usize, escapes: Escapes) -> Option<End> {
    let mut surplus = 0;
    // Whether all before `at` is understood, so that a backslash there ended an escape. Behind a quiet block it begins one.
    let mut understood = true;
    loop {
        if !(understood && line[at - 1] == b'\\')
            && let Some(block) = line.get(at..).and_then(|rest| rest.first_chunk())
            && let Some(before) = line.get(at - 1..).and_then(|rest| rest.first_chunk())
            && let Some(short) = quiet(block, before)
        {
            (at, surplus, understood) = (at + BLOCK, surplus + short, false);
            continue;
        }
        if !understood && line[at - 1] == b'\\' {
            at -= 1;
        }
        let (from, mut marks) = marks_from(line, at);
        while marks != 0 {
            let special = from + marks.trailing_zeros() as usize;
            match line.get(special)? {
                b'"' => return Some(End { quote: special, surplus }),
                b'\\' => at = escape_end(line, special + 1, escapes)?,
                _ => return None,
            }
            surplus += at - special - 1;
            if at >= from + BLOCK {
                break;
            }
            marks &= !0 << (at - from);
        }
        (at, understood) = (at.max(from + BLOCK), true);
        if at >= line.len() {
            return None;
        }
    }
}

/// Whether a block of a string only has plain characters, and escapes of two bytes that are not behind one another, which do
/// not end it; their number then. `before` holds, for each byte, the one before it.
#[inline(always)]
fn quiet(block: &[u8; BLOCK], before: &[u8; BLOCK]) -> Option<usize> {
    let (mut loud, mut escapes) = (0, 0);
    for (&c, &before) in block.iter().zip(before) {
        let escaped = before == b'\\';
        let short = (c == b'n') | (c == b'"') | (c == b't') | (c == b'r');
        loud |= u8::from((escaped & !short) | (!escaped & (c == b'"')) | (c < b' '));
        escapes += u8::from(escaped);
    }
    (loud == 0).then_some(usize::from(escapes))
}

/// The closing quote of a name, as [`string_end`]: names are short, and those of one collection the same line for line. None
/// for a name with an escape.
#[inline]
pub(crate) fn name_end(line: &[u8], mut at: usize) -> Option<usize> {
    loop {
        match line.get(at)? {
            b'"' => return Some(at),
            b'\\' | 0..b' ' => return None,
            _ => at += 1,
        }
    }
}

/// A block that holds position `at`, by its first position, and the marks of its bytes from `at` on.
#[inline(always)]
fn marks_from(line: &[u8], at: usize) -> (usize, u64) {
    if let Some(block) = line.get(at..).and_then(|rest| rest.first_chunk()) {
        (at, marks(block))
    } else if let Some(block) = line.last_chunk() {
        // The last whole block of the line, without what stands before.
        let from = line.len() - BLOCK;
        (from, marks(block) & (!0u64).checked_shl((at - from) as u32).unwrap_or(0))
    } else {
        let mut block = [b' '; BLOCK];
        block[..line.len()].copy_from_slice(line);
        (0, marks(&block) & (!0u64).checked_shl(at as u32).unwrap_or(0))
    }
}

/// Which bytes are quotes, backslashes or control characters: bit i for byte i.
#[inline(always)]
fn marks(block: &[u8; BLOCK]) -> u64 {
    let mut marked = [0u8; BLOCK];
    for (mark, &c) in marked.iter_mut().zip(block) {
        *mark = u8::from((c == b'"') | (c == b'\\') | (c < b' '));
    }
    let mut mask = 0;
    for (i, eight) in marked.chunks_exact(8).enumerate() {
        let eight = u64::from_le_bytes(eight.try_into().unwrap_or_default());
        mask |= (eight.wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * i);
    }
    mask
}

/// The end of the escape whose backslash stands before `at`.
#[inline(always)]
fn escape_end(line: &[u8], at: usize, escapes: Escapes) -> Option<usize> {
    match line.get(at)? {
        b'n' | b'"' | b'\\' | b'/' | b'b' | b'f' | b'r' | b't' => Some(at + 1),
        b'u' => {
            let end = at + 5;
            match unit(line, at + 1)? {
                0xd800..=0xdbff if escapes == Escapes::Characters => {
                    let pair = line.get(end..end + 2)? == b"\\u" && matches!(unit(line, end + 2)?, 0xdc00..=0xdfff);
                    pair.then_some(end + 6)
                }
                0xdc00..=0xdfff if escapes == Escapes::Characters => None,
                _ => Some(end),
            }
        }
        _ => None,
    }
}

/// Four hexadecimal digits.
fn unit(line: &[u8], at: usize) -> Option<u32> {
    let digits = line.get(at..at + 4)?.iter().map(|&digit| char::from(digit).to_digit(16));
    digits.reduce(|unit, digit| Some(unit? << 4 | digit?))?
}

/// Values inside values that are followed; what is nested deeper, the parser that judges looks at.
const DEEPEST: u32 = 64;

/// The end of the value that begins at `at`.
pub(crate) fn value_end(line: &[u8], mut at: usize) -> Option<usize> {
    // What is open around `at`, innermost in the lowest bit: 1 for an object.
    let (mut open, mut depth) = (0u64, 0);
    loop {
        at = match line.get(at)? {
            b'"' => string_end(line, at + 1, Escapes::Readable)?.quote + 1,
            b'-' | b'0'..=b'9' => number_end(line, at)?,
            b't' => literal_end(line, at, b"true")?,
            b'f' => literal_end(line, at, b"false")?,
            b'n' => literal_end(line, at, b"null")?,
            bracket @ (b'[' | b'{') => {
                let object = *bracket == b'{';
                let inside = skip_space(line, at + 1);
                if *line.get(inside)? == if object { b'}' } else { b']' } {
                    inside + 1
                } else if depth == DEEPEST {
                    return None;
                } else {
                    (open, depth) = (open << 1 | u64::from(object), depth + 1);
                    at = if object { behind_name(line, inside)? } else { inside };
                    continue;
                }
            }
            _ => return None,
        };
        // Behind a value: the next of what is open, or its end.
        loop {
            if depth == 0 {
                return Some(at);
            }
            at = skip_space(line, at);
            let object = open & 1 == 1;
            match line.get(at)? {
                b',' => {
                    at = skip_space(line, at + 1);
                    if object {
                        at = behind_name(line, at)?;
                    }
                    break;
                }
                b'}' if object => {}
                b']' if !object => {}
                _ => return None,
            }
            (open, depth, at) = (open >> 1, depth - 1, at + 1);
        }
    }
}

/// The value behind the name, and its colon, that begin at `at`.
fn behind_name(line: &[u8], at: usize) -> Option<usize> {
    if *line.get(at)? != b'"' {
        return None;
    }
    let colon = skip_space(line, string_end(line, at + 1, Escapes::Readable)?.quote + 1);
    (*line.get(colon)? == b':').then(|| skip_space(line, colon + 1))
}

fn literal_end(line: &[u8], at: usize, literal: &[u8]) -> Option<usize> {
    line.get(at..)?.starts_with(literal).then_some(at + literal.len())
}

fn number_end(line: &[u8], mut at: usize) -> Option<usize> {
    at += usize::from(line[at] == b'-');
    at = match line.get(at)? {
        b'0' => at + 1,
        b'1'..=b'9' => skip_digits(line, at),
        _ => return None,
    };
    if line.get(at) == Some(&b'.') {
        at = some_digits(line, at + 1)?;
    }
    if let Some(b'e' | b'E') = line.get(at) {
        let signed = matches!(line.get(at + 1), Some(b'+' | b'-'));
        at = some_digits(line, at + 1 + usize::from(signed))?;
    }
    Some(at)
}

fn skip_digits(line: &[u8], mut at: usize) -> usize {
    while let Some(b'0'..=b'9') = line.get(at) {
        at += 1;
    }
    at
}

fn some_digits(line: &[u8], at: usize) -> Option<usize> {
    let end = skip_digits(line, at);
    (end > at).then_some(end)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::value::RawValue;

    use super::*;

    /// What the parser takes for the value at the beginning of a text.
    fn judged(text: &str) -> Option<usize> {
        let mut values = serde_json::Deserializer::from_str(text).into_iter::<&RawValue>();
        values.next()?.ok().map(|value| value.get().len())
    }

    proptest! {
        /// A value that is followed by something else is one for both; a bare number or word at the very end as well.
        #[test]
        fn a_value_ends_where_the_parser_says(text in r#"([\[\]{}:,0-9eE.+\-" \\]|"a"|"a":|true|false|null|\\n|\\u|d8|x|é){1,40}"#) {
            let wrapped = format!("[{text}]");
            prop_assert_eq!(value_end(wrapped.as_bytes(), 0), judged(&wrapped), "{}", wrapped);
        }

        /// Long strings of what quiet blocks may hold and what they may not, the one behind the other at every place.
        #[test]
        fn long_strings_end_where_their_quotes_are(text in r#"([a-p]{1,70}|[\\\n\t"]|\\[nrt"]|\\\\|é|\u{1}){0,40}"#) {
            let json = serde_json::to_string(&text).unwrap();
            let behind = format!("{json}, \"{}\\n\"", "a".repeat(99));
            let end = End { quote: json.len() - 1, surplus: json.chars().count() - 2 - text.chars().count() };
            prop_assert_eq!(string_end(behind.as_bytes(), 1, Escapes::Characters), Some(end));
        }

        #[test]
        fn a_string_ends_where_its_quote_is(text: String, before in 0usize..70, behind in "[ \"\\\\]{0,70}") {
            let json = serde_json::to_string(&text).unwrap();
            let line = format!("{}{json}{behind}", " ".repeat(before));
            let end = before + json.len() - 1;
            prop_assert_eq!(string_end(line.as_bytes(), before + 1, Escapes::Characters), Some(End { quote: end, surplus: json.chars().count() - 2 - text.chars().count() }));
        }
    }

    #[test]
    fn strings_in_a_table() {
        use Escapes::{Characters, Readable};
        let long = "é".repeat(99);
        for (inside, escapes, is_one) in [
            ("", Readable, true),
            (&*long, Readable, true),
            (r#"\"\\\/\b\f\n\r\t"#, Readable, true),
            (r"\a", Readable, false),
            (r"\u12", Readable, false),
            (r"\u00eg", Readable, false),
            (r"\u00e9\uD800", Readable, true),
            (r"\u00e9\uD800", Characters, false),
            (r"\ud83d\ude00!", Characters, true),
            (r"\ud83d\u0041", Characters, false),
            (r"\ud83d\n", Characters, false),
            (r"\ude00", Characters, false),
            ("a\tb", Characters, false),
            ("a\0", Readable, false),
        ] {
            for (before, behind) in [(0, 0), (0, 99), (99, 0), (50, 50)] {
                let line = format!("{}\"{inside}\"{}", " ".repeat(before), "\"".repeat(behind));
                let end = string_end(line.as_bytes(), before + 1, escapes).map(|end| end.quote);
                assert_eq!(end, is_one.then_some(before + 1 + inside.len()), "{line}");
            }
        }
        for open in ["\"", "\"a", r#""\"#, r#""\""#, r#""\u"#] {
            assert_eq!(string_end(open.as_bytes(), 1, Readable), None, "{open}");
        }
    }

    #[test]
    fn what_is_nested_too_deep_is_left_to_the_parser() {
        let nested = |depth| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert_eq!(value_end(nested(65).as_bytes(), 0), Some(130));
        assert_eq!(value_end(nested(66).as_bytes(), 0), None);
    }
}
