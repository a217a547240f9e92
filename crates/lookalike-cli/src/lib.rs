//! The command, as a library: for its own program and for `python -m lookalike`. Data goes to standard output, words to
//! standard error; 0 is done, 1 is "no" (no pair, not similar enough), 2 is a failure.

// What data reaches gives an error, never a panic; where one stands, it says why nothing reaches it.
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::unreachable, clippy::todo))]

mod args;

mod paint;

mod output;

mod found;

mod refused;

mod commands;

pub mod asked;

use std::{ffi::OsString, process::ExitCode};

use clap::{CommandFactory, Parser, Subcommand};

/// Find documents that are roughly the same, keep one of each, and say why.
///
/// Two texts resemble each other as their sets of shingles (runs of five words) overlap: shared shingles divided by all.
/// A document is dropped only when a kept one resembles it by at least the threshold, measured exactly.
#[derive(Parser)]
#[command(name = "lookalike", version, max_term_width = 100, arg_required_else_help = true)]
#[command(
    after_help = "Exit codes: 0 done; 1 the answer is no (no pair found, not similar enough); 2 failure. An empty collection is a collection: 0.\n\n\
    Examples:\n  lookalike dedup crawl.jsonl.zst -o kept.jsonl.zst\n  \
    lookalike pairs crawl.jsonl --threshold 0.5 > pairs.jsonl\n  \
    lookalike compare a.txt b.txt\n  lookalike eval crawl.jsonl --sample 1000\n  lookalike curve --threshold 0.8 --recall 0.99"
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Dedup(commands::dedup::Dedup),
    Apply(commands::apply::Apply),
    Pairs(commands::pairs::Pairs),
    Compare(commands::compare::Compare),
    Passages(commands::passages::Passages),
    Eval(commands::eval::Eval),
    Curve(commands::curve::Curve),
    Mirrors(commands::mirrors::Mirrors),
    Link(commands::link::Link),
    Minutiae(commands::minutiae::Minutiae),
    Completions(commands::completions::Completions),
}

/// Runs the command as if it had been started with these arguments, the first of which is its name, and gives the exit code
/// of its process. Nothing here ends the process, so that another program can be the command.
///
/// `itself` starts the program again, as `eval` does for each run: its file, and what comes before the command's own arguments.
/// None is the file that runs now.
pub fn main_from(itself: Option<Vec<OsString>>, args: impl IntoIterator<Item = impl Into<OsString> + Clone>) -> u8 {
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(words) if words.use_stderr() => {
            output::usage(&refused::words(words));
            return 2;
        }
        // Help is no failure.
        Err(words) => return code(output::print_help(&words.render()).map(|()| ExitCode::SUCCESS)),
    };
    code(match cli.command {
        Command::Dedup(command) => command.run(),
        Command::Apply(command) => command.run(),
        Command::Pairs(command) => command.run(),
        Command::Compare(command) => command.run(),
        Command::Passages(command) => command.run(),
        Command::Eval(command) => command.run(itself),
        Command::Curve(command) => command.run(),
        Command::Mirrors(command) => command.run(),
        Command::Link(command) => command.run(),
        Command::Minutiae(command) => command.run(),
        Command::Completions(command) => command.run(Cli::command()),
    })
}

/// The exit code of what was done; says what went wrong.
fn code(done: anyhow::Result<ExitCode>) -> u8 {
    match done {
        Ok(code) if code == ExitCode::SUCCESS => 0,
        Ok(_) => 1,
        // Whoever read our output has had enough.
        Err(error) if is_broken_pipe(&error) => 0,
        Err(error) => {
            output::error(&error);
            2
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause.downcast_ref::<std::io::Error>().is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
            || cause
                .downcast_ref::<lookalike_engine::Error>()
                .is_some_and(|error| error.kind() == lookalike_engine::ErrorKind::BrokenPipe)
    })
}
