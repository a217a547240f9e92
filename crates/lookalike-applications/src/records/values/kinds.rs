//! Turns a value of a record into its normal form, which is compared, used in blocks and shown.

use lookalike::text::{Folds, Tokens, TokensBy, canonicalise};

use super::{
    codes::code,
    dates, digits, quantities,
    strings::{self, distance},
};
use crate::records::config::{Compare, FieldConfig, Kind, Take, Within};

/// Scratch buffers for normalising.
#[derive(Debug, Default)]
pub struct Scratch {
    tokens: Tokens,
    plain: String,
}

/// Writes the normal form of a value, or of the part that the field takes; writes nothing if the value has no content.
pub(in crate::records) fn normalise(
    field: &FieldConfig,
    value: &str,
    scratch: &mut Scratch,
    into: &mut String,
) {
    if field.empty.iter().any(|empty| empty == value.trim()) {
        return;
    }
    match field.take {
        Take::Whole => whole(field, value, scratch, into),
        // A model number may contain signs, which normal forms do not have.
        Take::Code => whole(field, code(value).unwrap_or_default(), scratch, into),
        take => {
            let mut all = String::new();
            whole(field, value, scratch, &mut all);
            *into += &take.of(&all);
        }
    }
}

fn whole(field: &FieldConfig, value: &str, scratch: &mut Scratch, into: &mut String) {
    match field.kind {
        Kind::Phone => phone(&digits::plain(value), into),
        Kind::Number => number(&digits::plain(value), into),
        Kind::Quantity => quantities::write(&digits::plain(value), into),
        Kind::Code => {
            let words = words(value, scratch);
            into.extend(words.chars().filter(|&c| c != ' '));
        }
        Kind::Name => {
            let Scratch { tokens, plain } = scratch;
            plain.clear();
            plain.extend(
                value
                    .chars()
                    .filter(|c| !matches!(c, '\'' | '’' | 'ʼ' | '`')),
            );
            into.push_str(canonical(plain, tokens));
        }
        Kind::Address => {
            for word in words(value, scratch).split(' ') {
                if !into.is_empty() {
                    into.push(' ');
                }
                into.push_str(abbreviated(word));
            }
        }
        Kind::Date => {
            let words = words(&dates::without_time(&digits::plain(value)), scratch);
            if !dates::write(words, field.month_first, into) {
                into.push_str(words);
            }
        }
        Kind::Text | Kind::Exact => into.push_str(words(value, scratch)),
    }
}

/// Returns canonical words without diacritics, with a space between them.
fn words<'a>(value: &str, scratch: &'a mut Scratch) -> &'a str {
    canonical(value, &mut scratch.tokens)
}

fn canonical<'a>(value: &str, tokens: &'a mut Tokens) -> &'a str {
    let folds = Folds {
        accents: true,
        ..Folds::default()
    };
    canonicalise(value, TokensBy::Words, folds, tokens);
    // The text of the tokens was written as UTF-8, so this conversion never fails.
    str::from_utf8(tokens.text()).unwrap_or_default()
}

/// Returns the similarity of two non-empty normal forms, from 0 to 1.
pub(in crate::records) fn similarity(field: &FieldConfig, a: &str, b: &str) -> f64 {
    if a == b {
        return 1.0;
    }
    match (field.compare, field.kind) {
        (Some(by), _) => strings::similarity(by, a, b),
        (None, Kind::Name) => strings::similarity(Compare::JaroWinkler, a, b),
        (None, Kind::Address) => strings::similarity(Compare::Soft, a, b),
        (None, Kind::Text) => strings::similarity(Compare::Ratio, a, b),
        (None, Kind::Code) => strings::similarity(Compare::Edits, a, b),
        (None, Kind::Exact) => 0.0,
        (None, Kind::Phone) => phones_alike(a, b),
        (None, Kind::Date) => dates::similarity(a, b),
        (None, Kind::Number) => match (a.parse(), b.parse()) {
            (Ok(x), Ok(y)) => numbers_alike(x, y, field.within),
            _ => 0.0,
        },
        (None, Kind::Quantity) => {
            quantities::comparable(a, b).map_or(0.0, |(x, y)| numbers_alike(x, y, field.within))
        }
    }
}

