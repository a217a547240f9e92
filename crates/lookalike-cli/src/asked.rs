//! Turns flags into configurations without starting a run. This module is for interfaces that do not receive flags on a command
//! line, such as Python with its keyword arguments. The names, values, defaults and errors of such an interface are therefore
//! those of the command.

use std::{ffi::OsString, path::Path};

use clap::{
    Arg, ArgAction, Args, Command,
    error::{ContextKind, ContextValue},
};
use lookalike::Config;
use lookalike_applications::records::LinkConfig;
use lookalike_engine::{Auditing, Cards, Cutting, Link as Linking, Mirroring, Outputs, RunConfig};
use lookalike_index::{Index, Settings};
use serde::de::DeserializeOwned;

pub use crate::commands::index::{
    add::Asked,
    steps::{Stopped, in_steps},
};
use crate::{
    args::MethodArgs,
    commands::{
        apply::Apply,
        audit::Audit,
        cut::Cut,
        dedup::Dedup,
        index::{add::Add, create::Create},
        link::{self, Link},
        minutiae::Minutiae,
        mirrors::Mirrors,
        pairs::Pairs,
    },
    refused,
};

/// A flag of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flag {
    /// The name without the dashes.
    pub name: String,
    /// Whether it takes a value.
    pub has_value: bool,
    /// All possible values, if they are a fixed list.
    pub values: Vec<String>,
}

/// Why flags were refused.
#[derive(Debug)]
pub enum Refused {
    /// A flag has an invalid value.
    Value {
        /// The flag, without the dashes.
        flag: String,
        /// The given value.
        value: String,
        /// The values that it accepts.
        words: String,
    },
    /// Two flags contradict each other.
    Together {
        /// The first flag, without the dashes.
        flag: String,
        /// The second flag, without the dashes.
        other: String,
    },
    /// Any other error.
    Other(anyhow::Error),
}

/// Returns the flags of `dedup`, `pairs`, `apply`, `cut`, `audit`, `mirrors`, `link`, `index create` or `index add`. For any other
/// name, returns only the flags that determine how documents are compared, how candidate pairs are found and which documents are
/// kept. Hidden flags are excluded.
pub fn flags(command: &str) -> Vec<Flag> {
    let command = match command {
        "dedup" => definition::<Dedup>(),
        "pairs" => definition::<Pairs>(),
        "apply" => definition::<Apply>(),
        "cut" => definition::<Cut>(),
        "audit" => definition::<Audit>(),
        "mirrors" => definition::<Mirrors>(),
        "link" => definition::<Link>(),
        "index create" => definition::<Create>(),
        "index add" => definition::<Add>(),
        _ => definition::<MethodArgs>(),
    };
    let own = command.get_arguments().filter(|arg| !arg.is_hide_set());
    own.filter_map(|arg| {
        Some(Flag {
            name: arg.get_long()?.into(),
            has_value: has_value(arg),
            values: values(arg),
        })
    })
    .collect()
}

fn has_value(arg: &Arg) -> bool {
    !matches!(
        arg.get_action(),
        ArgAction::SetTrue
            | ArgAction::SetFalse
            | ArgAction::Help
            | ArgAction::HelpLong
            | ArgAction::HelpShort
    )
}

fn values(arg: &Arg) -> Vec<String> {
    let values = if has_value(arg) {
        arg.get_possible_values()
    } else {
        Vec::new()
    };
    values
        .iter()
        .filter(|value| !value.is_hide_set())
        .map(|value| value.get_name().into())
        .collect()
}

/// Returns the configuration and the outputs of a run of `dedup` from its flags.
///
/// # Errors
/// Fails with every error that the command reports before it reads any input.
pub fn dedup(flags: Vec<OsString>) -> Result<(RunConfig, Outputs), Refused> {
    let asked = parse::<Dedup>(flags)?;
    Ok((asked.config().map_err(Refused::Other)?, asked.outputs()))
}

