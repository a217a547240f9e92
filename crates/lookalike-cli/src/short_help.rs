//! What `-h` shows: of each command the few flags that most runs need, in a line each. `--help` has all of them.

use clap::Command;

/// A command, and what `-h` says of its flags. The rest is left to `--help`.
type Short = (&'static str, &'static [(&'static str, &'static str)]);

const INPUTS: (&str, &str) = ("inputs", "Files, folders, quoted globs or URLs; - is standard input");
const TEXT_FIELD: (&str, &str) = ("text_field", "The field with the text");
const ID_FIELD: (&str, &str) = ("id_field", "The field with the id");
const MEMORY: (&str, &str) = ("memory", "Memory to use, such as 8G [default: half of what is free]");
const JSON: (&str, &str) = ("json", "Print the summary as JSON");

const SHORT: [Short; 11] = [
    (
        "dedup",
        &[
            INPUTS,
            ("output", "Write the kept records to KEPT; - is standard output"),
            ("decisions", "Write the decision about each document to FILE"),
            ("label", "Drop nothing; write all records, with what was decided"),
            ("dry_run", "Write nothing; show what would be dropped"),
            TEXT_FIELD,
            ID_FIELD,
            ("against", "Also drop what these files, folders or URLs have"),
            ("threshold", "Similarity from which a document is dropped [default: 0.8]"),
            ("keep", "Keep the first, longest, newest:FIELD, max:FIELD or min:FIELD"),
            MEMORY,
        ],
    ),
    (
        "apply",
        &[
            ("decisions", "The decisions that dedup wrote"),
            INPUTS,
            ("output", "Write the kept records to KEPT; - is standard output"),
            TEXT_FIELD,
            ID_FIELD,
            ("json", "Print the summary as JSON"),
            MEMORY,
        ],
    ),
    (
        "pairs",
        &[
            INPUTS,
            ("output", "Write the pairs to FILE instead of standard output"),
            ("threshold", "Similarity from which a pair is listed [default: 0.5]"),
            ("nearest", "List the K most similar documents of each document"),
            ("exact", "Find every pair, without sketches; needs more memory"),
            ("against", "List pairs of these documents and those of the inputs"),
            ("measure", "What is measured of two texts"),
            TEXT_FIELD,
            ID_FIELD,
            JSON,
            MEMORY,
        ],
    ),
    (
        "compare",
        &[
            ("a", "A text file, a URL of one, or an id"),
            ("b", "Another"),
            ("collection", "Look for A and B as ids in this file, folder or glob"),
            ("sketches", "Show what every kind of sketch estimates, and its size"),
            ("longest", "Compare the longest sentences"),
            ("threshold", "Exit code 1 when the similarity is below T"),
            ("measure", "What --threshold is asked of"),
            ("full", "Print long passages whole"),
            ("json", "Print all figures as JSON"),
        ],
    ),
    (
        "passages",
        &[
            ("a", "A text or a collection, which is held in memory"),
            ("b", "What it is compared with [default: itself]"),
            ("output", "Write JSON Lines to FILE"),
            ("least", "The fewest tokens of a shared passage"),
            ("gap", "Join passages that at most N tokens separate"),
            ("threshold", "Only pairs of which one contains this share of the other"),
            ("common", "Pass over what more than N texts of A have in common"),
            ("pairs", "Show so many pairs"),
            ("full", "Show long passages whole"),
            TEXT_FIELD,
            ID_FIELD,
            ("json", "Print JSON Lines"),
        ],
    ),
    (
        "eval",
        &[
            INPUTS,
            ("truth", "A file with all pairs that are truly similar"),
            ("labels", "A field that documents of one group have in common"),
            ("sample", "Compare N random documents with all, exactly"),
            ("run", "A method to judge: flags of dedup in quotes"),
            ("threshold", "Similarity from which a pair counts [default: 0.8]"),
            ("repeat", "Run each method R times"),
            TEXT_FIELD,
            ID_FIELD,
            ("json", "Print all as JSON"),
            MEMORY,
        ],
    ),
    (
        "curve",
        &[
            ("threshold", "Similarity from which a pair is to be found"),
            ("recall", "Share of the pairs at the threshold that must be found"),
            ("bands", "Bands of a signature, with --rows"),
            ("rows", "Rows of a band"),
            ("at", "Print the share at this similarity"),
            ("sample_size", "Show how large a sketch must be"),
            ("degree", "Show what short ids of shingles lose"),
            ("distance", "Show which pairs SimHash finds"),
            ("candidates", "Show which pairs sampled shingles find"),
            ("json", "Print all as JSON"),
        ],
    ),
    (
        "mirrors",
        &[
            ("a", "The first collection: a file, a folder, a quoted glob or a URL"),
            ("b", "The second [default: sites of A are compared]"),
            ("output", "Write pairs of sites to FILE instead of standard output"),
            ("pages", "Write pairs of pages to FILE"),
            ("unmatched", "Write pages without a counterpart to FILE"),
            ("by", "What a site is: host, folder or field:NAME"),
            ("depth", "Folders that make a site's name"),
            ("share", "The share of its pages that must have a match"),
            ("share_of", "Of which of two sites"),
            ("threshold", "Similarity from which pages match [default: 0.8]"),
            JSON,
            MEMORY,
        ],
    ),
    (
        "link",
        &[
            ("a", "Records: JSON Lines, JSON arrays or CSV; - is standard input"),
            ("b", "Other records, to link those of A with"),
            ("config", "The configuration: fields, blocks and thresholds"),
            ("output", "Write the pairs to FILE instead of standard output"),
            ("clusters", "Write each record's cluster to FILE"),
            ("one_to_one", "Let each record be in one pair at most"),
            ("matches_only", "Leave possible matches out"),
            ("truth", "True pairs, to judge by"),
            ("label", "A field that says what is the same, to judge by"),
            ("explain", "Say why two records match or not"),
            JSON,
            MEMORY,
        ],
    ),
    (
        "minutiae",
        &[
            ("inputs", "Prints: files, folders, quoted globs or URLs"),
            ("output", "Write the pairs to FILE instead of standard output"),
            ("by", "How prints are compared"),
            ("first", "Write the best N pairs, or that share of all"),
            ("columns", "What the values of a minutia are"),
            ("turn", "What a full turn is in the unit of the angles"),
            ("within", "Compare only prints with the same value of this field"),
            ("label", "The field that says whose finger it is, to judge by"),
            ("model", "Show what random sets of squares find; read nothing"),
            ("json", "Print the summary as JSON"),
        ],
    ),
    ("completions", &[("shell", "The shell")]),
];

