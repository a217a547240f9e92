//! Implements the part of the JSON grammar (RFC 8259) that is needed to skip a value. The code finds the end of the value, and
//! checks that the value is valid. Nothing is decoded or copied. For invalid JSON the result is `None`, and the full parser
//! reports what is wrong.
//!
//! All positions are byte positions in the line, which is valid UTF-8.

const BLOCK: usize = 64;

/// The condition that the escapes in a string must meet.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Escapes {
    /// The escapes must be well-formed. Half a surrogate pair is allowed, because the parser allows it in a string that is not
    /// decoded.
    Readable,
    /// The escapes must represent characters.
    Characters,
}

/// The end of a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct End {
    /// The position of the closing quote.
    pub(crate) quote: usize,
    /// The number of characters that escaping adds: the bytes of all escapes in the string, less one byte for each escape.
    pub(crate) surplus: usize,
}

/// Returns the first position from `at` on that is not white space.
#[inline]
pub(crate) fn skip_space(line: &[u8], mut at: usize) -> usize {
    while let Some(b' ' | b'\t' | b'\n' | b'\r') = line.get(at) {
        at += 1;
    }
    at
}

/// Returns the end of the string whose first character, after the opening quote, is at `at`.
///
/// Most blocks of a long string contain only plain characters and the most common escapes. Such a block is recognised as a whole,
/// without a branch for each byte. The other blocks are scanned from one escape to the next. When all blocks were scanned in that
/// way, the speed was 2 GB/s, with a branch misprediction per escape; now it is 5 GB/s.
#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512vl", "x86_64+avx2"))]
pub(crate) fn string_end(line: &[u8], mut at: usize, escapes: Escapes) -> Option<End> {
    let mut surplus = 0;
    // The flag is true if everything before `at` has been interpreted; a backslash just before `at` is then the end of an escape.
    // The flag is false after a block that was recognised as a whole; a backslash just before `at` then begins an escape.
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
                b'"' => {
                    return Some(End {
                        quote: special,
                        surplus,
                    });
                }
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

/// Returns the number of escapes in a block of a string, or none if the block must be scanned. A block need not be scanned if it
/// has only plain characters and the escapes `\n`, `\"`, `\t` and `\r`; the string then does not end in it. For each byte of the
/// block, `before` has the byte before it.
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

/// Returns the position of the closing quote of a name, or none if the name has an escape. Unlike [`string_end`], this is a plain
/// loop, because names are short, and the same names repeat from line to line of a collection.
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

/// Returns the start of a block that contains position `at`, and the bits that `marks` returns for this block. The bits of the
/// bytes before `at` are zero.
#[inline(always)]
fn marks_from(line: &[u8], at: usize) -> (usize, u64) {
    if let Some(block) = line.get(at..).and_then(|rest| rest.first_chunk()) {
        (at, marks(block))
    } else if let Some(block) = line.last_chunk() {
        // Use the last whole block of the line, without the bits of the bytes before `at`.
        let from = line.len() - BLOCK;
        (
            from,
            marks(block) & (!0u64).checked_shl((at - from) as u32).unwrap_or(0),
        )
    } else {
        let mut block = [b' '; BLOCK];
        block[..line.len()].copy_from_slice(line);
        (
            0,
            marks(&block) & (!0u64).checked_shl(at as u32).unwrap_or(0),
        )
    }
}

/// Returns which bytes are quotes, backslashes or control characters: bit i for byte i.
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

/// Returns the end of the escape whose backslash is just before `at`.
#[inline(always)]
fn escape_end(line: &[u8], at: usize, escapes: Escapes) -> Option<usize> {
    match line.get(at)? {
        b'n' | b'"' | b'\\' | b'/' | b'b' | b'f' | b'r' | b't' => Some(at + 1),
        b'u' => {
            let end = at + 5;
            match unit(line, at + 1)? {
                0xd800..=0xdbff if escapes == Escapes::Characters => {
                    let pair = line.get(end..end + 2)? == b"\\u"
                        && matches!(unit(line, end + 2)?, 0xdc00..=0xdfff);
                    pair.then_some(end + 6)
                }
                0xdc00..=0xdfff if escapes == Escapes::Characters => None,
                _ => Some(end),
            }
        }
        _ => None,
    }
}

/// Reads four hexadecimal digits.
fn unit(line: &[u8], at: usize) -> Option<u32> {
    let digits = line
        .get(at..at + 4)?
        .iter()
        .map(|&digit| char::from(digit).to_digit(16));
    digits.reduce(|unit, digit| Some(unit? << 4 | digit?))?
}

/// The maximum nesting of values that this code can skip. Deeper values are left to the full parser.
const DEEPEST: u32 = 64;

/// Returns the end of the value that begins at `at`.
pub(crate) fn value_end(line: &[u8], mut at: usize) -> Option<usize> {
    // There is one bit for each array (0) or object (1) that is open around `at`. The innermost is in the lowest bit.
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
                    at = if object {
                        value_start(line, inside)?
                    } else {
                        inside
                    };
                    continue;
                }
            }
            _ => return None,
        };
        // After a value, this finds the next value of the innermost array or object, or the end of that array or object.
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
                        at = value_start(line, at)?;
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