/// Returns the configuration of a run of `pairs` from its flags.
///
/// # Errors
/// Fails in the same cases as [`dedup`].
pub fn pairs(flags: Vec<OsString>) -> Result<RunConfig, Refused> {
    parse::<Pairs>(flags)?.config().map_err(Refused::Other)
}

/// Returns the configuration of a run of `apply` from its flags and, if documents are decided from pairs, its outputs.
///
/// # Errors
/// Fails in the same cases as [`dedup`].
pub fn apply(flags: Vec<OsString>) -> Result<(RunConfig, Option<Outputs>), Refused> {
    let apply = parse::<Apply>(flags)?;
    Ok((apply.config().map_err(Refused::Other)?, apply.outputs()))
}

/// Returns the configuration of a run of `cut` from its flags, and what is cut.
///
/// # Errors
/// Fails in the same cases as [`dedup`].
pub fn cut(flags: Vec<OsString>) -> Result<(RunConfig, Cutting), Refused> {
    parse::<Cut>(flags)?.config().map_err(Refused::Other)
}

/// Returns the configuration of a run of `mirrors` from its flags, and the options for finding mirrors.
///
/// # Errors
/// Fails in the same cases as [`dedup`].
pub fn mirrors(flags: Vec<OsString>) -> Result<(RunConfig, Mirroring), Refused> {
    parse::<Mirrors>(flags)?.asked().map_err(Refused::Other)
}

/// Returns the configuration of a run of `link` from its flags, and the request for a linkage, without its fields and blocks.
///
/// # Errors
/// Fails in the same cases as [`dedup`].
pub fn link(flags: Vec<OsString>) -> Result<(RunConfig, Linking), Refused> {
    let asked = parse::<Link>(flags)?;
    Ok((asked.run_config(), asked.asked(LinkConfig::default())))
}

/// Reads the configuration of a linkage from a TOML file.
///
/// # Errors
/// Fails if the file cannot be read, or is not such a configuration. The error names the file and the line.
pub fn link_config(path: &Path) -> Result<LinkConfig, Refused> {
    link::read(path).map_err(Refused::Other)
}

/// Parses TOML text, such as a suggested configuration.
///
/// # Errors
/// Fails if the text is not TOML, or does not have that form.
pub fn of_toml<T: DeserializeOwned>(text: &str) -> Result<T, Refused> {
    toml::from_str(text).map_err(|error| Refused::Other(error.into()))
}

/// Returns how fingerprint cards are read and compared, from the flags of `minutiae`.
///
/// # Errors
/// Fails in the same cases as [`dedup`].
pub fn minutiae(flags: Vec<OsString>) -> Result<(RunConfig, Cards), Refused> {
    parse::<Minutiae>(flags)?.asked().map_err(Refused::Other)
}

/// Returns how a result is audited, from the flags of `audit`.
///
/// # Errors
/// Fails in the same cases as [`dedup`].
pub fn audit(flags: Vec<OsString>) -> Result<(RunConfig, Auditing), Refused> {
    parse::<Audit>(flags)?.configs().map_err(Refused::Other)
}

/// Returns the settings of a new index from the flags of `index create`. They are not yet checked as a whole.
///
/// # Errors
/// Fails in the same cases as [`dedup`].
pub fn index_create(flags: Vec<OsString>) -> Result<Settings, Refused> {
    parse::<Create>(flags)?.settings().map_err(Refused::Other)
}

/// Returns how documents are read and added, from the flags of `index add`.
///
/// # Errors
/// Fails in the same cases as [`dedup`].
pub fn index_add(index: &Index, flags: Vec<OsString>) -> Result<Asked, Refused> {
    parse::<Add>(flags)?.asked(index).map_err(Refused::Other)
}

