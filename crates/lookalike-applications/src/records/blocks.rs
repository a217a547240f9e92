//! Candidates: the pairs of records that are scored.
//!
//! The simple LSH of *Mining of Massive Datasets*, section 3.8.1, makes a bucket for each value of each field: two records are
//! candidates when they have any one field in common. The book sorts instead of hashing, so that each value has its own bucket.
//! This module sorts hashes and then compares the values, which has the same effect. A pair that has small differences in all
//! fields is found by n-grams of characters.

use lookalike::{
    fingerprint::{DigestBy, fingerprint_set},
    lsh::{Curve, Shape, band_keys},
    shingle::Shingling,
    sketch::OnePermutation,
    text::{Folds, TokensBy},
};

use super::{
    config::{BlockConfig, FieldConfig, Named, Part, Take},
    table::Records,
};
use crate::error::{Error, Result};

/// Defaults of the block settings.
const NGRAMS: usize = 3;
const THRESHOLD: f64 = 0.6;
const RECALL: f64 = 0.95;
const SEED: u64 = 0;

/// A validated rule for candidates.
#[derive(Debug, Clone)]
pub struct Block {
    by: By,
    at_most: Option<u32>,
    name: String,
}

#[derive(Debug, Clone)]
enum By {
    /// Several values, or parts of values, must all be equal. Each entry has the number of a field, and says which part of the
    /// field's value is meant.
    Equal(Vec<(usize, Part)>),
    /// A shared band of a field's MinHash.
    Similar {
        field: usize,
        shingling: Shingling,
        curve: Curve,
        minhash: OnePermutation,
    },
}

/// The key of a record that lacks a value that the block requires.
pub const NO_KEY: u64 = 0;

impl Block {
    /// Validates the configuration; `number` is the block's number, from 1.
    pub(super) fn new(config: &BlockConfig, number: usize, fields: &[FieldConfig]) -> Result<Self> {
        let wrong = |what: String| Error::Link(format!("block {number} {what}"));
        // Errors of the core crate do not mention blocks, so the block's number is added.
        let of_this = |error: lookalike::Error| Error::Link(format!("block {number}: {error}"));
        let place = |name: &String| {
            fields
                .iter()
                .position(|field| field.name == *name)
                .ok_or_else(|| Error::LinkField {
                    place: format!("block {number}"),
                    field: name.clone(),
                    fields: fields
                        .iter()
                        .map(|field| format!("{:?}", field.name))
                        .collect::<Vec<_>>()
                        .join(", "),
                })
        };
        let similar_only = [
            ("ngrams", config.ngrams.is_some()),
            ("threshold", config.threshold.is_some()),
            ("recall", config.recall.is_some()),
        ];
        if config.at_most.is_some_and(|most| most < 2) {
            return Err(wrong(
                "would skip all values; set at_most to 2 or more, or leave it out".into(),
            ));
        }
        let (by, name) = match (&config.similar, config.equal.as_slice()) {
            (Some(_), [_, ..]) | (None, []) => {
                let words =
                    "must have either equal (a list of fields) or similar (the name of one field)";
                return Err(wrong(words.into()));
            }
            (None, parts) => {
                if let Some((name, _)) = similar_only.iter().find(|(_, given)| *given) {
                    return Err(wrong(format!(
                        "has {name}, which works with similar but not with equal; leave it out"
                    )));
                }
                if parts
                    .iter()
                    .any(|part| part.prefix == Some(0) || part.suffix == Some(0))
                {
                    return Err(wrong(
                        "takes no characters from a field; a prefix or suffix must be 1 or more"
                            .into(),
                    ));
                }
                if let Some((_, part)) = parts
                    .iter()
                    .enumerate()
                    .find(|(at, part)| parts[..*at].contains(part))
                {
                    return Err(wrong(format!(
                        "lists {:?} twice under equal; remove one of the two",
                        shown(part)
                    )));
                }
                let name = parts.iter().map(shown).collect::<Vec<_>>().join(" + ");
                let parts = parts
                    .iter()
                    .map(|part| Ok((place(&part.field)?, part.clone())));
                (By::Equal(parts.collect::<Result<_>>()?), name)
            }
            (Some(field), []) => {
                let (ngrams, threshold) = (
                    config.ngrams.unwrap_or(NGRAMS),
                    config.threshold.unwrap_or(THRESHOLD),
                );
                let curve = Shape::choose(threshold, config.recall.unwrap_or(RECALL))
                    .map_err(of_this)?
                    .curve();
                let minhash = OnePermutation::new(curve.bands * curve.rows, SEED);
                let by = By::Similar {
                    field: place(field)?,
                    shingling: Shingling::new(ngrams).map_err(of_this)?,
                    curve,
                    minhash,
                };
                (by, format!("{field} ~ {threshold}"))
            }
        };
        Ok(Self {
            by,
            at_most: config.at_most,
            name,
        })
    }

    /// Returns the name that is shown to users.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the maximum number of records that may have the same key; a key of more records than this is skipped. Returns `None`
    /// if there is no maximum.
    pub fn at_most(&self) -> Option<u32> {
        self.at_most
    }

