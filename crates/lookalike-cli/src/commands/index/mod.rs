//! `lookalike index`.

mod lines;

pub mod create;

pub mod add;

mod filling;

mod query;

mod delete;

mod show;

mod keeping;

use std::process::ExitCode;

use clap::{Args, Subcommand};

pub use self::filling::NewIndex;

/// Keep a collection and its decisions up to date in a folder
///
/// An index is a folder with documents and the decisions about them: which are kept, which are dropped, and why. Documents can be
/// added, replaced and deleted at any time. The decisions are always those that one `lookalike dedup` would make about the documents
/// that the index holds, in the order in which they were added. Each command reports which earlier decisions it changed.
///
/// One process can change an index, and any number can read it at the same time. A change is complete when the command ends; if the
/// machine stops before, nothing of a change remains, or all of it.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  lookalike index create news --threshold 0.8\n  \
    lookalike index add news november.jsonl --decisions decisions.jsonl\n  \
    lookalike index query news --text 'a text that may be known'\n  \
    lookalike index delete news article-17\n  \
    lookalike dedup december.jsonl --against news -o new.jsonl"
)]
pub struct Index {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    Create(create::Create),
    Add(add::Add),
    Replace(add::Replace),
    Query(query::Query),
    Delete(delete::Delete),
    Show(show::Show),
    Changes(show::Changes),
    Compact(keeping::Compact),
    Snapshot(keeping::Snapshot),
    Check(keeping::Check),
    Stats(keeping::Stats),
}

impl Index {
    pub fn run(self) -> anyhow::Result<ExitCode> {
        match self.what {
            What::Create(command) => command.run(),
            What::Add(command) => command.run(),
            What::Replace(command) => command.run(),
            What::Query(command) => command.run(),
            What::Delete(command) => command.run(),
            What::Show(command) => command.run(),
            What::Changes(command) => command.run(),
            What::Compact(command) => command.run(),
            What::Snapshot(command) => command.run(),
            What::Check(command) => command.run(),
            What::Stats(command) => command.run(),
        }
    }
}
