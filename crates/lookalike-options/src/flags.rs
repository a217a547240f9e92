//! The flags of a command, for tests of other front ends.

use clap::{ArgAction, Args, Command};

/// A flag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flag {
    /// The name of its option.
    pub name: String,
    /// Whether it takes a value.
    pub has_value: bool,
    /// All possible values, if they are a fixed list.
    pub values: Vec<String>,
}

/// Returns the flags of these options, except hidden ones.
pub fn flags<T: Args>() -> Vec<Flag> {
    let command = T::augment_args(Command::new("lookalike"));
    let own = command.get_arguments().filter(|arg| !arg.is_hide_set());
    own.filter_map(|arg| {
        let has_value = !matches!(arg.get_action(), ArgAction::SetTrue);
        let values = if has_value {
            arg.get_possible_values()
        } else {
            Vec::new()
        };
        Some(Flag {
            name: arg.get_long()?.replace('-', "_"),
            has_value,
            values: values.iter().map(|value| value.get_name().into()).collect(),
        })
    })
    .collect()
}
