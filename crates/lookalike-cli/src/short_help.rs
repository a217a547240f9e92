//! The text of `-h`: for each command, the few flags that most runs need, in one line each. `--help` has all flags.

use clap::Command;

/// A command and its flags in `-h`. All other flags are only in `--help`.
type Short = (&'static str, &'static [&'static str]);

const SHORT: [Short; 16] = [
    (
        "dedup",
        &[
            "inputs",
            "output",
            "decisions",
            "dry_run",
            "text_field",
            "id_field",
            "against",
            "threshold",
            "keep",
            "report",
            "memory",
        ],
    ),
    (
        "apply",
        &[
            "decisions",
            "inputs",
            "output",
            "output_format",
            "text_field",
            "id_field",
            "json",
            "memory",
        ],
    ),
    (
        "pairs",
        &[
            "inputs",
            "output",
            "threshold",
            "nearest",
            "exact",
            "against",
            "measure",
            "text_field",
            "id_field",
            "report",
            "json",
            "memory",
        ],
    ),
    (
        "compare",
        &[
            "a",
            "b",
            "collection",
            "sketches",
            "longest",
            "threshold",
            "measure",
            "full",
            "json",
        ],
    ),
    (
        "sketch",
        &[
            "inputs",
            "output",
            "kind",
            "slots",
            "bits",
            "size",
            "merge",
            "union",
            "text_field",
            "id_field",
            "json",
            "memory",
        ],
    ),
    (
        "passages",
        &[
            "a",
            "b",
            "output",
            "least",
            "gap",
            "regions",
            "threshold",
            "common",
            "pairs",
            "full",
            "text_field",
            "id_field",
            "report",
            "json",
        ],
    ),
    (
        "cut",
        &[
            "inputs",
            "output",
            "cuts",
            "mark",
            "unit",
            "window",
            "within",
            "against",
            "keep",
            "text_field",
            "id_field",
            "report",
            "json",
            "memory",
        ],
    ),
    (
        "eval",
        &[
            "inputs",
            "truth",
            "labels",
            "sample",
            "run",
            "threshold",
            "repeat",
            "text_field",
            "id_field",
            "report",
            "json",
            "memory",
        ],
    ),
    (
        "audit",
        &[
            "results",
            "texts",
            "output",
            "result",
            "by_position",
            "threshold",
            "shingle",
            "sample",
            "worst",
            "text_field",
            "id_field",
            "json",
            "memory",
        ],
    ),
    (
        "curve",
        &[
            "threshold",
            "recall",
            "bands",
            "rows",
            "at",
            "sample_size",
            "degree",
            "distance",
            "candidates",
            "files",
            "json",
        ],
    ),
    (
        "mirrors",
        &[
            "a",
            "b",
            "more",
            "history",
            "output",
            "pages",
            "unmatched",
            "by",
            "depth",
            "share",
            "changed",
            "threshold",
            "report",
            "json",
            "memory",
        ],
    ),
    ("index", &[]),
    (
        "link",
        &[
            "a",
            "b",
            "config",
            "suggest",
            "output",
            "clusters",
            "one_to_one",
            "matches_only",
            "truth",
            "label",
            "explain",
            "dry_run",
            "report",
            "json",
            "memory",
        ],
    ),
    (
        "minutiae",
        &[
            "inputs", "output", "by", "first", "columns", "turn", "within", "label", "model",
            "json",
        ],
    ),
    (
        "stage",
        &["stage", "folder", "shard", "shards", "json", "dedup"],
    ),
    ("completions", &["shell"]),
];

/// The same for the commands of `index`.
const SHORT_OF_INDEX: [Short; 11] = [
    (
        "create",
        &[
            "folder",
            "store",
            "sets",
            "threshold",
            "keep",
            "shingle",
            "method",
        ],
    ),
    (
        "add",
        &[
            "folder",
            "inputs",
            "on_conflict",
            "decisions",
            "changes",
            "text_field",
            "id_field",
            "json",
            "memory",
        ],
    ),
    (
        "replace",
        &[
            "folder",
            "inputs",
            "decisions",
            "changes",
            "text_field",
            "id_field",
            "json",
            "memory",
        ],
    ),
    (
        "query",
        &[
            "folder",
            "inputs",
            "text",
            "id",
            "nearest",
            "threshold",
            "kept",
            "passages",
            "output",
            "text_field",
            "id_field",
        ],
    ),
    (
        "delete",
        &["folder", "ids", "from", "ignore_missing", "changes", "json"],
    ),
    ("show", &["folder", "ids", "output"]),
    ("changes", &["folder", "after", "limit", "output"]),
    ("compact", &["folder"]),
    ("snapshot", &["folder", "to"]),
    ("check", &["folder", "decisions", "json"]),
    ("stats", &["folder", "json"]),
];

/// The number of examples in `-h`.
const EXAMPLES: usize = 2;

/// Returns the definition with a short help for each command.
pub fn shortened(definition: Command) -> Command {
    SHORT.into_iter().fold(definition, |all, (name, flags)| {
        all.mut_subcommand(name, |command| match name {
            "index" => SHORT_OF_INDEX.into_iter().fold(
                short(command, name, flags),
                |all, (of_index, flags)| {
                    all.mut_subcommand(of_index, |command| {
                        short(command, &format!("index {of_index}"), flags)
                    })
                },
            ),
            _ => short(command, name, flags),
        })
    })
}

fn short(command: Command, name: &str, flags: &[&str]) -> Command {
    let command = command.mut_args(|arg| {
        let is_shown = flags.contains(&arg.get_id().as_str());
        arg.hide_short_help(!is_shown)
    });
    let all = format!("All flags: lookalike {name} --help");
    match command.get_after_help().map(ToString::to_string) {
        Some(examples) => {
            let few: Vec<&str> = examples.lines().take(1 + EXAMPLES).collect();
            command
                .after_help(format!("{}\n\n{all}", few.join("\n")))
                .after_long_help(examples)
        }
        None => command.after_help(all).after_long_help(""),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::Cli;

    /// The number of lines that fit a window without scrolling.
    const MOST: usize = 45;

    #[test]
    fn short_help_fits_a_window_and_long_help_has_all_flags() {
        for width in [80, 100] {
            let mut all = shortened(Cli::command()).term_width(width);
            all.build();
            let of_index: Vec<Command> = all
                .find_subcommand("index")
                .unwrap()
                .get_subcommands()
                .cloned()
                .collect();
            for mut command in all
                .get_subcommands()
                .cloned()
                .chain(of_index)
                .filter(|command| command.get_name() != "help")
            {
                let name = command.get_name().to_string();
                let (short, long) = (
                    command.render_help().to_string(),
                    command.render_long_help().to_string(),
                );
                let lines = short.lines().count();
                assert!(
                    lines <= MOST || command.is_hide_set(),
                    "{name} -h has {lines} lines of {width} columns:\n{short}"
                );
                for arg in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
                    let flag = arg
                        .get_long()
                        .map_or(String::new(), |flag| format!("--{flag}"));
                    assert!(long.contains(&flag), "{name} --help: {flag}");
                }
            }
        }
    }

    #[test]
    fn short_help_has_existing_flags() {
        let all = Cli::command();
        let visible = all
            .get_subcommands()
            .filter(|command| !command.is_hide_set());
        assert!(
            visible
                .map(Command::get_name)
                .eq(SHORT.map(|(name, _)| name)),
            "every command has a short help"
        );
        let index = all.find_subcommand("index").unwrap();
        assert!(
            index
                .get_subcommands()
                .map(Command::get_name)
                .eq(SHORT_OF_INDEX.map(|(name, _)| name)),
            "of index too"
        );
        let of_index = SHORT_OF_INDEX.map(|short| (index, short));
        for (all, (name, flags)) in SHORT.map(|short| (&all, short)).into_iter().chain(of_index) {
            let command = all.find_subcommand(name).unwrap();
            for id in flags {
                assert!(
                    command.get_arguments().any(|arg| arg.get_id() == *id),
                    "{name} has no {id}"
                );
            }
            for arg in command.get_arguments().filter(|arg| arg.is_positional()) {
                assert!(
                    flags.iter().any(|id| arg.get_id() == *id),
                    "{name} -h leaves out {}",
                    arg.get_id()
                );
            }
        }
    }

    #[test]
    fn dedup_shows_the_ten_flags_that_matter() {
        let flags = SHORT.iter().find(|(name, _)| *name == "dedup").unwrap().1;
        assert_eq!(flags.len(), 11, "the inputs and ten flags");
    }
}
