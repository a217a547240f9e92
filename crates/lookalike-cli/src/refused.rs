//! Messages about invalid arguments. An argument can have any length and can be a URL with a password, so it is cut and masked.

use std::num::{IntErrorKind, ParseFloatError, ParseIntError, TryFromIntError};

use clap::{
    Error,
    error::{ContextKind, ContextValue},
};
use lookalike::shown::cut;
use lookalike_engine::shown_name;

/// Returns clap's message with arguments cut and masked. For a number that does not parse, the message says what is accepted.
pub fn words(mut error: Error) -> String {
    let given = |(kind, value): (ContextKind, &ContextValue)| match (kind, value) {
        (
            ContextKind::InvalidArg | ContextKind::InvalidValue | ContextKind::InvalidSubcommand,
            ContextValue::String(given),
        ) => Some((kind, given.clone())),
        _ => None,
    };
    for (kind, given) in error.context().filter_map(given).collect::<Vec<_>>() {
        let shown = cut(&shown_name(&given)).into_owned();
        if shown != given {
            // clap's suggestion is removed, because it repeats the argument in full.
            error.remove(ContextKind::Suggested);
            error.insert(kind, ContextValue::String(shown));
        }
    }
    let words = error.render().to_string();
    let Some((said, accepted)) =
        std::error::Error::source(&error).map(|source| (source.to_string(), accepted(source)))
    else {
        return words;
    };
    // In the message, the value precedes the reason. The value may itself contain the words of the reason, so search for the
    // reason from the end.
    match words.rsplit_once(&format!(": {said}")) {
        Some((before, after)) => format!("{before}: {accepted}{after}"),
        None => words,
    }
}

const TOO_LARGE: &str = "too large; give a smaller number";

/// Returns why a value is invalid or, for a number, which values are accepted.
pub fn accepted(source: &(dyn std::error::Error + 'static)) -> String {
    let said = source.to_string();
    if let Some(error) = source.downcast_ref::<ParseIntError>() {
        return match error.kind() {
            IntErrorKind::Zero => "give a whole number of 1 or more".into(),
            IntErrorKind::PosOverflow | IntErrorKind::NegOverflow => TOO_LARGE.into(),
            _ => "give a whole number in digits, such as 1000".into(),
        };
    }
    if source.is::<TryFromIntError>() {
        return TOO_LARGE.into();
    }
    if source.is::<ParseFloatError>() {
        return "give a number, such as 0.8".into();
    }
    // For a number out of range, clap's message is "0 is not in 1..=1000" or, if the range has no end, "0 is not in 1..".
    let range = said
        .split_once(" is not in ")
        .and_then(|(_, range)| range.split_once(".."));
    match range {
        Some((least, most)) => match most.strip_prefix('=') {
            Some(most) => format!("give a whole number from {least} to {most}"),
            None => format!("give a whole number of {least} or more"),
        },
        None => said,
    }
}