    /// Returns whether the block uses bands. A key then belongs to a band, and a pair may have several keys in common.
    pub fn has_bands(&self) -> bool {
        matches!(self.by, By::Similar { .. })
    }

    /// Returns the number of keys per record.
    pub fn keys(&self) -> usize {
        match &self.by {
            By::Equal(_) => 1,
            By::Similar { curve, .. } => curve.bands,
        }
    }

    /// Appends a record's keys, with [`NO_KEY`] for each missing key.
    pub fn write_keys(&self, records: &Records, record: u32, keys: &mut Vec<u64>) {
        match &self.by {
            By::Equal(parts) => keys.push(match self.shared_value(parts, records, record) {
                Some(value) => (DigestBy::Xxh3.digest(value.as_bytes()) as u64).max(NO_KEY + 1),
                None => NO_KEY,
            }),
            By::Similar {
                field,
                shingling,
                curve,
                minhash,
            } => {
                let set = fingerprint_set(
                    records.get(record, *field),
                    TokensBy::Chars,
                    Folds::default(),
                    *shingling,
                );
                if set.is_empty() {
                    return keys.extend(std::iter::repeat_n(NO_KEY, curve.bands));
                }
                let mut minima = Vec::new();
                minhash.minima(&set, &mut minima);
                keys.extend(band_keys(&minima, *curve).map(|key| u64::from(key) + 1));
            }
        }
    }

    /// Returns whether two records with a common key really share the required value: the values themselves are compared, not
    /// only their hashes.
    pub fn confirms(&self, records: &Records, a: u32, b: u32) -> bool {
        match &self.by {
            By::Similar { .. } => true,
            By::Equal(parts) => {
                let value = self.shared_value(parts, records, a);
                value.is_some() && value == self.shared_value(parts, records, b)
            }
        }
    }

    /// Returns whether this block makes two records candidates. This is slow and meant for one pair; it does not apply `at_most`.
    pub fn joins(&self, records: &Records, a: u32, b: u32) -> bool {
        let (mut of_a, mut of_b) = (Vec::new(), Vec::new());
        self.write_keys(records, a, &mut of_a);
        self.write_keys(records, b, &mut of_b);
        of_a.iter().zip(&of_b).any(|(a, b)| a == b && *a != NO_KEY) && self.confirms(records, a, b)
    }

    /// Returns the parts' values, one after the other; `None` if a value is missing.
    fn shared_value(
        &self,
        parts: &[(usize, Part)],
        records: &Records,
        record: u32,
    ) -> Option<String> {
        let mut value = String::new();
        for (field, part) in parts {
            let taken = take(records.get(record, *field), part);
            if taken.is_empty() {
                return None;
            }
            value += &taken;
            // No normal form contains a line break, so a line break separates the values unambiguously.
            value.push('\n');
        }
        Some(value)
    }
}

/// Returns a part of a normal form.
fn take(value: &str, part: &Part) -> String {
    let taken = part.take.of(value);
    let characters = taken.chars().count();
    let first = part
        .suffix
        .map_or(0, |suffix| characters.saturating_sub(suffix));
    match (part.prefix, part.suffix) {
        (None, None) => taken,
        (prefix, _) => taken
            .chars()
            .skip(first)
            .take(prefix.unwrap_or(characters))
            .collect(),
    }
}

/// Returns a part as shown to users, such as `surname (sound, first 3)`.
fn shown(part: &Part) -> String {
    let take = (part.take != Take::Whole).then(|| Named(part.take).to_string().replace('-', " "));
    let prefix = part.prefix.map(|prefix| format!("first {prefix}"));
    let suffix = part.suffix.map(|suffix| format!("last {suffix}"));
    let parts: Vec<String> = take.into_iter().chain(prefix).chain(suffix).collect();
    if parts.is_empty() {
        part.field.clone()
    } else {
        format!("{} ({})", part.field, parts.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_in_a_table() {
        for (value, take_by, prefix, suffix, expected) in [
            ("mary ann smith", Take::Whole, None, None, "mary ann smith"),
            ("mary ann smith", Take::FirstWord, None, None, "mary"),
            ("mary ann smith", Take::LastWord, Some(3), None, "smi"),
            ("mary smith jones", Take::LongestWord, None, None, "smith"),
            ("mary ann", Take::SortedWords, None, None, "ann mary"),
            ("robert rupert", Take::Sound, None, None, "r163 r163"),
            ("2135550100", Take::Whole, None, Some(7), "5550100"),
            ("2135550100", Take::Whole, Some(3), Some(7), "555"),
            ("été", Take::Whole, Some(2), None, "ét"),
            ("ab", Take::Whole, Some(5), Some(5), "ab"),
            ("", Take::Sound, None, None, ""),
            ("", Take::LongestWord, Some(2), None, ""),
        ] {
            let part = Part {
                field: "x".into(),
                take: take_by,
                prefix,
                suffix,
            };
            assert_eq!(take(value, &part), expected, "{value} {part:?}");
        }
    }
}
