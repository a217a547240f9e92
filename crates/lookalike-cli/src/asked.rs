//! What flags ask for, without a run: for those who are given flags in another way than by a command line, as Python is by keywords.
//! So names, values, defaults and refusals are those of the command.

use std::ffi::OsString;

use clap::{
    Arg, ArgAction, Args, Command,
    error::{ContextKind, ContextValue},
};
use lookalike::Config;
use lookalike_engine::{Outputs, RunConfig};

use crate::{
    args::MethodArgs,
    commands::{apply::Apply, dedup::Dedup, pairs::Pairs},
    refused,
};

/// A flag of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flag {
    /// Without the dashes.
    pub name: String,
    /// Whether it has a value.
    pub has_value: bool,
    /// Its values, where these are all.
    pub values: Vec<String>,
}

/// Why flags were refused.
#[derive(Debug)]
pub enum Refused {
    /// A flag's value, with what is wrong with it.
    Value {
        /// The flag, without the dashes.
        flag: String,
        /// What it is given.
        value: String,
        /// What it takes.
        words: String,
    },
    /// Two flags that do not go together.
    Together {
        /// The one, without the dashes.
        flag: String,
        /// The other, without the dashes.
        other: String,
    },
    /// Anything else.
    Other(anyhow::Error),
}

/// The flags of `dedup`, `pairs` or `apply`, and of no command those of finding and comparing alone; hidden ones left out.
pub fn flags(command: &str) -> Vec<Flag> {
    let command = match command {
        "dedup" => definition::<Dedup>(),
        "pairs" => definition::<Pairs>(),
        "apply" => definition::<Apply>(),
        _ => definition::<MethodArgs>(),
    };
    let own = command.get_arguments().filter(|arg| !arg.is_hide_set());
    own.filter_map(|arg| Some(Flag { name: arg.get_long()?.into(), has_value: has_value(arg), values: values(arg) })).collect()
}

fn has_value(arg: &Arg) -> bool {
    !matches!(
        arg.get_action(),
        ArgAction::SetTrue | ArgAction::SetFalse | ArgAction::Help | ArgAction::HelpLong | ArgAction::HelpShort
    )
}

fn values(arg: &Arg) -> Vec<String> {
    let values = if has_value(arg) { arg.get_possible_values() } else { Vec::new() };
    values.iter().filter(|value| !value.is_hide_set()).map(|value| value.get_name().into()).collect()
}

/// The run that flags of `dedup` ask for, and what it writes.
///
/// # Errors
/// What the command would refuse before it reads anything.
pub fn dedup(flags: Vec<OsString>) -> Result<(RunConfig, Outputs), Refused> {
    let asked = parse::<Dedup>(flags)?;
    Ok((asked.config().map_err(Refused::Other)?, asked.outputs()))
}

/// The run that flags of `pairs` ask for.
///
/// # Errors
/// As [`dedup`].
pub fn pairs(flags: Vec<OsString>) -> Result<RunConfig, Refused> {
    parse::<Pairs>(flags)?.config().map_err(Refused::Other)
}

/// The run that flags of `apply` ask for.
///
/// # Errors
/// As [`dedup`].
pub fn apply(flags: Vec<OsString>) -> Result<RunConfig, Refused> {
    parse::<Apply>(flags)?.config().map_err(Refused::Other)
}

/// The configuration that flags of finding and comparing ask for, not yet checked as a whole.
///
/// # Errors
/// As [`dedup`].
pub fn method(flags: Vec<OsString>) -> Result<Config, Refused> {
    parse::<MethodArgs>(flags)?.config().map_err(Refused::Other)
}

fn definition<T: Args>() -> Command {
    T::augment_args(Command::new("lookalike").no_binary_name(true))
}

fn parse<T: Args>(flags: Vec<OsString>) -> Result<T, Refused> {
    let parsed = definition::<T>().try_get_matches_from(flags).and_then(|matches| T::from_arg_matches(&matches));
    parsed.map_err(|error| {
        let said = |kind| match error.get(kind) {
            Some(ContextValue::String(said)) => Some(said.clone()),
            Some(ContextValue::Strings(said)) => said.first().cloned(),
            _ => None,
        };
        let named = |kind| said(kind).and_then(|arg| Some(arg.strip_prefix("--")?.split([' ', '=']).next()?.to_owned()));
        let flag = named(ContextKind::InvalidArg);
        if let (Some(flag), Some(other)) = (&flag, named(ContextKind::PriorArg)) {
            return Refused::Together { flag: flag.clone(), other };
        }
        let (Some(flag), Some(value)) = (flag, said(ContextKind::InvalidValue)) else {
            // The first paragraph; what follows is about the command line.
            let words = refused::words(error);
            let words = words.split("\n\n").next().unwrap_or_default().trim_start_matches("error: ");
            return Refused::Other(anyhow::anyhow!("{}", words.split_whitespace().collect::<Vec<_>>().join(" ")));
        };
        let possible = match error.get(ContextKind::ValidValue) {
            Some(ContextValue::Strings(values)) => format!("takes one of {}", values.join(", ")),
            _ => String::new(),
        };
        let source = std::error::Error::source(&error).map(refused::accepted);
        Refused::Value { flag, value, words: source.unwrap_or(possible) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(flags: &[&str]) -> Vec<OsString> {
        flags.iter().map(OsString::from).collect()
    }

    #[test]
    fn no_flags_ask_for_the_defaults() {
        assert_eq!(method(Vec::new()).unwrap(), Config::default());
        let (config, outputs) = dedup(given(&["in.jsonl"])).unwrap();
        assert_eq!((config.method, outputs.kept, outputs.decisions), (Config::default(), None, None));
    }

    #[test]
    fn a_refusal_names_the_flag() {
        let refused = |flags: &[&str]| match method(given(flags)).unwrap_err() {
            Refused::Value { flag, value, words } => format!("{flag} {value}: {words}"),
            Refused::Together { flag, other } => format!("{flag} {other}"),
            Refused::Other(error) => error.to_string(),
        };
        assert_eq!(refused(&["--bands=x"]), "bands x: give a whole number in digits, such as 1000");
        assert!(refused(&["--method=foo"]).starts_with("method foo: takes one of minhash, simhash"));
        assert!(refused(&["--keep=foo"]).starts_with("keep foo: \"foo\" is not a way to keep"));
        assert_eq!(
            refused(&["--bands=3", "--method=simhash"]),
            "bands goes with candidates=bands, and this is method=simhash: leave out one of the two"
        );
    }

    #[test]
    fn flags_are_named_with_their_values() {
        let all = flags("dedup");
        let flag = |name: &str| all.iter().find(|flag| flag.name == name).unwrap();
        assert!(flag("threshold").has_value && !flag("dry-run").has_value);
        assert!(flag("candidates").values.contains(&"super".into()));
        assert!(all.iter().all(|flag| flag.name != "resume-part"), "it is hidden");
        assert!(flags("pairs").iter().any(|flag| flag.name == "exact"));
    }
}
