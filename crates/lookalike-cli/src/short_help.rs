//! The text of `-h`: for each command, the few flags that most runs need, in one line each. `--help` has all flags.

use clap::Command;

/// A command and the texts of its flags in `-h`. All other flags are only in `--help`.
type Short = (&'static str, &'static [(&'static str, &'static str)]);

const INPUTS: (&str, &str) = (
    "inputs",
    "Files, folders, quoted globs or URLs (- for standard input)",
);
const TEXT_FIELD: (&str, &str) = ("text_field", "Field with the text");
const ID_FIELD: (&str, &str) = ("id_field", "Field with the id");
const OUTPUT_FORMAT: (&str, &str) = (
    "output_format",
    "Format of the records, if the name after -o does not say it",
);
const MEMORY: (&str, &str) = (
    "memory",
    "Memory limit, such as 8G [default: half of free memory]",
);
const JSON: (&str, &str) = ("json", "Print the summary as JSON");
const REPORT: (&str, &str) = (
    "report",
    "Write a page to look at: groups, pairs, texts side by side",
);

const SHORT: [Short; 16] = [
    (
        "dedup",
        &[
            INPUTS,
            (
                "output",
                "Write the kept records to KEPT (- for standard output)",
            ),
            (
                "decisions",
                "Write the decision about each document to FILE",
            ),
            ("dry_run", "Write nothing; show what would be dropped"),
            TEXT_FIELD,
            ID_FIELD,
            ("against", "Also drop documents that duplicate those of REF"),
            (
                "threshold",
                "Minimum similarity of duplicates [default: 0.8]",
            ),
            (
                "keep",
                "Keep the first, longest, newest:FIELD, max:FIELD or min:FIELD",
            ),
            REPORT,
            MEMORY,
        ],
    ),
    (
        "apply",
        &[
            ("decisions", "Decisions file of a dedup run"),
            INPUTS,
            (
                "output",
                "Write the kept records to KEPT (- for standard output)",
            ),
            OUTPUT_FORMAT,
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
            (
                "output",
                "Write the pairs to FILE instead of standard output",
            ),
            ("threshold", "Minimum similarity of a pair [default: 0.5]"),
            (
                "nearest",
                "List the K most similar matches of each document",
            ),
            (
                "exact",
                "Find every pair by comparing shingle sets; needs more memory",
            ),
            (
                "against",
                "List only pairs of a REF document and an input document",
            ),
            ("measure", "Similarity measure"),
            TEXT_FIELD,
            ID_FIELD,
            REPORT,
            JSON,
            MEMORY,
        ],
    ),
    (
        "compare",
        &[
            ("a", "A text file, the URL of one, or an id"),
            ("b", "The text file, URL or id to compare with"),
            (
                "collection",
                "Look up A and B as ids in this file, folder or glob",
            ),
            (
                "sketches",
                "Show what every kind of sketch estimates, and its size",
            ),
            ("longest", "Show the K longest sentences and their digests"),
            ("threshold", "Exit with code 1 if the similarity is below T"),
            ("measure", "Similarity measure that --threshold applies to"),
            ("full", "Print long passages in full"),
            ("json", "Print all figures as JSON"),
        ],
    ),
    (
        "sketch",
        &[
            ("inputs", "Texts or, with --merge, files of sketches"),
            (
                "output",
                "Write the sketches to FILE, such as sketches.parquet",
            ),
            ("kind", "Kind of sketch"),
            ("slots", "For minhash: slots per signature [default: 128]"),
            (
                "bits",
                "For minhash: bits per slot; for simhash: bits per hash",
            ),
            ("size", "For bottom and modulo: shingles per sketch"),
            ("merge", "Merge files of sketches"),
            (
                "union",
                "With --merge: unite documents that have the same id",
            ),
            TEXT_FIELD,
            ID_FIELD,
            JSON,
            MEMORY,
        ],
    ),
    (
        "passages",
        &[
            ("a", "A text or a collection to hold in memory"),
            (
                "b",
                "Texts or collections to compare with A [default: compare A with itself]",
            ),
            ("output", "Write JSON Lines to FILE"),
            ("least", "Minimum length of a shared run, in tokens"),
            ("gap", "Join shared runs with at most N tokens between them"),
            ("regions", "Find passages that were copied and changed"),
            (
                "threshold",
                "Show only pairs in which one text contains this share of the other text",
            ),
            (
                "common",
                "Ignore runs of words that more than N texts of A have in common",
            ),
            ("pairs", "Show the N pairs that share the most text"),
            ("full", "Show long passages in full"),
            TEXT_FIELD,
            ID_FIELD,
            ("report", "Write a page to look at: passages side by side"),
            ("json", "Print JSON Lines"),
        ],
    ),
    (
        "cut",
        &[
            INPUTS,
            (
                "output",
                "Write the records with the remaining texts to FILE",
            ),
            (
                "cuts",
                "Write the places of all cuts and of their sources to FILE",
            ),
            (
                "mark",
                "Cut nothing; write all records with what would be cut",
            ),
            (
                "unit",
                "What is compared and cut: runs, lines, paragraphs or sentences",
            ),
            (
                "window",
                "Units in the shortest passage that is cut [default: 50 for runs, else 1]",
            ),
            (
                "within",
                "Compare a document with all documents, itself, or its group",
            ),
            ("against", "Also cut passages that occur in REF"),
            (
                "keep",
                "Which copy to keep: first, longest, newest:FIELD, max:FIELD or min:FIELD",
            ),
            TEXT_FIELD,
            ID_FIELD,
            (
                "report",
                "Write a page to look at: passages, and documents with their cuts",
            ),
            JSON,
            MEMORY,
        ],
    ),
    (
        "eval",
        &[
            INPUTS,
            ("truth", "File of all pairs that are truly similar"),
            (
                "labels",
                "Field that is equal in documents that belong together",
            ),
            (
                "sample",
                "Compare N random documents with all others, exactly",
            ),
            ("run", "Method to evaluate: dedup flags in quotes"),
            (
                "threshold",
                "Minimum similarity of duplicates [default: 0.8]",
            ),
            (
                "repeat",
                "Run each method R times and report the median time",
            ),
            TEXT_FIELD,
            ID_FIELD,
            ("report", "Write a page to look at: methods side by side"),
            ("json", "Print the results as JSON"),
            MEMORY,
        ],
    ),
    (
        "audit",
        &[
            (
                "results",
                "Result of the tool: JSON Lines, CSV, Parquet, Arrow or a list of ids",
            ),
            ("texts", "Texts that the tool deduplicated"),
            ("output", "Write one JSON line per removal to FILE"),
            (
                "result",
                "What the rows of RESULT are [default: recognised by their fields]",
            ),
            (
                "by_position",
                "RESULT numbers documents by position, from 0",
            ),
            (
                "threshold",
                "Minimum similarity of duplicates [default: 0.8]",
            ),
            ("shingle", "Tokens per shingle [default: 5]"),
            (
                "sample",
                "Compare N random kept documents with all documents [default: 1000]",
            ),
            ("worst", "Show N worst cases of each kind [default: 3]"),
            TEXT_FIELD,
            ID_FIELD,
            JSON,
            MEMORY,
        ],
    ),
    (
        "curve",
        &[
            ("threshold", "Minimum similarity of duplicates"),
            (
                "recall",
                "Share of pairs to find among those exactly at the threshold",
            ),
            (
                "bands",
                "Show the curve for this number of bands; requires --rows",
            ),
            ("rows", "Rows per band; requires --bands"),
            ("at", "Print the share found at this similarity"),
            (
                "sample_size",
                "Show how large a sketch must be for a good estimate",
            ),
            (
                "degree",
                "Show how many shingles are lost if their ids have few bits",
            ),
            ("distance", "Show which pairs SimHash finds"),
            (
                "candidates",
                "Show which pairs are found by sampled shingles",
            ),
            (
                "files",
                "Show what the sketches in FILE find and how accurate they are",
            ),
            ("json", "Print the results as JSON"),
        ],
    ),
    (
        "mirrors",
        &[
            ("a", "First collection: a file, folder, quoted glob or URL"),
            ("b", "Second collection [default: compare the sites of A]"),
            (
                "more",
                "More crawls: follow each page through A, B, C and so on",
            ),
            (
                "history",
                "Follow each page from A to B, as with more collections",
            ),
            (
                "output",
                "Write pairs of sites to FILE instead of standard output",
            ),
            ("pages", "Write pairs of corresponding pages to FILE"),
            ("unmatched", "Write pages without a counterpart to FILE"),
            (
                "by",
                "How pages are grouped into sites: host, folder or field:NAME",
            ),
            ("depth", "Number of outermost folders that identify a site"),
            ("share", "Minimum share of a site's pages that have a match"),
            ("share_of", "Which of the two sites must reach --share"),
            (
                "changed",
                "Second round: also pair pages that changed a lot",
            ),
            (
                "threshold",
                "Minimum similarity of matching pages [default: 0.8]",
            ),
            (
                "report",
                "Write a page to look at: sites, and pages side by side",
            ),
            JSON,
            MEMORY,
        ],
    ),
    ("index", &[]),
    (
        "link",
        &[
            (
                "a",
                "Records: JSON Lines, CSV, Parquet or Arrow (- for standard input)",
            ),
            ("b", "Other records, to link with those of A"),
            (
                "config",
                "Configuration with fields, blocks and thresholds, in TOML",
            ),
            (
                "suggest",
                "Suggest a configuration for the records, and link nothing",
            ),
            (
                "output",
                "Write the pairs to FILE instead of standard output",
            ),
            ("clusters", "Write the cluster of each record to FILE"),
            ("one_to_one", "Allow each record in at most one pair"),
            ("matches_only", "Leave out possible matches"),
            (
                "truth",
                "File of labelled pairs, for evaluation or labelled weights",
            ),
            (
                "label",
                "Field that labels records, for evaluation or labelled weights",
            ),
            ("explain", "Explain why two records match or not"),
            (
                "dry_run",
                "Write nothing; show pairs, time and memory of a run",
            ),
            ("report", "Write a page to look at: pairs field by field"),
            JSON,
            MEMORY,
        ],
    ),
    (
        "minutiae",
        &[
            ("inputs", "Prints: files, folders, quoted globs or URLs"),
            (
                "output",
                "Write the pairs to FILE instead of standard output",
            ),
            ("by", "How prints are compared"),
            ("first", "Write the best N pairs, or N% of all pairs"),
            ("columns", "Names of the values of a minutia, in order"),
            ("turn", "Value of a full turn in the unit of the angles"),
            (
                "within",
                "Compare only prints with the same value of this field",
            ),
            (
                "label",
                "Field that identifies the finger, to evaluate the result",
            ),
            (
                "model",
                "Compute the probability that a pair becomes a candidate; needs no input",
            ),
            ("json", "Print the summary as JSON"),
        ],
    ),
    (
        "stage",
        &[
            (
                "stage",
                "Stage to run: plan, sketch, pair, join, place, decide, emit; or status",
            ),
            ("folder", "Folder that all tasks share"),
            (
                "shard",
                "Task to run, counted from 0, and number of tasks, such as 3/16",
            ),
            ("shards", "With plan: number of tasks"),
            ("json", "With status: print JSON"),
            ("dedup", "With plan, after --: inputs and flags of dedup"),
        ],
    ),
    ("completions", &[("shell", "Shell to complete for")]),
];