/// Writes the digits of a phone number without its extension. A dialling prefix (00, or 0 within a country) is omitted.
fn phone(value: &str, into: &mut String) {
    // Tables that store phone numbers as floating-point numbers write them with `.0` at the end.
    let whole = value
        .trim()
        .strip_suffix(".0")
        .filter(|whole| whole.bytes().all(|byte| byte.is_ascii_digit()));
    let lower = whole.unwrap_or(value).to_lowercase();
    // An extension begins with a letter or `#` that comes after enough digits to make a call.
    let mut digits = 0;
    let end = lower.char_indices().find(|&(_, c)| {
        digits += usize::from(c.is_ascii_digit());
        digits >= 5 && (c.is_alphabetic() || c == '#')
    });
    let number = &lower[..end.map_or(lower.len(), |(at, _)| at)];
    // +44 (0)20: the zero is dialled only without the country code.
    let number = number.replace("(0)", "");
    let start = into.len();
    into.extend(
        number
            .chars()
            .filter_map(|c| c.to_digit(10))
            .filter_map(|digit| char::from_digit(digit, 10)),
    );
    let noughts = into[start..]
        .bytes()
        .take_while(|&byte| byte == b'0')
        .count();
    into.replace_range(start..start + noughts, "");
}

/// The smallest number of digits of a phone number: `LOCAL` without the area code, and `NATIONAL` with it.
const LOCAL: usize = 7;
const NATIONAL: usize = 9;
/// The largest number of digits of a country code.
const CODE: usize = 3;

/// Returns the similarity of two phone numbers. If the longer number ends with the shorter one, its other digits are a country
/// code (similarity 1) or an area code (0.9). Otherwise one typing error gives 0.8, two give 0.5, and more give 0. The numbers
/// are compared both with and without the country code.
fn phones_alike(a: &str, b: &str) -> f64 {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if long.ends_with(short) && short.len() >= LOCAL {
        return if short.len() >= NATIONAL && long.len() - short.len() <= CODE {
            1.0
        } else {
            0.9
        };
    }
    if short.len() < LOCAL - 1 {
        return 0.0;
    }
    // Each digit is one byte, so a slice of the bytes is a slice of the digits.
    let without_code = (short.len() >= NATIONAL && long.len() - short.len() <= CODE)
        .then(|| &long[long.len() - short.len()..]);
    match distance(a, b).min(without_code.map_or(usize::MAX, |long| distance(short, long))) {
        1 => 0.8,
        2 => 0.5,
        _ => 0.0,
    }
}

/// Writes the first number in a value, without redundant zeros; writes nothing if the value has no number. If the whole value is
/// a number with an exponent, such as 1e3, that number is written. If the number is beyond the range of an `f64`, nothing is
/// written. The point is a decimal point. A comma only separates thousands, so 3,5 begins with a 3.
fn number(value: &str, into: &mut String) {
    let whole = value.trim();
    if whole.contains(['e', 'E'])
        && let Ok(number) = whole.parse::<f64>()
    {
        if number.is_finite() {
            // `to_string` never writes an exponent. Adding 0.0 turns −0 into 0.
            *into += &(number + 0.0).to_string();
        }
        return;
    }
    let start = into.len();
    let bytes = value.as_bytes();
    let Some(digit) = bytes.iter().position(u8::is_ascii_digit) else {
        return;
    };
    // A point before the first digit belongs to the number unless it follows a word (no.5) or another point.
    let before = |at: usize| value[..at].chars().next_back();
    let has_point = digit > 0
        && bytes[digit - 1] == b'.'
        && before(digit - 1).is_none_or(|c| !c.is_alphanumeric() && !matches!(c, '.' | ')' | ']'));
    let first = digit - usize::from(has_point);
    // A minus sign belongs to the number only if nothing or white space precedes it: 5-7 begins with a 5 and contains no −7.
    if first > 0
        && bytes[first - 1] == b'-'
        && (first == 1 || bytes[first - 2].is_ascii_whitespace())
    {
        into.push('-');
    }
    if has_point {
        *into += "0.";
    }
    let (mut point, mut group) = (has_point, digit);
    for (at, &byte) in bytes.iter().enumerate().skip(digit) {
        let digit_behind = bytes.get(at + 1).is_some_and(u8::is_ascii_digit);
        match byte {
            b'0'..=b'9' => into.push(char::from(byte)),
            b'.' if !point && digit_behind => {
                point = true;
                into.push('.');
            }
            // The comma separates thousands, as in 1,234,567 but not in 1995,199.
            b',' if !point && at - group <= 3 && thousands(&bytes[at + 1..]) => group = at + 1,
            _ => break,
        }
    }
    if point {
        into.truncate(into.trim_end_matches('0').trim_end_matches('.').len());
    }
    let sign = usize::from(into[start..].starts_with('-'));
    let digits = &into[start + sign..];
    let noughts = digits.len() - digits.trim_start_matches('0').len();
    let nothing_before = digits.len() == noughts || digits[noughts..].starts_with('.');
    into.replace_range(
        start + sign..start + sign + noughts - usize::from(nothing_before && noughts > 0),
        "",
    );
    if &into[start..] == "-0" {
        into.replace_range(start..start + 1, "");
    }
}