/// Examples that `-h` has.
const EXAMPLES: usize = 2;

/// The definition with a short help for each command.
pub fn shortened(definition: Command) -> Command {
    SHORT.into_iter().fold(definition, |all, (name, flags)| all.mut_subcommand(name, |command| short(command, name, flags)))
}

fn short(command: Command, name: &str, flags: &[(&str, &'static str)]) -> Command {
    let command = command.mut_args(|arg| {
        let Some((_, words)) = flags.iter().find(|(id, _)| arg.get_id() == *id) else { return arg.hide_short_help(true) };
        let long = arg.get_long_help().or(arg.get_help()).cloned().unwrap_or_default();
        arg.help(*words).long_help(long)
    });
    let all = format!("All flags: lookalike {name} --help");
    match command.get_after_help().map(ToString::to_string) {
        Some(examples) => {
            let few: Vec<&str> = examples.lines().take(1 + EXAMPLES).collect();
            command.after_help(format!("{}\n\n{all}", few.join("\n"))).after_long_help(examples)
        }
        None => command.after_help(all).after_long_help(""),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::Cli;

    /// Lines that fit a window without scrolling.
    const MOST: usize = 45;

    #[test]
    fn a_short_help_fits_a_window_and_the_long_one_has_all_flags() {
        for width in [80, 100] {
            let mut all = shortened(Cli::command()).term_width(width);
            all.build();
            for command in all.get_subcommands_mut().filter(|command| command.get_name() != "help") {
                let name = command.get_name().to_string();
                let (short, long) = (command.render_help().to_string(), command.render_long_help().to_string());
                let lines = short.lines().count();
                assert!(lines < MOST || command.is_hide_set(), "{name} -h has {lines} lines of {width} columns:\n{short}");
                for arg in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
                    let flag = arg.get_long().map_or(String::new(), |flag| format!("--{flag}"));
                    assert!(long.contains(&flag), "{name} --help: {flag}");
                }
            }
        }
    }

    #[test]
    fn short_words_are_of_flags_that_are_there_and_fit_a_line() {
        let all = Cli::command();
        let visible = all.get_subcommands().filter(|command| !command.is_hide_set());
        assert!(visible.map(Command::get_name).eq(SHORT.map(|(name, _)| name)), "every command has a short help");
        for (name, flags) in SHORT {
            let command = all.find_subcommand(name).unwrap();
            for (id, words) in flags {
                assert!(command.get_arguments().any(|arg| arg.get_id() == *id), "{name} has no {id}");
                assert!(words.chars().count() <= 72 && !words.ends_with('.'), "{name} {id}: {words}");
            }
            for arg in command.get_arguments().filter(|arg| arg.is_positional()) {
                assert!(flags.iter().any(|(id, _)| arg.get_id() == *id), "{name} -h leaves out {}", arg.get_id());
            }
        }
    }

    #[test]
    fn dedup_shows_the_ten_flags_that_matter() {
        let flags = SHORT.iter().find(|(name, _)| *name == "dedup").unwrap().1;
        assert_eq!(flags.len(), 11, "the inputs and ten flags");
    }
}
