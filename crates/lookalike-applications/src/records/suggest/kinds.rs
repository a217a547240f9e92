//! Chooses how a column is compared.

use super::facts::Facts;
use crate::records::config::{Compare, FieldConfig, Kind, Take, Within};

/// Returns the field for a column with these facts, in one collection or `in_two`. The name counts only where values leave several
/// choices.
pub(super) fn field(name: &str, facts: &Facts, in_two: bool) -> FieldConfig {
    let hints = |words: &[&str]| words.iter().any(|word| name.to_lowercase().contains(word));
    let of = |kind| FieldConfig::new(name, kind);
    let with = |kind, compare| FieldConfig {
        compare: Some(compare),
        ..FieldConfig::new(name, kind)
    };
    match facts {
        _ if facts.dates >= 0.8 => FieldConfig {
            month_first: facts.month_first,
            ..of(Kind::Date)
        },
        _ if facts.phones >= 0.8
            || hints(&["phone", "fax", "mobile", "telephone"]) && facts.digits >= 0.8 =>
        {
            of(Kind::Phone)
        }
        _ if facts.years >= 0.8 => FieldConfig {
            within: Some(Within::Apart(4.0)),
            ..of(Kind::Number)
        },
        _ if hints(&["page"]) && facts.digits >= 0.6 && facts.words < 6.0 => FieldConfig {
            within: Some(Within::Apart(10.0)),
            ..of(Kind::Number)
        },
        _ if facts.whole >= 0.8 => of(Kind::Code),
        _ if facts.numbers >= 0.8 => of(Kind::Number),
        _ if facts.words < 1.3 && facts.digits >= 0.6 => of(Kind::Code),
        // A few values that occur again and again, such as states.
        _ if facts.characters <= 3.0
            || facts.distinct <= 12 && 5 * facts.distinct <= facts.values =>
        {
            of(Kind::Exact)
        }
        _ if facts.addresses >= 0.5 || hints(&["address", "street"]) => of(Kind::Address),
        _ if facts.words >= 1.8 && facts.initials >= 0.1 => with(Kind::Name, Compare::Soft),
        // In one collection, the words of a thing that is there many times are not rare.
        _ if facts.words >= 3.5 => with(
            Kind::Text,
            if in_two {
                Compare::TfIdfTrigrams
            } else {
                Compare::Words
            },
        ),
        _ if facts.words >= 1.8 => with(Kind::Name, Compare::Words),
        _ => of(Kind::Name),
    }
}

/// The smallest share of titles with a model number, or with a number, if that is compared by itself.
const NUMBERED: f64 = 0.3;

/// Returns a field that compares a part of a title once more: the model number of a product, or the numbers of its version. Values are
/// titles if most records have one of their own.
pub(super) fn part(field: &FieldConfig, facts: &Facts) -> Option<FieldConfig> {
    let is_title =
        facts.present >= 0.5 && 2 * facts.distinct >= facts.values && facts.words <= 25.0;
    if field.kind != Kind::Text || !is_title {
        return None;
    }
    let part = |suffix: &str, kind, take, compare| FieldConfig {
        from: field.paths().into(),
        take,
        compare,
        empty: field.empty.clone(),
        ..FieldConfig::new(&format!("{}_{suffix}", field.name), kind)
    };
    match facts {
        _ if facts.codes >= NUMBERED => Some(part("code", Kind::Code, Take::Code, None)),
        _ if facts.digits >= NUMBERED => Some(part(
            "numbers",
            Kind::Text,
            Take::Numbers,
            Some(Compare::Words),
        )),
        _ => None,
    }
}
