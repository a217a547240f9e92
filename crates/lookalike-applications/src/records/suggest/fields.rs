//! Chooses the columns to compare.

use std::collections::BTreeSet;

use super::{
    column::Column,
    facts::{Facts, normal},
    kinds,
};
use crate::records::{
    config::{Compare, FieldConfig, Kind, Take},
    values::Scratch,
};

/// A field to compare, and what is known of its column.
#[derive(Debug, Clone, PartialEq)]
pub struct SuggestedField {
    /// The field.
    pub config: FieldConfig,
    /// The share of the records that lack it.
    pub missing: f64,
    /// The number of different values in the sample.
    pub distinct: usize,
}

/// A column that should not be compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// The path in a record.
    pub path: String,
    /// Why it is left out.
    pub why: String,
}

/// A column is left out if a smaller share of the records has a value.
const RARE: f64 = 0.02;

/// A column is left out if its values are longer on average, in characters.
const LONG: f64 = 1000.0;

/// Two columns are the same if this share of their values are equal. A column repeats others if this share of its words are theirs.
const SAME: f64 = 0.95;

/// The number of records in which words are compared.
const WORDS_OF: usize = 300;

/// Chooses the columns to compare, and says why the others are left out. `split` is the number of values of the first collection; all
/// if there is one. Cost: the size of the sample times its columns.
pub fn fields(columns: &[Column], split: usize) -> (Vec<SuggestedField>, Vec<LeftOut>) {
    let (mut fields, mut left_out) = (Vec::new(), Vec::new());
    let mut chosen: Vec<&Column> = Vec::new();
    let known: Vec<(Vec<String>, Facts)> = columns
        .iter()
        .map(|column| {
            let nothing = column.nothing();
            let facts = Facts::of(column, &nothing);
            (nothing, facts)
        })
        .collect();
    let words: Vec<Vec<String>> = columns.iter().map(words).collect();
    for (at, (column, (nothing, facts))) in columns.iter().zip(&known).enumerate() {
        let name = name(
            &column.path,
            fields
                .iter()
                .map(|field: &SuggestedField| field.config.name.as_str()),
        );
        let field = kinds::field(&name, facts, split < column.values.len());
        let why = if column.is_nested {
            Some(
                "lists and objects cannot be compared; join their parts into one string first"
                    .into(),
            )
        } else if facts.present == 0.0 || facts.present < RARE {
            Some(format!(
                "missing in {:.1} % of the records",
                100.0 * (1.0 - facts.present)
            ))
        } else if facts.distinct < 2 {
            Some("all records have the same value".into())
        } else if facts.characters > LONG {
            Some("its values are long texts; compare them with lookalike pairs".into())
        } else if matches!(field.kind, Kind::Code | Kind::Exact | Kind::Number)
            && shares_nothing(column, facts, split)
        {
            Some("no two records have the same value".into())
        } else if let Some(other) = chosen.iter().find(|other| are_same(column, other)) {
            Some(format!("the same as {}", other.path))
        } else if repeats(&words, &known, at) {
            Some("repeats the words of other fields".into())
        } else {
            None
        };
        if let Some(why) = why {
            left_out.push(LeftOut {
                path: column.path.clone(),
                why,
            });
            continue;
        }
        let from = if field.name == column.path {
            Vec::new()
        } else {
            vec![column.path.clone()]
        };
        let config = FieldConfig {
            from,
            empty: nothing.clone(),
            ..field
        };
        let part = kinds::part(&config, facts);
        fields.push(SuggestedField {
            config,
            missing: 1.0 - facts.present,
            distinct: facts.distinct,
        });
        chosen.push(column);
        if let Some(config) = part
            && fields.iter().all(|field| field.config.name != config.name)
        {
            let facts = Facts::of_part(column, &config);
            if facts.present >= RARE && facts.distinct > 1 {
                fields.push(SuggestedField {
                    config,
                    missing: 1.0 - facts.present,
                    distinct: facts.distinct,
                });
            }
        }
    }
    (fields, left_out)
}

/// Returns the last part of a path, or the whole path if another field has this name.
fn name<'a>(path: &str, mut taken: impl Iterator<Item = &'a str>) -> String {
    let last = path.rsplit('.').next().unwrap_or(path);
    if last.is_empty() || taken.any(|other| other == last) {
        path.into()
    } else {
        last.into()
    }
}

/// Returns whether no value occurs twice, or, if there are two collections, in both.
fn shares_nothing(column: &Column, facts: &Facts, split: usize) -> bool {
    let (first, second) = column.values.split_at(split.min(column.values.len()));
    if second.is_empty() {
        return facts.most < 2;
    }
    let values = |values: &[String]| {
        values
            .iter()
            .map(|value| value.trim().to_lowercase())
            .filter(|value| !value.is_empty())
            .collect()
    };
    let (first, second): (BTreeSet<String>, BTreeSet<String>) = (values(first), values(second));
    first.is_disjoint(&second)
}

/// Returns whether two columns have the same values, where either has one.
fn are_same(column: &Column, other: &Column) -> bool {
    let present = || {
        column
            .values
            .iter()
            .zip(&other.values)
            .filter(|(a, b)| !a.is_empty() || !b.is_empty())
    };
    let same = present().filter(|(a, b)| a == b).count();
    same as f64 >= SAME * present().count().max(1) as f64
}

/// Returns the words of the first values of a column.
fn words(column: &Column) -> Vec<String> {
    let mut scratch = Scratch::default();
    column
        .values
        .iter()
        .take(WORDS_OF)
        .map(|value| normal(Kind::Text, value, &mut scratch))
        .collect()
}

/// Returns whether a column consists of the words of at least two other columns, each of which has fewer words. `words` has those of
/// each column.
fn repeats(words: &[Vec<String>], facts: &[(Vec<String>, Facts)], at: usize) -> bool {
    let is_shorter = |of: &Facts| of.present >= RARE && of.words < facts[at].1.words;
    let others = words.iter().zip(facts).enumerate();
    let shorter: Vec<&Vec<String>> = others
        .filter(|(other, (_, (_, of)))| *other != at && is_shorter(of))
        .map(|(_, (words, _))| words)
        .collect();
    let (mut all, mut found, mut sources) = (0, 0, BTreeSet::new());
    for (record, own) in words[at].iter().enumerate() {
        for word in own.split(' ').filter(|word| !word.is_empty()) {
            all += 1;
            if let Some(source) = shorter
                .iter()
                .position(|other| other[record].split(' ').any(|one| one == word))
            {
                found += 1;
                sources.insert(source);
            }
        }
    }
    all > 0 && found as f64 >= SAME * f64::from(all) && sources.len() > 1
}

/// Returns whether the values of a field are long enough for a block of similar values.
pub(super) fn is_long(field: &FieldConfig) -> bool {
    match field.kind {
        _ if field.take != Take::Whole => false,
        Kind::Text | Kind::Address => true,
        Kind::Name => matches!(field.compare, Some(Compare::Soft | Compare::Words)),
        _ => false,
    }
}