const INDEX: (&str, &str) = ("folder", "The index");

/// The same for the commands of `index`.
const SHORT_OF_INDEX: [Short; 11] = [
    (
        "create",
        &[
            ("folder", "Folder of the new index"),
            ("store", "What is stored of each document"),
            ("sets", "Documents are sets"),
            (
                "threshold",
                "Minimum similarity of duplicates [default: 0.8]",
            ),
            (
                "keep",
                "Keep the first, longest, newest:FIELD, max:FIELD or min:FIELD",
            ),
            ("shingle", "Tokens per shingle [default: 5]"),
            (
                "method",
                "Find candidate pairs by minhash, simhash, sentences or exact",
            ),
        ],
    ),
    (
        "add",
        &[
            INDEX,
            INPUTS,
            (
                "on_conflict",
                "What happens if a document of the index has the same id",
            ),
            (
                "decisions",
                "Write the decisions about the added documents to FILE",
            ),
            ("changes", "Write all changed decisions to FILE"),
            TEXT_FIELD,
            ID_FIELD,
            JSON,
            MEMORY,
        ],
    ),
    (
        "replace",
        &[
            INDEX,
            INPUTS,
            (
                "decisions",
                "Write the decisions about the added documents to FILE",
            ),
            ("changes", "Write all changed decisions to FILE"),
            TEXT_FIELD,
            ID_FIELD,
            JSON,
            MEMORY,
        ],
    ),
    (
        "query",
        &[
            INDEX,
            (
                "inputs",
                "Texts to search for: files, folders, quoted globs or URLs",
            ),
            ("text", "Search for this text"),
            (
                "id",
                "Search for documents similar to the document with this id",
            ),
            (
                "nearest",
                "Find at most the K most similar documents for each text",
            ),
            (
                "threshold",
                "Minimum similarity, at least the threshold of the index",
            ),
            ("kept", "Find only documents that are kept"),
            (
                "passages",
                "Show the passages that the text shares with each document",
            ),
            (
                "output",
                "Write the lines to FILE instead of standard output",
            ),
            TEXT_FIELD,
            ID_FIELD,
        ],
    ),
    (
        "delete",
        &[
            INDEX,
            ("ids", "Ids of documents"),
            ("from", "Read more ids from FILE, one per line"),
            ("ignore_missing", "Ignore ids that are not in the index"),
            ("changes", "Write all changed decisions to FILE"),
            JSON,
        ],
    ),
    (
        "show",
        &[
            INDEX,
            ("ids", "Ids of documents [default: the decisions about all]"),
            ("output", "Write the lines to FILE"),
        ],
    ),
    (
        "changes",
        &[
            INDEX,
            ("after", "List changes after the one with this number"),
            ("limit", "List at most N changes"),
            ("output", "Write the lines to FILE"),
        ],
    ),
    ("compact", &[INDEX]),
    ("snapshot", &[INDEX, ("to", "Folder of the copy")]),
    (
        "check",
        &[
            INDEX,
            (
                "decisions",
                "Make every decision again, and compare it with the stored one",
            ),
            JSON,
        ],
    ),
    ("stats", &[INDEX, JSON]),
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

fn short(command: Command, name: &str, flags: &[(&str, &'static str)]) -> Command {
    let command = command.mut_args(|arg| {
        let Some((_, words)) = flags.iter().find(|(id, _)| arg.get_id() == *id) else {
            return arg.hide_short_help(true);
        };
        let long = arg
            .get_long_help()
            .or(arg.get_help())
            .cloned()
            .unwrap_or_default();
        arg.help(*words).long_help(long)
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
                    lines < MOST || command.is_hide_set(),
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
    fn short_help_texts_belong_to_existing_flags_and_fit_a_line() {
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
            for (id, words) in flags {
                assert!(
                    command.get_arguments().any(|arg| arg.get_id() == *id),
                    "{name} has no {id}"
                );
                assert!(
                    words.chars().count() <= 72 && !words.ends_with('.'),
                    "{name} {id}: {words}"
                );
            }
            for arg in command.get_arguments().filter(|arg| arg.is_positional()) {
                assert!(
                    flags.iter().any(|(id, _)| arg.get_id() == *id),
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