fn thousands(rest: &[u8]) -> bool {
    rest.len() >= 3
        && rest[..3].iter().all(u8::is_ascii_digit)
        && !rest.get(3).is_some_and(u8::is_ascii_digit)
}

fn numbers_alike(x: f64, y: f64, within: Option<Within>) -> f64 {
    if x == y && x.is_finite() {
        return 1.0;
    }
    let larger = x.abs().max(y.abs());
    let apart = (x - y).abs()
        / match within {
            None => larger,
            Some(Within::Apart(most)) => most,
            Some(Within::Share(share)) => share * larger,
        };
    // Numbers beyond the range of `f64` are infinite, so `apart` is not finite. Such numbers count as maximally different.
    if apart.is_finite() {
        (1.0 - apart).max(0.0)
    } else {
        0.0
    }
}

/// Returns the usual abbreviation of a word of an address.
fn abbreviated(word: &str) -> &str {
    const WORDS: &[(&str, &str)] = &[
        ("alley", "aly"),
        ("apartment", "apt"),
        ("apartments", "apt"),
        ("av", "ave"),
        ("aven", "ave"),
        ("avenida", "ave"),
        ("avenue", "ave"),
        ("avn", "ave"),
        ("blv", "blvd"),
        ("boul", "blvd"),
        ("boulevard", "blvd"),
        ("bridge", "br"),
        ("building", "bldg"),
        ("causeway", "cswy"),
        ("center", "ctr"),
        ("centre", "ctr"),
        ("circle", "cir"),
        ("circuit", "cct"),
        ("close", "cl"),
        ("court", "ct"),
        ("cr", "cres"),
        ("crescent", "cres"),
        ("drive", "dr"),
        ("drv", "dr"),
        ("east", "e"),
        ("eighth", "8th"),
        ("esplanade", "esp"),
        ("estate", "est"),
        ("expressway", "expy"),
        ("fifth", "5th"),
        ("first", "1st"),
        ("floor", "fl"),
        ("fort", "ft"),
        ("fourth", "4th"),
        ("freeway", "fwy"),
        ("gardens", "gdns"),
        ("grove", "gr"),
        ("heights", "hts"),
        ("highway", "hwy"),
        ("house", "hse"),
        ("junction", "jct"),
        ("lane", "ln"),
        ("mount", "mt"),
        ("mountain", "mt"),
        ("ninth", "9th"),
        ("north", "n"),
        ("northeast", "ne"),
        ("northwest", "nw"),
        ("parade", "pde"),
        ("parkway", "pkwy"),
        ("pky", "pkwy"),
        ("place", "pl"),
        ("plaza", "plz"),
        ("platz", "pl"),
        ("road", "rd"),
        ("room", "rm"),
        ("route", "rte"),
        ("saint", "st"),
        ("second", "2nd"),
        ("seventh", "7th"),
        ("sixth", "6th"),
        ("south", "s"),
        ("southeast", "se"),
        ("southwest", "sw"),
        ("square", "sq"),
        ("station", "stn"),
        ("str", "st"),
        ("strasse", "st"),
        ("street", "st"),
        ("strt", "st"),
        ("suite", "ste"),
        ("tenth", "10th"),
        ("ter", "tce"),
        ("terr", "tce"),
        ("terrace", "tce"),
        ("third", "3rd"),
        ("trail", "trl"),
        ("turnpike", "tpke"),
        ("valley", "vly"),
        ("village", "vlg"),
        ("west", "w"),
    ];
    WORDS
        .binary_search_by_key(&word, |row| row.0)
        .map_or(word, |at| WORDS[at].1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normal(kind: Kind, value: &str) -> String {
        let mut into = String::new();
        normalise(
            &FieldConfig::new("x", kind),
            value,
            &mut Scratch::default(),
            &mut into,
        );
        into
    }

    #[test]
    fn values_in_a_table() {
        for (kind, value, expected) in [
            (Kind::Name, "  O'Brien, SEÁN ", "obrien sean"),
            (Kind::Name, "…", ""),
            (
                Kind::Address,
                "435 S. La Cienega Blv.",
                "435 s la cienega blvd",
            ),
            (
                Kind::Address,
                "435 South La Cienega Boulevard",
                "435 s la cienega blvd",
            ),
            (Kind::Address, "Fifth Avenue", "5th ave"),
            (Kind::Address, "", ""),
            (Kind::Phone, "+1 (213) 555-0100 ext. 12", "12135550100"),
            (Kind::Phone, "213/555-0100x12", "2135550100"),
            (Kind::Phone, "+44 (0)20 7946 0000", "442079460000"),
            (Kind::Phone, "0044 20 7946 0000", "442079460000"),
            (Kind::Phone, "020 7946 0000", "2079460000"),
            (Kind::Phone, "none", ""),
            (Kind::Phone, "2135550100.0", "2135550100"),
            (Kind::Phone, "213.555.0", "2135550"),
            (Kind::Phone, "٢١٣ ٥٥٥ ٠١٠٠", "2135550100"),
            (Kind::Phone, "（２１３）５５５－０１００", "2135550100"),
            (Kind::Number, "1995,", "1995"),
            (Kind::Number, "about 1,234,567.50 km", "1234567.5"),
            (Kind::Number, "1995,199", "1995"),
            (Kind::Number, "-007", "-7"),
            (Kind::Number, "0.50", "0.5"),
            (Kind::Number, "000", "0"),
            (Kind::Number, "-0.0", "0"),
            (Kind::Number, "pp. 322-331", "322"),
            (Kind::Number, "10.000", "10"),
            (Kind::Number, "n/a", ""),
            (Kind::Number, ".5", "0.5"),
            (Kind::Number, "-.50", "-0.5"),
            (Kind::Number, "$.5", "0.5"),
            (Kind::Number, "no.5", "5"),
            (Kind::Number, "...5", "5"),
            (Kind::Number, ".0", "0"),
            (Kind::Number, "1e3", "1000"),
            (Kind::Number, " -2.5E-1 ", "-0.25"),
            (Kind::Number, "-0e0", "0"),
            (Kind::Number, "1e400", ""),
            (Kind::Number, "1e3 m", "1"),
            (Kind::Number, "inf", ""),
            (Kind::Number, "−5", "-5"),
            (Kind::Number, "１２．５", "12.5"),
            (Kind::Number, "٤٢", "42"),
            (Kind::Number, "3,5", "3"),
            (Kind::Number, "1.234,5", "1.234"),
            (Kind::Number, "12345678901234567891", "12345678901234567891"),
            (Kind::Date, "12 March 1998", "1998-03-12"),
            (Kind::Date, "1998-03-12", "1998-03-12"),
            (Kind::Date, "next Spring", "next spring"),
            (Kind::Date, "10:15 12/03/1998", "1998-03-12"),
            (Kind::Date, "10:15:59 pm, 12/03/1998", "1998-03-12"),
            (Kind::Date, "Thu Mar 12 10:15:00 1998", "1998-03-12"),
            (Kind::Date, "Mar 12 10.15.00 1998", "1998-03-12"),
            (Kind::Date, "1998-03-12T10:15:00.123+02:00", "1998-03-12"),
            (Kind::Date, "1998-03-12T10:15:00Z", "1998-03-12"),
            (Kind::Date, "1998:03:12 10:15:00", "1998-03-12"),
            (Kind::Date, "12/45/1998", "12 45 1998"),
            (Kind::Date, "19981245", "19981245"),
            (Kind::Date, "１９９８-٠٣-１２", "1998-03-12"),
            (
                Kind::Text,
                "Cryptographic  Primitives: based on…",
                "cryptographic primitives based on",
            ),
            (Kind::Code, "12-345/b", "12345b"),
            (Kind::Exact, "St. James", "st james"),
        ] {
            assert_eq!(normal(kind, value), expected, "{kind:?} {value}");
        }
    }

    #[test]
    fn normal_forms_are_idempotent() {
        for kind in [
            Kind::Name,
            Kind::Address,
            Kind::Phone,
            Kind::Number,
            Kind::Date,
            Kind::Text,
            Kind::Code,
            Kind::Exact,
        ] {
            for value in [
                "12 March 1998",
                "435 South Street",
                "+1 213 555 0100",
                "-0.50",
                "Ñandú",
                "0",
                "x",
                ".5",
                "1e3",
                "−5",
                "٤٢",
                "12/45/1998",
            ] {
                let once = normal(kind, value);
                assert_eq!(normal(kind, &once), once, "{kind:?} {value}");
            }
        }
    }

    #[test]
    fn phones_and_numbers_in_a_table() {
        for (a, b, expected) in [
            ("12135550100", "2135550100", 1.0),
            ("2135550100", "5550100", 0.9),
            ("2135550100", "2135550101", 0.8),
            ("2135550100", "2135551010", 0.5),
            ("12135550101", "2135550100", 0.8),
            ("2135550100", "3105559999", 0.0),
            ("12", "13", 0.0),
        ] {
            assert_eq!(
                (phones_alike(a, b), phones_alike(b, a)),
                (expected, expected),
                "{a} {b}"
            );
        }
        let within = |kind, within| FieldConfig {
            within,
            ..FieldConfig::new("x", kind)
        };
        for (field, a, b, expected) in [
            (
                within(Kind::Number, Some(Within::Apart(4.0))),
                "1995",
                "1996",
                0.75,
            ),
            (
                within(Kind::Number, Some(Within::Apart(4.0))),
                "1995",
                "2005",
                0.0,
            ),
            (
                within(Kind::Number, Some(Within::Share(0.5))),
                "75",
                "100",
                0.5,
            ),
            (within(Kind::Number, None), "50", "100", 0.5),
            (within(Kind::Number, None), "-50", "100", 0.0),
            (within(Kind::Number, None), "x", "1", 0.0),
            (within(Kind::Quantity, None), "50 eur", "100 eur", 0.5),
            (within(Kind::Quantity, None), "50 eur", "50 usd", 0.0),
            (within(Kind::Quantity, None), "50 eur", "50", 1.0),
        ] {
            assert_eq!(
                (similarity(&field, a, b), similarity(&field, b, a)),
                (expected, expected),
                "{a} {b}"
            );
        }
    }

    #[test]
    fn a_field_can_take_a_part_of_a_value() {
        let taken = |kind, take, value: &str| {
            let mut into = String::new();
            normalise(
                &FieldConfig {
                    take,
                    ..FieldConfig::new("x", kind)
                },
                value,
                &mut Scratch::default(),
                &mut into,
            );
            into
        };
        let title = "Ardent 10x Zoom Camera, DS-W120/B";
        assert_eq!(taken(Kind::Code, Take::Code, title), "dsw120b");
        assert_eq!(taken(Kind::Text, Take::Numbers, title), "10x w120");
        assert_eq!(taken(Kind::Name, Take::FirstWord, title), "ardent");
        assert_eq!(taken(Kind::Code, Take::Code, "Kettle"), "");
    }
}
