//! The command as a library, which the `lookalike` program and `python -m lookalike` use. Data is written to standard output,
//! messages to standard error. Exit code 0 is success, 1 a negative answer (no pair, not similar enough), and 2 an error.

// Code that can be reached with bad input data returns an error and never panics. Each remaining panic has a note that says why
// no data can cause it.
#![cfg_attr(
    not(test),
    warn(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::unreachable,
        clippy::todo
    )
)]

mod front;

mod config;

mod paint;

mod output;

mod shares;

mod logging;

mod report;

mod found;

mod refused;

mod commands;

mod short_help;

mod version;

use std::{ffi::OsString, process::ExitCode};

use clap::{ArgAction, CommandFactory, FromArgMatches, Parser, Subcommand, error::ErrorKind};

use self::front::Flags;

/// Find near-duplicate documents and keep one from each group
///
/// The similarity of two texts is the overlap of their sets of shingles (runs of five words or, in scripts without spaces, five
/// characters): shared shingles divided by all shingles of both. A document is dropped only if its exact similarity to a kept
/// document is at least the threshold.
#[derive(Parser)]
#[command(
    name = "lookalike",
    version,
    max_term_width = 100,
    arg_required_else_help = true
)]
#[command(
    after_help = "Exit codes: 0 success; 1 negative answer (no pair found, not similar enough); 2 error. An empty collection is not an error: 0.\n\n\
    Examples:\n  lookalike dedup crawl.jsonl.zst -o kept.jsonl.zst\n  \
    lookalike pairs crawl.jsonl --threshold 0.5 > pairs.jsonl\n  \
    lookalike compare a.txt b.txt\n  lookalike eval crawl.jsonl --sample 1000\n  lookalike curve --threshold 0.8 --recall 0.99"
)]
struct Cli {
    /// Log the steps of a run on standard error; -vv also logs each input
    ///
    /// With --version: print how the program was built.
    #[arg(long, short, global = true, action = ArgAction::Count, hide_short_help = true)]
    verbose: u8,
    /// Whether only errors are printed.
    #[arg(skip)]
    quiet: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Dedup(commands::dedup::Dedup),
    Apply(commands::apply::Apply),
    Pairs(commands::pairs::Pairs),
    Compare(commands::compare::Compare),
    Sketch(commands::sketch::Sketch),
    Passages(commands::passages::Passages),
    Cut(commands::cut::Cut),
    Eval(commands::eval::Eval),
    Audit(commands::audit::Audit),
    Curve(commands::curve::Curve),
    Mirrors(commands::mirrors::Mirrors),
    Index(commands::index::Index),
    Link(commands::link::Link),
    Minutiae(commands::minutiae::Minutiae),
    Stage(commands::stage::Stage),
    Completions(commands::completions::Completions),
    Man(commands::man::Man),
}

/// Runs the command with these arguments, the first of which is the name of the program, and returns the exit code. This function
/// never ends the process, so another program can call it.
///
/// `itself` contains what is needed to start the program again, as `eval` does for each run: the file of the program, and the
/// arguments that precede the command's own. If it is `None`, the file of the current process is used.
pub fn main_from(
    itself: Option<Vec<OsString>>,
    args: impl IntoIterator<Item = impl Into<OsString> + Clone>,
) -> u8 {
    let args: Vec<OsString> = args.into_iter().map(Into::into).collect();
    let cli = match parse(&args) {
        Ok(cli) => cli,
        Err(words) if words.use_stderr() => {
            output::usage(&refused::words(words));
            return 2;
        }
        Err(words) if words.kind() == ErrorKind::DisplayVersion && version::is_verbose(&args) => {
            return code(
                output::print(&version::page()).map(|()| ExitCode::SUCCESS),
                Flags::Others,
            );
        }
        // `--help` is not an error.
        Err(words) => {
            return code(
                output::print_help(&words.render()).map(|()| ExitCode::SUCCESS),
                Flags::Others,
            );
        }
    };
    logging::start(cli.verbose, cli.quiet);
    let flags = match &cli.command {
        Command::Eval(_) => Flags::Eval,
        Command::Mirrors(_) => Flags::Mirrors,
        Command::Cut(_) => Flags::Cut,
        _ => Flags::Others,
    };
    let done = match cli.command {
        Command::Dedup(command) => command.run(),
        Command::Apply(command) => command.run(),
        Command::Pairs(command) => command.run(),
        Command::Compare(command) => command.run(),
        Command::Sketch(command) => command.run(),
        Command::Passages(command) => command.run(),
        Command::Cut(command) => command.run(),
        Command::Eval(command) => command.run(itself),
        Command::Audit(command) => command.run(),
        Command::Curve(command) => command.run(),
        Command::Mirrors(command) => command.run(),
        Command::Index(command) => command.run(),
        Command::Link(command) => command.run(),
        Command::Minutiae(command) => command.run(),
        Command::Stage(command) => command.run(dedup_of),
        Command::Completions(command) => command.run(definition()),
        Command::Man(command) => command.run(definition()),
    };
    let code = code(done, flags);
    logging::end(code);
    code
}

/// Returns the definition of all commands and their flags.
fn definition() -> clap::Command {
    short_help::shortened(Cli::command())
}

fn parse(args: &[OsString]) -> Result<Cli, clap::Error> {
    let matches = definition().try_get_matches_from(args)?;
    let mut innermost = &matches;
    while let Some((_, of_command)) = innermost.subcommand() {
        innermost = of_command;
    }
    let quiet = innermost.try_get_one("quiet").ok().flatten() == Some(&true);
    if quiet && matches.get_count("verbose") > 0 {
        let words = "--quiet and --verbose contradict each other; leave out one of the two\n";
        return Err(clap::Error::raw(ErrorKind::ArgumentConflict, words));
    }
    let cli = Cli::from_arg_matches(&matches)?;
    Ok(Cli { quiet, ..cli })
}

/// Parses the arguments of `lookalike dedup`.
fn dedup_of(arguments: &[String]) -> anyhow::Result<commands::dedup::Dedup> {
    let whole: Vec<OsString> = ["lookalike", "dedup"]
        .into_iter()
        .chain(arguments.iter().map(String::as_str))
        .map(Into::into)
        .collect();
    match parse(&whole) {
        Ok(Cli {
            command: Command::Dedup(dedup),
            ..
        }) => Ok(dedup),
        Ok(_) => anyhow::bail!("the arguments after -- are not those of dedup"),
        Err(words) => {
            let words = refused::words(words);
            let first = words.lines().next().unwrap_or_default();
            anyhow::bail!(
                "after --: {}; see lookalike dedup --help",
                first.strip_prefix("error: ").unwrap_or(first)
            )
        }
    }
}

/// Returns the exit code of a result and reports an error.
fn code(done: anyhow::Result<ExitCode>, flags: Flags) -> u8 {
    match done {
        Ok(code) if code == ExitCode::SUCCESS => 0,
        Ok(_) => 1,
        // Broken pipe: exit quietly.
        Err(error) if is_broken_pipe(&error) => 0,
        Err(error) => {
            output::error(&flags.rendered(&error));
            2
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    // If the error or one of its causes is an error of our own libraries, only the kind of that library error is checked: its
    // causes were already considered when its kind was set.
    match error
        .chain()
        .find_map(|cause| cause.downcast_ref::<lookalike_engine::Error>())
    {
        Some(error) => error.kind() == lookalike_engine::ErrorKind::BrokenPipe,
        None => error.chain().any(|cause| {
            cause
                .downcast_ref::<std::io::Error>()
                .is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
        }),
    }
}