/// Returns the configuration from the flags that determine how documents are compared, how candidate pairs are found and which
/// documents are kept. The configuration is not yet checked as a whole.
///
/// # Errors
/// Fails in the same cases as [`dedup`].
pub fn method(flags: Vec<OsString>) -> Result<Config, Refused> {
    parse::<MethodArgs>(flags)?.config().map_err(Refused::Other)
}

fn definition<T: Args>() -> Command {
    T::augment_args(Command::new("lookalike").no_binary_name(true))
}

fn parse<T: Args>(flags: Vec<OsString>) -> Result<T, Refused> {
    let parsed = definition::<T>()
        .try_get_matches_from(flags)
        .and_then(|matches| T::from_arg_matches(&matches));
    parsed.map_err(|error| {
        let said = |kind| match error.get(kind) {
            Some(ContextValue::String(said)) => Some(said.clone()),
            Some(ContextValue::Strings(said)) => said.first().cloned(),
            _ => None,
        };
        let named = |kind| {
            said(kind)
                .and_then(|arg| Some(arg.strip_prefix("--")?.split([' ', '=']).next()?.to_owned()))
        };
        let flag = named(ContextKind::InvalidArg);
        if let (Some(flag), Some(other)) = (&flag, named(ContextKind::PriorArg)) {
            return Refused::Together {
                flag: flag.clone(),
                other,
            };
        }
        let (Some(flag), Some(value)) = (flag, said(ContextKind::InvalidValue)) else {
            // Use only the first paragraph of the message: the rest is about the command line.
            let words = refused::words(error);
            let words = words
                .split("\n\n")
                .next()
                .unwrap_or_default()
                .trim_start_matches("error: ");
            return Refused::Other(anyhow::anyhow!(
                "{}",
                words.split_whitespace().collect::<Vec<_>>().join(" ")
            ));
        };
        let possible = match error.get(ContextKind::ValidValue) {
            Some(ContextValue::Strings(values)) => format!("takes one of {}", values.join(", ")),
            _ => String::new(),
        };
        let source = std::error::Error::source(&error).map(refused::accepted);
        Refused::Value {
            flag,
            value,
            words: source.unwrap_or(possible),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(flags: &[&str]) -> Vec<OsString> {
        flags.iter().map(OsString::from).collect()
    }

    #[test]
    fn no_flags_give_the_defaults() {
        assert_eq!(method(Vec::new()).unwrap(), Config::default());
        let (config, outputs) = dedup(given(&["in.jsonl"])).unwrap();
        assert_eq!(
            (config.method, outputs.kept, outputs.decisions),
            (Config::default(), None, None)
        );
    }

    #[test]
    fn a_refusal_names_the_flag() {
        let refused = |flags: &[&str]| match method(given(flags)).unwrap_err() {
            Refused::Value { flag, value, words } => format!("{flag} {value}: {words}"),
            Refused::Together { flag, other } => format!("{flag} {other}"),
            Refused::Other(error) => error.to_string(),
        };
        assert_eq!(
            refused(&["--bands=x"]),
            "bands x: give a whole number in digits, such as 1000"
        );
        assert!(
            refused(&["--method=foo"]).starts_with("method foo: takes one of minhash, simhash")
        );
        assert!(refused(&["--keep=foo"]).starts_with("keep foo: \"foo\" is not a keep order"));
        assert_eq!(
            refused(&["--bands=3", "--method=simhash"]),
            "bands only works with candidates=bands, not with method=simhash: leave out one of the two"
        );
    }

    #[test]
    fn flags_are_named_with_their_values() {
        let all = flags("dedup");
        let flag = |name: &str| all.iter().find(|flag| flag.name == name).unwrap();
        assert!(flag("threshold").has_value && !flag("dry-run").has_value);
        assert!(flag("candidates").values.contains(&"super".into()));
        assert!(
            all.iter().all(|flag| flag.name != "resume-part"),
            "it is hidden"
        );
        assert!(flags("pairs").iter().any(|flag| flag.name == "exact"));
    }
}
