//! What the values of a column have in common.

use std::collections::{BTreeMap, BTreeSet};

use super::column::Column;
use crate::records::{
    config::{FieldConfig, Kind},
    valid::measure,
    values::{Scratch, code, normalise},
};

/// Facts about a column. A share is one of the values that are not missing.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Facts {
    /// The share of the records that have a value, and their number.
    pub(super) present: f64,
    pub(super) values: usize,
    /// The number of different normal forms of text.
    pub(super) distinct: usize,
    /// How many records have the most common one.
    pub(super) most: usize,
    /// The average length of the values in characters, and in words.
    pub(super) characters: f64,
    pub(super) words: f64,
    /// The share of words of one letter.
    pub(super) initials: f64,
    /// The share of values that are dates, numbers, whole numbers, and years.
    pub(super) dates: f64,
    pub(super) numbers: f64,
    pub(super) whole: f64,
    pub(super) years: f64,
    /// The share of values with seven digits or more and signs that phone numbers have.
    pub(super) phones: f64,
    /// The share of values with a digit, and of those that begin with a number and a word.
    pub(super) digits: f64,
    pub(super) addresses: f64,
    /// The share of values with a model number.
    pub(super) codes: f64,
    /// Whether a date such as 3/25/1998 has the month first.
    pub(super) month_first: bool,
}

impl Facts {
    pub(super) fn of(column: &Column, nothing: &[String]) -> Self {
        let values: Vec<&str> = column.values.iter().map(|value| value.trim()).collect();
        let present: Vec<&str> = values
            .iter()
            .copied()
            .filter(|value| !value.is_empty() && !nothing.iter().any(|other| other == value))
            .collect();
        if present.is_empty() {
            return Self::default();
        }
        let all = present.len() as f64;
        let share = |is: &dyn Fn(&str) -> bool| {
            present.iter().filter(|value| is(value)).count() as f64 / all
        };
        let mut scratch = Scratch::default();
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        let (mut words, mut letters) = (0, 0);
        for value in &present {
            let text = normal(Kind::Text, value, &mut scratch);
            words += text.split(' ').count();
            letters += text
                .split(' ')
                .filter(|word| {
                    word.chars().count() == 1 && !word.starts_with(|c: char| c.is_ascii_digit())
                })
                .count();
            *counts.entry(text).or_default() += 1;
        }
        let slashed: Vec<[u32; 2]> = present.iter().filter_map(|value| slashed(value)).collect();
        Self {
            present: all / values.len() as f64,
            values: present.len(),
            distinct: counts.len(),
            most: counts.values().copied().max().unwrap_or(0),
            characters: present
                .iter()
                .map(|value| value.chars().count())
                .sum::<usize>() as f64
                / all,
            words: words as f64 / all,
            initials: letters as f64 / words.max(1) as f64,
            dates: share(&is_date),
            numbers: share(&is_number),
            whole: share(&|value| {
                !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit())
            }),
            years: share(&is_year),
            phones: share(&is_phone),
            digits: share(&|value| value.contains(|c: char| c.is_ascii_digit())),
            addresses: share(&is_address),
            codes: share(&|value| code(value).is_some()),
            month_first: slashed.iter().any(|[_, second]| *second > 12)
                && slashed.iter().all(|[first, _]| *first <= 12),
        }
    }
}

/// How many values have a part, as a share of all values, and how many different parts there are.
pub(super) struct PartFacts {
    pub(super) present: f64,
    pub(super) distinct: usize,
}

impl Facts {
    pub(super) fn of_part(column: &Column, field: &FieldConfig) -> PartFacts {
        let mut scratch = Scratch::default();
        let part = |value: &String| {
            let mut into = String::new();
            normalise(field, value, &mut scratch, &mut into);
            into
        };
        let parts: Vec<String> = column
            .values
            .iter()
            .map(part)
            .filter(|part| !part.is_empty())
            .collect();
        let distinct: BTreeSet<&String> = parts.iter().collect();
        PartFacts {
            present: parts.len() as f64 / column.values.len().max(1) as f64,
            distinct: distinct.len(),
        }
    }
}

