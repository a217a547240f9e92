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
            (Setting("label_field"), Self::Eval) => "--labels",
            (Setting("label_field"), Self::Mirrors) => "--by field:NAME",
            (Setting("label_field"), Self::Cut) => "--within group:FIELD",
            (Setting("label_field"), Self::Others) => "--label",
            // The threshold of `passages` is a containment.
            (Setting("containment"), _) => "--threshold",
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
            (Self::Mirrors, Setting("label_field")) => format!("--by field:{value}"),
            (Self::Cut, Setting("label_field")) => format!("--within group:{value}"),
            _ => format!("{} {value}", self.flag(setting)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, fs, path::Path};

    use clap::CommandFactory;
    use lookalike_engine::ErrorKind;

    use super::*;
    use crate::Cli;

    /// Returns whether a command has a flag.
    fn has(command: &clap::Command, flag: &str) -> bool {
        let name = flag.trim_start_matches("--").split(' ').next();
        command.get_arguments().any(|arg| arg.get_long() == name)
    }

    /// Adds the settings that the messages of a folder's sources name: `Setting("keep")`, and `$keep` in a text.
    fn names_in(folder: &Path, names: &mut BTreeSet<String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                names_in(&path, names);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let source = fs::read_to_string(&path).unwrap().replace("\\\"", "");
                let source = source.split("#[cfg(test)]").next().unwrap();
                let code = source
                    .lines()
                    .filter(|line| !line.trim_start().starts_with("//"));
                for line in code {
                    let mut parts = line.split('"');
                    let mut before = parts.next().unwrap();
                    while let Some(text) = parts.next() {
                        if before.ends_with("Setting(") {
                            names.insert(text.into());
                        }
                        names.extend(text.split('$').skip(1).map(|name| {
                            let is_name = |c: &char| c.is_ascii_lowercase() || *c == '_';
                            name.chars().take_while(is_name).collect()
                        }));
                        before = parts.next().unwrap_or_default();
                    }
                }
            }
        }
    }

    #[test]
    fn every_flag_in_a_message_exists() {
        let cli = Cli::command();
        let command = |name: &str| cli.find_subcommand(name).unwrap();
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let mut names = BTreeSet::new();
        for of in ["io", "options", "engine", "indexing", "cli", "python"] {
            names_in(&crates.join(format!("lookalike-{of}/src")), &mut names);
        }
        let core = fs::read_to_string(crates.join("lookalike/src/error.rs")).unwrap();
        let fields = core.split("fn fields(").nth(1).unwrap();
        let fields = fields.split('"').skip(1).step_by(2);
        let is_name = |name: &&str| {
            name.bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte == b'_')
        };
        names.extend(fields.take_while(is_name).map(String::from));
        assert!(names.len() > 60, "{names:?}");
        names.remove("");
        for name in names {
            let setting = Setting(name.clone().leak());
            let flag = Flags::Others.flag(setting);
            let with_inner = cli
                .get_subcommands()
                .flat_map(|command| [command].into_iter().chain(command.get_subcommands()));
            assert!(
                with_inner.into_iter().any(|command| has(command, &flag)),
                "{flag} is not a flag"
            );
            for (flags, command_name) in [
                (Flags::Eval, "eval"),
                (Flags::Mirrors, "mirrors"),
                (Flags::Cut, "cut"),
            ] {
                let own = flags.flag(setting);
                assert!(
                    own == flag || has(command(command_name), &own),
                    "{own} is not a flag of {command_name}"
                );
            }
        }
        for name in ["link", "minutiae"] {
            assert!(
                has(command(name), &Flags::Others.flag(Setting("label_field"))),
                "{name}"
            );
        }
        for setting in [Setting("containment"), Setting("least")] {
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
