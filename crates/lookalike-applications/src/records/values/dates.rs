//! Parses dates in any common notation into year, month and day, as far as they are given. Also compares dates.

use std::borrow::Cow;

use super::strings::distance;

/// Returns a value without times of day. A time is one or two digits, a colon and two digits. After these, there may be a colon
/// and two more digits, with or without a fraction, and then am or pm.
pub(super) fn without_time(value: &str) -> Cow<'_, str> {
    let (mut kept, mut from, mut at) = (String::new(), 0, 0);
    let bytes = value.as_bytes();
    while at < bytes.len() {
        let starts =
            bytes[at].is_ascii_digit() && (at == 0 || !matches!(bytes[at - 1], b'0'..=b'9' | b':'));
        match starts.then(|| time_at(&bytes[at..])).flatten() {
            Some(length) => {
                kept.push_str(&value[from..at]);
                kept.push(' ');
                at += length;
                from = at;
            }
            None => at += 1,
        }
    }
    if from == 0 {
        value.into()
    } else {
        (kept + &value[from..]).into()
    }
}

/// Returns the length of the time of day with which `bytes` begins. The time consists of ASCII.
fn time_at(bytes: &[u8]) -> Option<usize> {
    let digits = |from: usize| {
        bytes[from.min(bytes.len())..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count()
    };
    let number = |from: usize, to: usize| {
        bytes[from..to]
            .iter()
            .fold(0, |all, digit| 10 * all + u32::from(digit - b'0'))
    };
    let colon = |at: usize| bytes.get(at) == Some(&b':');
    let hours = digits(0);
    if !(1..=2).contains(&hours) || number(0, hours) > 24 || !colon(hours) || digits(hours + 1) != 2
    {
        return None;
    }
    let mut end = hours + 3;
    if number(hours + 1, end) > 59 {
        return None;
    }
    if colon(end) {
        if digits(end + 1) != 2 || number(end + 1, end + 3) > 60 || colon(end + 3) {
            return None;
        }
        end += 3;
        if bytes.get(end) == Some(&b'.') {
            end += 1 + digits(end + 1);
        }
    }
    let blank = bytes[end..]
        .iter()
        .take_while(|byte| **byte == b' ')
        .count();
    let after = &bytes[end + blank..];
    let half = after.len() >= 2
        && matches!(after[0] | 32, b'a' | b'p')
        && after[1] | 32 == b'm'
        && !after.get(2).is_some_and(u8::is_ascii_alphanumeric);
    Some(if half { end + blank + 2 } else { end })
}

/// Writes a date as `1998-03-12`, `1998-03` or `1998`; returns false if it cannot be parsed. It parses digits in a row
/// (`19980312`, `12031998`), and three numbers in ISO order (year first), in the usual order (day first) or in American order
/// (month first). It also parses names of months in English, German, French, Spanish, Italian, Dutch and Portuguese. The day, or
/// the day and the month, may be missing. Times of day are skipped. An impossible month or day, such as one with a typing error,
/// is written unchanged and is compared like any other. A value with a day above 31 is not a date.
pub(super) fn write(words: &str, month_first: bool, into: &mut String) -> bool {
    let Some(Date { year, month, day }) = read(words, month_first).filter(|date| date.day <= 31)
    else {
        return false;
    };
    *into += &match (month, day) {
        (0, _) => format!("{year:04}"),
        (month, 0) => format!("{year:04}-{month:02}"),
        (month, day) => format!("{year:04}-{month:02}-{day:02}"),
    };
    true
}

/// A date, with 0 for missing parts.
#[derive(Clone, Copy)]
struct Date {
    year: u32,
    month: u32,
    day: u32,
}

/// A part of a written date.
#[derive(Clone, Copy)]
enum Piece {
    /// A number, and how many digits it has.
    Number(u32, usize),
    Month(u32),
}

/// Parses canonical words: letters and digits with spaces between them.
fn read(words: &str, month_first: bool) -> Option<Date> {
    let pieces = pieces(words)?;
    let date = |year, month, day| Some(Date { year, month, day });
    match *pieces.as_slice() {
        [Piece::Number(n, 8)] if is_year(n / 10_000) => date(n / 10_000, n / 100 % 100, n % 100),
        [Piece::Number(n, 8)] if is_year(n % 10_000) => {
            let (month, day) = month_and_day(n / 1_000_000, n / 10_000 % 100, month_first);
            date(n % 10_000, month, day)
        }
        [Piece::Number(n, 6)] if is_year(n / 100) && (1..=12).contains(&(n % 100)) => {
            date(n / 100, n % 100, 0)
        }
        [Piece::Number(n, 4)] if is_year(n) => date(n, 0, 0),
        [Piece::Number(year, 4), Piece::Number(month, 1 | 2)] => date(year, month, 0),
        [Piece::Number(month, 1 | 2), Piece::Number(year, 4)] => date(year, month, 0),
        [Piece::Month(month), Piece::Number(year, 4)]
        | [Piece::Number(year, 4), Piece::Month(month)] => date(year, month, 0),
        [
            Piece::Number(year, 4),
            Piece::Number(month, 1 | 2),
            Piece::Number(day, 1 | 2),
        ] => date(year, month, day),
        [
            Piece::Number(a, 1 | 2),
            Piece::Number(b, 1 | 2),
            Piece::Number(year, digits @ (2 | 4)),
        ] => {
            let (month, day) = month_and_day(a, b, month_first);
            date(full_year(year, digits), month, day)
        }
        [
            Piece::Number(day, 1 | 2),
            Piece::Month(month),
            Piece::Number(year, digits @ (2 | 4)),
        ]
        | [
            Piece::Month(month),
            Piece::Number(day, 1 | 2),
            Piece::Number(year, digits @ (2 | 4)),
        ]
        | [
            Piece::Number(year, digits @ 4),
            Piece::Month(month),
            Piece::Number(day, 1 | 2),
        ] => date(full_year(year, digits), month, day),
        _ => None,
    }
}

/// Returns the numbers and months of a date. Other words that are usual in dates are skipped; any other word means that the value
/// is not a date.
fn pieces(words: &str) -> Option<Vec<Piece>> {
    let mut pieces = Vec::new();
    let mut rest_of_words = words.split(' ');
    while let Some(word) = rest_of_words.next() {
        // A time of day comes after the three parts of the date. In `1998-03-12T10:15:00Z`, it begins in the same word as the
        // third part: `12t10`.
        let (digits, rest) = word.split_at(
            word.find(|c: char| !c.is_ascii_digit())
                .unwrap_or(word.len()),
        );
        let done = pieces.len() == 3 || pieces.len() == 2 && rest.starts_with('t');
        match (digits, rest) {
            _ if pieces.len() == 3 => {
                // In `Mar 12 10 15 00 1998`, a time precedes the year. The number that was taken for the year belongs to that
                // time.
                let year = rest_of_words
                    .next_back()
                    .filter(|word| word.len() == 4)
                    .and_then(number);
                let has_year = pieces
                    .iter()
                    .any(|piece| matches!(piece, Piece::Number(_, 4)));
                if let (Some(year @ Piece::Number(n, _)), Piece::Number(..), false) =
                    (year, pieces[2], has_year)
                    && is_year(n)
                {
                    pieces[2] = year;
                }
                break;
            }
            ("", "de" | "del" | "of" | "the" | "le" | "den" | "el" | "il") => {}
            ("", word) => match month_named(word) {
                Some(month) => pieces.push(Piece::Month(month)),
                // A day of the week is skipped.
                None if pieces.is_empty() && word.len() >= 2 && is_day_of_the_week(word) => {}
                None => return None,
            },
            (digits, "" | "st" | "nd" | "rd" | "th" | "er") => pieces.push(number(digits)?),
            (digits, _) if done => {
                pieces.push(number(digits)?);
                break;
            }
            _ => return None,
        }
    }
    Some(pieces)
}

fn number(digits: &str) -> Option<Piece> {
    (digits.len() <= 8).then(|| {
        digits
            .parse()
            .ok()
            .map(|number| Piece::Number(number, digits.len()))
    })?
}

fn is_year(year: u32) -> bool {
    (1500..2200).contains(&year)
}

/// Returns a year with its century. A year of two digits is in the range from 1930 to 2029.
fn full_year(year: u32, digits: usize) -> u32 {
    match (digits, year) {
        (2, ..30) => 2000 + year,
        (2, _) => 1900 + year,
        _ => year,
    }
}

/// Returns the month and the day that two numbers mean. If only one of the numbers can be a month, it is the month; otherwise
/// `month_first` decides.
fn month_and_day(first: u32, second: u32, month_first: bool) -> (u32, u32) {
    let first_is_month = match (first <= 12, second <= 12) {
        (true, false) => true,
        (false, true) => false,
        _ => month_first,
    };
    if first_is_month {
        (first, second)
    } else {
        (second, first)
    }
}

/// Returns the month with this name, which must have no diacritics. Each month is recognised by prefixes that no other month has
/// in the supported languages.
fn month_named(word: &str) -> Option<u32> {
    const BEGINNINGS: &[(&str, u32)] = &[
        ("jan", 1),
        ("ene", 1),
        ("gen", 1),
        ("feb", 2),
        ("fev", 2),
        ("mar", 3),
        ("mrz", 3),
        ("maa", 3),
        ("mrt", 3),
        ("apr", 4),
        ("avr", 4),
        ("abr", 4),
        ("may", 5),
        ("mai", 5),
        ("mei", 5),
        ("mag", 5),
        ("jun", 6),
        ("juin", 6),
        ("giu", 6),
        ("jul", 7),
        ("juil", 7),
        ("lug", 7),
        ("aug", 8),
        ("aou", 8),
        ("ago", 8),
        ("sep", 9),
        ("set", 9),
        ("oct", 10),
        ("okt", 10),
        ("ott", 10),
        ("out", 10),
        ("nov", 11),
        ("dec", 12),
        ("dez", 12),
        ("dic", 12),
    ];
    let found = BEGINNINGS
        .iter()
        .find(|(beginning, _)| word.starts_with(beginning));
    found.map(|&(_, month)| month)
}

fn is_day_of_the_week(word: &str) -> bool {
    const DAYS: [&str; 14] = [
        "mon", "tue", "wed", "thu", "fri", "sat", "sun", "mo", "di", "mi", "do", "fr", "sa", "so",
    ];
    DAYS.iter()
        .any(|day| word == *day || day.len() == 3 && word.starts_with(day) && word.ends_with("day"))
}

/// The similarity of dates with day and month exchanged.
const SWAPPED: f64 = 0.9;
/// The similarity of dates that agree in the parts that both have, if one has more parts.
const LESS_PRECISE: f64 = 0.9;

/// Returns the similarity of two normalised dates. The similarity is 1 for equal dates, and 0.9 for dates with day and month
/// exchanged or dates that are equal in all parts that both have. One typing error in the digits gives 0.8, two give 0.5.
/// Otherwise the same year and month give 0.4, and the same year 0.2. If one of the values is not a date, hyphens are removed
/// from both values, and the number of typing errors between them decides.
pub(super) fn similarity(a: &str, b: &str) -> f64 {
    if a == b {
        return 1.0;
    }
    let (Some((year_a, month_a, day_a)), Some((year_b, month_b, day_b))) = (parts(a), parts(b))
    else {
        return super::strings::edits(&a.replace('-', ""), &b.replace('-', ""));
    };
    if !day_a.is_empty() && !day_b.is_empty() {
        if year_a == year_b && month_a == day_b && day_a == month_b {
            return SWAPPED;
        }
        return match distance(a, b) {
            1 => 0.8,
            2 => 0.5,
            _ if year_a == year_b && month_a == month_b => 0.4,
            _ if year_a == year_b => 0.2,
            _ => 0.0,
        };
    }
    let both = |a: &str, b: &str| a.is_empty() || b.is_empty() || a == b;
    match (year_a == year_b, both(month_a, month_b)) {
        (true, true) => LESS_PRECISE,
        (true, false) => 0.2,
        _ => 0.0,
    }
}

/// Returns the year, month and day of a normalised date; missing parts are empty.
fn parts(date: &str) -> Option<(&str, &str, &str)> {
    let (year, rest) = date.split_once('-').unwrap_or((date, ""));
    let (month, day) = rest.split_once('-').unwrap_or((rest, ""));
    let is_date = year.len() == 4
        && [year, month, day]
            .iter()
            .all(|part| part.bytes().all(|byte| byte.is_ascii_digit()));
    is_date.then_some((year, month, day))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_in_a_table() {
        for (words, expected) in [
            ("19081209", "1908-12-09"),
            ("19081309", "1908-13-09"),
            ("12031998", "1998-03-12"),
            ("13121998", "1998-12-13"),
            ("199803", "1998-03"),
            ("1998", "1998"),
            ("1998 03 12", "1998-03-12"),
            ("1998 3", "1998-03"),
            ("3 1998", "1998-03"),
            ("1998 03 12t10 15 00z", "1998-03-12"),
            ("1998 03 12 10 15 00", "1998-03-12"),
            ("12 3 98", "1998-03-12"),
            ("31 12 29", "2029-12-31"),
            ("12 31 1998", "1998-12-31"),
            ("12 march 1998", "1998-03-12"),
            ("12th of march 1998", "1998-03-12"),
            ("march 12 1998", "1998-03-12"),
            ("thu mar 12 98", "1998-03-12"),
            ("sept 1998", "1998-09"),
            ("3 marz 2001", "2001-03-03"),
            ("1er aout 2001", "2001-08-01"),
            ("3 de enero de 2001", "2001-01-03"),
            ("yesterday", ""),
            ("march", ""),
            ("12 34", ""),
            ("123456789", ""),
            ("1998 a b", ""),
        ] {
            let mut found = String::new();
            assert_eq!(
                write(words, false, &mut found),
                !expected.is_empty(),
                "{words}: {found}"
            );
            assert_eq!(found, expected, "{words}");
        }
        let mut american = String::new();
        assert!(write("3 4 1998", true, &mut american));
        assert_eq!(american, "1998-03-04");
    }

    #[test]
    fn alike_dates_in_a_table() {
        for (a, b, expected) in [
            ("1998-03-12", "1998-03-12", 1.0),
            ("1998-03-12", "1998-12-03", 0.9),
            ("1998-03-12", "1998-03", 0.9),
            ("1998", "1998-03", 0.9),
            ("1998-03-12", "1998-03-13", 0.8),
            ("1998-03-12", "1998-03-21", 0.8),
            ("1998-03-12", "1989-03-13", 0.5),
            ("1998-03-12", "1998-03-30", 0.5),
            ("1998-03-12", "1998-11-30", 0.2),
            ("1998-03-12", "1971-11-30", 0.0),
            ("1998-03", "1998-04", 0.2),
            ("1998", "1999", 0.0),
            ("soon", "soom", 0.75),
            ("soon", "1998", 0.0),
            ("1998-12-25", "19981245", 0.875),
        ] {
            assert_eq!(
                (similarity(a, b), similarity(b, a)),
                (expected, expected),
                "{a} {b}"
            );
        }
    }
}