pub(super) fn normal(kind: Kind, value: &str, scratch: &mut Scratch) -> String {
    let mut into = String::new();
    normalise(&FieldConfig::new("", kind), value, scratch, &mut into);
    into
}

/// Returns whether a value is a date with a day. A number is one only if it has eight digits that are a date.
fn is_date(value: &str) -> bool {
    let mut scratch = Scratch::default();
    let is_plain = value
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.');
    let date = normal(Kind::Date, value, &mut scratch);
    let has_day = date.len() == 10 && date.split('-').count() == 3;
    has_day
        && (!is_plain || value.len() == 8 || value.matches('.').count() == 2)
        && measure(&date, &mut scratch).is_some()
}

/// Returns whether a value is a number, with a unit or a currency of at most three letters.
fn is_number(value: &str) -> bool {
    let is_sign = |c: char| matches!(c, '.' | ',' | ' ' | '$' | '€' | '£' | '¥' | '%');
    let is_other = |c: char| !c.is_alphanumeric() && !is_sign(c);
    let letters = value.chars().filter(|c| c.is_alphabetic()).count();
    letters <= 3
        && !value.trim_start_matches(['-', '+']).contains(is_other)
        && !normal(Kind::Number, value, &mut Scratch::default()).is_empty()
}

fn is_year(value: &str) -> bool {
    let number = normal(Kind::Number, value, &mut Scratch::default());
    value.chars().filter(|c| c.is_ascii_digit()).count() == 4
        && !value.contains(char::is_alphabetic)
        && number
            .parse::<u32>()
            .is_ok_and(|year| (1000..2200).contains(&year))
}

fn is_phone(value: &str) -> bool {
    let digits = value.chars().filter(char::is_ascii_digit).count();
    let is_sign = |c: char| matches!(c, '+' | '-' | '(' | ')' | '/' | '.' | ' ');
    (7..=15).contains(&digits)
        && value.chars().all(|c| c.is_ascii_digit() || is_sign(c))
        && value.contains(|c: char| is_sign(c) && c != '.')
}

fn is_address(value: &str) -> bool {
    let mut words = value.split_whitespace();
    let number = words
        .next()
        .is_some_and(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    number && words.any(|word| word.chars().filter(|c| c.is_alphabetic()).count() > 1)
}

/// Returns the first two numbers of a date such as 3/25/1998.
fn slashed(value: &str) -> Option<[u32; 2]> {
    let mut parts = value
        .split(['/', '-', '.'])
        .map(|part| part.trim().parse::<u32>().ok());
    let (first, second, third) = (parts.next()??, parts.next()??, parts.next()??);
    (third > 31 || third < 100)
        .then_some([first, second])
        .filter(|[first, _]| *first <= 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_in_a_table() {
        for (value, date, number, year, phone, address) in [
            ("1998-03-12", true, false, false, true, false),
            ("19081209", true, true, false, false, false),
            ("19981345", false, true, false, false, false),
            ("12 March 1998", true, false, false, false, true),
            ("1995,", false, true, true, false, false),
            ("$12.50", false, true, false, false, false),
            ("(213) 555-0100", false, false, false, true, false),
            ("213/456-0488", false, false, false, true, false),
            ("435 s. la cienega blv.", false, false, false, false, true),
            ("pp. 322-331", false, false, false, false, false),
            ("Ann", false, false, false, false, false),
        ] {
            let found = (
                is_date(value),
                is_number(value),
                is_year(value),
                is_phone(value),
                is_address(value),
            );
            assert_eq!(found, (date, number, year, phone, address), "{value}");
        }
        assert_eq!(
            [slashed("3/25/1998"), slashed("1998-03-12"), slashed("x")],
            [Some([3, 25]), None, None]
        );
    }
}
