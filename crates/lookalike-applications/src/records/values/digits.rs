//! Maps characters of other scripts and widths to ASCII characters, for values that consist of digits.

use std::borrow::Cow;

use icu_normalizer::ComposingNormalizer;
use icu_properties::props::{EnumeratedProperty, GeneralCategory};

/// Returns a value in NFKC, with the digits of all scripts (Unicode's decimal numbers) replaced by ASCII digits, and the minus
/// sign by a hyphen.
pub(super) fn plain(value: &str) -> Cow<'_, str> {
    if value.is_ascii() {
        return value.into();
    }
    let normal = ComposingNormalizer::new_nfkc()
        .normalize(value)
        .into_owned();
    normal
        .chars()
        .map(|c| {
            if c == '\u{2212}' {
                '-'
            } else {
                digit(c).unwrap_or(c)
            }
        })
        .collect::<String>()
        .into()
}

/// Returns the ASCII digit of a digit in any script. Digits of a script occur in a row from 0 to 9, and rows may be adjacent.
fn digit(c: char) -> Option<char> {
    let is_digit = |c: char| GeneralCategory::for_char(c) == GeneralCategory::DecimalNumber;
    if c.is_ascii() || !is_digit(c) {
        return None;
    }
    let before = (1..)
        .take_while(|&back| char::from_u32(c as u32 - back).is_some_and(is_digit))
        .count();
    char::from_digit(before as u32 % 10, 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_in_a_table() {
        for (value, expected) in [
            ("2135550100", "2135550100"),
            ("\u{ff12}\u{ff11}\u{ff13}", "213"),
            ("\u{661}\u{662}\u{663}\u{660}\u{669}", "12309"),
            ("\u{967}\u{966}\u{96f}", "109"),
            ("\u{1d7d9}\u{1d7e2}\u{1d7ff}", "109"),
            ("\u{2212}5", "-5"),
            ("\u{ff0d}\u{ff15}\u{ff0e}\u{ff15}", "-5.5"),
            ("\u{e9}\u{bd}", "\u{e9}1\u{2044}2"),
        ] {
            assert_eq!(plain(value), expected, "{value}");
        }
    }

    /// Checks, for every Unicode digit, that digits occur in rows of ten.
    #[test]
    fn digits_occur_in_rows_of_ten() {
        let digits = ('\u{80}'..=char::MAX)
            .filter(|&c| GeneralCategory::for_char(c) == GeneralCategory::DecimalNumber);
        let values: Vec<u32> = digits
            .filter_map(|c| plain(c.encode_utf8(&mut [0; 4])).parse().ok())
            .collect();
        assert!(values.len() > 600 && values.len().is_multiple_of(10));
        assert!(
            values
                .iter()
                .zip((0..10).cycle())
                .all(|(value, expected)| *value == expected)
        );
    }
}
