//! Decodes character references (`&amp;`, `&#8217;`) by the HTML standard (13.2.5.72 and following).

use html5ever::data::{C1_REPLACEMENTS, NAMED_ENTITIES};

/// The length of the longest name in the standard, with its semicolon: `CounterClockwiseContourIntegral;`.
const LONGEST: usize = 32;

/// Decodes the reference that begins with the ampersand at the start of the text. Returns the reference's length in bytes, or 0
/// if it is not a reference.
pub(crate) fn decode(text: &str, into: &mut String) -> usize {
    let bytes = text.as_bytes();
    if bytes.get(1) == Some(&b'#') {
        return numeric(bytes, into);
    }
    // Find the longest valid name. The map also contains every prefix of a name. A prefix that is not itself a name is mapped to
    // no characters.
    let mut best = None;
    for end in 2..=bytes.len().min(LONGEST + 1) {
        if !matches!(bytes[end - 1], b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b';') {
            break;
        }
        match NAMED_ENTITIES.get(&text[1..end]) {
            Some((0, _)) => {}
            Some(&characters) => best = Some((end, characters)),
            None => break,
        }
    }
    let Some((end, (first, second))) = best else {
        return 0;
    };
    into.extend(
        [first, second]
            .into_iter()
            .filter(|&code| code != 0)
            .filter_map(char::from_u32),
    );
    end
}

fn numeric(bytes: &[u8], into: &mut String) -> usize {
    let (radix, start) = if matches!(bytes.get(2), Some(b'x' | b'X')) {
        (16, 3)
    } else {
        (10, 2)
    };
    let (mut code, mut at) = (0u32, start);
    while let Some(digit) = bytes
        .get(at)
        .and_then(|&byte| char::from(byte).to_digit(radix))
    {
        code = code.saturating_mul(radix).saturating_add(digit);
        at += 1;
    }
    if at == start {
        return 0;
    }
    let replaced = code
        .checked_sub(0x80)
        .and_then(|c1| *C1_REPLACEMENTS.get(c1 as usize)?);
    let character = replaced.or(char::from_u32(code).filter(|&c| c != '\0'));
    into.push(character.unwrap_or(char::REPLACEMENT_CHARACTER));
    at + usize::from(bytes.get(at) == Some(&b';'))
}