/// Returns the start of the value after the name and the colon that begin at `at`.
fn value_start(line: &[u8], at: usize) -> Option<usize> {
    if *line.get(at)? != b'"' {
        return None;
    }
    let colon = skip_space(line, string_end(line, at + 1, Escapes::Readable)?.quote + 1);
    (*line.get(colon)? == b':').then(|| skip_space(line, colon + 1))
}

fn literal_end(line: &[u8], at: usize, literal: &[u8]) -> Option<usize> {
    line.get(at..)?
        .starts_with(literal)
        .then_some(at + literal.len())
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

    /// Returns the length of the value that the parser reads at the beginning of a text.
    fn judged(text: &str) -> Option<usize> {
        let mut values = serde_json::Deserializer::from_str(text).into_iter::<&RawValue>();
        values.next()?.ok().map(|value| value.get().len())
    }

    proptest! {
        /// This code finds the end of a value at the same byte as the parser. Both accept other text after the value, and both
        /// accept a bare number or word at the end of the input.
        #[test]
        fn a_value_ends_at_the_same_byte_as_in_the_parser(text in r#"([\[\]{}:,0-9eE.+\-" \\]|"a"|"a":|true|false|null|\\n|\\u|d8|x|é){1,40}"#) {
            let wrapped = format!("[{text}]");
            prop_assert_eq!(value_end(wrapped.as_bytes(), 0), judged(&wrapped), "{}", wrapped);
        }

        /// Tests long strings in all combinations and at all positions. Some of their characters are allowed in a block that is
        /// recognised as a whole (`quiet`), and others are not.
        #[test]
        fn long_strings_end_at_their_quotes(text in r#"([a-p]{1,70}|[\\\n\t"]|\\[nrt"]|\\\\|é|\u{1}){0,40}"#) {
            let json = serde_json::to_string(&text).unwrap();
            let after = format!("{json}, \"{}\\n\"", "a".repeat(99));
            let end = End { quote: json.len() - 1, surplus: json.chars().count() - 2 - text.chars().count() };
            prop_assert_eq!(string_end(after.as_bytes(), 1, Escapes::Characters), Some(end));
        }

        #[test]
        fn a_string_ends_at_its_quote(text: String, before in 0usize..70, after in "[ \"\\\\]{0,70}") {
            let json = serde_json::to_string(&text).unwrap();
            let line = format!("{}{json}{after}", " ".repeat(before));
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
            for (before, after) in [(0, 0), (0, 99), (99, 0), (50, 50)] {
                let line = format!("{}\"{inside}\"{}", " ".repeat(before), "\"".repeat(after));
                let end = string_end(line.as_bytes(), before + 1, escapes).map(|end| end.quote);
                assert_eq!(end, is_one.then_some(before + 1 + inside.len()), "{line}");
            }
        }
        for open in ["\"", "\"a", r#""\"#, r#""\""#, r#""\u"#] {
            assert_eq!(string_end(open.as_bytes(), 1, Readable), None, "{open}");
        }
    }

    #[test]
    fn deeply_nested_values_are_left_to_the_parser() {
        let nested = |depth| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert_eq!(value_end(nested(65).as_bytes(), 0), Some(130));
        assert_eq!(value_end(nested(66).as_bytes(), 0), None);
    }
}
