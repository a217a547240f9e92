//! Parts of values.

use super::{
    codes::{code, words_with_digits},
    strings::{sorted_words, sounds},
};
use crate::records::config::Take;

impl Take {
    /// Returns this part of a normal form; empty if the form has no such part.
    pub(in crate::records) fn of(self, value: &str) -> String {
        match self {
            Self::Whole => value.to_owned(),
            Self::FirstWord => value.split(' ').next().unwrap_or_default().to_owned(),
            Self::LastWord => value.rsplit(' ').next().unwrap_or_default().to_owned(),
            Self::LongestWord => {
                // `max_by_key` returns the last of several maxima, so the words are reversed.
                value
                    .split(' ')
                    .rev()
                    .max_by_key(|word| word.chars().count())
                    .unwrap_or_default()
                    .to_owned()
            }
            Self::SortedWords => sorted_words(value),
            Self::Sound if value.is_empty() => String::new(),
            Self::Sound => sounds(value),
            Self::Code => code(value).unwrap_or_default().to_owned(),
            Self::Numbers => words_with_digits(value),
        }
    }
}
