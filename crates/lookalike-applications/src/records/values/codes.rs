//! Finds the model number in the title of a product, and the words with digits.

/// Units and other words that follow a number: `500gb` and `8-port` are measures and not model numbers. Words of at least four letters
/// after a hyphen need no entry.
const MEASURES: [&str; 58] = [
    "a", "ah", "bit", "btu", "c", "cd", "ch", "cm", "ct", "cu", "db", "dpi", "ft", "g", "gb",
    "gbps", "ghz", "hz", "in", "inch", "k", "kb", "kbps", "kg", "khz", "kw", "l", "lb", "lbs", "m",
    "mah", "mb", "mbps", "mhz", "ml", "mm", "mp", "ms", "oz", "p", "pc", "pcs", "pin", "pk", "pt",
    "qt", "rd", "rpm", "sec", "sq", "st", "tb", "th", "v", "w", "wh", "x", "yd",
];

/// The smallest number of letters and digits of a code, and of a code that has only digits.
const LEAST: usize = 4;
const LEAST_DIGITS: usize = 5;

/// Returns the token of a value that looks most like a model number; `None` if none does. A token with letters and digits is preferred
/// to one that has only digits, a longer one to a shorter one, and an earlier one to a later one.
pub(in crate::records) fn code(value: &str) -> Option<&str> {
    let tokens = value.split(|c: char| {
        c.is_whitespace() || matches!(c, ',' | ';' | '(' | ')' | '[' | ']' | '"' | '|')
    });
    let trimmed = tokens.map(|token| token.trim_matches(|c: char| !c.is_alphanumeric()));
    let ranked = trimmed.filter_map(|token| rank(token).map(|rank| (rank, token)));
    // `max_by_key` returns the last of several maxima.
    ranked
        .rev()
        .max_by_key(|(rank, _)| *rank)
        .map(|(_, token)| token)
}

/// Returns whether a token has letters, and its length, if it may be a code.
fn rank(token: &str) -> Option<(bool, usize)> {
    let (mut letters, mut digits) = (0, 0);
    for c in token.chars() {
        letters += usize::from(c.is_alphabetic());
        digits += usize::from(c.is_ascii_digit());
    }
    let least = if letters == 0 { LEAST_DIGITS } else { LEAST };
    (digits > 0 && letters + digits >= least && !is_measure(token))
        .then_some((letters > 0, letters + digits))
}

/// Returns whether a token is a number with a unit, a price, a size such as 10x12, a number with a long word, or one such as 4-in-1.
fn is_measure(token: &str) -> bool {
    let lower = token.to_lowercase();
    if let [first, word, last] = *lower.split('-').collect::<Vec<_>>()
        && [first, last].iter().all(|number| number.len() == 1)
    {
        return MEASURES.binary_search(&word).is_ok();
    }
    let is_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '/');
    let mut rest = &*lower;
    // A size such as 10x12in has a measure after its first number.
    loop {
        let after = rest.trim_start_matches(is_number);
        if after.len() == rest.len() {
            return false;
        }
        let unit = after.trim_start_matches('-');
        if unit.is_empty() {
            // 10/100 and 1.5 are numbers, and 33541 may be a code.
            return rest.contains(['.', ',', '/']);
        }
        let is_word = after.starts_with('-')
            && unit.chars().count() >= LEAST
            && unit.chars().all(char::is_alphabetic);
        if is_word
            || unit.chars().all(|c| c == 'x' || is_number(c))
            || MEASURES.binary_search(&unit).is_ok()
        {
            return true;
        }
        let Some(inner) = unit.strip_prefix('x') else {
            return false;
        };
        rest = inner;
    }
}

/// Returns the words of a normal form that have a digit, with a space between them.
pub(super) fn words_with_digits(value: &str) -> String {
    let words: Vec<&str> = value
        .split(' ')
        .filter(|word| word.contains(|c: char| c.is_ascii_digit()))
        .collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_in_a_table() {
        for (value, expected) in [
            ("Ardent 8-Port 10/100 Switch - EZX88W", Some("EZX88W")),
            ("Ardent DS-W120/B Camera, 7.2 MP", Some("DS-W120/B")),
            ("Camera 10x Zoom (KL4550), 2.5in LCD", Some("KL4550")),
            ("Drive 500GB 7200rpm", None),
            ("Drive 500GB 33541", Some("33541")),
            ("Lamp 1200 V 60W", None),
            ("Frame 10x12 8x10in", None),
            ("AB12 or CD34", Some("AB12")),
            ("Kettle", None),
            ("", None),
            ("4-in-1 printer", None),
            ("4-IN-1 printer", None),
            ("ÄÖ-12é", Some("ÄÖ-12é")),
        ] {
            assert_eq!(code(value), expected, "{value}");
        }
        assert!(MEASURES.is_sorted());
    }

    #[test]
    fn words_with_digits_in_a_table() {
        for (value, expected) in [
            ("photo studio 5 0 for 2 users", "5 0 2"),
            ("lamp", ""),
            ("", ""),
            ("500gb drive", "500gb"),
        ] {
            assert_eq!(words_with_digits(value), expected, "{value}");
        }
    }
}
