//! Flags whose values are chosen from a list.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use lookalike::Choice;

/// Parses the name of a value.
pub fn choice<T: Choice>() -> impl TypedValueParser<Value = T> {
    choice_of(T::ALL)
}

/// Parses the name of one of these values.
pub fn choice_of<T: Choice>(values: &'static [T]) -> impl TypedValueParser<Value = T> {
    let named = |value: &T| PossibleValue::new(value.name()).help(value.text());
    PossibleValuesParser::new(values.iter().map(named)).try_map(|name| {
        // The parser only passes names on that it lists.
        T::named(&name).ok_or("there is no such value")
    })
}
