//! Renders the messages of the libraries for the command: where a message names a setting, the rendered text names the flag that
//! the user has to type.

use std::borrow::Cow;

use lookalike_engine::{Error, Front, Setting};

/// The current command, because the name of a flag can depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flags {
    /// The flags of `eval`.
    Eval,
    /// The flags of `mirrors`.
    Mirrors,
    /// The flags of `cut`.
    Cut,
    /// The flags of any other command.
    Others,
}

impl Flags {
    /// Returns the flag of a setting: its name in the configuration, unless the command calls it otherwise.
    fn flag(self, setting: Setting) -> Cow<'static, str> {
        let other = match (setting, self) {
            (Setting::LabelField, Self::Eval) => "--labels",
            (Setting::LabelField, Self::Mirrors) => "--by field:NAME",
            (Setting::LabelField, Self::Cut) => "--within group:FIELD",
            (Setting::LabelField, Self::Others) => "--label",
            // The threshold of `passages` is a containment.
            (Setting::Containment, _) => "--threshold",
            _ => return format!("--{}", setting.name().replace('_', "-")).into(),
        };
        other.into()
    }

    /// Returns the message of an error and its causes. The libraries' own errors already include their causes.
    pub fn rendered(self, error: &anyhow::Error) -> String {
        let mut said = Vec::new();
        for cause in error.chain() {
            let Some(error) = cause.downcast_ref::<Error>() else {
                said.push(cause.to_string());
                continue;
            };
            said.push(error.rendered(&self));
            break;
        }
        said.join(": ")
    }
}

impl Front for Flags {
    fn setting(&self, setting: Setting) -> Cow<'static, str> {
        self.flag(setting)
    }

    fn with_value(&self, setting: Setting, value: &str) -> String {
        match (self, setting) {
            (Self::Mirrors, Setting::LabelField) => format!("--by field:{value}"),
            (Self::Cut, Setting::LabelField) => format!("--within group:{value}"),
            _ => format!("{} {value}", self.flag(setting)),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;
    use lookalike_engine::ErrorKind;

    use super::*;
    use crate::Cli;

    /// Returns whether a command has a flag.
    fn has(command: &clap::Command, flag: &str) -> bool {
        let name = flag.trim_start_matches("--").split(' ').next();
        command.get_arguments().any(|arg| arg.get_long() == name)
    }

    #[test]
    fn every_flag_in_a_message_exists() {
        let cli = Cli::command();
        let command = |name: &str| cli.find_subcommand(name).unwrap();
        for &setting in Setting::ALL {
            let flag = Flags::Others.flag(setting);
            assert!(
                cli.get_subcommands().any(|command| has(command, &flag)),
                "{flag} is not a flag"
            );
            for (flags, name) in [
                (Flags::Eval, "eval"),
                (Flags::Mirrors, "mirrors"),
                (Flags::Cut, "cut"),
            ] {
                let own = flags.flag(setting);
                assert!(
                    own == flag || has(command(name), &own),
                    "{own} is not a flag of {name}"
                );
            }
        }
        for name in ["link", "minutiae"] {
            assert!(
                has(command(name), &Flags::Others.flag(Setting::LabelField)),
                "{name}"
            );
        }
        for setting in [Setting::Containment, Setting::Least] {
            assert!(
                has(command("passages"), &Flags::Others.flag(setting)),
                "{setting:?}"
            );
        }
    }

    #[test]
    fn the_cause_of_an_error_is_not_reported_twice() {
        let ours = Error::new(ErrorKind::Input, "cannot be read")
            .at("a.jsonl")
            .because(std::io::Error::other("why"));
        let error = anyhow::Error::new(ours).context("the run");
        assert_eq!(
            Flags::Others.rendered(&error),
            "the run: a.jsonl: cannot be read"
        );
        assert_eq!(
            Flags::Others.rendered(&anyhow::anyhow!("b").context("a")),
            "a: b"
        );
    }
}
